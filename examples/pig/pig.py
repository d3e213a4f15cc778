"""Pig, a dice game for two: a game for the server in a package of its own.

On your turn you roll a die as often as you like. Each roll adds to the turn's total; a 1 loses the
total and ends the turn. Hold to bank the total and pass the die on. The first player with 100 wins.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from attrs import evolve, field, frozen, validators

from gameserver.game import Chance, Choose, Coding, Game, IllegalMove, Outcome, Seat, Side, State, Strategy, Turn

ROLL, HOLD = "roll", "hold"
LOSES = 1


@frozen
class PigOptions:
    """The options of a match. The server refuses values that the validators refuse."""

    target: int = field(default=100, validator=[validators.instance_of(int), validators.ge(2), validators.le(1000)])
    """The points that win."""


@frozen
class PigState(State[str]):
    """One position."""

    target: int
    scores: tuple[int, int] = (0, 0)
    """The banked points of each seat."""

    total: int = 0
    """The points of the turn so far."""

    seat: Seat = 0
    """The turn."""

    number: int = 0
    """How many turns there were before this one. It does not rise with each roll: a turn has one clock."""

    rolling: bool = False
    """True if the die is being rolled."""

    said: str = ""
    """The outcome of the last move."""

    @property
    def banked(self) -> tuple[int, int]:
        """The scores as they were if the total were banked now."""
        first, second = self.scores
        return (first + self.total, second) if self.seat == 0 else (first, second + self.total)

    @property
    def turn(self) -> Turn:
        """Nobody is to act while the die is in the air, or at the end."""
        waits = self.rolling or self.outcome is not None
        return Turn(self.number, () if waits else (self.seat,))

    def legal_moves(self, seat: Seat) -> Sequence[str]:
        """Roll; or hold, once there is something to bank."""
        if seat not in self.turn.seats:
            return ()
        return (ROLL, HOLD) if self.total else (ROLL,)

    def play(self, seat: Seat, move: str) -> "PigState":
        """Throw the die up, or bank the total."""
        if seat not in self.turn.seats:
            raise IllegalMove("it is not your turn")
        if move == ROLL:
            return evolve(self, rolling=True, said="")
        if not self.total:
            raise IllegalMove("there is nothing to hold yet, roll first")
        said = f"seat {seat} banks {self.total}"
        return PigState(self.target, self.banked, seat=1 - seat, number=self.number + 1, said=said)

    @property
    def chance(self) -> Chance | None:
        """One die, after "roll". The server draws it, so that a match can be replayed and checked."""
        return Chance(count=1, sides=6) if self.rolling else None

    def drawn(self, values: tuple[int, ...]) -> "PigState":
        """The die has come down."""
        (die,) = values
        said = f"the die shows {die}"
        if die == LOSES:
            return PigState(self.target, self.scores, seat=1 - self.seat, number=self.number + 1, said=said)
        landed = evolve(self, total=self.total + die, rolling=False, said=said)
        has_won = landed.banked[self.seat] >= self.target
        return evolve(landed, scores=landed.banked, total=0) if has_won else landed

    @property
    def outcome(self) -> Outcome | None:
        """The first at the target wins, at once: nobody has to hold for that."""
        winners = tuple(seat for seat, score in enumerate(self.scores) if score >= self.target)
        return Outcome(self.scores, winners) if winners else None

    def resigned(self, seat: Seat) -> Outcome:
        """The points stay as they are; the other one has won."""
        return Outcome(self.scores, (1 - seat,))

    def view(self, viewer: Seat | None) -> Mapping[str, object]:
        """Nothing is hidden."""
        return {"scores": self.scores, "total": self.total, "seat": self.seat, "target": self.target}

    def board(self, viewer: Seat | None) -> str:
        """The scores, with the turn's total beside whose turn it is."""
        lines = [f"seat {seat}: {score:3}" for seat, score in enumerate(self.scores)]
        lines[self.seat] += f" + {self.total}"
        return "\n".join(lines)

    def sides(self, viewer: Seat | None) -> Sequence[Side]:
        """The banked points, which pages show beside the names."""
        return tuple(Side(score=score, unit="points") for score in self.scores)

    def prompt(self, seat: Seat) -> str:
        """The facts that a bot needs before it decides."""
        return f"total {self.total}, you {self.scores[seat]}, other {self.scores[1 - seat]}, target {self.target}"

    def reaction(self, viewer: Seat | None) -> str:
        """The die, or what was banked."""
        return self.said


def hold_at_20(state: PigState, seat: Seat, choose: Choose[str]) -> str:
    """A house player by the old rule of thumb. One that wants chance asks `choose`."""
    return HOLD if state.total >= 20 else ROLL


class PigCoding(Coding[str]):
    """The game in numbers, for agents that learn: `gameserver.environment.environment("Pig")` is a game of PettingZoo.

    An observation has the seat's points, the other's, and the turn's total as parts of the target, and 1 if it is the
    seat's turn.
    """

    actions = 2
    shape = (4,)

    def number(self, state: State[str], seat: Seat, move: str) -> int:
        """0 is roll, 1 is hold."""
        return (ROLL, HOLD).index(move)

    def observation(self, state: State[str], seat: Seat) -> Sequence[float]:
        """The seat's own points come first."""
        assert isinstance(state, PigState)
        points = (state.scores[seat], state.scores[1 - seat], state.total)
        return (*(min(1, number / state.target) for number in points), state.seat == seat)


class Pig(Game[str]):
    """The game as such."""

    name = "Pig"
    options_type = PigOptions
    strategies: ClassVar[Mapping[str, Strategy]] = {"twenty": hold_at_20}
    draw_noun = "roll"

    def start(self, options: PigOptions) -> PigState:
        """Nobody has anything yet."""
        return PigState(options.target)

    def coding(self, options: PigOptions) -> Coding[str]:
        """The coding is the same for every target."""
        return PigCoding()

    def read_move(self, text: str) -> str:
        """One of the two words."""
        if text not in {ROLL, HOLD}:
            raise IllegalMove(f"the move must be {ROLL} or {HOLD}")
        return text

    def write_move(self, move: str) -> str:
        """The word."""
        return move


GAME = Pig()
