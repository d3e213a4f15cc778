"""Pages of the records: finished matches, and a player's results."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.lobby_view import LobbyView, read_model_of
from gameserver.read_model.recorded import result_of
from gameserver.read_model.views import ResultView
from gameserver.records.house_strengths import encounters_of
from gameserver.records.player_stats import MOVES_MAX, Career
from gameserver.records.reader import MatchHead, Wanted
from gameserver.records.tournament_record import NoShow
from gameserver.values import value
from gameserver.web.pages.missing import Missing
from gameserver.web.pages.player_figures import OPPONENTS_SHOWN, figures_of
from gameserver.web.pages.player_results import RECENT, PlayerResults, results_of
from gameserver.web.pages.tournament_list import Listed
from gameserver.web.ui.json_views import as_json
from gameserver.web.ui.templating import render


def match_list_routes() -> list[BaseRoute]:
    """The routes of the list of matches, and of the same as JSON."""
    return [Route("/matches", _matches), Route("/api/v1/matches", _matches_json)]


def record_routes() -> list[BaseRoute]:
    """The routes of matches and players, and of the same as JSON."""
    return [
        *match_list_routes(),
        Route("/players", _player),
        Route("/players/{name:path}", _player),
        Route("/api/v1/players", _player_json),
        Route("/api/v1/players/{name:path}", _player_json),
    ]


def matches_page(
    heads: Sequence[MatchHead], wanted: Wanted, games: tuple[str, ...], before: str = "", following: str = ""
) -> str:
    """A page of finished matches. It begins at `before`, and the next one at `following`, in terms of the address."""
    query = {key: value for key, value in (("game", wanted.game), ("player", wanted.player)) if value}
    is_full = len(heads) == wanted.count
    return render(
        "matches.html",
        here="/matches",
        json_url=f"/api/v1/matches?{urlencode(query)}",
        heads=heads,
        wanted=wanted,
        before=before,
        games=games,
        of=wanted.player or wanted.game,
        newest=f"/matches?{urlencode(query)}",
        older=f"/matches?{urlencode({**query, 'before': following})}" if is_full else "",
        result_of=result_of_head,
    )


def player_page(
    name: str,
    lobby_view: LobbyView,
    career: Career,
    heads: Sequence[MatchHead],
    no_shows: Sequence[NoShow] = (),
    tournaments: Sequence[Listed] = (),
    *,
    has_log: bool = False,
    has_halls: bool = False,
) -> str:
    """A player's page."""
    older = f"{'/halls' if has_halls else ''}/matches?{urlencode({'player': name})}" if len(heads) == RECENT else ""
    is_house = any(one.name == name for one in lobby_view.house)
    return render(
        "player.html",
        here="",
        json_url=f"/api/v1{_path_of(name)}",
        name=name,
        present=next((one for one in lobby_view.players if one.name == name), None),
        is_house=is_house,
        strengths=encounters_of(name.removeprefix("house-")) if is_house else (),
        career=career,
        figures=figures_of(career),
        opponents_shown=OPPONENTS_SHOWN,
        moves_max=MOVES_MAX,
        tournaments=tournaments,
        all_tournaments=f"/tournaments?{urlencode({'player': name})}"
        if len(tournaments) == RECENT and not has_halls
        else "",
        heads=heads,
        no_shows=no_shows,
        older=older,
        result_of=result_of_head,
        own_page=f"/own?{urlencode({'player': name})}",
        has_log=has_log,
        own_log=f"/wire-log?{urlencode({'player': name})}",
    )


def result_of_head(head: MatchHead) -> ResultView:
    """The result of a match, for the words of a page."""
    return result_of(head.reason, head.seats, head.reason_text, head.why)


def _path_of(name: str) -> str:
    return f"/players?{urlencode({'name': name})}"


def wanted_in(request: Request) -> Wanted:
    """The matches that the query asks for."""
    query = request.query_params
    before = query.get("before", "")
    is_number = before.isascii() and before.isdigit() and len(before) < 16
    return Wanted(
        before=int(before) if is_number else None, player=query.get("player") or None, game=query.get("game") or None
    )


async def _matches(request: Request) -> Response:
    read_model, wanted = read_model_of(request), wanted_in(request)
    heads = await read_model.read(lambda reader: reader.heads(wanted))
    following = str(heads[-1].match) if heads else ""
    return HTMLResponse(
        matches_page(heads, wanted, (await read_model.look()).games, str(wanted.before or ""), following)
    )


async def _matches_json(request: Request) -> Response:
    wanted = wanted_in(request)
    heads = await read_model_of(request).read(lambda reader: reader.heads(wanted))
    return JSONResponse(as_json(heads))


@value
class _Seen:
    """A player's name, and the data of the player's page."""

    name: str
    lobby_view: LobbyView
    results: PlayerResults


async def _seen(request: Request) -> _Seen:
    name = request.path_params.get("name") or request.query_params.get("name", "")
    read_model = read_model_of(request)
    lobby_view = await read_model.look()
    found = await results_of(read_model, name)
    names = {one.name for one in lobby_view.players} | {one.name for one in lobby_view.house}
    if not (found.career.is_known or found.no_shows or found.tournaments or name in names):
        raise Missing(f"There is no player {name} here, and none on record")
    return _Seen(name, lobby_view, found)


async def _player(request: Request) -> Response:
    seen, read_model = await _seen(request), read_model_of(request)
    found, has_halls = seen.results, bool(read_model.halls.others)
    lists, has_log = (found.heads, found.no_shows, found.tournaments), read_model.keeps_wire_logs
    page = player_page(seen.name, seen.lobby_view, found.career, *lists, has_log=has_log, has_halls=has_halls)
    return HTMLResponse(page)


async def _player_json(request: Request) -> Response:
    seen = await _seen(request)
    here, results = next((one for one in seen.lobby_view.players if one.name == seen.name), None), seen.results
    found: dict[str, Any] = {
        "name": seen.name,
        "here": as_json(here),
        "career": as_json(results.career),
        "matches": as_json(results.heads),
        "no_shows": as_json(results.no_shows),
        "tournaments": [line.json | {"place": as_json(line.place_of(seen.name))} for line in results.tournaments],
    }
    return JSONResponse(found)
