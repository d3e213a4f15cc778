"""The players who are here: they come, go, talk, ask for lists; and what a teacher or a restart does to all.

A connection that died silently holds its player's name and seat until the kernel gives it up. So a newcomer whom
nothing else keeps out waits for a moment, until it is known whether that player is there (`session_in_the_way`, before
the login is decided). A login waits only if it would gain the name or the seat: a stranger must not make the kernel
probe.

A start carries the lobby of the last run over: seats wait for their players, challenges are gone.

Only the admin listener takes the acts of a teacher upon the whole lobby. While the server drains, running matches go on
to their end and no new one begins. A command that would begin one is refused at once, so that no player waits for an
opponent in vain; a player who comes back to a running match is let in. Searches that were open before stay open and
lead to nothing: matchmaker, challenges, rooms and organizer open no match meanwhile.
"""

import re

import attrs

from gameserver.core import ladders, newcomers, organizer, places, playing, referee, rooms, tickets
from gameserver.core.broadcast import tell_turn
from gameserver.core.challenges import drop_challenges_to, unknown_player
from gameserver.core.commands import (
    Accept,
    Arrive,
    Book,
    Capability,
    Challenge,
    Command,
    Contribute,
    Drain,
    Enter,
    Kick,
    Leave,
    ListGames,
    ListPlayers,
    NewEpoch,
    Query,
    Ready,
    Say,
    Seek,
    ServerStarted,
    Sit,
)
from gameserver.core.draft import Draft, PlayerAvailable
from gameserver.core.events import Accepted, Answer, Code, GamesListed, Rejected, RoomsListed, Said
from gameserver.core.identity import Proof, as_text, is_reserved_name, name_problem, quoted
from gameserver.core.lobby import At, Epoch, Lobby, Player, RoomPhase, Ticket, seat_named, ticket_named
from gameserver.core.match import Absence, Cause, Match, SeatHolder
from gameserver.core.match_course import abandon
from gameserver.core.matchmaker import close_challenge_of
from gameserver.core.places import leave_queue
from gameserver.core.seats import outlasts_drop
from gameserver.core.tickets import is_blocked_alone
from gameserver.policies import ChatPolicy, DropPolicy, SeatReturn

_CONTRIBUTION = re.compile("([0-9a-f]{2}){1,32}")


def enter(draft: Draft, command: Enter) -> Answer:
    """Carries out `Enter`: begins a player's session; if the name holds an empty seat, gives the seat back."""
    if draft.player_of(command.session) is not None:
        return Rejected(Code.ALREADY_ENTERED)
    rules = draft.server.rules
    if command.anonymous:
        return _enter_anonymously(draft, command)
    name = command.name
    has_key = _holds_key(draft, command)
    found = _unfit(command, rules.name_length_max, has_key=has_key)
    if found is not None:
        return found
    before = draft.players.get(name)
    is_proven = command.proof is Proof.PROVEN
    if not (is_proven or has_key) and (before is not None or _is_expected_elsewhere(draft, command)):
        return Rejected(Code.NAME_TAKEN, {"name": name})
    number = draft.seated.get(name)
    match = None if number is None else draft.matches[number]
    if match is not None and not may_return(match, command, rules.seat_return):
        return Rejected(Code.NAME_HELD, {"name": name})
    # One player is here once: the name's own log-in ends what the identity was waiting for.
    tickets.give_up(draft, name)
    if before is not None:
        match = newcomers.displace(draft, before, by_rooms=Capability.ROOMS in command.capabilities)
    draft.sessions[command.session] = name
    draft.follow_ups.add(PlayerAvailable(name))
    player = Player(
        name,
        command.session,
        command.protocol,
        command.address,
        command.capabilities,
        is_proven=is_proven or (has_key and before is not None and before.is_proven),
        key=command.key,
    )
    if Capability.ROOMS in command.capabilities:
        draft.players[name] = player
        draft.tell(command.session, RoomsListed(places.listing(draft, name)))
    elif match is None:
        draft.players[name] = player
    else:
        player = attrs.evolve(player, match=number, room=match.room)
        draft.players[name] = player
        playing.act(draft, match, match.seat_of(name), player)
    return Accepted()


def _is_expected_elsewhere(draft: Draft, command: Enter) -> bool:
    """True if a ticket waits for the player of this name, and was booked from another address."""
    ticket = tickets.ticket_for(draft, command.name)
    is_any = draft.server.rules.seat_return is SeatReturn.ANY_ADDRESS
    return ticket is not None and not is_any and ticket.booked.address != command.address


def _holds_key(lobby: Lobby | Draft, command: Enter) -> bool:
    """True if the newcomer brings the key of the player of that name, who is here or has a seat."""
    if not command.key:
        return False
    player = lobby.players.get(command.name)
    number = lobby.seated.get(command.name)
    match = None if number is None else lobby.matches.get(number)
    keys = ("" if player is None else player.key, "" if match is None else match.seats[match.seat_of(command.name)].key)
    return command.key in keys


