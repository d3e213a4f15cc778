"""Keeps seats that a bug of ours emptied: the player's connection ended because a protocol's code failed.

No player loses by that. The seat waits for its player as after a restart of the server, with the clock stopped; if the
player does not come back, the match is void. A player who provokes the bug must not gain by it either:

* A seat has `Rules.restart_grace_ms` for all the bugs of a match together, so a second one brings no
  more time to think.
* An opponent who leaves meanwhile does not make the match void: that is settled by the usual rules
  when the player is back. The time that the opponent has for coming back does not run before that.
* A tournament notes the matches in which a player met a bug. From the second one on, a match that ends so is not played
  again by itself: the teacher is asked (`organizer.scheduling`).
"""

import attrs

from gameserver.core.matches.broadcast import tell_seats
from gameserver.core.matches.match_end import void_match
from gameserver.core.messages.events import SeatDropped
from gameserver.core.state.draft import Draft
from gameserver.core.state.match import Absence, Cause, Match, SeatHolder

_ON_OWN_TIME = (Cause.DROP, Cause.ASIDE)
"""The absences that use up the time that the player has for coming back."""


def ended_by(module: str) -> str:
    """The reason for the end of a connection, for the record."""
    return f"a bug in the server ({module}) ended the connection"


def is_away_by_fault(holder: SeatHolder) -> bool:
    """True if a bug emptied this seat, and its player is not back."""
    return holder.absence is not None and holder.absence.cause is Cause.FAULT


def keep_seat(draft: Draft, match: Match, seat: int, module: str) -> None:
    """Have a seat that has just become empty wait for its player."""
    holder, now_ms = match.seats[seat], draft.at.now_ms
    left_ms = draft.server.rules.restart_grace_ms if holder.fault_left_ms is None else holder.fault_left_ms
    return_by_ms = now_ms + left_ms
    seats = [_held_up(other, now_ms, return_by_ms) for other in match.seats]
    seats[seat] = attrs.evolve(
        holder, absence=Absence(Cause.FAULT, return_by_ms, ended_by(module)), fault_left_ms=left_ms
    )
    match = _clock_held(attrs.evolve(match, seats=tuple(seats)), now_ms)
    draft.matches[match.id] = match
    _count(draft, match, holder.player)
    if left_ms == 0:
        give_up(draft, match)
    else:
        tell_seats(draft, match, SeatDropped(match.id, seat, holder.player, return_by_ms))


def wait_on(draft: Draft, match: Match, seat: int, absence: Absence) -> None:
    """Have the seat wait as before: its player left again before the return could be told."""
    now_ms = draft.at.now_ms
    seats = [_held_up(other, now_ms, absence.return_by_ms) for other in match.seats]
    seats[seat] = attrs.evolve(match.seats[seat], absence=absence)
    draft.matches[match.id] = _clock_held(attrs.evolve(match, seats=tuple(seats)), now_ms)


def wait_with(draft: Draft, match: Match, seat: int, why: str) -> None:
    """Have the seat of a player who left while a bug keeps the opponent away wait longer than the opponent's."""
    gone = attrs.evolve(match.seats[seat], absence=Absence(Cause.DROP, kept_until_ms(match) + 1, why))
    match = attrs.evolve(match, seats=(*match.seats[:seat], gone, *match.seats[seat + 1 :]))
    draft.matches[match.id] = _clock_held(match, draft.at.now_ms)


def kept_until_ms(match: Match) -> int:
    """The time until which seats are kept for players whom bugs disconnected; 0 if there are none."""
    away = (holder.absence for holder in match.seats if is_away_by_fault(holder))
    return max((absence.return_by_ms for absence in away if absence is not None), default=0)


def with_waits_going_on(match: Match, now_ms: int) -> Match:
    """The match with the time for coming back running again, once no player is kept away by a bug any more."""
    if any(map(is_away_by_fault, match.seats)):
        return match
    return attrs.evolve(match, seats=tuple(_going_on(holder, now_ms) for holder in match.seats))


def give_up(draft: Draft, match: Match) -> None:
    """End the match without a loser, because players whom a bug disconnected did not come back in time."""
    told = [
        f"{holder.absence.why} of {holder.player}, who did not come back in time"
        for holder in match.seats
        if holder.absence is not None and _has_lapsed(holder, draft.at.now_ms)
    ]
    void_match(draft, match, "; ".join(told))


def not_back(match: Match, now_ms: int) -> tuple[str, ...]:
    """The players because of whom `give_up` ended this match at `now_ms`; none if it ended otherwise."""
    return tuple(holder.player for holder in match.seats if _has_lapsed(holder, now_ms))


def _has_lapsed(holder: SeatHolder, now_ms: int) -> bool:
    return is_away_by_fault(holder) and holder.absence is not None and holder.absence.return_by_ms <= now_ms


def _held_up(holder: SeatHolder, now_ms: int, fault_by_ms: int) -> SeatHolder:
    """The seat with its own time to come back, if it has one, stopped until another player is back from a bug."""
    absence = holder.absence
    if absence is None or absence.cause not in _ON_OWN_TIME:
        return holder
    left_ms = max(0, absence.return_by_ms - now_ms)
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


def _clock_held(match: Match, now_ms: int) -> Match:
    return attrs.evolve(match, clock=match.clock.held(now_ms)) if match.waits_for_absent else match


def _count(draft: Draft, match: Match, player: str) -> None:
    """Note in a tournament that the player met a bug in this match."""
    row = None if match.scheduled is None else draft.tournaments.get(match.scheduled.tournament)
    if row is None or match.id in row.faults.get(player, ()):
        return
    faults = {**row.faults, player: (*row.faults.get(player, ()), match.id)}
    draft.tournaments[row.number] = attrs.evolve(row, faults=faults)
