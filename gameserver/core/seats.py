"""Seats that empty and fill again: a player's connection is lost, or ended by a bug of ours.

A player who is away after a drop uses up a budget of grace; after a restart of the server every player has the
restart's grace. Until all are back from a restart the match is not on, so no player loses or voids it by leaving again.

A bug is a protocol's code that failed and ended the player's connection. No player loses by that. The seat waits for
its player as after a restart of the server, with the clock stopped; if the player does not come back, the match is
void. A player who provokes the bug must not gain by it either:

* A seat has `Rules.restart_grace_ms` for all the bugs of a match together, so a second one brings no
  more time to think.
* An opponent who leaves meanwhile does not make the match void: that is settled by the usual rules
  when the player is back. The time that the opponent has for coming back does not run before that.
* A tournament notes the matches in which a player met a bug. From the second one on, a match that ends so is not played
  again by itself: the teacher is asked (`organizer`).
"""

import attrs

from gameserver.core import late_answers
from gameserver.core.broadcast import show_match, tell_seats, tell_turn_again
from gameserver.core.commands import Capability, Leave
from gameserver.core.draft import Draft
from gameserver.core.events import Accepted, Answer, Displaced, EndReason, SeatDropped, SeatReturned
from gameserver.core.lobby import Player
from gameserver.core.match import Absence, Cause, Match, MatchPhase, SeatHolder
from gameserver.core.match_course import abandon, begin_game, forfeit, void_match
from gameserver.policies import DropPolicy
from gameserver.values import evolved

_ON_OWN_TIME = (Cause.DROP, Cause.ASIDE)
"""The absences that use up the time that the player has for coming back."""


def drop(draft: Draft, match: Match, seat: int, command: Leave) -> Answer:
    """Empties the seat of a player whose session has ended, and applies what that costs in the match."""
    holder = match.seats[seat]
    others_here = any(other.is_present for number, other in enumerate(match.seats) if number != seat)
    gone = attrs.evolve(holder, session=None)
    # Practice: nobody has a name under which to come back.
    if match.policies.dropped is DropPolicy.NOTHING:
        abandon(draft, _seat_changed(match, seat, gone), seat, _ended_by(command.fault) if command.fault else "")
        return Accepted()
    # The player was never told of the match: nobody loses what they did not hear of.
    if not command.fault and _is_unready(match, holder):
        void_match(draft, _seat_changed(match, seat, gone), f"{holder.player} left before it began")
        return Accepted()
    restart = next((other.absence for other in match.seats if _waits_since_restart(other)), None)
    if restart is not None:
        # Not all players are back from our restart, so the match is not on yet: no player loses or voids it by leaving.
        match = _seat_changed(match, seat, attrs.evolve(gone, absence=restart))
        draft.matches[match.id] = match.stopped(draft.at.now_ms)
        return Accepted()
    # The player's return was never confirmed, so it did not happen: the seat waits on for as long as before.
    if command.unheard and holder.restart_by_ms:
        match = _seat_changed(match, seat, attrs.evolve(gone, absence=Absence(Cause.RESTART, holder.restart_by_ms)))
        draft.matches[match.id] = match.held(draft.at.now_ms)
        return Accepted()
    if _kept_for_fault(draft, match, seat, command):
        return Accepted()
    # The text protocol's custom: its servers end the match with "Client disconnected" at once.
    if holder.grace_left_ms == 0:
        match = _seat_changed(match, seat, gone)
        if others_here:
            forfeit(draft, match, (seat,), EndReason.DROPPED, command.why)
        else:
            # Nobody is there to win it.
            void_match(draft, match, "everybody left")
        return Accepted()
    return_by_ms = draft.at.now_ms + holder.grace_left_ms
    match = _seat_changed(match, seat, attrs.evolve(gone, absence=Absence(Cause.DROP, return_by_ms, command.why)))
    draft.matches[match.id] = match = match.held(draft.at.now_ms)
    tell_seats(draft, match, SeatDropped(match.id, seat, holder.player, return_by_ms))
    return Accepted()


def _is_unready(match: Match, holder: SeatHolder) -> bool:
    return match.phase is MatchPhase.READYING and match.game_number == 1 and not holder.says_ready


def outlasts_drop(match: Match, seat: int) -> bool:
    """True if a seat would wait for its player after a lost connection (`drop`)."""
    holder = match.seats[seat]
    if match.policies.dropped is DropPolicy.NOTHING or _is_unready(match, holder):
        return False
    return holder.grace_left_ms > 0 or any(
        _waits_since_restart(other) or is_away_by_fault(other) for other in match.seats
    )


