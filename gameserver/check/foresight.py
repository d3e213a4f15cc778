"""Looks through a small game to its end: the value of each move against this client, by how it has played so far.

A perfect client draws as long as nobody errs. A draw with one that takes the first free cell has to be set up for it.
So each habit that a client may have is weighed by how well it explains the moves that the client has made.
"""

from collections.abc import Callable, Mapping
from enum import Enum
from operator import mul
from typing import Any

from attrs import Factory, define

from gameserver.core.match import Match
from gameserver.game import Outcome, State
from gameserver.values import value

_POSITIONS_MAX = 10_000
"""Positions of a game that is looked through. Tic-tac-toe has 5,478, which take 0.1 s the first time."""
_LINES_MAX = 1_000_000
"""The same for the ways to play it, as one game suggests. Tic-tac-toe has 362,880 at most."""
# A game of few ways but many moves, as a package may bring one, ended every scenario with an aim by a RecursionError.
_LENGTH_MAX = 200
"""The same for the moves of that game: to look through it takes two calls a move, and Python allows a thousand."""
# Judgement: with none, one move against its habit would rule a habit out for good.
_SURPRISE = 0.05
"""The share of moves that a client makes against its habit."""
_WEIGHT_MIN = 1e-6
"""No habit is given up for good: a client may change its way."""

Worth = Callable[[Outcome, int], float]
"""The value of an outcome to a seat."""


class _TooLarge(Exception):
    """The game has more positions than are looked through."""


class _Habit(Enum):
    """A way in which clients choose among the legal moves."""

    BEST = "a move after which they do not lose, if they need not"
    ANY = "at random"
    FIRST = "the first"
    LAST = "the last"
    SAME = "the one that they have made in this position before"


@value
class _Position:
    """A position with those after it, by number, in the order of the legal moves."""

    outcome: Outcome | None
    result: int
    """1 if seat 0 wins with the best play of both, 0 for a draw, -1 if it loses."""
    mover: int = 0
    after: tuple[int, ...] = ()
    best: tuple[int, ...] = ()
    """The places of the moves that lead to this result."""


@define
class Foresight:
    """Looks ahead in a small game against the checked client, over all matches of a scenario."""

    _numbers: dict[State[Any], int] = Factory(dict)
    """The number of each position that was looked at."""
    _positions: list[_Position] = Factory(list)
    """By number: a position comes after all those that can follow it."""
    _made: dict[int, int] = Factory(dict)
    """The client's last move in each position, as its place among the legal ones."""
    _weights: dict[_Habit, float] = Factory(lambda: dict.fromkeys(_Habit, 1.0) | {_Habit.BEST: 4.0})
    """The likelihood of each habit, with a factor. At first a client is taken for one that plays well."""
    _learnt: tuple[int, int] = (0, 0)
    """The match that was looked at last, and the number of its moves then."""

    def values(self, match: Match, seat: int, worth: Worth, worth_of_move: float) -> list[float] | None:
        """Looks a small game through to its end for the value of each legal move against this client.

        Each move of the game has a value of its own on the way. None if the game is too large.
        """
        if not _may_be_small(match.state):
            return None
        try:
            root = self._number(match.state)
        except _TooLarge:
            for kept in (self._numbers, self._positions, self._made):
                kept.clear()  # there has to be room for what follows the next move
            return None
        self._learn(match, 1 - seat)
        values: dict[int, float] = {}

        def value_of(number: int) -> float:
            known = values.get(number)
            if known is not None:
                return known
            position = self._positions[number]
            if position.outcome is not None:
                found = worth(position.outcome, seat)
            else:
                after = list(map(value_of, position.after))
                is_own = position.mover == seat
                best = max(after) if is_own else sum(map(mul, after, self._likelihoods(number, self._weights)))
                found = worth_of_move + best
            values[number] = found
            return found

        return list(map(value_of, self._positions[root].after))

    def _learn(self, match: Match, client: int) -> None:
        """Weigh the habits anew by the client's moves since the last look."""
        known, count = self._learnt
        state = match.game.start(match.options)
        for place, made in enumerate(match.moves):
            if made.seat is None:
                return
            move = match.game.read_move(made.text)
            is_new = match.id != known or place >= count
            if made.seat == client and is_new and state in self._numbers:
                self._note(self._numbers[state], state.legal_moves(client).index(move))
            state = state.play(made.seat, move)
        self._learnt = (match.id, len(match.moves))

    def _note(self, number: int, place: int) -> None:
        surprise = _SURPRISE / len(self._positions[number].after)
        likely = {habit: self._likelihoods(number, {habit: 1.0})[place] for habit in self._weights}
        weights = {
            habit: weight * ((1 - _SURPRISE) * likely[habit] + surprise) for habit, weight in self._weights.items()
        }
        total = sum(weights.values())
        self._weights = {habit: max(weight / total, _WEIGHT_MIN) for habit, weight in weights.items()}
        self._made[number] = place

    def _likelihoods(self, number: int, weights: Mapping[_Habit, float]) -> list[float]:
        """The likelihood of each legal move for a client that has these habits."""
        position, made = self._positions[number], self._made.get(number)
        count, best = len(position.after), position.best
        at_random = weights.get(_Habit.ANY, 0.0) + (weights.get(_Habit.SAME, 0.0) if made is None else 0.0)
        likely = [at_random / count] * count
        for place in best:
            likely[place] += weights.get(_Habit.BEST, 0.0) / len(best)
        likely[0] += weights.get(_Habit.FIRST, 0.0)
        likely[-1] += weights.get(_Habit.LAST, 0.0)
        if made is not None:
            likely[made] += weights.get(_Habit.SAME, 0.0)
        total = sum(likely)
        return [each / total for each in likely]

    def _number(self, state: State[Any]) -> int:
        """Look through all that can follow a position."""
        known = self._numbers.get(state)
        if known is not None:
            return known
        if len(self._numbers) >= _POSITIONS_MAX or state.chance is not None:
            raise _TooLarge
        outcome = state.outcome
        if outcome is not None:
            position = _Position(outcome, (0 in outcome.winners) - (1 in outcome.winners))
        else:
            mover = state.turn.seats[0]
            after = tuple(self._number(state.play(mover, move)) for move in state.legal_moves(mover))
            results = [self._positions[each].result for each in after]
            result = max(results) if mover == 0 else min(results)
            best = tuple(place for place, each in enumerate(results) if each == result)
            position = _Position(None, result, mover, after, best)
        self._numbers[state] = len(self._positions)
        self._positions.append(position)
        return self._numbers[state]


def _may_be_small(state: State[Any]) -> bool:
    """True if a game without chance goes on from here in few ways, as one game suggests."""
    try:
        hash(state)
    except TypeError:
        # A game of a package may have states that cannot be hashed; it is played at random then.
        return False
    lines = 1
    for _ in range(_LENGTH_MAX):
        if state.outcome is not None:
            return lines <= _LINES_MAX
        if state.chance is not None or lines > _LINES_MAX:
            return False
        mover = state.turn.seats[0]
        moves = state.legal_moves(mover)
        lines *= len(moves)
        state = state.play(mover, moves[len(moves) // 2])
    return False
