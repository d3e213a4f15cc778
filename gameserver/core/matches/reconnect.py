"""Empty seats: a player's connection is lost, and comes back or does not.

A player who is away after a drop uses up a budget of grace; after a restart of the server every player has the
restart's grace. Until all are back from a restart the match is not on, so no player loses or voids it by leaving again.
`faults` handles connections that a bug of ours has ended.
"""

import attrs

from gameserver.core.matches import faults, late_answers
from gameserver.core.matches.broadcast import show_match, tell_seats, tell_turn_again
from gameserver.core.matches.game_start import begin_game
from gameserver.core.matches.match_end import abandon, forfeit, void_match
from gameserver.core.messages.events import Accepted, Answer, EndReason, SeatDropped, SeatReturned
from gameserver.core.state.draft import Draft
from gameserver.core.state.match import Absence, Cause, Match, MatchPhase, SeatHolder
from gameserver.policies import DropPolicy
from gameserver.values import value


@value
class SeatDrop:
    """A seated player's session ended. Comes from `Leave`, never from a client."""

    seat: int
    why: str = ""
    unheard: bool = False
    """Same as in `Leave`."""
    fault: str = ""
    """Same as in `Leave`."""


@value
class SeatReconnect:
    """A player takes their empty seat back. Comes from `Enter`, never from a client."""

    seat: int
    session: int
    address: str
    protocol: str
    says_ready: bool
    """True if the protocol of this session has a `Ready`. It may be another than that of the one before."""
    is_claim: bool = False
    """True if a ticket's player came by a claim (`ticket_claims`)."""
    key: str = ""
    """As in `Enter`; the seat is under this one from now on."""


@value
class SeatYield:
    """A seated player has come in by another connection, and is about to take the seat by that one."""

    seat: int


def drop(draft: Draft, match: Match, seat: int, command: SeatDrop) -> Answer:
    """Note that a player is gone, and apply what that costs."""
    holder = match.seats[seat]
    others_here = any(other.is_present for number, other in enumerate(match.seats) if number != seat)
    gone = attrs.evolve(holder, session=None)
    if match.policies.dropped is DropPolicy.NOTHING:
        abandon(draft, _seat_changed(match, seat, gone), seat, faults.ended_by(command.fault) if command.fault else "")
        return Accepted()
    if not command.fault and _is_unready(match, holder):
        void_match(draft, _seat_changed(match, seat, gone), f"{holder.player} left before it began")
        return Accepted()
    restart = next((other.absence for other in match.seats if _waits_since_restart(other)), None)
    if restart is not None:
        # Not all players are back from our restart, so the match is not on yet: no player loses or voids it by leaving.
        match = _seat_changed(match, seat, attrs.evolve(gone, absence=restart))
        draft.matches[match.id] = attrs.evolve(match, clock=match.clock.held(draft.at.now_ms))
        return Accepted()
    if command.unheard and holder.restart_by_ms:
        match = _seat_changed(match, seat, attrs.evolve(gone, absence=Absence(Cause.RESTART, holder.restart_by_ms)))
        held = match.clock.held(draft.at.now_ms) if match.waits_for_absent else match.clock
        draft.matches[match.id] = attrs.evolve(match, clock=held)
        return Accepted()
    if _kept_for_fault(draft, match, seat, command):
        return Accepted()
    if holder.grace_left_ms == 0:
        match = _seat_changed(match, seat, gone)
        if others_here:
            forfeit(draft, match, (seat,), EndReason.DROPPED, command.why)
        else:
            void_match(draft, match, "everybody left")
        return Accepted()
    return_by_ms = draft.at.now_ms + holder.grace_left_ms
    match = _seat_changed(match, seat, attrs.evolve(gone, absence=Absence(Cause.DROP, return_by_ms, command.why)))
    if match.waits_for_absent:
        match = attrs.evolve(match, clock=match.clock.held(draft.at.now_ms))
    draft.matches[match.id] = match
    tell_seats(draft, match, SeatDropped(match.id, seat, holder.player, return_by_ms))
    return Accepted()


def outlasts_drop(match: Match, seat: int) -> bool:
    """True if the seat would wait for its player after a lost connection (`drop`)."""
    holder = match.seats[seat]
    if match.policies.dropped is DropPolicy.NOTHING or _is_unready(match, holder):
        return False
    return holder.grace_left_ms > 0 or any(
        _waits_since_restart(other) or faults.is_away_by_fault(other) for other in match.seats
    )


def _is_unready(match: Match, holder: SeatHolder) -> bool:
    return match.phase is MatchPhase.READYING and match.game_number == 1 and not holder.says_ready


