"""Every game of ours can be played by touching its board: from any position, by any legal move, as what it shows."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from games.backgammon import BACKGAMMON, FEVGA, PLAKOTO, PORTES
from games.backgammon.notation import Word, write_hops
from games.connect_four_3d import GAME as CONNECT_FOUR
from games.mastermind import GAME as MASTERMIND
from games.mastermind.rules import MastermindOptions
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.drawing import Box, Disc, Paint, Picture, Polygon, Purpose, Touch
from gameserver.game import Game, State

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
