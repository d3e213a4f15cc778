"""Boards that are played by touching them: what a touch does in our games, and the contract of any."""

import random
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import pytest
from attrs import evolve, frozen
from hypothesis import given
from hypothesis import strategies as st

from games.backgammon import BACKGAMMON, FEVGA, PLAKOTO, PORTES
from games.backgammon.notation import Word, write_hops
from games.connect_four_3d import GAME as CONNECT_FOUR
from games.mastermind import GAME as MASTERMIND
from games.mastermind.rules import MastermindOptions
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.drawing import Box, Code, CodeValue, Disc, Paint, Picture, Polygon, Purpose, Touch
from gameserver.game import Game, IllegalMove, NoOptions, Outcome, State, Turn
from gameserver.testing import ContractError, check_game

ON_CELLS = (TIC_TAC_TOE, REVERSI, CONNECT_FOUR)
ON_POINTS = (BACKGAMMON, PORTES, PLAKOTO, FEVGA)
PICTURES = ("picture", "small_picture")


def reached(data: st.DataObject, game: Game[Any], options: Any = None) -> State[Any]:
    """A position of a game, with a seat to act if the game is not over.

    It is played by a seed: choices of Hypothesis' own shrink to an opening roll that is tied for ever.
    """
    chance = random.Random(data.draw(st.integers(0, 2**32), label="seed"))
    moves_left = data.draw(st.integers(0, 60), label="moves")
    state = game.start(options or game.options_type())
    while True:
        wanted = state.chance
        if wanted is not None:
            state = state.drawn(tuple(chance.randint(1, wanted.sides) for _ in range(wanted.count)))
        elif not state.turn.seats or not moves_left:
            return state
        else:
            seat, moves_left = state.turn.seats[0], moves_left - 1
            state = state.play(seat, chance.choice(state.legal_moves(seat)))


def pictures(state: State[Any], viewer: int | None) -> Iterator[Picture]:
    for name in PICTURES:
        picture = getattr(state, name)(viewer)
        assert picture is not None
        yield picture


def covers(shape: Any, x: float, y: float) -> bool:
    """True if the point lies in the shape."""
    if isinstance(shape, Box):
        return shape.x <= x <= shape.x + shape.width and shape.y <= y <= shape.y + shape.height
    assert isinstance(shape, Polygon)
    edges = zip(shape.points, (*shape.points[1:], shape.points[0]), strict=True)
    sides = [(end[0] - start[0]) * (y - start[1]) - (end[1] - start[1]) * (x - start[0]) for start, end in edges]
    return all(side >= 0 for side in sides) or all(side <= 0 for side in sides)


def shown_at(picture: Picture, spot: str, shapes: Picture) -> list[Any]:
    """The discs of a picture that lie in the areas of a spot, and the boxes around a whole cell."""
    areas = [shape for shape in picture.shapes if getattr(shape, "spot", "") == spot]
    assert areas, spot
    assert all(area.fill is None and area.stroke is None for area in areas)
    centres = [(shape, centre(shape)) for shape in shapes.shapes if isinstance(shape, Disc | Box)]
    return [shape for shape, at in centres if any(covers(area, *at) for area in areas)]


def centre(shape: Disc | Box) -> tuple[float, float]:
    if isinstance(shape, Disc):
        return shape.x, shape.y
    return shape.x + shape.width / 2, shape.y + shape.height / 2


def marks_at(picture: Picture, spot: str, after: Picture) -> list[Any]:
    """The marks of the last move in the areas of a spot."""
    return [shape for shape in shown_at(picture, spot, after) if Paint.LAST in (shape.fill, shape.stroke)]


@pytest.mark.parametrize("game", ON_CELLS, ids=lambda game: game.name)
@given(data=st.data())
def test_each_legal_move_is_a_touch_of_the_place_that_it_marks(game: Game[Any], data: st.DataObject) -> None:
    state = reached(data, game)
    for seat in state.turn.seats:
        for name, picture in zip(PICTURES, pictures(state, seat), strict=True):
            texts = [game.write_move(move) for move in state.legal_moves(seat)]
            assert [touch.move for touch in picture.touches] == texts
            touch = data.draw(st.sampled_from(picture.touches))
            (spot,) = touch.spots
            played = state.play(seat, game.read_move(touch.move))
            assert game.move_words(played, game.read_move(touch.move)) == spot, "touched and told by the same name"
            after = getattr(played, name)(None)
            marks = sum(Paint.LAST in (getattr(each, "fill", 0), getattr(each, "stroke", 0)) for each in after.shapes)
            assert len(marks_at(picture, spot, after)) == marks > 0


@pytest.mark.parametrize("game", ON_POINTS, ids=lambda game: game.name)
@given(data=st.data())
def test_each_turn_is_made_of_touches_from_a_checker_to_where_it_lies_then(
    game: Game[Any], data: st.DataObject
) -> None:
    by_hand = data.draw(st.tuples(st.booleans(), st.booleans()), label="by hand")
    state = reached(data, game, evolve(game.options_type(), by_hand=by_hand))
    for seat in state.turn.seats:
        moves = state.legal_moves(seat)
        words = tuple(move.value for move in moves if isinstance(move, Word))
        hops = {write_hops(move) for move in moves if not isinstance(move, Word) and len(move) == 1}
        for picture in pictures(state, seat):
            assert {touch.move for touch in picture.touches} == hops
            assert (picture.buttons, picture.code) == (words, None)
        plays = [move for move in moves if not isinstance(move, Word)]
        if plays:
            follow(state, seat, data.draw(st.sampled_from(plays), label="play"))


def follow(state: Any, seat: int, play: Any) -> None:
    """Play a turn hop by hop, as a person who touches each checker and where it goes, and compare the ends."""
    here = state
    for step in state.steps_of(play):
        names = {25: "bar", 0: "off"}
        spots = tuple(names.get(place, f"point {place}") for place in step.hop)
        text = write_hops((step.hop,))
        for name in PICTURES:
            picture = getattr(here, name)(seat)
            assert Touch(text, spots) in picture.touches
            assert has_checker(picture, spots[0], picture, seat)
            after = getattr(here.play(seat, (step.hop,)), name)(seat)
            assert has_checker(picture, spots[1], after, seat)
            # Later in a turn a point may have lost a checker before it gets another, and none is marked then.
            assert here.earlier or marks_at(picture, spots[1], after)
        here = here.play(seat, (step.hop,))
    assert here.view(seat) == state.play(seat, play).view(seat)


def has_checker(picture: Picture, spot: str, shown: Picture, seat: int) -> bool:
    paint = (Paint.WHITE, Paint.BLACK)[seat]
    return any(shape.fill is paint for shape in shown_at(picture, spot, shown) if isinstance(shape, Disc))


@given(
    data=st.data(),
    options=st.builds(
        MastermindOptions, st.integers(1, 5), st.integers(1, 14), st.integers(1, 8), secret_is_drawn=st.booleans()
    ),
)
def test_each_code_can_be_composed(data: st.DataObject, options: MastermindOptions) -> None:
    state = reached(data, MASTERMIND, options)
    for seat in state.turn.seats:
        for picture in pictures(state, seat):
            code = picture.code
            assert code is not None
            assert code.purpose is (Purpose.SECRET if seat == 0 else Purpose.GUESS)
            wanted = data.draw(st.sampled_from(state.legal_moves(seat)))
            text = code.separator.join(code.values[value].text for value in wanted)
            assert (code.places, MASTERMIND.read_move(text)) == (len(wanted), wanted)
            assert len(code.values) == options.value_count


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