def _kept_for_fault(draft: Draft, match: Match, seat: int, command: SeatDrop) -> bool:
    """Keep a seat because a bug of ours disconnected its player or the opponent; False if none did."""
    holder = match.seats[seat]
    match = _seat_changed(match, seat, attrs.evolve(holder, session=None))
    if command.unheard and holder.after_fault is not None:
        faults.wait_on(draft, match, seat, holder.after_fault)
    elif command.fault:
        faults.keep_seat(draft, match, seat, command.fault)
    elif any(map(faults.is_away_by_fault, match.seats)):
        faults.wait_with(draft, match, seat, command.why)
    else:
        return False
    return True


def step_aside(draft: Draft, match: Match, seat: int, command: SeatYield) -> Answer:
    """Keep the seat for a player who is about to take it by another connection."""
    holder = match.seats[seat]
    # While a bug keeps the opponent away, staying away must not void the match: treat it as a drop.
    return_by_ms = max(draft.at.now_ms + holder.aside_left_ms, faults.kept_until_ms(match) + 1)
    gone = attrs.evolve(holder, session=None, absence=Absence(Cause.ASIDE, return_by_ms))
    match = _seat_changed(match, seat, gone)
    if match.waits_for_absent:
        match = attrs.evolve(match, clock=match.clock.held(draft.at.now_ms))
    draft.matches[match.id] = match
    tell_seats(draft, match, SeatDropped(match.id, seat, holder.player, return_by_ms))
    return Accepted()


def _waits_since_restart(holder: SeatHolder) -> bool:
    return holder.absence is not None and holder.absence.cause is Cause.RESTART


def give_back(draft: Draft, match: Match, seat: int, command: SeatReconnect) -> Answer:
    """Give a seat back to its player, and show them the match."""
    holder, now_ms = match.seats[seat], draft.at.now_ms
    grace_left_ms, aside_left_ms, fault_left_ms = holder.grace_left_ms, holder.aside_left_ms, holder.fault_left_ms
    if holder.absence is not None:
        left_ms = max(0, holder.absence.return_by_ms - now_ms)
        if holder.absence.cause is Cause.DROP:
            grace_left_ms = min(grace_left_ms, left_ms)
        elif holder.absence.cause is Cause.ASIDE:
            aside_left_ms = min(aside_left_ms, left_ms)
        elif holder.absence.cause is Cause.FAULT:
            fault_left_ms = left_ms
    back = attrs.evolve(
        holder,
        session=command.session,
        address=command.address,
        protocol=command.protocol,
        says_ready=command.says_ready,
        grace_left_ms=grace_left_ms,
        aside_left_ms=aside_left_ms,
        fault_left_ms=fault_left_ms,
        absence=None,
        is_claimed=command.is_claim,
        after_fault=holder.absence if faults.is_away_by_fault(holder) else None,
        restart_by_ms=holder.restart_by_ms if _waits_since_restart(holder) else 0,
        key=command.key,
    )
    if command.key and not holder.had_key_grace:
        most_ms = max(back.grace_left_ms, draft.server.rules.key_grace_ms)
        back = attrs.evolve(back, grace_left_ms=most_ms, had_key_grace=True)
    before = match
    match = _seat_changed(match, seat, back)
    if faults.is_away_by_fault(holder):
        match = faults.with_waits_going_on(match, now_ms)
    pause_ms = match.policies.first_move_pause_ms if match.moves else 0
    if not match.stands:
        match = attrs.evolve(match, clock=match.clock.resumed(now_ms + pause_ms))
    tell_seats(draft, before, SeatReturned(match.id, seat, holder.player, match.ready_by_ms))
    draft.matches[match.id] = match
    show_match(draft, match, seat, now_ms + pause_ms if pause_ms else 0)
    tell_turn_again(draft, match, seat)
    if match.phase is MatchPhase.READYING and not match.awaited_seats:
        begin_game(draft, match)
    return Accepted()


def grace_lapsed(draft: Draft, match: Match, seats: tuple[int, ...]) -> None:
    """End a match whose players have not come back in time."""
    if any(holder.is_present for holder in match.seats):
        absence = match.seats[seats[0]].absence
        forfeit(draft, match, seats, EndReason.DROPPED, "" if absence is None else absence.why)
    else:
        void_match(draft, match, "everybody left")


def _seat_changed(match: Match, seat: int, holder: SeatHolder) -> Match:
    match = late_answers.forgotten(match, seat)
    return attrs.evolve(match, seats=(*match.seats[:seat], holder, *match.seats[seat + 1 :]))
