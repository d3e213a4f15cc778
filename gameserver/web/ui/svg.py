"""Pictures as SVG. Shapes become elements whose class names their paint; a style sheet has the colours."""

from collections.abc import Callable, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from gameserver.drawing import VALUES, Box, Disc, Label, Line, Paint, Picture, Polygon, Shape, Side

NEW = "new"
"""The class of shapes that the last move added. The style sheet highlights them."""


def svg_of(picture: Picture, before: Picture | None = None, *, is_small: bool = False) -> str:
    """The picture as an `svg` element.

    Discs and marks that `before` does not have are marked as new, unless the game marks its last move itself.
    A small one is for lists of boards. It has no description, since its match is linked beside it.
    """
    is_told = before is None or any(Paint.LAST in _paints(shape) for shape in picture.shapes)
    known = None if is_told or before is None else frozenset(before.shapes)
    shapes = "".join(_WRITERS[type(shape)](shape, NEW if _is_new(shape, known) else "") for shape in picture.shapes)
    box = f'viewBox="0 0 {picture.width:g} {picture.height:g}"'
    if is_small:
        return f'<svg class="board small" {box} aria-hidden="true" focusable="false">{shapes}</svg>'
    return f'<svg class="board" {box} role="img" aria-label={quoteattr(picture.description)}>{shapes}</svg>'


def side_svg(side: Side) -> str:
    """The piece of a side as a small `svg` element; empty if nothing tells its pieces apart."""
    if side.paint is None and not side.mark:
        return ""
    piece = "" if side.paint is None else _disc(Disc(12, 12, 11, side.paint, Paint.GRID), "")
    on = Paint.INK if side.paint is None else Paint.ON_DARK if side.paint in _DARK else Paint.ON_LIGHT
    size = 15 if len(side.mark) == 1 else 11
    mark = _label(Label(12, 12, side.mark, size, on, is_bold=True), "") if side.mark else ""
    return f'<svg class="board side" viewBox="0 0 24 24" aria-hidden="true" focusable="false">{piece}{mark}</svg>'


_DARK = frozenset({Paint.FIRST, Paint.SECOND, Paint.BLACK})
_PIECES = frozenset({Paint.FIRST, Paint.SECOND, Paint.BLACK, Paint.WHITE, *VALUES})


def _is_new(shape: Shape, known: frozenset[Shape] | None) -> bool:
    """True if the shape is to be highlighted: pieces are, labels and fields are not."""
    if known is None or shape in known or not isinstance(shape, Disc | Line):
        return False
    return shape.stroke in _PIECES or (isinstance(shape, Disc) and shape.fill in _PIECES)


def _paints(shape: Shape) -> tuple[Paint | None, Paint | None]:
    return getattr(shape, "fill", None), getattr(shape, "stroke", None)


def _classes(*, fill: Paint | None = None, stroke: Paint | None = None, more: str = "") -> str:
    names = [f"f-{fill}" if fill else "", f"s-{stroke}" if stroke else "", more]
    return " ".join(filter(None, names))


def _width_of(shape: Box | Disc | Polygon) -> str:
    return f' stroke-width="{shape.stroke_width:g}"' if shape.stroke else ""


def _box(box: Box, more: str) -> str:
    rounding = f' rx="{box.rounding:g}"' if box.rounding else ""
    place = f'x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}"{rounding}'
    return f'<rect class="{_classes(fill=box.fill, stroke=box.stroke)}" {place}{_width_of(box)}/>'


def _disc(disc: Disc, more: str) -> str:
    names = _classes(fill=disc.fill, stroke=disc.stroke, more=more)
    return f'<circle class="{names}" cx="{disc.x:g}" cy="{disc.y:g}" r="{disc.radius:g}"{_width_of(disc)}/>'


def _points(points: tuple[tuple[float, float], ...]) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _line(line: Line, more: str) -> str:
    names = _classes(stroke=line.stroke, more=more)
    return f'<polyline class="{names}" points="{_points(line.points)}" stroke-width="{line.stroke_width:g}"/>'


def _polygon(polygon: Polygon, more: str) -> str:
    names = _classes(fill=polygon.fill, stroke=polygon.stroke)
    return f'<polygon class="{names}" points="{_points(polygon.points)}"{_width_of(polygon)}/>'


def _label(label: Label, more: str) -> str:
    names = _classes(fill=label.fill, more="bold" if label.is_bold else "")
    place = f'x="{label.x:g}" y="{label.y:g}" font-size="{label.size:g}" text-anchor="{label.anchor}"'
    return f'<text class="{names}" {place} dominant-baseline="central">{escape(label.text)}</text>'


_WRITERS: Mapping[type[Any], Callable[[Any, str], str]] = {
    Box: _box,
    Disc: _disc,
    Line: _line,
    Polygon: _polygon,
    Label: _label,
}
