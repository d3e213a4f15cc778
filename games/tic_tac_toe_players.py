"""House players of Tic-tac-toe. They ask a position nothing but what every game's `State` answers."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from gameserver.game import Choose, Seat, State

# There are 5478 positions: what is found out about one is kept, so only the first questions take a moment.


def novice(position: State[int], seat: Seat, choose: Choose[int]) -> int:
    """A beginner at Tic-tac-toe who completes a line of its own, and overlooks everything else."""
    return choose(_wins(position, seat) or position.legal_moves(seat))


def club(position: State[int], seat: Seat, choose: Choose[int]) -> int:
    """A player of Tic-tac-toe who completes a line and blocks one, but makes no plans."""
    return choose(_sensible(position, seat))


def master(position: State[int], seat: Seat, choose: Choose[int]) -> int:
    """A player of Tic-tac-toe who never loses, and of the best moves takes those that are hardest to answer."""
    moves = _best(position, seat)
    hopes = [_hope(position.play(seat, move), seat) for move in moves]
    return choose([move for move, hope in zip(moves, hopes, strict=True) if hope == max(hopes)])


def perfect(position: State[int], seat: Seat, choose: Choose[int]) -> int:
    """A house player of Tic-tac-toe that never loses. Of moves that are as good as each other it takes any."""
    return choose(_best(position, seat))


def win_chance(position: State[int]) -> float:
    """The opinion of `perfect` on a Tic-tac-toe position: 1 if X wins against any play, 0 if O does, else a half."""
    value = worth(position, 0)
    return (1 + (value > 0) - (value < 0)) / 2


def _wins(position: State[int], seat: Seat) -> list[int]:
    """The moves that win at once."""
    found = []
    for move in position.legal_moves(seat):
        outcome = position.play(seat, move).outcome
        if outcome and seat in outcome.winners:
            found.append(move)
    return found


@cache
def _sensible(position: State[int], seat: Seat) -> Sequence[int]:
    """The moves that win at once; else those after which the other seat does not; else all."""
    moves = position.legal_moves(seat)
    return _wins(position, seat) or [m for m in moves if not _wins(position.play(seat, m), 1 - seat)] or moves


@cache
def worth(position: State[int], seat: Seat) -> int:
    """The value of a Tic-tac-toe position for a seat if both play perfectly: above 0 wins, and more so soon."""
    outcome = position.outcome
    if outcome:
        return outcome.points[seat] * (10 - position.turn.number)
    (mover,) = position.turn.seats
    best_of = max if mover == seat else min
    return best_of(worth(position.play(mover, move), seat) for move in position.legal_moves(mover))


@cache
def _best(position: State[int], seat: Seat) -> Sequence[int]:
    """The moves of most worth."""
    moves = position.legal_moves(seat)
    worths = [worth(position.play(seat, move), seat) for move in moves]
    return [move for move, value in zip(moves, worths, strict=True) if value == max(worths)]


@cache
def _hope(position: State[int], seat: Seat) -> Fraction:
    """The points that `seat` gains on average if it plays its best moves, and the other seat as `club` does."""
    if position.outcome:
        return Fraction(position.outcome.points[seat])
    (mover,) = position.turn.seats
    if mover == seat:
        return max(_hope(position.play(seat, move), seat) for move in _best(position, seat))
    replies = _sensible(position, mover)
    return sum((_hope(position.play(mover, move), seat) for move in replies), Fraction(0)) / len(replies)
