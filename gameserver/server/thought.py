"""A turn of a house player to think about, and what comes of it: values that go to a worker process and back.

A worker process imports this module and the game's own, nothing else of the server. The game goes over as an instance,
by the name of its class, and with it the strategies: a game of a third party does as one of ours.
"""

import pickle
import sys
import traceback
from collections.abc import Sequence
from itertools import islice
from typing import Any

from gameserver.core.referee import number_below
from gameserver.game import Choose, Game, Seat, State, Strategy
from gameserver.values import value

RANDOM = "random"
"""The strategy that every game has."""


class UnreadableThoughtError(Exception):
    """A worker process could not make the thought's values again, for example because it cannot import the game."""


@value
class Thought:
    """A turn to think about. The choices that the strategy leaves to chance follow from `seed` and `key`."""

    game: Game[Any]
    state: State[Any]
    seat: Seat
    strategy: str
    seed: str
    """64 hex digits."""
    key: str

    @property
    def is_quick(self) -> bool:
        """True if there is nothing to think about: any legal move will do."""
        return self.strategy == RANDOM and RANDOM not in self.game.strategies


@value
class Verdict:
    """The move, written out, or the fault of the strategy."""

    move: str = ""
    is_forced: bool = False
    """True if there was no other move."""
    fault: str = ""


class SeededChoice:
    """Chooses by draws that follow from a seed, so that the same thought always comes to the same move."""

    def __init__(self, seed: str, key: str) -> None:
        self._seed, self._key, self._made = seed, key, 0

    def __call__(self, options: Sequence[Any]) -> Any:
        """Pick one of the options."""
        try:
            count = len(options)
        except OverflowError:  # more than an index can tell, such as the codes of a large Mastermind: one of the first
            count = sys.maxsize
        if not count:
            raise IndexError("there is nothing to choose from")
        self._made += 1
        return options[number_below(count, self._seed, "house", self._key, self._made)]


def play_at_random(state: State[Any], seat: Seat, choose: Choose[Any]) -> Any:
    """Choose any legal move."""
    return choose(state.legal_moves(seat))


def think(thought: Thought) -> Verdict:
    """Have the strategy pick a move."""
    game, state, seat = thought.game, thought.state, thought.seat
    strategy: Strategy = game.strategies.get(thought.strategy, play_at_random)
    try:
        move = strategy(state, seat, SeededChoice(thought.seed, thought.key))
        legal = state.legal_moves(seat)
        text = str(game.write_move(move))
        if move not in legal:
            return Verdict(fault=f"it picked an illegal move: {text}")
        return Verdict(text, is_forced=len(list(islice(legal, 2))) < 2)
    except BaseException:  # noqa: BLE001 - a strategy may be anybody's, and its SystemExit would go over to the server
        return Verdict(fault=traceback.format_exc())


def think_at_random(thought: Thought) -> Verdict:
    """Pick any legal move in the place of the strategy."""
    return think(Thought(thought.game, thought.state, thought.seat, "", thought.seed, thought.key))


def packed(thought: Thought) -> bytes:
    """The thought as bytes. Raises whatever pickling raises for a game that cannot leave this process."""
    return pickle.dumps(thought, pickle.HIGHEST_PROTOCOL)


def think_packed(data: bytes) -> Verdict:
    """Do what `think` does, in a worker process."""
    try:
        thought: Thought = pickle.loads(data)  # noqa: S301 - the server itself wrote it, into a pipe
    except Exception as error:  # noqa: BLE001 - unpickling a stranger's values may raise anything
        message = f"{type(error).__name__}: {error}"
        raise UnreadableThoughtError(message) from None
    return think(thought)
