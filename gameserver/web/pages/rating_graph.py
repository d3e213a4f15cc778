"""A rating's course as a drawing: a line, with the range around it that holds the rating 95 times of 100."""

from collections.abc import Sequence
from math import ceil, floor
from xml.sax.saxutils import quoteattr

from markupsafe import Markup

from gameserver.records.player_stats import RatingPoint

CONFIDENCE = 1.96
"""The standard deviations to both sides that hold the rating 95 times of 100."""
WIDTH, HEIGHT = 480, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 472, 10, 172
_LINES_MAX = 5
_STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def plus_minus(deviation: float) -> int:
    """Half the width of the range that holds the rating 95 times of 100."""
    return round(CONFIDENCE * deviation)


def rating_graph(points: Sequence[RatingPoint]) -> Markup:
    """The drawing, as an `svg` element; nothing for fewer than two points."""
    if len(points) < 2:
        return Markup()
    scale = _Scale(points)
    upper = [scale.place(one, CONFIDENCE) for one in points]
    lower = [scale.place(one, -CONFIDENCE) for one in reversed(points)]
    line = [scale.place(one) for one in points]
    x, y = line[-1]
    lines = "".join(_grid_line(scale.y(at), at) for at in scale.levels)
    inner = f'x="{_LEFT}" y="{_TOP}" width="{_RIGHT - _LEFT}" height="{_BOTTOM - _TOP}"'
    # The inner element cuts off the range of the first matches, which would press all else flat.
    drawing = (
        f'<svg {inner} viewBox="{_LEFT} {_TOP} {_RIGHT - _LEFT} {_BOTTOM - _TOP}">'
        f'<polygon class="range" points="{_text_of(upper + lower)}"/>'
        f'<polyline class="course" points="{_text_of(line)}"/></svg>'
        f'<circle class="now" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    )
    numbers = (
        f'<text x="{_LEFT}" y="{HEIGHT - 6}">{points[0].number}</text>'
        f'<text class="middle" x="{(_LEFT + _RIGHT) / 2:g}" y="{HEIGHT - 6}">rated matches</text>'
        f'<text class="end" x="{_RIGHT}" y="{HEIGHT - 6}">{points[-1].number}</text>'
    )
    label = quoteattr(f"The rating after each match: {_words(points[0])} at first, {_words(points[-1])} at last")
    return Markup(  # noqa: S704 - nothing in it but numbers
        f'<svg class="rating-graph" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label={label}>'
        f"{lines}{drawing}{numbers}</svg>"
    )


def _words(point: RatingPoint) -> str:
    return f"{round(point.rating)} ± {plus_minus(point.deviation)} after {point.number}"


class _Scale:
    """Places of ratings in the drawing. All ratings have room, and the ranges of the later half."""

    def __init__(self, points: Sequence[RatingPoint]) -> None:
        settled = points[len(points) // 2 :]
        low = min([one.rating for one in points] + [one.rating - CONFIDENCE * one.deviation for one in settled])
        high = max([one.rating for one in points] + [one.rating + CONFIDENCE * one.deviation for one in settled])
        step = next((one for one in _STEPS if high - low <= one * (_LINES_MAX - 2)), _STEPS[-1])
        bottom, top = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
        self.levels = [level * step for level in range(bottom, top + 1)]
        self._first, self._last = points[0].number, points[-1].number

    def y(self, rating: float) -> float:
        """From the top of the drawing."""
        return _BOTTOM - (_BOTTOM - _TOP) * (rating - self.levels[0]) / (self.levels[-1] - self.levels[0])

    def place(self, point: RatingPoint, deviations: float = 0.0) -> tuple[float, float]:
        """A point, or one so many standard deviations above it."""
        across = (point.number - self._first) / (self._last - self._first)
        return _LEFT + (_RIGHT - _LEFT) * across, self.y(point.rating + deviations * point.deviation)


def _grid_line(y: float, level: int) -> str:
    return (
        f'<line class="level" x1="{_LEFT}" y1="{y:.1f}" x2="{_RIGHT}" y2="{y:.1f}"/>'
        f'<text class="end" x="{_LEFT - 6}" y="{y + 4:.1f}">{level}</text>'
    )


def _text_of(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
