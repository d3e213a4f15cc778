"""The page of a match: its board, its clocks, its moves, live or on record."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.read_model import LobbyView, ReadModel, read_model_of
from gameserver.read_model.replay import MatchReplay
from gameserver.read_model.views import MatchView, PlyView
from gameserver.values import value
from gameserver.web.errors import Missing
from gameserver.web.live_pages import Region, Regions, Streams, WatchedPage, block_regions
from gameserver.web.responses import match_json, number_in
from gameserver.web.templating import render, render_block

_TEMPLATE = "match.html"
_BLOCKS = ("head", "status", "why", "chance", "board", "files")
# The ending of the score sheet, a file that every finished match has.
_TEXT = "txt"


def match_routes(streams: Streams) -> list[BaseRoute]:
    """The routes of the page of one match, of its boards, files and stream, and of the same as JSON."""

    async def events(request: Request) -> Response:
        number = (await _asked_for(request)).view.id
        return streams.open(request, _watched(number))

    async def page(request: Request) -> Response:
        read_model = read_model_of(request)
        lobby_view = await read_model.latest()
        match_replay = lobby_view.match(request.path_params["number"]) or await _asked_for(request)
        mark = (
            ""
            if match_replay.view.is_over
            else await streams.begin(read_model, _watched(match_replay.view.id), lobby_view)
        )
        around = await _surroundings(read_model, lobby_view, match_replay.view)
        return HTMLResponse(match_page(match_replay, _step_in(request, match_replay), mark, around))

    return [
        Route("/matches/{number:int}", page),
        Route("/matches/{number:int}/board", _board),
        Route("/matches/{number:int}/match.{ending:str}", _file),
        Route("/matches/{number:int}/events", events),
        Route("/api/v1/matches/{number:int}", _json),
    ]


@value
class Surroundings:
    """The surroundings of a match on its page: its tournament, and its players' matches before and after it."""

    tournament: str = ""
    """Empty outside of a tournament."""
    round: str = ""
    """The round of the match in words; empty in an arena."""
    neighbours: tuple[tuple[int | None, int | None], ...] = ()


def match_page(match_replay: MatchReplay, step: int, mark: str = "", around: Surroundings | None = None) -> str:
    """Renders the page of a match at one of its steps. `mark` is the event id that its stream continues from."""
    return render(
        _TEMPLATE,
        here="",
        json_url=f"/api/v1/matches/{match_replay.view.id}",
        **_values(match_replay, step),
        step=step,
        steps=[Markup(_step_html(one, _players(match_replay))) for one in match_replay.view.steps],  # noqa: S704 - a template's output
        mark=mark,
        around=around or Surroundings(),
    )


def _match_regions(match_replay: MatchReplay) -> Regions:
    values = _values(match_replay, match_replay.last_step)
    regions = block_regions(_TEMPLATE, _BLOCKS, **values)
    players = _players(match_replay)
    moves = {
        f"m{one.number}": Region(_step_html(one, players), "moves", is_kept=True) for one in match_replay.view.steps
    }
    return regions | moves


@lru_cache(maxsize=20_000)  # a hundred matches of two hundred moves. Judgement
def _step_html(step: PlyView, players: Sequence[str]) -> str:
    """A line of the list of moves. Cached, because every change of a match renders all lines."""
    return render("step.html", step=step, players=players)


def _values(match_replay: MatchReplay, step: int) -> dict[str, Any]:
    board = match_replay.present if step == match_replay.last_step else match_replay.board(step)
    files = (*match_replay.view.files, _TEXT) if match_replay.view.is_over else ()
    players = _players(match_replay)
    return {"match_replay": match_replay, "view": match_replay.view, "players": players, "board": board, "files": files}


def _players(match_replay: MatchReplay) -> tuple[str, ...]:
    return tuple(seat.player for seat in match_replay.view.seats)


def _watched(number: int) -> WatchedPage:
    async def make(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        match_replay = lobby_view.match(number) or await read_model.match_replay(number)
        assert match_replay is not None, "a match that was live is live or on record"
        return lambda: _match_regions(match_replay), match_replay.view.is_over

    return WatchedPage(("match", number), lambda lobby_view: lobby_view.mark_of(number), make)


async def _surroundings(read_model: ReadModel, lobby_view: LobbyView, view: MatchView) -> Surroundings:
    """The surroundings of a match. They are read when the page is asked for, and not again when the match changes."""
    players = tuple(seat.player for seat in view.seats)
    recorded = await read_model.read(lambda reader: reader.neighbours(view.id, players))
    playing = {one.name: one.match for one in lobby_view.players if one.match is not None and one.match > view.id}
    neighbours = tuple(
        (previous, playing.get(player) if following is None else following)
        for player, (previous, following) in zip(players, recorded, strict=True)
    )
    if view.tournament is None:
        return Surroundings(neighbours=neighbours)
    number = view.tournament
    title = lobby_view.match_title(number, view.id)
    if title is None:
        title = await read_model.read(lambda reader: reader.match_title(number, view.id))
    return Surroundings(*title, neighbours)


async def _asked_for(request: Request) -> MatchReplay:
    number = request.path_params["number"]
    match_replay = await read_model_of(request).match_replay(number)
    if match_replay is None:
        raise Missing(f"There is no match {number}")
    return match_replay


def _step_in(request: Request, match_replay: MatchReplay) -> int:
    step = number_in(request.query_params.get("move", ""))
    return match_replay.last_step if step is None else min(step, match_replay.last_step)


async def _board(request: Request) -> Response:
    match_replay = await _asked_for(request)
    step = _step_in(request, match_replay)
    values = _values(match_replay, step)
    seat = request.query_params.get("seat", "")
    # The page to play on asks for the last board from its player's side. It is given to anybody: while a match goes on,
    # `MatchReplay.board` shows every seat what a spectator sees.
    if "small" in request.query_params or seat:
        own = next((one for one in range(len(match_replay.view.seats)) if seat == str(one)), None)
        values["board"] = match_replay.board(step, is_small="small" in request.query_params, seat=own)
    return HTMLResponse(render_block(_TEMPLATE, "board", **values))


async def _file(request: Request) -> Response:
    view, ending = (await _asked_for(request)).view, request.path_params["ending"]
    text = await read_model_of(request).match_file(view.id, ending)
    if text is None:
        raise Missing(f"There is no file {ending} of match {view.id}")
    # A name that every system takes, such as `connect-four-3d-12.pgn`.
    name = f"{re.sub('[^a-z0-9]+', '-', view.game.lower()).strip('-')}-{view.id}.{ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


async def _json(request: Request) -> Response:
    match_replay = await _asked_for(request)
    return JSONResponse(match_json(match_replay))
