"""Chooses the moves of the check's players: by chance, or for an aim.

For a result, a small game is looked through to its end (`foresight`), and a larger one is played on at random. For a
pass that would take too long: in Reversi hardly every fourth random game has one. What leads there is to leave a side
few moves; then three of four games have one. All of it is limited in positions, never in time: a busy machine must not
play worse, and fail the client for it.
"""

import math
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from gameserver.check.foresight import Foresight, Worth
from gameserver.check.steps import Aim
from gameserver.core.match import Match
from gameserver.game import Outcome, State

POSITIONS_MAX = 2_000
"""Positions that games at random go through for a move with an aim."""
PLAYOUTS_MIN = 2
"""Games that are played for each move at least, however many positions that takes."""
_GAME_OVER, _PASSED_OVER = 20.0, 10.0
"""For a player that wants a pass of its own: the cost of the game's end, and the value of a pass, in moves."""
STEPS_MAX = 400
"""Moves after which a game that is played on is given up."""


def choose(match: Match, seat: int, aim: Aim | None, chance: Random, foresight: Foresight) -> Any:
    """A legal move of this seat; `foresight` is kept for the other player over all matches."""
    moves = match.state.legal_moves(seat)
    if aim is None:
        return chance.choice(moves)
    of_position = _OF_POSITIONS.get(aim)
    if of_position is None:
        values = foresight.values(match, seat, *_WORTHS[aim]) or _by_playouts(match.state, seat, aim, chance)
    else:
        values = [of_position(match.state, match.state.play(seat, move), seat) for move in moves]
    best = max(values) - _ROUNDING
    return chance.choice([move for move, worth in zip(moves, values, strict=True) if worth >= best])


_ROUNDING = 1e-9
"""Sums of likelihoods differ by less, though their moves are equally good."""


def _by_playouts(state: State[Any], seat: int, aim: Aim, chance: Random) -> list[float]:
    after = [state.play(seat, move) for move in state.legal_moves(seat)]
    values = [0.0] * len(after)
    positions = playouts = 0
    while playouts < PLAYOUTS_MIN or positions < POSITIONS_MAX:
        for place, each in enumerate(after):
            worth, length = _played_on(each, seat, aim, chance)
            values[place] += worth
            positions += length + 1
        playouts += 1
    return values


def _is_passed_over(before: State[Any], after: State[Any], seat: int) -> bool:
    """True if a player who has moved is on turn again, because the other one has no move."""
    return before.turn.seats == after.turn.seats == (seat,) and before.turn.number != after.turn.number


def _is_open(state: State[Any]) -> bool:
    """True if somebody is on turn."""
    return state.outcome is None and state.chance is None


def _starves_other(before: State[Any], state: State[Any], seat: int) -> float:
    """Better the fewer moves the other side has, and best if it has none."""
    if not _is_open(state):
        return -math.inf
    if _is_passed_over(before, state, seat):
        return 0.0
    return -float(len(state.legal_moves(state.turn.seats[0])))


def _starves_itself(before: State[Any], state: State[Any], seat: int) -> float:
    """Better the fewer moves are left to this side after the other's, and best where those leave it none."""
    if not _is_open(state) or state.turn.seats == (seat,):
        return -math.inf
    other = state.turn.seats[0]
    replies = [state.play(other, move) for move in state.legal_moves(other)]
    return sum(_hunger(state, reply, seat) for reply in replies) / len(replies)


def _hunger(before: State[Any], reply: State[Any], seat: int) -> float:
    if not _is_open(reply):
        return -_GAME_OVER
    if reply.turn.seats != (seat,):
        return _PASSED_OVER
    return -math.sqrt(len(reply.legal_moves(seat)))


def _played_on(state: State[Any], seat: int, aim: Aim, chance: Random) -> tuple[float, int]:
    """The value of a game that is played on at random from a position, and its length in moves."""
    worth, worth_of_move = _WORTHS[aim]
    length = 0
    while length < STEPS_MAX and state.outcome is None:
        draw = state.chance
        if draw is not None:
            state = state.drawn(tuple(chance.randint(1, draw.sides) for _ in range(draw.count)))
            continue
        mover = state.turn.seats[0]
        state = state.play(mover, chance.choice(state.legal_moves(mover)))
        length += 1
    outcome = state.outcome
    return (0.0 if outcome is None else worth(outcome, seat)) + worth_of_move * length, length


def _of_win(outcome: Outcome, seat: int) -> float:
    return float(seat in outcome.winners)


def _of_loss(outcome: Outcome, seat: int) -> float:
    return float(bool(outcome.winners) and seat not in outcome.winners)


def _of_draw(outcome: Outcome, _: int) -> float:
    return float(not outcome.winners)


def _of_length(_: Outcome, _seat: int) -> float:
    return 0.0


_WORTHS: Mapping[Aim, tuple[Worth, float]] = {
    Aim.WIN: (_of_win, 0.0),
    Aim.LOSS: (_of_loss, 0.0),
    Aim.DRAW: (_of_draw, 0.0),
    Aim.LONG_MATCH: (_of_length, 1.0),
}
"""For each result: the value of an outcome, and of each move on the way to it."""
_OF_POSITIONS: Mapping[Aim, Callable[[State[Any], State[Any], int], float]] = {
    Aim.SKIP: _starves_other,
    Aim.OWN_SKIP: _starves_itself,
}