def _unfit(command: Enter, length_max: int, *, has_key: bool = False) -> Rejected | None:
    """The reason why this name is not allowed, or not in this way; None if it is.

    With `has_key` its player came in by it before, and need not bring the secret of it again.
    """
    name = command.name
    found = None
    if problem := name_problem(name, length_max):
        found = Rejected(Code.NAME_INVALID, {"name": name, "why": problem})
    elif is_reserved_name(name):
        found = Rejected(Code.NAME_RESERVED, {"name": name})
    elif command.fault:
        found = Rejected(Code.NAME_INVALID, {"name": name, "why": command.fault})
    if found is None and not (has_key and command.proof is Proof.UNPROVEN):
        found = newcomers.proof_refusal(command.proof, name)
    if found is None and command.resembles:
        found = Rejected(Code.NAME_TAKEN, {"name": name})
    return found


def _enter_anonymously(draft: Draft, command: Enter) -> Answer:
    """Let an anonymous player in under a name that no start of the server gives twice."""
    if not is_reserved_name(command.name):
        return Rejected(Code.NAME_INVALID, {"name": command.name, "why": "it is no reserved prefix"})
    # Sessions count from 1 at every start, so the number of the start is in it, too.
    name = f"{command.name}{draft.server.boot}-{command.session}"
    draft.sessions[command.session] = name
    draft.players[name] = Player(name, command.session, command.protocol, command.address, command.capabilities)
    return Accepted()


def leave(draft: Draft, command: Leave) -> Answer:
    """Carries out `Leave`: lets a player out, whatever they were doing."""
    player = draft.player_of(command.session)
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    _let_out(draft, player, command)
    return Accepted()


def _let_out(draft: Draft, player: Player, command: Leave) -> None:
    """End everything that a player does here; their seat in a match becomes empty."""
    player = leave_queue(draft, player)
    player = close_challenge_of(draft, player)
    drop_challenges_to(draft, player.name)
    del draft.players[player.name]
    del draft.sessions[player.session]
    tickets.left(draft, player)
    if player.match is not None:
        match = draft.matches[player.match]
        playing.act(draft, match, match.seat_of(player.name), command)
    # In a match the place stays with the seat, for the player who comes back.
    if player.room is not None and draft.rooms[player.room].phase is not RoomPhase.PLAYING:
        places.take_place(draft, player)


def may_return(match: Match, command: Enter, seat_return: SeatReturn) -> bool:
    """True if who comes back may have the seat of their name: the name proves little, the address a bit more.

    A seat that is held under a key is given to that key, or to a proof. A player who returns by rooms has to find the
    match in one.
    """
    if Capability.ROOMS in command.capabilities and match.room_of(command.name) is None:
        return False
    if command.proof is Proof.PROVEN:
        return True
    holder = match.seats[match.seat_of(command.name)]
    if holder.key:
        # A seat under a key is nobody else's: in a class room all have one address.
        return command.key == holder.key
    return seat_return is SeatReturn.ANY_ADDRESS or holder.address == command.address


def say(draft: Draft, command: Say) -> Answer:
    """Carries out `Say`: a player who is here writes to another who is, unless that one may not be written to."""
    sender = draft.player_of(command.session)
    if sender is None:
        return Rejected(Code.NOT_ENTERED)
    receiver = draft.players.get(command.to)
    if receiver is None:
        if any(house.name == command.to for house in draft.server.house):
            return Rejected(Code.CANNOT_RECEIVE, {"player": command.to, "why": "house players do not read"})
        return unknown_player(draft, command.to)
    if receiver.name == sender.name:
        return Rejected(Code.SAY_SELF, {"player": sender.name})
    if Capability.CHAT not in receiver.capabilities:
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": "that player's protocol has no messages"})
    messages = draft.server.rules.messages
    if messages is ChatPolicy.NEVER:
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": "messages are switched off here"})
    playing_now = None if receiver.match is None else draft.matches.get(receiver.match)
    if playing_now is not None and playing_now.scheduled is not None:
        why = "that player is in a tournament match"
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": why})
    if messages is ChatPolicy.OUTSIDE_MATCHES and receiver.match is not None:
        return Rejected(Code.CANNOT_RECEIVE, {"player": receiver.name, "why": "that player is in a match"})
    # JSON lets half a surrogate pair in, and no other protocol could write it.
    draft.tell(receiver.session, Said(sender.name, as_text(command.text)))
    return Accepted()


def _is_shown(draft: Draft, player: Player) -> bool:
    """True if the list of players has this one: they can be played, or play against a listed player at the moment."""
    if player.is_listed or player.match is None:
        return player.is_listed
    others = (draft.players.get(name) for name in draft.matches[player.match].players)
    return any(other is not None and other.is_listed for other in others)


