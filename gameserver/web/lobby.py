"""The page of the lobby: who is here, what is open, what is played."""

from collections.abc import Callable

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.public.gallery import Gallery, Showing, gallery_of
from gameserver.public.model import BoardView, MatchLine
from gameserver.web.as_json import lobby_json
from gameserver.web.regions import Region, Regions
from gameserver.web.streams import Streams, Watched
from gameserver.web.templating import render, render_block

_TEMPLATE = "lobby.html"
TILES_MAX = 24
"""So many boards are shown in the lobby; the page of live matches has more."""
ALL_TILES_MAX = 200
LINES_MAX = 200
"""So many players are listed, and as many offers."""
PAUSE_S = 1.0


def lobby_routes(streams: Streams) -> list[BaseRoute]:
    """The lobby, the page of all live matches, their streams, and the same as JSON."""

    async def lobby(request: Request) -> Response:
        gallery = gallery_of(request)
        showing = await gallery.look()
        mark = await streams.begin(gallery, _LOBBY, showing)
        return HTMLResponse(lobby_page(showing, mark))

    async def live(request: Request) -> Response:
        gallery = gallery_of(request)
        showing = await gallery.look()
        mark = await streams.begin(gallery, _ALL_LIVE, showing)
        tiles = _tiles(showing, ALL_TILES_MAX).values()
        page = render("live.html", here="", json_url="/api/v1/lobby", tiles=list(map(Markup, tiles)), mark=mark)
        return HTMLResponse(page)

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


def lobby_page(showing: Showing, mark: str = "") -> str:
    """The page."""
    tiles = [Markup(tile) for tile in _tiles(showing, TILES_MAX).values()]  # noqa: S704 - a template's output
    return render(_TEMPLATE, here="/", json_url="/api/v1/lobby", tiles=tiles, mark=mark, **_values(showing, len(tiles)))


def lobby_regions(showing: Showing) -> Regions:
    """What changes in the lobby."""
    tiles = _tiles(showing, TILES_MAX)
    values = _values(showing, len(tiles))
    names = {"live-title": "playing", "here": "here", "open": "open", "more": "more"}
    regions = {name: Region(render_block(_TEMPLATE, block, **values)) for name, block in names.items()}
    return regions | {name: Region(tile, "tiles") for name, tile in tiles.items()}


def tile_html(line: MatchLine, board: BoardView) -> str:
    """A match in a page of many."""
    return render("tile.html", line=line, board=board)


def _tiles(showing: Showing, most: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in showing.matches[:most]:
        board = showing.board(line.id)
        if board is not None:
            found[f"t{line.id}"] = tile_html(line, board)
    return found


def _values(showing: Showing, tiles: int) -> dict[str, object]:
    return {"showing": showing, "limit": LINES_MAX, "hidden": len(showing.matches) - tiles}


async def _make_lobby(_gallery: Gallery, showing: Showing) -> tuple[Callable[[], Regions], bool]:
    return lambda: lobby_regions(showing), False


async def _make_live(_gallery: Gallery, showing: Showing) -> tuple[Callable[[], Regions], bool]:
    return lambda: {name: Region(tile, "tiles") for name, tile in _tiles(showing, ALL_TILES_MAX).items()}, False


_LOBBY = Watched("lobby", lambda showing: showing.version, _make_lobby, PAUSE_S)
_ALL_LIVE = Watched("live", lambda showing: showing.version, _make_live, PAUSE_S)


async def _json(request: Request) -> Response:
    return JSONResponse(lobby_json(await gallery_of(request).look()))
