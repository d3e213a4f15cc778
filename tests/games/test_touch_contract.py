"""The kit lets a game pass whose board is touched, and catches each way in which touching it could go wrong."""

from collections.abc import Mapping
from itertools import product

import pytest
from attrs import evolve, frozen

from gameserver.drawing import Box, Code, CodeValue, Picture, Touch
from gameserver.game import Game, IllegalMove, NoOptions, Outcome, State, Turn
from gameserver.testing import ContractError, check_game

SIZE = 3


@frozen
class Rows(State[str]):
    """Each in turns names two of three places, `12`, or says `pass`; the game is over after four moves."""

    played: int = 0
    half: str = ""
    """The first place, where a player has named one alone, `1`; the second has to follow."""
    passes: int = 0

    @property
    def turn(self) -> Turn:
        return Turn(self.played, (self.played % 2,) if self.played < 4 else ())

    def legal_moves(self, seat: int) -> tuple[str, ...]:
        if seat not in self.turn.seats:
            return ()
        if self.half:
            return tuple(str(place) for place in range(SIZE))
        return (*pairs(), *(str(place) for place in range(SIZE)), "pass")

    def play(self, seat: int, move: str) -> "Rows":
        if move not in self.legal_moves(seat):
            raise IllegalMove("name places, such as 12, when it is your turn")
        if len(move) == 1 and not self.half:
            return evolve(self, half=move)
        return evolve(self, played=self.played + 1, half="", passes=self.passes + (move == "pass"))

    @property
    def outcome(self) -> Outcome | None:
        return None if self.turn.seats else Outcome((0, 0), ())

    def resigned(self, seat: int) -> Outcome:
        return Outcome((0, 0), (1 - seat,))

    def view(self, viewer: int | None) -> Mapping[str, object]:
        return {"played": self.played, "half": self.half, "passes": self.passes}

    def board(self, viewer: int | None) -> str:
        return f"{self.played} played"

    def picture(self, viewer: int | None) -> Picture:
        return self.offered(plain()) if viewer is not None and viewer in self.turn.seats else plain()

    def offered(self, picture: Picture) -> Picture:
        """The picture of the seat that is to act."""
        touches = tuple(Touch(str(place), (spot(place),)) for place in range(SIZE))
        return evolve(picture, touches=touches, buttons=() if self.half else ("pass",))


def pairs() -> tuple[str, ...]:
    return tuple(f"{one}{other}" for one, other in product(range(SIZE), repeat=2))


def spot(place: int) -> str:
    return f"place {place}"


def plain() -> Picture:
    return Picture(9, 9, tuple(Box(3 * place, 0, 3, 3, spot=spot(place)) for place in range(SIZE)), "three places")


class RowsGame(Game[str]):
    name = "Rows"
    state_type = Rows

    def start(self, options: NoOptions) -> Rows:
        return self.state_type()

    def read_move(self, text: str) -> str:
        if text != "pass" and not (text.isascii() and text.isdigit() and len(text) < 3 and max(text) < str(SIZE)):
            raise IllegalMove("name places, such as 12, or pass")
        return text

    def write_move(self, move: str) -> str:
        return move


def game_of(state: type[Rows]) -> RowsGame:
    game = RowsGame()
    game.state_type = state
    return game


VALUES = tuple(CodeValue(str(place)) for place in range(SIZE))


class Composed(Rows):
    """Two places at once as a code; a single one, and the pass, as buttons."""

    def offered(self, picture: Picture) -> Picture:
        return picture if self.half else evolve(picture, code=Code(2, VALUES))


class TwoTouches(Rows):
    """Two places at once as two touches."""

    def offered(self, picture: Picture) -> Picture:
        if self.half:
            return super().offered(picture)
        touches = tuple(Touch(text, (spot(int(text[0])), spot(int(text[1])))) for text in pairs())
        return evolve(picture, touches=touches)


@pytest.mark.parametrize("state", [Rows, Composed, TwoTouches])
def test_boards_that_are_touched_in_any_way_pass(state: type[Rows]) -> None:
    check_game(game_of(state), games_played=3)