def list_players(draft: Draft, command: ListPlayers) -> Answer:
    """Tells who is here, by `ListPlayers`: the players who can be played, and those who play one of them."""
    here = [player for player in draft.players.values() if player.is_listed or _is_shown(draft, player)]
    draft.tell(command.session, draft.lobby.player_list.of(here, draft.server.house))
    return Accepted()


def list_games(draft: Draft, command: ListGames) -> Answer:
    """Tells a session that asks by `ListGames` the names of all games, sorted."""
    draft.tell(command.session, GamesListed(tuple(sorted(game.name for game in draft.games.values()))))
    return Accepted()


def start_server(draft: Draft, command: ServerStarted) -> Answer:
    """Carries out `ServerStarted`: nobody is here, no challenge is open, every match waits for its players."""
    draft.server = attrs.evolve(
        draft.server,
        boot=command.boot,
        rules=command.rules,
        house=command.house,
        games=command.games,
        next_match=max(draft.server.next_match, command.next_match_min),
        # A drain holds until the next start.
        stop_by_ms=None,
    )
    # All that lives by a connection. Rooms, tickets and tournaments outlive it and are put right one by one.
    for table in (draft.sessions, draft.players, draft.challenges, draft.queues):
        table.clear()
    for match in list(draft.matches.values()):
        try:
            if match.policies.dropped is DropPolicy.NOTHING:
                _abandon(draft, match)
            else:
                _empty_seats(draft, match, command)
        except referee.GameBug as fault:
            raise referee.GameBug(fault.why, match.id) from fault
    rooms.empty_rooms(draft, command)
    tickets.keep_waiting(draft, command)
    organizer.resume_after_restart(draft, command)
    ladders.resume_after_restart(draft)
    return begin_epoch(draft, command)


def begin_epoch(draft: Draft, command: ServerStarted | NewEpoch) -> Answer:
    """Begins an epoch of the server with a new seed; the seeds of earlier ones without a live match can be told now."""
    server, before = draft.server, draft.server.epochs
    last = before[-1] if before else Epoch(0, "", 1, 0)
    ended = (*before[:-1], attrs.evolve(last, last_match=server.next_match - 1)) if before else ()
    in_use = [match.chance.seed for match in draft.matches.values()]
    told = [one for one in ended if one.seed not in in_use]
    new = Epoch(last.number + 1, command.seed, server.next_match, draft.at.wall_ms)
    draft.server = attrs.evolve(
        server,
        epochs=(*(one for one in ended if one.seed in in_use), new),
        told_epoch=told[-1] if told else server.told_epoch,
    )
    return Accepted()


def contribute(draft: Draft, command: Contribute) -> Answer:
    """Carries out `Contribute`: keeps the bytes until the player's next match opens."""
    player, data = draft.player_of(command.session), command.data.lower()
    if player is None:
        return Rejected(Code.NOT_ENTERED)
    if _CONTRIBUTION.fullmatch(data) is None:
        return Rejected(Code.BAD_CONTRIBUTION, {"data": quoted(command.data)})
    draft.players[player.name] = attrs.evolve(player, contribution=data)
    return Accepted()


def _empty_seats(draft: Draft, match: Match, command: ServerStarted) -> None:
    now_ms = draft.at.now_ms
    return_by_ms = now_ms + command.rules.restart_grace_ms
    seats = tuple(_emptied(holder, now_ms, return_by_ms) for holder in match.seats)
    match = attrs.evolve(match, seats=seats, owed=(), unanswering=(), moves_before_restart=len(match.moves))
    draft.matches[match.id] = match = match.held(now_ms)
    # House players are here from the first moment on, and have forgotten what they were asked.
    if any(match.seats[seat].is_house for seat in match.turn.seats):
        tell_turn(draft, match, referee.prompts(match))


def _abandon(draft: Draft, match: Match) -> None:
    """End a practice match: its player has no name under which to come back."""
    left = next((seat for seat, holder in enumerate(match.seats) if not holder.is_house), 0)
    seats = tuple(holder if holder.is_house else attrs.evolve(holder, session=None) for holder in match.seats)
    abandon(draft, attrs.evolve(match, seats=seats), left)


def _emptied(holder: SeatHolder, now_ms: int, return_by_ms: int) -> SeatHolder:
    """The seat after a restart. The rest of a drop's grace is kept for later drops, and of a bug's for later bugs."""
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


def kick(draft: Draft, command: Kick) -> Answer:
    """Carries out a teacher's `Kick`: ends a player's session, and has the connection ended with the reason."""
    player = draft.players.get(command.player)
    if player is None:
        return Rejected(Code.UNKNOWN_PLAYER, {"player": command.player})
    _let_out(draft, player, Leave(player.session, f"the teacher ended the connection: {command.why}"))
    draft.dismissed.append((player.session, f"The teacher has ended this connection: {command.why}"))
    return Accepted()


