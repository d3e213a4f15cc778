"""The page of the lobby, the page of all live matches, and the page to play on."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import trio
from attrs import evolve
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.read_model import LobbyView, ReadModel, read_model_of
from gameserver.read_model.views import BoardView, GameCard, MatchSummary
from gameserver.time_control import TimeControl
from gameserver.tournaments.model import CLOSED, TournamentPhase
from gameserver.tournaments.view import TournamentSummary, as_json
from gameserver.web.live_pages import Region, Regions, Streams, WatchedPage, block_regions
from gameserver.web.made_once import RenderedOnce, SharedPage, SharedText, page_response, shared_text
from gameserver.web.responses import lobby_json
from gameserver.web.templating import render

_TEMPLATE = "lobby.html"
_BLOCKS = ("tournaments", "live_title", "here", "open", "more")
# The number of boards shown in the lobby, and on the page of live matches, which may take longer: each new one takes a
# third of a millisecond to draw.
_TILES_MAX = 24
_ALL_TILES_MAX = 200
# The number of players listed, and of offers: a flood of logins must not make the page grow. Judgement.
_LINES_MAX = 200
TOURNAMENTS_MAX = 6
# Seconds between two updates of a page: a hall with bots changes many times a second.
_PAUSE_S = 1.0
# Without it each change of a page drew all its boards: of twelve at a slow pace, eleven are as before.
_TILES: RenderedOnce[str] = RenderedOnce(2 * _ALL_TILES_MAX)

# The protocol that needs no client.
_TEXT = "strategic"


def lobby_routes(streams: Streams) -> list[BaseRoute]:
    """The routes of the lobby's page, of the page of all live matches, of their streams, and of the same as JSON."""

    async def make_lobby(read_model: ReadModel) -> SharedText:
        lobby_view = await read_model.latest()
        tiles = await _tiles_one_by_one(lobby_view, _TILES_MAX)
        mark = await streams.begin(read_model, _LOBBY, lobby_view)
        tournaments, port = await read_model.current_tournaments(), _text_port(read_model)
        return shared_text(lobby_page(lobby_view, tiles, mark, port, tournaments).encode())

    async def make_live(read_model: ReadModel) -> SharedText:
        lobby_view = await read_model.latest()
        tiles = await _tiles_one_by_one(lobby_view, _ALL_TILES_MAX)
        mark = await streams.begin(read_model, _drawn(_ALL_LIVE, lambda: _live_regions(tiles)), lobby_view)
        marked = list(map(Markup, tiles.values()))
        return shared_text(render("live.html", here="", json_url="/api/v1/lobby", tiles=marked, mark=mark).encode())

    lobby_shared, live_shared = SharedPage(make_lobby), SharedPage(make_live)

    async def lobby(request: Request) -> Response:
        return page_response(request, await lobby_shared.get(read_model_of(request)))

    async def live(request: Request) -> Response:
        return page_response(request, await live_shared.get(read_model_of(request)))

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


def lobby_page(
    lobby_view: LobbyView,
    tiles: Mapping[str, str],
    mark: str = "",
    port: int | None = None,
    tournaments: Sequence[TournamentSummary] = (),
) -> str:
    """Renders the lobby's page. `tournaments` are all that the lobby keeps, the latest first."""
    marked = [Markup(tile) for tile in tiles.values()]  # noqa: S704 - a template's output
    values = _values(lobby_view, len(tiles), port, tournaments)
    return render(_TEMPLATE, here="/", json_url="/api/v1/lobby", tiles=marked, mark=mark, **values)


def _lobby_regions(
    lobby_view: LobbyView,
    tiles: Mapping[str, str],
    port: int | None = None,
    tournaments: Sequence[TournamentSummary] = (),
) -> Regions:
    values = _values(lobby_view, len(tiles), port, tournaments)
    regions = block_regions(_TEMPLATE, _BLOCKS, **values)
    return regions | {name: Region(tile, "tiles") for name, tile in tiles.items()}


def _live_regions(tiles: Mapping[str, str]) -> Regions:
    """The regions of the page of live matches, which shows boards alone."""
    return {name: Region(tile, "tiles") for name, tile in tiles.items()}


def tile_html(line: MatchSummary, board: BoardView) -> str:
    """Renders a live match of the lobby as a tile, on a page of many boards."""
    return render("tile.html", line=line, board=board, is_large=False, at="")


def tile_of(lobby_view: LobbyView, line: MatchSummary) -> str:
    """The tile of a match in the lobby, rendered once for all pages until the match changes; empty if not live."""

    def drawn() -> str:
        board = lobby_view.board(line.id)
        return "" if board is None else tile_html(line, board)

    return _TILES.get(line.id, lobby_view.mark_of(line.id), drawn)


