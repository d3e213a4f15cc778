"""What happens in a match: a table of phases and commands, and a handler for each.

The rule: everything that can happen to a match is in `TRANSITIONS`, and what is not there is
refused. A handler reads the draft, writes the match's next value, and tells those concerned; it
knows neither sockets nor protocols. Which consequence a lapse has (a late turn, an illegal move, a
lost connection) is looked up in the match's policies, so a protocol's customs are data here.

    phase      Play  Resign  Drop  Return  TimeUp  Void
    playing     x      x      x      x       x      x
    over        -      -      -      -       -      -

An over match leaves the lobby with the decision that ended it; the row stands in the table so that
what comes late is refused by the same look-up as everything else.

The clock runs while everybody who has to act is present and stands otherwise; who is away for a
drop lives on the grace budget, and after a restart on the restart's grace. Rejected: to let the
clock run on for the absent, which would make our own restart cost somebody a match.
"""

from collections.abc import Callable
from typing import Any

import attrs
from attrs import frozen

from gameserver.core import referee
from gameserver.core.chance import number_below
from gameserver.core.commands import HOUSE_SESSION, Play, Resign, TimeUp, Void
from gameserver.core.ending import abandon, end_match, forfeit, result_of, void_match
from gameserver.core.events import Accepted, Answer, By, EndReason, MoveRefused, Rejected, SeatDropped, SeatReturned
from gameserver.core.lobby import Draft
from gameserver.core.match import Absence, Cause, Clock, Match, Phase, SeatHolder
from gameserver.core.policies import Dropped, Illegal, Late
from gameserver.core.rejections import Code
from gameserver.core.telling import (
    first_move_release_ms,
    show_match,
    tell_seats,
    tell_steps,
    tell_turn,
    tell_turn_again,
)
from gameserver.game import Turn


@frozen
class Drop:
    """A seated player's session ended. Comes from `Leave`, never from a client."""

    seat: int


@frozen
class Return:
    """A player takes the empty seat back. Comes from `Enter`, never from a client."""

    seat: int
    session: int
    address: str
    protocol: str


def act(draft: Draft, match: Match, seat: int | None, command: Any) -> Answer:
    """Let a command act on a match; `seat` is the sender's. Raises `GameFault` naming the match."""
    handler = TRANSITIONS[match.phase].get(type(command))
    if handler is None:
        return Rejected(Code.NOT_IN_MATCH)
    try:
        return handler(draft, match, seat, command)
    except referee.GameFault as fault:
        raise referee.GameFault(fault.why, match.id) from fault


def restarted_clock(match: Match, turn: Turn, from_ms: int) -> Clock:
    """The clock of a new turn. The house is never on a clock: its moves are our own doing."""
    turn_time_ms = match.policies.turn_time_ms
    acting = {match.seats[seat].session for seat in turn.seats}
    if turn_time_ms is None or acting == {HOUSE_SESSION}:
        return Clock()
    if None in acting:
        return Clock(left_ms=turn_time_ms)
    return Clock(deadline_ms=from_ms + turn_time_ms, from_ms=from_ms)


def _play(draft: Draft, match: Match, seat: int, command: Play) -> Answer:
    if command.turn is not None and command.turn != match.turn.number:
        return Rejected(Code.STALE)
    is_early = draft.at.stamp_ms < match.pause_until_ms and not match.seats[seat].is_house
    if seat not in match.turn.seats or is_early:
        return Rejected(Code.NOT_YOUR_TURN, {"player": match.seats[seat].player})
    try:
        _move(draft, match, seat, command.move, By.PLAYER)
    except referee.PlayersMistake as error:
        return _ILLEGAL_COSTS[match.policies.illegal](draft, match, seat, command.move, str(error))
    return Accepted()


def _move(draft: Draft, match: Match, seat: int, said: str, by: By) -> None:
    """Play a move and everything that follows from it by itself."""
    at = draft.at
    think_ms = max(0, at.stamp_ms - match.turn_started_ms)
    played = referee.play(match, seat, said, by, at.now_ms, think_ms)
    release_ms = first_move_release_ms(match, at.now_ms)
    if by is By.SERVER:
        match = attrs.evolve(match, overtaken=(*match.overtaken, seat))
    match = _advanced(match, played, max(at.now_ms, release_ms))
    draft.matches[match.id] = match
    tell_steps(draft, match, played.shown, release_ms)
    outcome = played.position.outcome
    if outcome is None:
        tell_turn(draft, match, referee.prompts(match))
    else:
        end_match(draft, match, result_of(outcome))


