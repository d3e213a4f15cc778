"""Small games that do what no real game should, or what few do: for tests of the core and the runtime."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from attrs import evolve, field, frozen, validators

from gameserver.game import Chance, Game, IllegalMove, NoOptions, Outcome, Series, State, Turn


@frozen
class CountdownState(State[int]):
    """Take 1 or 2 from a heap; who takes the last one wins."""

    heap: int = 5
    number: int = 0

    @property
    def turn(self) -> Turn:
        return Turn(self.number, () if self.heap == 0 else (self.number % 2,))

    def legal_moves(self, seat: int) -> Sequence[int]:
        return tuple(take for take in (1, 2) if take <= self.heap) if seat in self.turn.seats else ()

    def play(self, seat: int, move: int) -> Self:
        if move not in self.legal_moves(seat):
            raise IllegalMove(f"you cannot take {move} of {self.heap}")
        return evolve(self, heap=self.heap - move, number=self.number + 1)

    @property
    def outcome(self) -> Outcome | None:
        if self.heap:
            return None
        winner = (self.number - 1) % 2
        return Outcome((1, -1) if winner == 0 else (-1, 1), (winner,), "last one taken")

    def resigned(self, seat: int) -> Outcome:
        return Outcome((-1, 1) if seat == 0 else (1, -1), (1 - seat,))

    def view(self, viewer: int | None) -> Mapping[str, object]:
        return {"heap": self.heap}

    def board(self, viewer: int | None) -> str:
        return "o" * self.heap

    def prompt(self, seat: int) -> str:
        return f"{self.heap} left"

    def reaction(self, viewer: int | None) -> str:
        return f"{self.heap} remain"


class Countdown(Game[int]):
    """The plain one."""

    name = "Countdown"

    def start(self, options: Any) -> State[int]:
        return CountdownState()

    def read_move(self, text: str) -> int:
        if text not in {"1", "2"}:
            raise IllegalMove("take 1 or 2")
        return int(text)

    def write_move(self, move: int) -> str:
        return str(move)

    def move_number(self, move: int) -> int | None:
        return move


@frozen
class HeapOptions:
    """Size of the heap."""

    heap: int = field(default=5, validator=[validators.instance_of(int), validators.in_(range(1, 10))])


class Heap(Countdown):
    """One with options."""

    name = "Heap"
    options_type: ClassVar[type] = HeapOptions

    def start(self, options: HeapOptions) -> State[int]:
        return CountdownState(options.heap)


@frozen
class DiceState(State[str]):
    """Roll a die in turns; who first has ten points wins. The die is a draw by chance."""

    points: tuple[int, int] = (0, 0)
    number: int = 0
    rolling: bool = False
    last: int = 0

    @property
    def turn(self) -> Turn:
        over = max(self.points) >= 10
        return Turn(self.number, () if over or self.rolling else (self.number % 2,))

    def legal_moves(self, seat: int) -> Sequence[str]:
        return ("roll",) if seat in self.turn.seats else ()

    def play(self, seat: int, move: str) -> Self:
        if move not in self.legal_moves(seat):
            raise IllegalMove("roll when it is your turn")
        return evolve(self, rolling=True)

    @property
    def chance(self) -> Chance | None:
        return Chance(1, 6) if self.rolling else None

    def drawn(self, values: tuple[int, ...]) -> Self:
        points = list(self.points)
        points[self.number % 2] += values[0]
        return evolve(self, points=(points[0], points[1]), number=self.number + 1, rolling=False, last=values[0])

    @property
    def outcome(self) -> Outcome | None:
        if max(self.points) < 10:
            return None
        return Outcome(self.points, (0 if self.points[0] >= 10 else 1,))

    def resigned(self, seat: int) -> Outcome:
        return Outcome(self.points, (1 - seat,))

    def view(self, viewer: int | None) -> Mapping[str, object]:
        return {"points": list(self.points)}

    def board(self, viewer: int | None) -> str:
        return f"{self.points[0]}:{self.points[1]}"

    def reaction(self, viewer: int | None) -> str:
        return f"rolled {self.last}" if self.last else ""


class Dice(Game[str]):
    """One with chance."""

    name = "Dice"

    def start(self, options: Any) -> State[str]:
        return DiceState()

    def read_move(self, text: str) -> str:
        if text != "roll":
            raise IllegalMove("there is only: roll")
        return text

    def write_move(self, move: str) -> str:
        return move


class Bomb(Exception):
    """The exception of a broken game."""


WRONG_OUTCOMES: dict[str, Any] = {
    "outcome": Outcome((1,), (7,)),
    "half points": Outcome((0.5, 0.5), ()),  # type: ignore[arg-type]
    "huge points": Outcome((2**70, 0), (0,)),
    "no reason": Outcome((1, -1), (0,), None),  # type: ignore[arg-type]
}


@frozen
class BrokenState(CountdownState):
    """Breaks where its game says so."""

    at: str = ""

    def play(self, seat: int, move: int) -> Self:
        after = super().play(seat, move)
        if self.at == "play" and after.heap <= 2:
            raise Bomb("play")
        return after

    def resigned(self, seat: int) -> Outcome:
        if self.at == "resigned":
            raise Bomb("resigned")
        if self.at == "resigned illegally":
            raise IllegalMove("resigning is not a move")
        return super().resigned(seat)

    def prompt(self, seat: int) -> str:
        if self.at == "prompt" and self.number > 0:
            raise Bomb("prompt")
        return super().prompt(seat)

    @property
    def outcome(self) -> Outcome | None:
        found = super().outcome
        return WRONG_OUTCOMES.get(self.at, found) if found is not None else None


class Broken(Countdown):
    """A third party's game with a bug at one place: start, play, resigned, prompt, outcome."""

    def __init__(self, at: str) -> None:
        self.at = at
        self.name = f"Broken-{at}"

    def start(self, options: Any) -> State[int]:
        if self.at == "start":
            raise Bomb("start")
        return BrokenState(at=self.at)


