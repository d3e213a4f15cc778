"""The page of the lobby: who is here, what is open, what is played."""

from collections.abc import Callable, Iterator, Mapping

import trio
from attrs import evolve
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.lobby_view import Gallery, Showing, gallery_of
from gameserver.read_model.views import BoardView, MatchLine
from gameserver.web.ui.json_views import lobby_json
from gameserver.web.ui.live_pages import Region, Regions, Streams, Watched
from gameserver.web.ui.single_flight import SharedPage
from gameserver.web.ui.templating import render, render_block

_TEMPLATE = "lobby.html"
TILES_MAX = 24
"""So many boards are shown in the lobby; the page of live matches has more."""
ALL_TILES_MAX = 200
LINES_MAX = 200
"""So many players are listed, and as many offers."""
PAUSE_S = 1.0

TEXT = "strategic"
"""The protocol that needs no client."""


def lobby_routes(streams: Streams) -> list[BaseRoute]:
    """The lobby, the page of all live matches, their streams, and the same as JSON."""

    async def make_lobby(gallery: Gallery) -> bytes:
        showing = await gallery.look()
        tiles = await _tiles_one_by_one(showing, TILES_MAX)
        mark = await streams.begin(
            gallery, _drawn(_LOBBY, lambda: lobby_regions(showing, tiles, text_port(gallery))), showing
        )
        return lobby_page(showing, tiles, mark, text_port(gallery)).encode()

    async def make_live(gallery: Gallery) -> bytes:
        showing = await gallery.look()
        tiles = await _tiles_one_by_one(showing, ALL_TILES_MAX)
        mark = await streams.begin(gallery, _drawn(_ALL_LIVE, lambda: live_regions(tiles)), showing)
        marked = list(map(Markup, tiles.values()))
        return render("live.html", here="", json_url="/api/v1/lobby", tiles=marked, mark=mark).encode()

    lobby_shared, live_shared = SharedPage(make_lobby), SharedPage(make_live)

    async def lobby(request: Request) -> Response:
        return HTMLResponse(await lobby_shared.get(gallery_of(request)))

    async def live(request: Request) -> Response:
        return HTMLResponse(await live_shared.get(gallery_of(request)))

    async def lobby_events(request: Request) -> Response:
        return streams.open(request, _LOBBY)

    async def live_events(request: Request) -> Response:
        return streams.open(request, _ALL_LIVE)

    return [
        Route("/", lobby),
        Route("/events", lobby_events),
        Route("/matches/live", live),
        Route("/matches/live/events", live_events),
        Route("/api/v1/lobby", _json),
    ]


def lobby_page(showing: Showing, tiles: Mapping[str, str], mark: str = "", port: int | None = None) -> str:
    """The page."""
    marked = [Markup(tile) for tile in tiles.values()]  # noqa: S704 - a template's output
    return render(
        _TEMPLATE, here="/", json_url="/api/v1/lobby", tiles=marked, mark=mark, **_values(showing, len(tiles), port)
    )


def lobby_regions(showing: Showing, tiles: Mapping[str, str], port: int | None = None) -> Regions:
    """What changes in the lobby."""
    values = _values(showing, len(tiles), port)
    names = {"live-title": "playing", "here": "here", "open": "open", "more": "more"}
    regions = {name: Region(render_block(_TEMPLATE, block, **values)) for name, block in names.items()}
    return regions | {name: Region(tile, "tiles") for name, tile in tiles.items()}


def live_regions(tiles: Mapping[str, str]) -> Regions:
    """The same where there is nothing but boards."""
    return {name: Region(tile, "tiles") for name, tile in tiles.items()}


def tile_html(line: MatchLine, board: BoardView) -> str:
    """A match in a page of many."""
    return render("tile.html", line=line, board=board)


def tiles_of(showing: Showing, most: int) -> dict[str, str]:
    """The boards of live matches, by the ids of their elements."""
    return dict(_each_tile(showing, most))


async def _tiles_one_by_one(showing: Showing, most: int) -> dict[str, str]:
    """The same, with a moment for everybody else after each: a drawing takes a third of a millisecond."""
    found = {}
    for name, tile in _each_tile(showing, most):
        found[name] = tile
        await trio.lowlevel.checkpoint()
    return found


def _each_tile(showing: Showing, most: int) -> Iterator[tuple[str, str]]:
    for line in showing.matches[:most]:
        board = showing.board(line.id)
        if board is not None:
            yield f"t{line.id}", tile_html(line, board)


def text_port(gallery: Gallery) -> int | None:
    """The port at which somebody with `nc` can log in; None where the server has none."""
    plain = (place for place in gallery.listeners if place.protocol == TEXT and not place.is_encrypted)
    return next((place.port for place in plain), None)


def _values(showing: Showing, tiles: int, port: int | None) -> dict[str, object]:
    return {"showing": showing, "limit": LINES_MAX, "hidden": len(showing.matches) - tiles, "port": port}


async def _make_lobby(gallery: Gallery, showing: Showing) -> tuple[Callable[[], Regions], bool]:
    return lambda: lobby_regions(showing, tiles_of(showing, TILES_MAX), text_port(gallery)), False


async def _make_live(_gallery: Gallery, showing: Showing) -> tuple[Callable[[], Regions], bool]:
    return lambda: live_regions(tiles_of(showing, ALL_TILES_MAX)), False


def _drawn(watched: Watched, regions: Callable[[], Regions]) -> Watched:
    """The same, where the boards have been drawn for the page already."""

    async def make(_gallery: Gallery, _showing: Showing) -> tuple[Callable[[], Regions], bool]:
        return regions, False

    return evolve(watched, make=make)


_LOBBY = Watched("lobby", lambda showing: showing.version, _make_lobby, PAUSE_S)
_ALL_LIVE = Watched("live", lambda showing: showing.version, _make_live, PAUSE_S)


async def _json(request: Request) -> Response:
    return JSONResponse(lobby_json(await gallery_of(request).look()))
