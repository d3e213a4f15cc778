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


class ShownToSpectators(Rows):
    def picture(self, viewer):
        return self.offered(plain()) if self.turn.seats else plain()


class SmallShownToSpectators(Rows):
    def small_picture(self, viewer):
        return self.offered(plain()) if self.turn.seats else plain()


class SmallOffersNothing(Rows):
    def small_picture(self, viewer):
        return plain()


class SmallWithoutShape(Rows):
    def small_picture(self, viewer):
        picture = self.picture(viewer)
        return evolve(picture, shapes=picture.shapes[:2])


class ShownToTheOther(Rows):
    def picture(self, viewer):
        return plain() if viewer is None or viewer in self.turn.seats else self.offered(plain())


class CodeAtTheEnd(Rows):
    def picture(self, viewer):
        is_over = viewer is not None and not self.turn.seats
        return evolve(plain(), code=Code(1, VALUES)) if is_over else super().picture(viewer)


class ButtonsAtTheEnd(Rows):
    def picture(self, viewer):
        is_over = viewer is not None and not self.turn.seats
        return evolve(plain(), buttons=()) if is_over else super().picture(viewer)


class IllegalTouch(Rows):
    def offered(self, picture):
        return evolve(picture, touches=(Touch("3", (spot(0),)),))


class AnotherSpelling(Rows):
    def offered(self, picture):
        return evolve(picture, touches=(Touch("01 ", (spot(0),)),))


class NoShape(Rows):
    def offered(self, picture):
        return evolve(super().offered(picture), shapes=picture.shapes[:2])


class UnnamedSpot(Rows):
    def offered(self, picture):
        return evolve(picture, touches=(Touch("0", ("",)),))


class SpotOfTwoLines(Rows):
    def offered(self, picture):
        return evolve(picture, shapes=(Box(0, 0, 1, 1, spot="a\nb"),))


class NoTouch(Rows):
    def offered(self, picture):
        return evolve(picture, touches=("0",))


class SameSpots(Rows):
    def offered(self, picture):
        return evolve(picture, touches=(Touch("0", (spot(0),)), Touch("1", (spot(0),))))


class BegunByAnother(Rows):
    def offered(self, picture):
        if self.half:
            return super().offered(picture)
        return evolve(
            picture, touches=(Touch("01", (spot(0), spot(1))), Touch("1", (spot(2),)), Touch("0", (spot(0),)))
        )


class IllegalButton(Rows):
    def offered(self, picture):
        return evolve(super().offered(picture), buttons=("pass",))


class ButtonsAsText(Rows):
    def offered(self, picture):
        return evolve(picture, buttons="pass")


class NoCode(Rows):
    def offered(self, picture):
        return evolve(picture, code="012")


class SameValues(Rows):
    def offered(self, picture):
        return picture if self.half else evolve(picture, code=Code(2, (*VALUES, VALUES[0])))


class IllegalCode(Rows):
    def offered(self, picture):
        return evolve(picture, code=Code(2, VALUES))


class UnreadableCode(Rows):
    def offered(self, picture):
        return evolve(picture, code=Code(2, VALUES, separator="-"))


class PlacesApart(Rows):
    """Without a first place 2 the moves that begin with it cannot be made."""

    def offered(self, picture):
        offered = super().offered(picture)
        return offered if self.half else evolve(offered, touches=offered.touches[:2])


class NoPass(Rows):
    def offered(self, picture):
        return evolve(super().offered(picture), buttons=())


BROKEN = {
    ShownToSpectators: "picture(None) offers moves",
    SmallShownToSpectators: "picture(None) offers moves",
    SmallOffersNothing: "small_picture(0) offers other moves than picture(0)",
    SmallWithoutShape: "give a shape of small_picture(0) this spot",
    ShownToTheOther: "picture(1) offers moves",
    CodeAtTheEnd: "offers moves to a viewer who is not to act",
    ButtonsAtTheEnd: "offers moves to a viewer who is not to act",
    IllegalTouch: "picture(0) has a touch for '3', which is no legal move",
    AnotherSpelling: "has a touch for '01 ', which is no legal move as write_move has it",
    NoShape: "needs the spot 'place 2'",
    UnnamedSpot: "has the spot ''",
    SpotOfTwoLines: "cannot be drawn",
    NoTouch: "has the touches",
    SameSpots: "is made before",
    BegunByAnother: "is made before",
    IllegalButton: "has a button for 'pass'",
    ButtonsAsText: "has the buttons 'pass'",
    NoCode: "has the code '012'",
    SameValues: "has the values",
    IllegalCode: "composes '00' for '00', which is no legal move",
    UnreadableCode: "composes '0-0', which read_move refuses",
    PlacesApart: "has no way to '2",
    NoPass: "has no way to 'pass'",
}


@pytest.mark.parametrize("state", BROKEN, ids=lambda state: state.__name__)
def test_each_fault_is_found(state: type[Rows]) -> None:
    with pytest.raises(ContractError) as raised:
        check_game(game_of(state), games_played=10)
    assert BROKEN[state] in raised.value.problem


def test_too_many_buttons_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameserver.testing.game_kit.touches.BUTTONS_MAX", 3)
    with pytest.raises(ContractError, match="leaves 4 legal moves to buttons"):
        check_game(game_of(Composed))
