"""Chooses the moves of the check's players: by chance, or for an aim.

For a result, games are played on at random. For a pass that takes too long: in Reversi hardly every fourth random game
has one. What leads there is to leave a side few moves; then three of four games have one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from time import perf_counter
from typing import Any

from gameserver.check.steps import Aim
from gameserver.core.state.match import Match
from gameserver.game import State

THINK_S = 0.05
"""The time for a move with an aim."""
PLAYOUTS_MIN = 2
"""Games that are played for each move at least, whatever time that takes."""
_GAME_OVER, _PASSED_OVER = 20.0, 10.0
"""For a player that wants a pass of its own: the cost of the game's end, and the value of a pass, in moves."""
STEPS_MAX = 400
"""Moves after which a game that is played on is given up."""


def choose(match: Match, seat: int, aim: Aim | None, chance: Random) -> Any:
    """A legal move of this seat."""
    moves = match.state.legal_moves(seat)
    if aim is None or len(moves) == 1:
        return chance.choice(moves)
    after = [match.state.play(seat, move) for move in moves]
    of_position = _OF_POSITIONS.get(aim)
    if of_position is None:
        values = _by_playouts(after, seat, aim, chance)
    else:
        values = [of_position(match.state, state, seat) for state in after]
    best = max(values)
    return chance.choice([move for move, worth in zip(moves, values, strict=True) if worth == best])


def _by_playouts(after: Sequence[State[Any]], seat: int, aim: Aim, chance: Random) -> list[float]:
    values = [0.0] * len(after)
    give_up_s = perf_counter() + THINK_S
    for playouts in range(1_000):
        if playouts >= PLAYOUTS_MIN and perf_counter() > give_up_s:
            break
        for place, state in enumerate(after):
            values[place] += _OF_PLAYOUTS[aim](_Playout(state, seat, chance))
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


class _Playout:
    """A game that is played on at random from a position."""

    def __init__(self, state: State[Any], seat: int, chance: Random) -> None:
        self.seat = seat
        self.length = 0
        while self.length < STEPS_MAX and state.outcome is None:
            draw = state.chance
            if draw is not None:
                state = state.drawn(tuple(chance.randint(1, draw.sides) for _ in range(draw.count)))
                continue
            mover = state.turn.seats[0]
            state = state.play(mover, chance.choice(state.legal_moves(mover)))
            self.length += 1
        self.outcome = state.outcome


def _of_win(playout: _Playout) -> float:
    return float(playout.outcome is not None and playout.seat in playout.outcome.winners)


def _of_loss(playout: _Playout) -> float:
    return float(playout.outcome is not None and bool(playout.outcome.winners)) - _of_win(playout)


def _of_draw(playout: _Playout) -> float:
    return float(playout.outcome is not None and not playout.outcome.winners)


def _of_length(playout: _Playout) -> float:
    return float(playout.length)


_OF_PLAYOUTS: Mapping[Aim, Callable[[_Playout], float]] = {
    Aim.WIN: _of_win,
    Aim.LOSS: _of_loss,
    Aim.DRAW: _of_draw,
    Aim.LONG_MATCH: _of_length,
}
_OF_POSITIONS: Mapping[Aim, Callable[[State[Any], State[Any], int], float]] = {
    Aim.SKIP: _starves_other,
    Aim.OWN_SKIP: _starves_itself,
}
