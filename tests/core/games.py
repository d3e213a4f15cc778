"""The games of the conversations, by name: those of `tests.support.games`, and a few whose turns are unusual."""

from typing import Any

from attrs import frozen

from games.mastermind import GAME as MASTERMIND
from gameserver.game import Game, Series, Turn
from tests.support.example_games import ROCK_PAPER_SCISSORS
from tests.support.games import BestOf, BestOfSeries, Broken, Countdown, CountdownState, Dice, Hands, Heap


class Long(Countdown):
    """A countdown that is not over after three moves."""

    name = "Long"

    def start(self, options: Any) -> CountdownState:
        return CountdownState(heap=40)


@frozen
class TwoStepsState(CountdownState):
    """Everybody takes twice."""

    @property
    def turn(self) -> Turn:
        number = self.number // 2
        return Turn(number, () if self.heap == 0 else (number % 2,))


class TwoSteps(Countdown):
    """A turn of two steps."""

    name = "Two-steps"

    def start(self, options: Any) -> TwoStepsState:
        return TwoStepsState(heap=40)


class OwnBoardsState(CountdownState):
    """Shows each seat a board of its own, as long as there are two to take."""

    def board(self, viewer: int | None) -> str:
        if self.heap == 1:
            raise ZeroDivisionError("no board")
        return f"for seat {viewer}\n{self.heap} left"


class OwnBoards(Countdown):
    """A game whose board depends on who looks."""

    name = "Own-boards"

    def start(self, options: Any) -> OwnBoardsState:
        return OwnBoardsState()


@frozen
class Rounds(BestOfSeries):
    """Games of one round each: all of them have the same turn."""

    @property
    def next_game(self) -> tuple[Game[Any], Any] | None:
        return (ROCK_PAPER_SCISSORS, ROCK_PAPER_SCISSORS.options_type(rounds=1)) if self.left else None


class BestOfRounds(BestOf):
    """A match of several games of one round, in which both act at the same time."""

    name = "Best-of-rounds"

    def series(self, options: Any) -> Series:
        return Rounds(options.games)


BROKEN_AT = ("start", "play", "prompt", "outcome", "resigned", "half points", "huge points", "no reason")
GAMES: dict[str, Game[Any]] = {
    game.name.replace(" ", "-"): game
    for game in (
        *(Countdown(), Long(), Heap(), Dice(), Hands(), BestOf(), BestOfRounds(), TwoSteps(), OwnBoards(), MASTERMIND),
        *(ROCK_PAPER_SCISSORS, *map(Broken, BROKEN_AT), Broken("resigned illegally")),
    )
}