def step_aside(draft: Draft, match: Match, seat: int, command: Displaced) -> Answer:
    """Empties a seat, and keeps it for its player, who is about to take it by another connection."""
    holder = match.seats[seat]
    # While a bug keeps the opponent away, staying away must not void the match: treat it as a drop.
    return_by_ms = max(draft.at.now_ms + holder.aside_left_ms, _kept_until_ms(match) + 1)
    gone = attrs.evolve(holder, session=None, absence=Absence(Cause.ASIDE, return_by_ms))
    match = _seat_changed(match, seat, gone)
    draft.matches[match.id] = match = match.held(draft.at.now_ms)
    tell_seats(draft, match, SeatDropped(match.id, seat, holder.player, return_by_ms))
    return Accepted()


def give_back(draft: Draft, match: Match, seat: int, player: Player) -> Answer:
    """Gives an empty seat back to its player, and shows them the match.

    The protocol may be another than before. A player who is here by the name has a better title than a stranger.
    """
    holder, now_ms = match.seats[seat], draft.at.now_ms
    grace_left_ms, aside_left_ms, fault_left_ms = holder.grace_left_ms, holder.aside_left_ms, holder.fault_left_ms
    if holder.absence is not None:
        # The grace is a budget: what was used up is gone, or a player could gain time by leaving again and again.
        left_ms = max(0, holder.absence.return_by_ms - now_ms)
        if holder.absence.cause is Cause.DROP:
            grace_left_ms = min(grace_left_ms, left_ms)
        elif holder.absence.cause is Cause.ASIDE:
            aside_left_ms = min(aside_left_ms, left_ms)
        elif holder.absence.cause is Cause.FAULT:
            fault_left_ms = left_ms
    claim = holder.claim
    if claim is not None and not player.identity:
        claim = attrs.evolve(claim, by_stranger=False)
    back = attrs.evolve(
        holder,
        session=player.session,
        address=player.address,
        protocol=player.protocol,
        says_ready=Capability.READY in player.capabilities,
        grace_left_ms=grace_left_ms,
        aside_left_ms=aside_left_ms,
        fault_left_ms=fault_left_ms,
        absence=None,
        claim=claim,
        after_fault=holder.absence if is_away_by_fault(holder) else None,
        restart_by_ms=holder.restart_by_ms if _waits_since_restart(holder) else 0,
        key=player.key,
    )
    if player.key and not holder.had_key_grace:
        most_ms = max(back.grace_left_ms, draft.server.rules.key_grace_ms)
        back = attrs.evolve(back, grace_left_ms=most_ms, had_key_grace=True)
    before = match
    match = _seat_changed(match, seat, back)
    if is_away_by_fault(holder):
        match = _with_waits_going_on(match, now_ms)
    # A returning client registers its listener for moves as late as a new one does.
    pause_ms = match.policies.first_move_pause_ms if match.moves else 0
    match = match.resumed(now_ms + pause_ms)
    # To those who were here before: the player who is back is shown the whole match instead.
    tell_seats(draft, before, SeatReturned(match.id, seat, holder.player, match.ready_by_ms))
    draft.matches[match.id] = match
    show_match(draft, match, seat, now_ms + pause_ms if pause_ms else 0)
    tell_turn_again(draft, match, seat)
    if match.phase is MatchPhase.READYING and not match.awaited_seats:
        begin_game(draft, match)
    return Accepted()


def grace_lapsed(draft: Draft, match: Match, seats: tuple[int, ...]) -> None:
    """Ends a match whose players have not come back to their seats within the grace."""
    if any(holder.is_present for holder in match.seats):
        absence = match.seats[seats[0]].absence
        forfeit(draft, match, seats, EndReason.DROPPED, "" if absence is None else absence.why)
    else:
        void_match(draft, match, "everybody left")


def give_up(draft: Draft, match: Match) -> None:
    """Ends a match without a loser, as seats that a bug of ours emptied were not filled again in time."""
    told = [
        f"{holder.absence.why} of {holder.player}, who did not come back in time"
        for holder in match.seats
        if holder.absence is not None and _has_lapsed(holder, draft.at.now_ms)
    ]
    void_match(draft, match, "; ".join(told))


def not_back(match: Match, now_ms: int) -> tuple[str, ...]:
    """The players whose empty seats made `give_up` end this match at `now_ms`; none if it ended otherwise."""
    return tuple(holder.player for holder in match.seats if _has_lapsed(holder, now_ms))


def is_away_by_fault(holder: SeatHolder) -> bool:
    """True if a bug of ours emptied this seat, and its player is not back."""
    return holder.absence is not None and holder.absence.cause is Cause.FAULT


def _kept_for_fault(draft: Draft, match: Match, seat: int, command: Leave) -> bool:
    """Keep a seat because a bug of ours disconnected its player or the opponent; False if none did."""
    holder = match.seats[seat]
    match = _seat_changed(match, seat, attrs.evolve(holder, session=None))
    # As after a restart: a return that was never confirmed did not happen, and brings no new time.
    if command.unheard and holder.after_fault is not None:
        _wait_on(draft, match, seat, holder.after_fault)
    elif command.fault:
        _keep_seat(draft, match, seat, command.fault)
    elif any(map(is_away_by_fault, match.seats)):
        _wait_with(draft, match, seat, command.why)
    else:
        return False
    return True


