"""Chooses the moves of the check's players: by chance, or for an aim, by games that are played on at random."""

from collections.abc import Callable, Mapping
from random import Random
from time import perf_counter
from typing import Any

from gameserver.check.steps import Aim
from gameserver.core.state.match import Match
from gameserver.game import State

THINK_S = 0.15
"""The time for a move with an aim."""
PLAYOUTS_MIN = 2
"""Games that are played for each move at least, whatever time that takes."""
STEPS_MAX = 400
"""Moves after which a game that is played on is given up."""


def choose(match: Match, seat: int, aim: Aim | None, chance: Random) -> Any:
    """A legal move of this seat."""
    moves = match.state.legal_moves(seat)
    if aim is None or len(moves) == 1:
        return chance.choice(moves)
    after = [match.state.play(seat, move) for move in moves]
    values = [0.0] * len(moves)
    give_up_s = perf_counter() + THINK_S
    for playouts in range(1_000):
        if playouts >= PLAYOUTS_MIN and perf_counter() > give_up_s:
            break
        for place, state in enumerate(after):
            values[place] += _VALUES[aim](_Playout(match.state, state, seat, chance))
    best = max(values)
    return chance.choice([move for move, worth in zip(moves, values, strict=True) if worth == best])


class _Playout:
    """A game that is played on at random from a position."""

    def __init__(self, before: State[Any], state: State[Any], seat: int, chance: Random) -> None:
        self.seat = seat
        self.first_pass: int | None = None
        """The number of moves until the other side could not move; None if it always could."""
        self.length = 0
        turn, mover = before.turn, seat
        while self.length < STEPS_MAX:
            now = state.turn
            if mover == seat and self._is_passed_over(turn.seats, now.seats) and self.first_pass is None:
                self.first_pass = self.length
            if state.outcome is not None:
                break
            draw = state.chance
            if draw is not None:
                state = state.drawn(tuple(chance.randint(1, draw.sides) for _ in range(draw.count)))
                continue
            turn, mover = now, now.seats[0]
            state = state.play(mover, chance.choice(state.legal_moves(mover)))
            self.length += 1
        self.outcome = state.outcome

    def _is_passed_over(self, before: tuple[int, ...], after: tuple[int, ...]) -> bool:
        return before == after == (self.seat,)


def _of_pass(playout: _Playout) -> float:
    return 0.0 if playout.first_pass is None else 1.0 / (1 + playout.first_pass)


def _of_win(playout: _Playout) -> float:
    return float(playout.outcome is not None and playout.seat in playout.outcome.winners)


def _of_loss(playout: _Playout) -> float:
    return float(playout.outcome is not None and bool(playout.outcome.winners)) - _of_win(playout)


def _of_draw(playout: _Playout) -> float:
    return float(playout.outcome is not None and not playout.outcome.winners)


def _of_length(playout: _Playout) -> float:
    return float(playout.length)


_VALUES: Mapping[Aim, Callable[[_Playout], float]] = {
    Aim.SKIP: _of_pass,
    Aim.WIN: _of_win,
    Aim.LOSS: _of_loss,
    Aim.DRAW: _of_draw,
    Aim.LONG_MATCH: _of_length,
}
