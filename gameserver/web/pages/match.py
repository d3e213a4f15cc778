"""The page of a match: its board, its clocks, its moves, live or on record."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.lobby_view import Gallery, Showing, gallery_of
from gameserver.read_model.replay import Tale
from gameserver.read_model.views import StepView
from gameserver.web.ui.json_views import match_json
from gameserver.web.ui.live_pages import Region, Regions, Streams, Watched
from gameserver.web.ui.templating import render, render_block

_TEMPLATE = "match.html"


def match_routes(streams: Streams) -> list[BaseRoute]:
    """Everything about one match."""

    async def events(request: Request) -> Response:
        number = (await _asked_for(request)).view.id
        return streams.open(request, _watched(number))

    async def page(request: Request) -> Response:
        gallery = gallery_of(request)
        showing = await gallery.look()
        tale = showing.match(request.path_params["number"]) or await _asked_for(request)
        mark = "" if tale.view.is_over else await streams.begin(gallery, _watched(tale.view.id), showing)
        return HTMLResponse(match_page(tale, _step_in(request, tale), mark))

    return [
        Route("/matches/{number:int}", page),
        Route("/matches/{number:int}/board", _board),
        Route("/matches/{number:int}/events", events),
        Route("/api/v1/matches/{number:int}", _json),
    ]


def match_page(tale: Tale, step: int, mark: str = "") -> str:
    """The page, at a step of the match; `mark` says from where on its stream is to go."""
    return render(
        _TEMPLATE,
        here="",
        json_url=f"/api/v1/matches/{tale.view.id}",
        **_values(tale, step),
        step=step,
        steps=[Markup(step_html(one, _players(tale))) for one in tale.view.steps],  # noqa: S704 - a template's output
        mark=mark,
    )


def match_regions(tale: Tale) -> Regions:
    """What changes while a match is played."""
    values = _values(tale, tale.last_step)
    regions = {name: Region(render_block(_TEMPLATE, name, **values)) for name in ("head", "status", "why", "board")}
    players = _players(tale)
    moves = {f"m{one.number}": Region(step_html(one, players), "moves", is_kept=True) for one in tale.view.steps}
    return regions | moves


@lru_cache(maxsize=20_000)
def step_html(step: StepView, players: Sequence[str]) -> str:
    """A line of the list of moves; kept, because every change of a match asks for all of them."""
    return render("step.html", step=step, players=players)


def _values(tale: Tale, step: int) -> dict[str, Any]:
    """What the template wants to know of a match."""
    board = tale.present if step == tale.last_step else tale.board(step)
    return {"tale": tale, "view": tale.view, "players": _players(tale), "board": board}


def _players(tale: Tale) -> tuple[str, ...]:
    return tuple(seat.player for seat in tale.view.seats)


def _watched(number: int) -> Watched:
    async def make(gallery: Gallery, showing: Showing) -> tuple[Callable[[], Regions], bool]:
        tale = showing.match(number) or await gallery.tale(number)
        assert tale is not None, "a match that was live is live or on record"
        return lambda: match_regions(tale), tale.view.is_over

    return Watched(("match", number), lambda showing: showing.mark_of(number), make)


async def _asked_for(request: Request) -> Tale:
    number = request.path_params["number"]
    tale = await gallery_of(request).tale(number)
    if tale is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"There is no match {number}")
    return tale


def _step_in(request: Request, tale: Tale) -> int:
    text = request.query_params.get("move", "")
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        return tale.last_step
    return min(int(text), tale.last_step)


async def _board(request: Request) -> Response:
    tale = await _asked_for(request)
    return HTMLResponse(render_block(_TEMPLATE, "board", **_values(tale, _step_in(request, tale))))


async def _json(request: Request) -> Response:
    tale = await _asked_for(request)
    return JSONResponse(match_json(tale))
