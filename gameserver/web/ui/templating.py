"""Jinja's templates in `templates/`. Escaping is always on, because users chose the names."""

from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gameserver.drawing import Side
from gameserver.read_model.views import BoardView
from gameserver.web.ui import phrases
from gameserver.web.ui.assets import asset_url
from gameserver.web.ui.place import present_place
from gameserver.web.ui.svg import side_svg, svg_of


def player_url(name: str) -> str:
    """The URL of a player's page. Browsers remove `.` and `..` from a path, so these names go into the query."""
    if name in {".", ".."}:
        return f"/players?name={name}"
    return f"/players/{quote(name, safe='')}"


def play_url(to: str = "", game: str = "") -> str:
    """The URL of the page to play on, with an opponent and a game chosen already."""
    return "/play?" + urlencode({name: given for name, given in (("to", to), ("game", game)) if given})


def board_html(board: BoardView, *, is_small: bool = False) -> Markup:
    """A position as HTML: its drawing, or its text if it has none."""
    if board.picture is None:
        return Markup('<pre class="board-text">{}</pre>').format(board.text)
    return Markup(svg_of(board.picture, board.before, is_small=is_small))  # noqa: S704 - svg_of escapes what it writes


def side_html(side: Side) -> Markup:
    """The piece of a side, with the word for it: for readers of the page it stands in place of the piece."""
    if side.paint is None and not side.mark:
        return Markup('<span class="role">{}</span> ').format(side.name) if side.name else Markup()
    name = Markup('<span class="sr">{}: </span>').format(side.name) if side.name else Markup()
    return name + Markup(side_svg(side))  # noqa: S704 - side_svg escapes what it writes


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("gameserver.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "player_url": player_url,
        "countdown": phrases.countdown,
        "moment": phrases.moment,
        "ordinal": phrases.ordinal,
        "duration": phrases.duration,
        "seconds": phrases.seconds,
        "milliseconds": phrases.milliseconds,
    }
    environment.globals |= {
        "asset": asset_url,
        "board_html": board_html,
        "has_score": phrases.has_score,
        "loss_words": phrases.loss_words,
        "play_url": play_url,
        "result_sentence": phrases.result_sentence,
        "side_html": side_html,
        "short_result": phrases.short_result,
        "step_sentence": phrases.step_sentence,
    }
    return environment


_ENVIRONMENT = _environment()


def render(template: str, **values: Any) -> str:
    """Render a page."""
    return _ENVIRONMENT.get_template(template).render(hall=present_place(), **values)


def render_block(template: str, block: str, **values: Any) -> str:
    """Render one block of a template, to update a page with the markup that it was made of."""
    found = _ENVIRONMENT.get_template(template)
    return "".join(found.blocks[block](found.new_context({"hall": present_place(), **values}))).strip()
