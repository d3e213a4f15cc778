"""Pictures as JSON: every shape of every game, nothing lost, and as small as it can be."""

import json
from typing import Any

import attrs
import pytest

from gameserver.drawing import (
    Anchor,
    Box,
    Code,
    CodeValue,
    Disc,
    Label,
    Line,
    Paint,
    Picture,
    Polygon,
    Purpose,
    Shape,
    Touch,
)
from protocols.web.rendering import picture_json

SHAPES: tuple[Shape, ...] = (
    Box(1, 2.5, 3, 4, Paint.BOARD, Paint.GRID, 2, 8, "d3"),
    Disc(1, 2, 3, stroke=Paint.LAST, spot="bar"),
    Line(((0, 0), (1.5, 2)), Paint.FIRST),
    Polygon(((0, 0), (1, 0), (0, 1)), Paint.CLOTH),
    Label(5, 6, 'a "b"', 12, Paint.FAINT, Anchor.END, is_bold=True),
)


def told_of(picture: Picture) -> dict[str, Any]:
    """The picture as a client reads it."""
    told: dict[str, Any] = json.loads(picture_json(picture))
    return told


def read(content: dict[str, object]) -> Shape:
    """A shape out of its JSON, as a client that knows the defaults has it."""
    kind = {"box": Box, "disc": Disc, "line": Line, "polygon": Polygon, "label": Label}[str(content.pop("kind"))]
    for name, read_value in (("fill", Paint), ("stroke", Paint), ("anchor", Anchor)):
        if name in content:
            content[name] = read_value(content[name])
    if "points" in content:
        content["points"] = tuple(map(tuple, content["points"]))
    return kind(**content)


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes_can_be_read_back(shape: Shape) -> None:
    told = told_of(Picture(10, 10, (shape,), "a shape"))
    assert read(told["shapes"][0]) == shape


def test_defaults_are_left_out_but_for_what_touches_mean() -> None:
    told = told_of(Picture(10, 20.0, (Box(0, 0, 1.004, 1),), "nothing"))
    assert told == {
        "width": 10,
        "height": 20,
        "description": "nothing",
        "shapes": [{"kind": "box", "x": 0, "y": 0, "width": 1, "height": 1}],
        "touches": [],
        "code": None,
        "buttons": None,
    }


def test_touches_code_and_buttons() -> None:
    code = Code(4, (CodeValue("0"), CodeValue("1", Paint.VALUE_1, "1, green")))
    picture = Picture(9, 9, (), "a board", (Touch("13/8", ("point 13", "point 8")),), code, ("roll",))
    told = told_of(picture)
    assert told["touches"] == [{"move": "13/8", "spots": ["point 13", "point 8"]}]
    values = [{"text": "0"}, {"text": "1", "paint": "value-1", "name": "1, green"}]
    assert told["code"] == {"places": 4, "values": values, "separator": "", "purpose": Purpose.GUESS}
    assert told["buttons"] == ["roll"]
    assert told_of(attrs.evolve(picture, buttons=()))["buttons"] == []