BEGINS = frozenset({Seek, Challenge, Accept, Sit, Ready, Book, Arrive})
"""Commands that may lead to a new match."""


def drain(draft: Draft, command: Drain) -> Answer:
    """Carries out a teacher's `Drain`: the players who are here play on, but no new match begins from now on."""
    draft.server = attrs.evolve(draft.server, stop_by_ms=draft.at.now_ms + command.within_ms)
    return Accepted()


def drain_refusal(draft: Draft, command: Command | Query) -> Rejected | None:
    """The refusal of one of `BEGINS` during a drain; None if there is none, or if another reason refuses it anyway."""
    # Nothing has been written yet, so the lobby is read without an overlay.
    if not draft.lobby.server[""].drains:
        return None
    if isinstance(command, Book):
        return Rejected(Code.STOPPING)
    if isinstance(command, Arrive):
        ticket = ticket_named(draft, command.ticket, command.identity)
        return None if ticket is None else Rejected(Code.STOPPING)
    assert isinstance(command, Seek | Challenge | Accept | Sit | Ready), "the rest of BEGINS"
    player = draft.player_of(command.session)
    if player is None:
        return None
    holds_a_seat = draft.seated.get(player.name) is not None
    return None if isinstance(command, Sit | Ready) and holds_a_seat else Rejected(Code.STOPPING)


Newcomer = Enter | Arrive | Book


def session_in_the_way(lobby: Lobby, command: Newcomer) -> int | None:
    """The session of a player here that must end before a newcomer gets in; None if something else decides."""
    if isinstance(command, Enter):
        name = _name_taken(lobby, command)
    else:
        name = _student_here(lobby, command) if isinstance(command, Book) else _place_taken(lobby, command)
    holder = None if name is None else lobby.players.get(name)
    return None if holder is None else holder.session


def has_seat_for(lobby: Lobby, command: Enter) -> bool:
    """True if a newcomer by `Enter` may find a seat empty for them, or takes a player's place by its key."""
    if command.anonymous:
        return False
    number = lobby.seated.get(command.name)
    if _holds_key(lobby, command):
        return True
    if number is None or command.name in lobby.players:
        return False
    match = lobby.matches[number]
    return not match.seats[match.seat_of(command.name)].key


def may_wait(lobby: Lobby, command: Newcomer) -> bool:
    """True if a login may wait for the end of the session in its way; asked when there is one."""
    if isinstance(command, Arrive):
        return True
    rules = lobby.server[""].rules
    if isinstance(command, Book):
        return rules.seat_return is SeatReturn.ANY_ADDRESS or lobby.players[command.player].address == command.address
    if _unfit(command, rules.name_length_max) is not None:
        return False
    number = lobby.seated.get(command.name)
    if number is not None:
        match = lobby.matches[number]
        return outlasts_drop(match, match.seat_of(command.name))
    holder = lobby.players[command.name]
    return rules.seat_return is SeatReturn.ANY_ADDRESS or holder.address == command.address


def knows_secret(lobby: Lobby, command: Newcomer) -> bool:
    """True if a newcomer shows what nobody was told but the player who is here under their name."""
    if not isinstance(command, Arrive):
        return False
    place = _place(lobby, command)
    return place is not None and tickets.knows_secret(command, place)


def _name_taken(lobby: Lobby, command: Enter) -> str | None:
    if command.anonymous or command.proof is not Proof.OPEN or command.session in lobby.sessions:
        return None
    if _holds_key(lobby, command):
        return None
    number = lobby.seated.get(command.name)
    match = None if number is None else lobby.matches.get(number)
    seat_return = lobby.server[""].rules.seat_return
    return command.name if match is None or may_return(match, command, seat_return) else None


def _student_here(lobby: Lobby, command: Book) -> str | None:
    """The student of a booking, if they are here by name and that alone refuses it."""
    if not command.is_listed or command.proof is not Proof.OPEN or command.player in lobby.seated:
        return None
    present = lobby.players.get(command.player)
    return None if present is None or present.identity == command.identity else command.player


def _place_taken(lobby: Lobby, command: Arrive) -> str | None:
    place = _place(lobby, command)
    if place is None or not is_blocked_alone(Draft(lobby, At(0, 0)), command, place):
        return None
    return place.player


def _place(lobby: Lobby, command: Arrive) -> Ticket | SeatHolder | None:
    ticket = ticket_named(lobby, command.ticket, command.identity)
    if ticket is not None:
        return ticket
    found = seat_named(lobby, command.ticket, command.identity)
    if found is None:
        return None
    match, seat = found
    return match.seats[seat]
