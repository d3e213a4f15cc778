"""Who is here: entering, leaving, and what a restart of the server does to everybody."""

import attrs

from gameserver.core import absence, playing, proof, referee, rooms, tables, takeover, tickets, tournament_play
from gameserver.core.challenges import drop_challenges_to
from gameserver.core.commands import Enter, Leave, ServerStarted
from gameserver.core.ending import abandon
from gameserver.core.events import Accepted, Answer, Rejected, TablesListed
from gameserver.core.lobby import Draft, Player
from gameserver.core.match import Absence, Cause, Match, SeatHolder
from gameserver.core.names import is_reserved, judge_name
from gameserver.core.opening import close_challenge_of, leave_queue
from gameserver.core.proof import Standing
from gameserver.core.rejections import Code
from gameserver.core.table import TablePhase
from gameserver.core.telling import tell_turn
from gameserver.policies import Dropped, SeatReturn


def enter(draft: Draft, command: Enter) -> Answer:
    """Let a player in; where the name holds an empty seat, give the seat back."""
    if draft.player_of(command.session) is not None:
        return Rejected(Code.ALREADY_ENTERED)
    rules = draft.server.rules
    if command.anonymous:
        return _enter_anonymously(draft, command)
    name = command.name
    found = unfit(command, rules.name_length_max)
    if found is not None:
        return found
    is_proven = command.standing is Standing.PROVEN
    before = draft.players.get(name)
    if before is not None and not is_proven:
        return Rejected(Code.NAME_TAKEN, {"name": name})
    number = draft.seated.get(name)
    match = None if number is None else draft.matches[number]
    if match is not None and not may_return(match, command, rules.seat_return):
        return Rejected(Code.NAME_HELD, {"name": name})
    if before is not None:
        match = takeover.displace(draft, before, command)
    draft.sessions[command.session] = name
    draft.called.append(name)
    player = Player(name, command.session, command.protocol, command.address, command.carries, is_proven=is_proven)
    if "tables" in command.carries:
        draft.players[name] = player
        draft.tell(command.session, TablesListed(tables.listing(draft, name)))
    elif match is None:
        draft.players[name] = player
    else:
        draft.players[name] = attrs.evolve(player, match=number, table=match.table)
        back = absence.Return(match.seat_of(name), command.session, command.address, command.protocol)
        playing.act(draft, match, back.seat, back)
    return Accepted()


def unfit(command: Enter, length_max: int) -> Rejected | None:
    """The reason why nobody may come in by this name, or not in this way; None if they may."""
    name = command.name
    found = judge_name(name, length_max)
    if found is None and command.fault:
        found = Rejected(Code.NAME_INVALID, {"name": name, "why": command.fault})
    if found is None:
        found = proof.refusal(command.standing, name)
    if found is None and command.resembles:
        found = Rejected(Code.NAME_TAKEN, {"name": name})
    return found


def _enter_anonymously(draft: Draft, command: Enter) -> Answer:
    """Let somebody in under a name that no start of the server gives twice."""
    if not is_reserved(command.name):
        return Rejected(Code.NAME_INVALID, {"name": command.name, "why": "it is no reserved prefix"})
    name = f"{command.name}{draft.server.boot}-{command.session}"
    draft.sessions[command.session] = name
    draft.players[name] = Player(name, command.session, command.protocol, command.address, command.carries)
    return Accepted()


def leave(draft: Draft, command: Leave) -> Answer:
    """Let a player out, whatever they were doing."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    let_out(draft, player, command.why, unheard=command.unheard, fault=command.fault)
    return Accepted()


def let_out(draft: Draft, player: Player, why: str = "", *, unheard: bool = False, fault: str = "") -> None:
    """End everything that a player does here; a match that they are in has an empty seat then.

    `unheard` and `fault` as in `Leave`.
    """
    player = leave_queue(draft, player)
    player = close_challenge_of(draft, player)
    drop_challenges_to(draft, player.name)
    del draft.players[player.name]
    del draft.sessions[player.session]
    tickets.left(draft, player)
    if player.match is not None:
        match = draft.matches[player.match]
        seat = match.seat_of(player.name)
        playing.act(draft, match, seat, absence.Drop(seat, why, unheard, fault))
    if player.table is not None and draft.tables[player.table].phase is not TablePhase.PLAYING:
        tables.take_place(draft, player)


def start_server(draft: Draft, command: ServerStarted) -> Answer:
    """Begin anew after a start: nobody is connected, no offer is open, every match waits for its players."""
    draft.server = attrs.evolve(
        draft.server,
        boot=command.boot,
        seed=command.seed,
        rules=command.rules,
        house=command.house,
        games=command.games,
        next_match=max(draft.server.next_match, command.next_match_min),
        stop_by_ms=None,
    )
    for table in (draft.sessions, draft.players, draft.challenges, draft.queues):
        table.clear()
    for match in list(draft.matches.values()):
        try:
            if match.policies.dropped is Dropped.NOTHING:
                _abandon(draft, match)
            else:
                _empty_seats(draft, match, command)
        except referee.GameFault as fault:
            raise referee.GameFault(fault.why, match.id) from fault
    rooms.empty_tables(draft, command)
    tickets.keep_waiting(draft, command)
    tournament_play.resume_after_restart(draft, command)
    return Accepted()


def may_return(match: Match, command: Enter, seat_return: SeatReturn) -> bool:
    """Whether a session may take the seat: the name alone proves little, the address a bit more.

    Who returns by tables has to find the match at one.
    """
    if "tables" in command.carries and match.table_of(command.name) is None:
        return False
    if command.standing is Standing.PROVEN:
        return True
    holder = match.seats[match.seat_of(command.name)]
    return seat_return is SeatReturn.ANY_ADDRESS or holder.address == command.address


def _empty_seats(draft: Draft, match: Match, command: ServerStarted) -> None:
    now_ms = draft.at.now_ms
    return_by_ms = now_ms + command.rules.restart_grace_ms
    seats = tuple(_emptied(holder, now_ms, return_by_ms) for holder in match.seats)
    match = attrs.evolve(match, seats=seats, owed=(), unanswering=())
    if match.waits_for_absent:
        match = attrs.evolve(match, clock=match.clock.held(now_ms))
    draft.matches[match.id] = match
    if any(match.seats[seat].is_house for seat in match.turn.seats):
        tell_turn(draft, match, referee.prompts(match))


def _abandon(draft: Draft, match: Match) -> None:
    """End a practice match: its player has no name under which to come back."""
    left = next((seat for seat, holder in enumerate(match.seats) if not holder.is_house), 0)
    seats = tuple(holder if holder.is_house else attrs.evolve(holder, session=None) for holder in match.seats)
    abandon(draft, attrs.evolve(match, seats=seats), left)


def _emptied(holder: SeatHolder, now_ms: int, return_by_ms: int) -> SeatHolder:
    """The seat after a restart. What was left of a drop's grace is kept for later drops, and a bug's for later bugs."""
    if holder.is_house:
        return holder
    grace_left_ms, fault_left_ms = holder.grace_left_ms, holder.fault_left_ms
    if holder.absence is not None:
        left_ms = max(0, holder.absence.return_by_ms - now_ms)
        if holder.absence.cause is Cause.DROP:
            grace_left_ms = min(grace_left_ms, left_ms)
        elif holder.absence.cause is Cause.FAULT:
            fault_left_ms = left_ms
    return attrs.evolve(
        holder,
        session=None,
        grace_left_ms=grace_left_ms,
        fault_left_ms=fault_left_ms,
        absence=Absence(Cause.RESTART, return_by_ms),
        restart_by_ms=return_by_ms,
    )