def offers(**changes):
    """The picture of the seat that is to act, with something else in it."""
    return {"offered": lambda self, picture: evolve(Rows.offered(self, picture), **changes)}


def whole_turns(**changes):
    """The same, where no half of a move is played yet."""

    def offered(self, picture):
        return Rows.offered(self, picture) if self.half else evolve(picture, **changes)

    return {"offered": offered}


def at_the_end(**changes):
    def picture(self, viewer):
        return Rows.picture(self, viewer) if viewer is None or self.turn.seats else evolve(plain(), **changes)

    return {"picture": picture}


def to_whoever_looks(self, viewer):
    return self.offered(plain()) if self.turn.seats else plain()


def to_the_other(self, viewer):
    return plain() if viewer is None or viewer in self.turn.seats else self.offered(plain())


def without_last_shape(self, viewer):
    picture = self.picture(viewer)
    return evolve(picture, shapes=picture.shapes[:2])


TWO_PLACES = plain().shapes[:2]
BEGUN_BY_ANOTHER = (Touch("01", (spot(0), spot(1))), Touch("1", (spot(2),)), Touch("0", (spot(0),)))
FIRST_TWO = tuple(Touch(str(place), (spot(place),)) for place in range(2))

BROKEN = [
    ({"picture": to_whoever_looks}, "picture(None) offers moves"),
    ({"small_picture": to_whoever_looks}, "picture(None) offers moves"),
    ({"small_picture": lambda self, viewer: plain()}, "small_picture(0) offers other moves than picture(0)"),
    ({"small_picture": without_last_shape}, "give a shape of small_picture(0) this spot"),
    ({"picture": to_the_other}, "picture(1) offers moves"),
    (at_the_end(code=Code(1, VALUES)), "offers moves to a viewer who is not to act"),
    (at_the_end(buttons=()), "offers moves to a viewer who is not to act"),
    (offers(touches=(Touch("3", (spot(0),)),), buttons=None), "picture(0) has a touch for '3', which is no legal move"),
    (
        offers(touches=(Touch("01 ", (spot(0),)),), buttons=None),
        "has a touch for '01 ', which is no legal move as write_move has it",
    ),
    (offers(shapes=TWO_PLACES), "needs the spot 'place 2'"),
    (offers(touches=(Touch("0", ("",)),), buttons=None), "has the spot ''"),
    (offers(shapes=(Box(0, 0, 1, 1, spot="a\nb"),), touches=(), buttons=None), "cannot be drawn"),
    (offers(touches=("0",), buttons=None), "has the touches"),
    (offers(touches=(Touch("0", (spot(0),)), Touch("1", (spot(0),))), buttons=None), "is made before"),
    (whole_turns(touches=BEGUN_BY_ANOTHER), "is made before"),
    (offers(buttons=("pass",)), "has a button for 'pass'"),
    (offers(buttons="pass", touches=()), "has the buttons 'pass'"),
    (offers(code="012", touches=(), buttons=None), "has the code '012'"),
    (whole_turns(code=Code(2, (*VALUES, VALUES[0]))), "has the values"),
    (offers(code=Code(2, VALUES), touches=(), buttons=None), "composes '00' for '00', which is no legal move"),
    (offers(code=Code(2, VALUES, separator="-"), touches=(), buttons=None), "composes '0-0', which read_move refuses"),
    # Without a first place 2 the moves that begin with it cannot be made.
    (whole_turns(touches=FIRST_TWO, buttons=("pass",)), "has no way to '2"),
    (offers(buttons=()), "has no way to 'pass'"),
]
"""Methods that are wrong, and the words by which the kit tells the fault."""


@pytest.mark.parametrize(("methods", "words"), BROKEN)
def test_each_fault_is_found(methods: Mapping[str, object], words: str) -> None:
    with pytest.raises(ContractError) as raised:
        check_game(game_of(type("Broken", (Rows,), dict(methods))), games_played=10)
    assert words in raised.value.problem


def test_too_many_buttons_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameserver.testing.game_positions._BUTTONS_MAX", 3)
    with pytest.raises(ContractError, match="leaves 4 legal moves to buttons"):
        check_game(game_of(Composed))
