"""A small sound game for the contract kit, and variants of it with broken methods."""

from attrs import evolve, frozen

from gameserver import drawing
from gameserver.game import Chance, Coding, Game, IllegalMove, Outcome, State, Turn


@frozen
class Heap(State[int]):
    """A die gives a heap of 4 to 9; take 1 or 2 in turns; who takes the last one wins."""

    left: int | None = None
    number: int = 0

    @property
    def turn(self):
        return Turn(self.number, (self.number % 2,) if self.left else ())

    def legal_moves(self, seat):
        return tuple(range(1, 1 + min(2, self.left))) if seat in self.turn.seats else ()

    def play(self, seat, move):
        if move not in self.legal_moves(seat):
            raise IllegalMove("take 1 or 2 when it is your turn")
        return evolve(self, left=self.left - move, number=self.number + 1)

    @property
    def chance(self):
        return Chance(1, 6) if self.left is None else None

    def drawn(self, values):
        return evolve(self, left=3 + values[0])

    @property
    def outcome(self):
        return won_by(1 - self.number % 2) if self.left == 0 else None

    def resigned(self, seat):
        return won_by(1 - seat)

    def view(self, viewer):
        return {"left": self.left}

    def board(self, viewer):
        return f"left: {self.left}"

    def picture(self, viewer):
        return drawing.Picture(100, 100, (drawing.Disc(1, 1, 1),), "a heap")

    def sides(self, viewer):
        return (drawing.Side("black"), drawing.Side("white"))


def won_by(seat):
    return Outcome((1, 0) if seat == 0 else (0, 1), (seat,))


class HeapGame(Game[int]):
    name = "Heap"
    strategies = {"last": lambda state, seat, choose: choose(state.legal_moves(seat))}  # noqa: RUF012
    state_type = Heap

    def start(self, options):
        return self.state_type()

    def read_move(self, text):
        if text not in {"1", "2"}:
            raise IllegalMove("take 1 or 2")
        return int(text)

    def write_move(self, move):
        return str(move)

    def move_number(self, move):
        return move


class HeapCoding(Coding[int]):
    actions = 2
    shape = (1,)
    high = 9

    def number(self, state, seat, move):
        return move - 1

    def observation(self, state, seat):
        return (state.left,)


def coded(**broken):
    """The part of a variant that has this coding."""
    return {"coding": always(type("VariantCoding", (HeapCoding,), broken)())}


def variant(state=None, game=None):
    """The game with some of its methods replaced by broken ones."""
    state_type = type("Position", (Heap,), {"__slots__": (), **(state or {})})
    return type("Variant", (HeapGame,), {"state_type": state_type, **(game or {})})()


def always(value):
    return lambda *args: value