def _advanced(match: Match, played: referee.Played, from_ms: int) -> Match:
    """The match after a move; the clock starts again only if the turn passed on."""
    turn = played.position.turn
    passed_on = turn.number != match.turn.number
    over = played.position.outcome is not None
    clock = match.clock
    pause_until_ms, overtaken = match.pause_until_ms, match.overtaken
    if over:
        clock = Clock()
    elif passed_on:
        pause_ms = _pause_ms(match, turn)
        from_ms += pause_ms
        pause_until_ms = from_ms if pause_ms else 0
        overtaken = tuple(seat for seat in overtaken if seat not in turn.seats)
        clock = restarted_clock(match, turn, from_ms)
    return attrs.evolve(
        match,
        state=played.position.state,
        turn=turn,
        clock=clock,
        turn_started_ms=from_ms if passed_on else match.turn_started_ms,
        moves=match.moves + played.steps,
        draws=played.draws,
        pause_until_ms=pause_until_ms,
        overtaken=overtaken,
    )


def _pause_ms(match: Match, turn: Turn) -> int:
    """How long the next turn waits. A late move must have arrived by then, so that it counts for no other turn."""
    policies = match.policies
    if match.overtaken and not set(match.overtaken).isdisjoint(turn.seats):
        return max(policies.move_pause_ms, policies.late_pause_ms)
    return policies.move_pause_ms


def _illegal_costs_match(draft: Draft, match: Match, seat: int, said: str, why: str) -> Answer:
    release_ms = first_move_release_ms(match, draft.at.now_ms)
    tell_seats(draft, match, MoveRefused(match.id, seat, match.seats[seat].player, said, why, release_ms))
    forfeit(draft, match, (seat,), EndReason.ILLEGAL, f"{said!r}: {why}")
    return Accepted()


def _illegal_costs_nothing(draft: Draft, match: Match, seat: int, said: str, why: str) -> Answer:
    tell_turn_again(draft, match, seat)
    return Rejected(Code.ILLEGAL_MOVE, {"move": said, "why": why})


_ILLEGAL_COSTS: dict[Illegal, Callable[[Draft, Match, int, str, str], Answer]] = {
    Illegal.MATCH: _illegal_costs_match,
    Illegal.REFUSAL: _illegal_costs_nothing,
}


def _resign(draft: Draft, match: Match, seat: int, command: Resign) -> Answer:
    forfeit(draft, match, (seat,), EndReason.RESIGNED)
    return Accepted()


def _drop(draft: Draft, match: Match, seat: int, command: Drop) -> Answer:
    holder = match.seats[seat]
    others_here = any(other.is_present for number, other in enumerate(match.seats) if number != seat)
    gone = attrs.evolve(holder, session=None)
    if match.policies.dropped is Dropped.NOTHING:
        abandon(draft, _seat_changed(match, seat, gone), seat)
        return Accepted()
    restart = next((other.absence for other in match.seats if _is_awaited(other)), None)
    if restart is not None:
        # Not all are back from our restart, so the match is not on yet: nobody loses or voids it by leaving.
        match = _seat_changed(match, seat, attrs.evolve(gone, absence=restart))
        draft.matches[match.id] = attrs.evolve(match, clock=match.clock.held(draft.at.now_ms))
        return Accepted()
    if holder.grace_left_ms == 0:
        match = _seat_changed(match, seat, gone)
        if others_here:
            forfeit(draft, match, (seat,), EndReason.DROPPED)
        else:
            void_match(draft, match, "everybody left")
        return Accepted()
    return_by_ms = draft.at.now_ms + holder.grace_left_ms
    match = _seat_changed(match, seat, attrs.evolve(gone, absence=Absence(Cause.DROP, return_by_ms)))
    if match.waits_for_absent:
        match = attrs.evolve(match, clock=match.clock.held(draft.at.now_ms))
    draft.matches[match.id] = match
    tell_seats(draft, match, SeatDropped(match.id, seat, holder.player, return_by_ms))
    return Accepted()


