"""Jinja's templates in `templates/`, and what they call: sentences for people, addresses, pictures as SVG.

Escaping is always on, because users chose the names. Shapes of a picture become elements whose class names their
paint; a style sheet has the colours.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from urllib.parse import quote, urlencode
from xml.sax.saxutils import escape, quoteattr

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gameserver.drawing import VALUES, Box, Disc, Label, Line, Paint, Picture, Polygon, Shape, Side
from gameserver.read_model.views import BoardView, PlyView, Result
from gameserver.values import value
from gameserver.web.responses import asset_url

_BLAME: Mapping[str, str] = {
    "resigned": "{loser} resigned",
    "late": "{loser} ran out of time",
    "illegal move": "{loser} made an illegal move",
    "dropped": "{loser} lost the connection",
}

_LOSSES: Mapping[str, str] = {
    "played": "beaten in play",
    "resigned": "resigned",
    "late": "out of time",
    "illegal move": "illegal move",
    "dropped": "lost connection",
}
# The class of shapes that the last move added. The style sheet highlights them.
_NEW = "new"
_DARK = frozenset({Paint.FIRST, Paint.SECOND, Paint.BLACK})
_PIECES = frozenset({Paint.FIRST, Paint.SECOND, Paint.BLACK, Paint.WHITE, *VALUES})


def _result_sentence(result: Result, players: Sequence[str], ending: str = "") -> str:
    """The end of a match: `ann won: bob ran out of time`. `ending` is how the game was decided, in its own words."""
    if result.reason == "void":
        return f"Void, nobody lost: {result.why or 'the server was at fault'}"
    if result.reason == "abandoned":
        return "Abandoned, nobody lost"
    winners = " and ".join(players[seat] for seat in result.winners)
    outcome = f"{winners} won" if winners else "A draw"
    blame = _BLAME.get(result.reason)
    if blame is not None and result.by is not None:
        outcome += f": {blame.format(loser=players[result.by])}"
        if result.why and result.reason == "illegal move":
            outcome += f" ({result.why})"
    return ". ".join(filter(None, (outcome, result.reason_text, f"{ending[:1].upper()}{ending[1:]}")))


def _has_score(points: Sequence[int]) -> bool:
    """True if the points of a match say more than who won it. `-1` before a dash reads as a part of a sum."""
    return sorted(points) != [-1, 1]


def _step_sentence(step: PlyView, players: Sequence[str]) -> str:
    """A move or draw, in words."""
    if step.seat is None:
        return f"{step.noun}: {step.text}"
    by = " (by the server, in a late player's place)" if step.by == "server" else ""
    return f"{players[step.seat]} played {step.text}{by}"


def _loss_words(reason: str) -> str:
    """The reason for which a match was lost."""
    return _LOSSES.get(reason, reason)


def _ordinal(number: int) -> str:
    """`1st`, `2nd`, `11th`."""
    ending = "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def moment(time_of_day: str) -> str:
    """Writes a time of day of the records, without the viewer's clock: `2026-11-23 09:05 UTC`."""
    return f"{time_of_day[:10]} {time_of_day[11:16]} UTC"


def milliseconds(number: int) -> str:
    """Writes a time that is short as a rule: `12 ms`, `1.3 s`."""
    return f"{number} ms" if number < 1000 else seconds(number)