def _keep_seat(draft: Draft, match: Match, seat: int, module: str) -> None:
    """Have a seat that has just become empty wait for its player."""
    holder, now_ms = match.seats[seat], draft.at.now_ms
    # One budget for all the bugs of a match: a second one brings no more time to think.
    left_ms = draft.server.rules.restart_grace_ms if holder.fault_left_ms is None else holder.fault_left_ms
    return_by_ms = now_ms + left_ms
    seats = [_held_up(other, now_ms, return_by_ms) for other in match.seats]
    seats[seat] = attrs.evolve(
        holder, absence=Absence(Cause.FAULT, return_by_ms, _ended_by(module)), fault_left_ms=left_ms
    )
    match = evolved(match, seats=tuple(seats)).held(now_ms)
    draft.matches[match.id] = match
    _count(draft, match, holder.player)
    # The budget is used up: a client that meets our bug again and again must not keep the other waiting.
    if left_ms == 0:
        give_up(draft, match)
    else:
        tell_seats(draft, match, SeatDropped(match.id, seat, holder.player, return_by_ms))


def _wait_on(draft: Draft, match: Match, seat: int, absence: Absence) -> None:
    """Have the seat wait as before: its player left again before the return could be told."""
    now_ms = draft.at.now_ms
    seats = [_held_up(other, now_ms, absence.return_by_ms) for other in match.seats]
    seats[seat] = attrs.evolve(match.seats[seat], absence=absence)
    draft.matches[match.id] = evolved(match, seats=tuple(seats)).held(now_ms)


def _wait_with(draft: Draft, match: Match, seat: int, why: str) -> None:
    """Have the seat of a player who left while a bug keeps the opponent away wait longer than the opponent's."""
    gone = attrs.evolve(match.seats[seat], absence=Absence(Cause.DROP, _kept_until_ms(match) + 1, why))
    draft.matches[match.id] = match.with_seat(seat, gone).held(draft.at.now_ms)


def _kept_until_ms(match: Match) -> int:
    """The time until which seats are kept for players whom bugs disconnected; 0 if there are none."""
    away = (holder.absence for holder in match.seats if is_away_by_fault(holder))
    return max((absence.return_by_ms for absence in away if absence is not None), default=0)


def _with_waits_going_on(match: Match, now_ms: int) -> Match:
    """The match with the time for coming back running again, once no player is kept away by a bug any more."""
    if any(map(is_away_by_fault, match.seats)):
        return match
    return attrs.evolve(match, seats=tuple(_going_on(holder, now_ms) for holder in match.seats))


def _has_lapsed(holder: SeatHolder, now_ms: int) -> bool:
    return is_away_by_fault(holder) and holder.absence is not None and holder.absence.return_by_ms <= now_ms


def _held_up(holder: SeatHolder, now_ms: int, fault_by_ms: int) -> SeatHolder:
    """The seat with its own time to come back, if it has one, stopped until another player is back from a bug."""
    absence = holder.absence
    if absence is None or absence.cause not in _ON_OWN_TIME:
        return holder
    left_ms = max(0, absence.return_by_ms - now_ms)
    # A moment longer than the one whom our bug keeps away, so that the two absences never end at once.
    waits = attrs.evolve(absence, return_by_ms=max(absence.return_by_ms, fault_by_ms + 1))
    if absence.cause is Cause.ASIDE:
        return attrs.evolve(holder, aside_left_ms=min(holder.aside_left_ms, left_ms), absence=waits)
    return attrs.evolve(holder, grace_left_ms=min(holder.grace_left_ms, left_ms), absence=waits)


def _going_on(holder: SeatHolder, now_ms: int) -> SeatHolder:
    absence = holder.absence
    if absence is None or absence.cause not in _ON_OWN_TIME:
        return holder
    left_ms = holder.aside_left_ms if absence.cause is Cause.ASIDE else holder.grace_left_ms
    return attrs.evolve(holder, absence=attrs.evolve(absence, return_by_ms=now_ms + left_ms))


def _waits_since_restart(holder: SeatHolder) -> bool:
    return holder.absence is not None and holder.absence.cause is Cause.RESTART


def _count(draft: Draft, match: Match, player: str) -> None:
    """Note in a tournament that the player met a bug in this match."""
    row = None if match.scheduled is None else draft.tournaments.get(match.scheduled.tournament)
    # Two bugs in one match count once: what is held against a player is another match.
    if row is None or match.id in row.faults.get(player, ()):
        return
    faults = {**row.faults, player: (*row.faults.get(player, ()), match.id)}
    draft.tournaments[row.number] = attrs.evolve(row, faults=faults)


def _ended_by(module: str) -> str:
    """The reason for the end of a connection, for the record."""
    return f"a bug in the server ({module}) ended the connection"


def _seat_changed(match: Match, seat: int, holder: SeatHolder) -> Match:
    return late_answers.forgotten(match, seat).with_seat(seat, holder)