def _is_awaited(holder: SeatHolder) -> bool:
    return holder.absence is not None and holder.absence.cause is Cause.RESTART


def _return(draft: Draft, match: Match, seat: int, command: Return) -> Answer:
    holder, now_ms = match.seats[seat], draft.at.now_ms
    grace_left_ms = holder.grace_left_ms
    if holder.absence is not None and holder.absence.cause is Cause.DROP:
        grace_left_ms = max(0, holder.absence.return_by_ms - now_ms)
    back = attrs.evolve(
        holder,
        session=command.session,
        address=command.address,
        protocol=command.protocol,
        grace_left_ms=grace_left_ms,
        absence=None,
    )
    tell_seats(draft, match, SeatReturned(match.id, seat, holder.player))
    match = _seat_changed(match, seat, back)
    pause_ms = match.policies.first_move_pause_ms if match.moves else 0
    if not match.waits_for_absent:
        match = attrs.evolve(match, clock=match.clock.resumed(now_ms + pause_ms))
    draft.matches[match.id] = match
    show_match(draft, match, seat, now_ms + pause_ms if pause_ms else 0)
    tell_turn_again(draft, match, seat)
    return Accepted()


def _time_up(draft: Draft, match: Match, seat: None, command: TimeUp) -> Answer:
    now_ms = draft.at.now_ms
    lapsed = [
        (number, holder.absence)
        for number, holder in enumerate(match.seats)
        if holder.absence is not None and holder.absence.return_by_ms <= now_ms
    ]
    if any(absence.cause is Cause.RESTART for _, absence in lapsed):
        names = ", ".join(match.seats[number].player for number, _ in lapsed)
        void_match(draft, match, f"{names} did not come back after the server's restart")
    elif lapsed:
        _grace_lapsed(draft, match, tuple(number for number, _ in lapsed))
    elif match.late_ms is not None and match.late_ms <= now_ms:
        _LATE_COSTS[match.policies.late](draft, match)
    else:
        return Rejected(Code.STALE)
    return Accepted()


def _grace_lapsed(draft: Draft, match: Match, seats: tuple[int, ...]) -> None:
    if any(holder.is_present for holder in match.seats):
        forfeit(draft, match, seats, EndReason.DROPPED)
    else:
        void_match(draft, match, "everybody left")


def _late_costs_match(draft: Draft, match: Match) -> None:
    forfeit(draft, match, match.turn.seats, EndReason.LATE)


def _late_costs_the_choice(draft: Draft, match: Match) -> None:
    """Play a random legal move in the place of each seat that did not move in time."""
    for seat in match.turn.seats:
        current = draft.matches.get(match.id)
        if current is None or seat not in current.turn.seats:
            return
        moves = referee.legal_moves(current, seat)
        if not moves:
            message = f"seat {seat} is to act but has no legal move"
            raise referee.GameFault(message, match.id)
        n = len(current.moves)
        _move(draft, current, seat, moves[number_below(len(moves), match.seed, "late", match.id, n)], By.SERVER)


_LATE_COSTS: dict[Late, Callable[[Draft, Match], None]] = {
    Late.MATCH: _late_costs_match,
    Late.RANDOM_MOVE: _late_costs_the_choice,
}


def _void(draft: Draft, match: Match, seat: None, command: Void) -> Answer:
    void_match(draft, match, command.why)
    return Accepted()


def _seat_changed(match: Match, seat: int, holder: Any) -> Match:
    return attrs.evolve(match, seats=(*match.seats[:seat], holder, *match.seats[seat + 1 :]))


Handler = Callable[[Draft, Match, Any, Any], Answer]

TRANSITIONS: dict[Phase, dict[type, Handler]] = {
    Phase.PLAYING: {
        Play: _play,
        Resign: _resign,
        Drop: _drop,
        Return: _return,
        TimeUp: _time_up,
        Void: _void,
    },
    Phase.OVER: {},
}