def tiles_of(lobby_view: LobbyView, most: int) -> dict[str, str]:
    """The tiles that the lobby's page shows of its live matches, by the ids of their elements."""
    return dict(_each_tile(lobby_view, most))


async def _tiles_one_by_one(lobby_view: LobbyView, most: int) -> dict[str, str]:
    """The same, with a checkpoint after each board: drawing one takes a third of a millisecond."""
    found = {}
    for name, tile in _each_tile(lobby_view, most):
        found[name] = tile
        await trio.lowlevel.checkpoint()
    return found


def _each_tile(lobby_view: LobbyView, most: int) -> Iterator[tuple[str, str]]:
    for line in lobby_view.matches[:most]:
        tile = tile_of(lobby_view, line)
        if tile:
            yield f"t{line.id}", tile


def _text_port(read_model: ReadModel) -> int | None:
    """The port at which a person with `nc` can log in; None if the server has none."""
    plain = (place for place in read_model.listeners if place.protocol == _TEXT and not place.is_encrypted)
    return next((place.port for place in plain), None)


def _values(
    lobby_view: LobbyView, tiles: int, port: int | None, tournaments: Sequence[TournamentSummary]
) -> dict[str, object]:
    on = _open(tournaments)
    has_begun = any(one.phase != TournamentPhase.GATHERING for one in on)
    last = next((one for one in tournaments if one.phase == TournamentPhase.OVER), None)
    return {
        "showing": lobby_view,
        "limit": _LINES_MAX,
        "tournaments": on[:TOURNAMENTS_MAX],
        "more_tournaments": max(0, len(on) - TOURNAMENTS_MAX),
        "last_tournament": None if has_begun else last,
        "hidden": len(lobby_view.matches) - tiles,
        "port": port,
    }


def _open(tournaments: Sequence[TournamentSummary]) -> list[TournamentSummary]:
    """The tournaments that are not over; those that have begun come first."""
    found = [one for one in tournaments if one.phase not in CLOSED]
    return sorted(found, key=lambda one: one.phase == TournamentPhase.GATHERING)


async def _make_lobby(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
    tournaments, port = await read_model.current_tournaments(), _text_port(read_model)
    return lambda: _lobby_regions(lobby_view, tiles_of(lobby_view, _TILES_MAX), port, tournaments), False


async def _make_live(_read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
    return lambda: _live_regions(tiles_of(lobby_view, _ALL_TILES_MAX)), False


def _drawn(watched: WatchedPage, regions: Callable[[], Regions]) -> WatchedPage:
    """The same page, when its boards have been drawn already."""

    async def make(_read_model: ReadModel, _lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        return regions, False

    return evolve(watched, make=make)


_LOBBY = WatchedPage("lobby", lambda lobby_view: lobby_view.version, _make_lobby, _PAUSE_S)
_ALL_LIVE = WatchedPage("live", lambda lobby_view: lobby_view.version, _make_live, _PAUSE_S)


async def _json(request: Request) -> Response:
    read_model = read_model_of(request)
    tournaments = [as_json(one) for one in _open(await read_model.current_tournaments())]
    return JSONResponse({**lobby_json(await read_model.latest()), "tournaments": tournaments})


def play_routes() -> list[BaseRoute]:
    """The lobby's route to the page to play on. Its scripts speak the protocol `web` and ask who plays, and what.

    So all who open it get the same page.
    """

    async def make(read_model: ReadModel) -> SharedText:
        lobby_view = await read_model.latest()
        return shared_text(play_page(_text_port(read_model), lobby_view.clock, lobby_view.game_cards).encode())

    shared = SharedPage(make)

    async def play(request: Request) -> Response:
        return page_response(request, await shared.get(read_model_of(request)))

    return [Route("/play", play)]


def play_page(port: int | None, clock: TimeControl, games: Sequence[GameCard]) -> str:
    """Renders the page to play on. `port` is that of the text protocol, for a reader without scripts.

    `clock` is the one of a match where nobody names another one.
    """
    families: dict[str, list[GameCard]] = {"": []}  # games without one come first
    for game in games:
        families.setdefault(game.family, []).append(game)
    values = {"families": {name: cards for name, cards in families.items() if cards}, "games": games}
    turn_time_s = (clock.without_bank().turn_time_ms or 0) / 1000
    return render("play.html", here="/play", json_url="", port=port, clock=clock, turn_time_s=turn_time_s, **values)