def duration(milliseconds: int) -> str:
    """Writes an estimated time for templates, no more precise than can be known: `40 s`, `3 min`, `1 h 20 min`."""
    seconds = milliseconds // 1000
    if seconds < 90:
        return f"{max(10, -(-seconds // 10) * 10)} s"
    minutes = -(-seconds // 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def countdown(milliseconds: int) -> str:
    """Writes the time to an end, to the second: `0:09`, `12:04`, `1:00:00`. Scripts count on from it."""
    minutes, rest = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def seconds(milliseconds: int) -> str:
    """Writes a short time for templates: `0.4 s`, `12 s`, `2:05`."""
    if milliseconds < 10_000:
        return f"{milliseconds / 1000:.1f} s"
    whole = round(milliseconds / 1000)
    return f"{whole} s" if whole < 60 else f"{whole // 60}:{whole % 60:02}"


@value
class PageHall:
    """The hall that a page is about, as templates see it (`hall`): the beginning of its addresses, the way to others.

    Pages of this server's own hall, and all that a stream renders, have no prefix: addresses are as short as with one
    hall.
    """

    at: str = ""
    """The beginning of the addresses of its matches and tournaments; empty for this server's own."""
    title: str = ""
    live: str = ""
    """The address of the same page in the hall itself, where it is kept up to date; empty if nobody knows it."""
    pages: str = ""
    """The beginning of the addresses of its own pages, where all of it is live; empty if nobody knows it, and for this
    server's own hall."""
    away_since: str | None = None
    """The time of day at which the hall last gave word, if it is away; then `live` and `pages` are empty."""
    has_others: bool = False
    """True if there is more than one hall."""

    @property
    def id_part(self) -> str:
        """The hall's part of ids on a page over all halls, such as `reversi-`; empty for this server's own hall."""
        return f"{self.at.rpartition('/')[2]}-" if self.title else ""

    def match_url(self, number: int, *, is_live: bool) -> str:
        """The address of a match; empty if it is live in a hall whose pages nobody knows."""
        if is_live and self.title:
            return f"{self.pages}/matches/{number}" if self.pages else ""
        return f"{self.at}/matches/{number}"


# Ambient while a request is served, as all templates need it and hardly any handler cares.
_HALL: ContextVar[PageHall] = ContextVar("hall", default=PageHall())  # noqa: B039 - frozen


def present_hall() -> PageHall:
    """The hall for which a template is being rendered."""
    return _HALL.get()


@contextmanager
def rendering_at(hall: PageHall) -> Iterator[None]:
    """Render the templates of this block for this hall."""
    token = _HALL.set(hall)
    try:
        yield
    finally:
        _HALL.reset(token)


def svg_of(picture: Picture, before: Picture | None = None, *, is_small: bool = False) -> str:
    """Turns a board's picture into an `svg` element that a template can put on its page.

    Discs and marks that `before` does not have are marked as new, unless the game marks its last move itself.
    A small one is for lists of boards. It has no description, since its match is linked beside it.
    """
    # A game that marks its last move itself knows better: of Reversi the disc that was placed, not those turned.
    is_told = before is None or any(Paint.LAST in _paints(shape) for shape in picture.shapes)
    known = None if is_told or before is None else frozenset(before.shapes)
    shapes = "".join(_WRITERS[type(shape)](shape, _NEW if _is_new(shape, known) else "") for shape in picture.shapes)
    box = f'viewBox="0 0 {picture.width:g} {picture.height:g}"'
    if is_small:
        return f'<svg class="board small" {box} aria-hidden="true" focusable="false">{shapes}</svg>'
    return f'<svg class="board" {box} role="img" aria-label={quoteattr(picture.description)}>{shapes}</svg>'


def _side_svg(side: Side) -> str:
    piece = "" if side.paint is None else _disc(Disc(12, 12, 11, side.paint, Paint.GRID), "")
    on = Paint.INK if side.paint is None else Paint.ON_DARK if side.paint in _DARK else Paint.ON_LIGHT
    size = 15 if len(side.mark) == 1 else 11
    mark = _label(Label(12, 12, side.mark, size, on, is_bold=True), "") if side.mark else ""
    return f'<svg class="board side" viewBox="0 0 24 24" aria-hidden="true" focusable="false">{piece}{mark}</svg>'


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


def _player_url(name: str) -> str:
    """The URL of a player's page. Browsers remove `.` and `..` from a path, so these names go into the query."""
    if name in {".", ".."}:  # RFC 3986, 5.2.4
        return f"/players?name={name}"
    return f"/players/{quote(name, safe='')}"


def play_url(to: str = "", game: str = "") -> str:
    """A template's link to the page to play on, with an opponent and a game chosen already."""
    return "/play?" + urlencode({name: given for name, given in (("to", to), ("game", game)) if given})


def _board_html(board: BoardView, *, is_small: bool = False) -> Markup:
    """A position as HTML: its drawing, or its text if it has none."""
    if board.picture is None:
        return Markup('<pre class="board-text">{}</pre>').format(board.text)
    return Markup(svg_of(board.picture, board.before, is_small=is_small))  # noqa: S704 - svg_of escapes what it writes


def side_html(side: Side) -> Markup:
    """Writes a side's piece as HTML in a template, with the word for it that a screen reader has in its place."""
    if side.paint is None and not side.mark:
        return Markup('<span class="role">{}</span> ').format(side.name) if side.name else Markup()
    name = Markup('<span class="sr">{}: </span>').format(side.name) if side.name else Markup()
    return name + Markup(_side_svg(side))  # noqa: S704 - side_svg escapes what it writes


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("gameserver.web"),
        autoescape=True,
        undefined=StrictUndefined,  # a name that is mistyped in a template fails, where Jinja would write nothing
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "player_url": _player_url,
        "countdown": countdown,
        "moment": moment,
        "ordinal": _ordinal,
        "duration": duration,
        "seconds": seconds,
        "milliseconds": milliseconds,
    }
    environment.globals |= {
        "asset": asset_url,
        "board_html": _board_html,
        "has_score": _has_score,
        "loss_words": _loss_words,
        "play_url": play_url,
        "result_sentence": _result_sentence,
        "side_html": side_html,
        "step_sentence": _step_sentence,
    }
    return environment


_ENVIRONMENT = _environment()


def render(template: str, **values: Any) -> str:
    """Render a template as a whole page."""
    return _ENVIRONMENT.get_template(template).render(hall=present_hall(), **values)


def render_block(template: str, block: str, **values: Any) -> str:
    """Render one block of a template, to update a page with the markup that it was made of."""
    found = _ENVIRONMENT.get_template(template)
    return "".join(found.blocks[block](found.new_context({"hall": present_hall(), **values}))).strip()
