"""Pictures become SVG: whole, escaped, with what is new pointed out."""

import random
import re
from importlib.resources import files
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from gameserver.drawing import Label, Picture, grid_picture
from gameserver.game import Game
from gameserver.web.templating import svg_of
from tests.support.own_plugins import OWN
from tests.web.played_boards import played

GAMES = sorted(OWN.games.values(), key=lambda game: game.name)
HOSTILE = "<script>alert('\"&')</script>"


def elements(svg: str) -> list[ET.Element]:
    return list(ET.fromstring(svg))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_game_of_ours_has_a_picture_in_every_position(game: Game[Any]) -> None:
    before = None
    for state in [game.start(game.options_type()), *(state for state, _ in played(game, 60, random.Random(11)))]:
        picture = state.picture(None)
        assert picture is not None
        svg = svg_of(picture, before)
        assert len(elements(svg)) == len(picture.shapes)
        assert len(svg) < 40_000
        before = picture


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


@pytest.mark.parametrize(
    ("mark", "ground"),
    [(mark, ground) for mark in ("grid", "first", "second") for ground in ("board", "field")]
    + [("grid", "other-field"), ("grid", "cloth")],
)
def test_lines_and_pieces_stand_out_from_the_board_in_both_themes(mark: str, ground: str) -> None:
    """A contrast of 3 to 1, as WCAG 2.2 asks of graphics."""
    colours = files("gameserver.web").joinpath("static/board.css").read_text("utf-8")
    seen = [re.findall(f"--{name}: #(..)(..)(..);", colours) for name in (mark, ground)]
    for pair in zip(*seen, strict=True):
        darker, lighter = sorted(map(luminance, pair))
        assert (lighter + 0.05) / (darker + 0.05) >= 3


def luminance(colour: tuple[str, str, str]) -> float:
    channels = [int(channel, 16) / 255 for channel in colour]
    red, green, blue = (at / 12.92 if at <= 0.04045 else ((at + 0.055) / 1.055) ** 2.4 for at in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
