"""The contract of a game's coding: numbers of moves that mean the same in every position, observations in their shape.

An index among the legal moves would be a number as well, and pass every test of an environment, but no agent could
learn what it means. So the kit remembers the number of each written move, for each seat, over all of its games.
"""

import math
import random
from typing import Any

from attrs import define, field

from gameserver.game import Coding, Game, State
from gameserver.testing.contract import Trail
from gameserver.testing.game_positions import TEXTS_MAX, Answers, some_of


def coding_of(trail: Trail, game: Game[Any], options: Any) -> "CodingCheck | None":
    """Asks a game for its coding, and checks what can be checked without a position; None if it has none."""
    coding: object = trail.ask("coding()", game.coding, options)
    if coding is None:
        return None
    if not isinstance(coding, Coding):
        trail.fail(f"coding() is {coding!r}; give a gameserver.game.Coding, or None")
    actions, shape = getattr(coding, "actions", None), getattr(coding, "shape", None)
    is_sized = isinstance(shape, tuple) and shape and all(type(size) is int and size > 0 for size in (actions, *shape))
    told = f"the coding has {actions!r} actions and the shape {shape!r}"
    trail.require(is_sized, f"{told}; give an integer from 1, and a tuple of such")
    trail.require(coding.low < coding.high, "the coding's low must be below its high")
    return CodingCheck(game, coding)


@define
class CodingCheck:
    """The check of a game's coding, with what its numbers have meant so far."""

    game: Game[Any]
    coding: Coding[Any]
    _numbers: dict[tuple[int, str], int] = field(factory=dict)
    """The number of each move as written, by seat."""
    _moves: dict[tuple[int, int], str] = field(factory=dict)
    """The move of each number as written, by seat."""

    def check(self, trail: Trail, state: State[Any], answers: Answers, chance: random.Random) -> None:
        """Checks the numbers and the observations of a position in which players decide, or which is the last."""
        if answers.chance is not None:
            return
        for seat, moves in enumerate(answers.moves):
            self.observation(trail, state, seat)
            numbers = [trail.ask(f"number({seat}, {move!r})", self.coding.number, state, seat, move) for move in moves]
            numbered = {number: move for number, move in zip(numbers, moves, strict=True) if number is not None}
            in_range = all(type(number) is int and 0 <= number < self.coding.actions for number in numbered)
            trail.require(in_range, f"the numbers {numbers!r} of moves must be from 0 to {self.coding.actions - 1}")
            is_unique = len(numbered) == len(moves) - numbers.count(None)
            trail.require(is_unique, f"two legal moves of seat {seat} have the same number; give each its own")
            trail.require(numbered or not moves, f"no legal move of seat {seat} has a number; give one at least")
            asked: Any = trail.ask(f"moves({seat})", self.coding.moves, state, seat)
            trail.require(
                dict(asked) == numbered, f"moves({seat}) is {asked!r}; give the legal moves that have a number"
            )
            for number in some_of(sorted(numbered), TEXTS_MAX, chance) if self.coding.text_decides else ():
                self._compare(trail, seat, number, self.game.write_move(numbered[number]))

    def _compare(self, trail: Trail, seat: int, number: int, text: str) -> None:
        known, meant = self._numbers.setdefault((seat, text), number), self._moves.setdefault((seat, number), text)
        problem = f"the number of {text!r} is {number}, and was {known} in another position; give it always the same"
        trail.require(known == number, problem)
        problem = f"{number} is the number of {text!r}, and was that of {meant!r} in another position; never reuse one"
        trail.require(meant == text, problem)

    def observation(self, trail: Trail, state: State[Any], seat: int) -> tuple[float, ...]:
        """Asks for what a seat observes of a position, and checks that it is in its shape and bounds."""
        seen: Any = trail.ask(f"observation({seat})", self.coding.observation, state, seat)
        low, high, size = self.coding.low, self.coding.high, math.prod(self.coding.shape)
        trail.require(len(seen) == size, f"observation({seat}) has {len(seen)} numbers; its shape takes {size}")
        wrong = next((number for number in seen if not low <= number <= high), None)
        trail.require(wrong is None, f"observation({seat}) has {wrong!r}; give numbers from {low} to {high}")
        return tuple(seen)
