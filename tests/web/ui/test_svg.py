"""Pictures become SVG: whole, escaped, with what is new pointed out."""

import random
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from attrs import evolve

from gameserver.drawing import Box, Code, CodeValue, Disc, Label, Line, Paint, Picture, Polygon, Touch, grid_picture
from gameserver.game import Game
from gameserver.web.ui.svg import svg_of
from tests.support.own_plugins import OWN

GAMES = sorted(OWN.games.values(), key=lambda game: game.name)
HOSTILE = "<script>alert('\"&')</script>"


def elements(svg: str) -> list[ET.Element]:
    return list(ET.fromstring(svg))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_game_of_ours_has_a_picture_in_every_position(game: Game[Any]) -> None:
    chance = random.Random(11)
    state = game.start(game.options_type())
    before = None
    for _ in range(60):
        picture = state.picture(None)
        assert picture is not None
        svg = svg_of(picture, before)
        assert len(elements(svg)) == len(picture.shapes)
        assert len(svg) < 40_000
        before = picture
        if state.outcome is not None:
            break
        if state.chance is not None:
            state = state.drawn(tuple(chance.randint(1, state.chance.sides) for _ in range(state.chance.count)))
        else:
            (seat,) = state.turn.seats
            state = state.play(seat, chance.choice(state.legal_moves(seat)))


def test_spots_and_touches_change_nothing_of_what_is_drawn() -> None:
    plain = (Box(0, 0, 5, 5, Paint.BOARD), Disc(5, 5, 3), Polygon(((0, 0), (1, 0), (0, 1)), Paint.WIN))
    shapes = tuple(evolve(shape, spot="cell 4") for shape in plain)
    picture = Picture(10, 10, shapes, "board", (Touch("4", ("cell 4",)),), Code(1, (CodeValue("0"),)), ("pass",))
    assert svg_of(picture) == svg_of(Picture(10, 10, plain, "board"))


def test_each_shape_is_an_element_of_its_own() -> None:
    shapes = (
        Box(1, 2, 3, 4, Paint.BOARD, Paint.GRID, rounding=2),
        Disc(1, 2, 3, Paint.FIRST),
        Line(((0, 0), (5, 5.5))),
        Polygon(((0, 0), (5, 0), (0, 5)), Paint.FIELD),
        Label(1, 2, "a", is_bold=True),
    )
    found = elements(svg_of(Picture(10, 10, shapes, "shapes")))
    assert [one.tag for one in found] == ["rect", "circle", "polyline", "polygon", "text"]
    assert found[0].attrib["class"] == "f-board s-grid"
    assert found[2].attrib["points"] == "0,0 5,5.5"
    assert found[4].attrib["class"] == "f-ink bold"


def test_texts_of_games_are_escaped() -> None:
    svg = svg_of(Picture(10, 10, (Label(1, 2, HOSTILE),), HOSTILE))
    (label,) = elements(svg)
    assert label.text == HOSTILE
    assert ET.fromstring(svg).attrib["aria-label"] == HOSTILE
    assert "<script" not in svg


def test_pieces_that_were_not_there_before_are_marked_as_new() -> None:
    before = grid_picture(["X..", "...", "..."], "before")
    after = grid_picture(["X..", ".O.", "..."], "after")
    new = [one for one in elements(svg_of(after, before)) if "new" in one.attrib["class"].split()]
    assert [one.tag for one in new] == ["circle"]
    assert "new" not in svg_of(after)


def test_game_that_marks_its_last_move_needs_no_other_highlight() -> None:
    before = grid_picture(["X..", "...", "..."], "before")
    after = grid_picture(["X..", ".O.", "..."], "after", last=[(1, 1)])
    svg = svg_of(after, before)
    assert "s-last" in svg
    assert "new" not in svg


def test_a_small_picture_is_left_out_of_what_is_read_aloud() -> None:
    svg = ET.fromstring(svg_of(grid_picture(["X"], "a cross"), is_small=True))
    assert svg.attrib["aria-hidden"] == "true"
    assert "aria-label" not in svg.attrib