def catalogue(*games: Game[Any]) -> dict[str, Game[Any]]:
    """Games by their names in lower case, as the lobby has them."""
    return {game.name.lower(): game for game in games}


@frozen
class BestOfOptions:
    """Number of games."""

    games: int = 3


@frozen
class BestOfSeries(Series):
    """So many games of Countdown, whatever they bring."""

    left: int
    points: tuple[int, int] = (0, 0)

    @property
    def next_game(self) -> tuple[Game[Any], Any] | None:
        return (Countdown(), NoOptions()) if self.left else None

    def after(self, outcome: Outcome) -> Self:
        one, two = outcome.points
        return evolve(self, left=self.left - 1, points=(self.points[0] + one, self.points[1] + two))

    def given_up(self, seat: int) -> Self:
        return evolve(self, left=0, points=(-9, 9) if seat == 0 else (9, -9))

    @property
    def outcome(self) -> Outcome:
        one, two = self.points
        return Outcome(self.points, () if one == two else (0 if one > two else 1,))


class BestOf(Game[int]):
    """A match of several games of Countdown; not to be played by itself."""

    name = "Best-of"
    options_type = BestOfOptions

    def start(self, options: Any) -> State[int]:
        raise AssertionError("a series is started by its games")

    def series(self, options: Any) -> Series:
        return BestOfSeries(options.games)

    def read_move(self, text: str) -> int:
        raise AssertionError("nobody moves in it")

    def write_move(self, move: int) -> str:
        raise AssertionError("nobody moves in it")


@frozen
class HandOptions:
    """The manner of each seat, and something that both have to agree on."""

    length: str = "short"
    by_hand: tuple[bool, ...] = (False, False)


class Hands(Countdown):
    """Countdown whose seats have options of their own."""

    name = "Hands"
    options_type = HandOptions
