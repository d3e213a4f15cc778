"""The page of one tournament: its state, and the forms for every act upon it."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from gameserver.exports.tournament_report import EXPORTS, file_name, grades_caution
from gameserver.read_model.lobby_view import LobbyView, ReadModel, read_model_of
from gameserver.read_model.troubles import Trouble, TroubleKind
from gameserver.tournaments.act_table import PAIRING
from gameserver.tournaments.model import PairingStatus
from gameserver.tournaments.view import PairingView, TournamentView
from gameserver.web.admin_pages.act_forms import act_forms
from gameserver.web.admin_pages.forms import Filled
from gameserver.web.admin_pages.layout import PAUSE_S, page_of, pages_url
from gameserver.web.admin_pages.troubles import TROUBLES_MAX, trouble_lines
from gameserver.web.admin_pages.who_is_here import who_is_here
from gameserver.web.pages.bottleneck import bottleneck_values
from gameserver.web.ui.live_pages import Region, Regions, Streams, WatchedPage
from gameserver.web.ui.templating import render_block

_TOURNAMENT_TEMPLATE = "teacher_tournament.html"
_TOURNAMENT_BLOCKS = (
    "troubles",
    "facts",
    "held",
    "who",
    "players",
    "games",
    "rulings",
    "life",
    "names",
    "pairings",
    "end",
)

GAMES_MAX = 200
"""The number of games listed: the open ones and the latest. The page of all games is not updated."""


async def tournament_page(request: Request, number: int, streams: Streams, filled: Filled | None = None) -> str:
    """The page. Raises `HTTPException` (404)."""
    read_model = read_model_of(request)
    lobby_view = await read_model.look(exact=True)
    shows_all = request.query_params.get("games") == "all"
    mark = "" if shows_all else await streams.begin(read_model, watched_tournament(request, number), lobby_view)
    values = await _tournament_values(request, number, read_model, lobby_view, GAMES_MAX if not shows_all else None)
    live = {"mark": mark, "events_url": f"/tournaments/{number}/events"}
    files = {"files": _files(values["view"]), "caution": grades_caution(values["view"].format)}
    return page_of(request, _TOURNAMENT_TEMPLATE, filled or _pairing_picked(request), **files, **live, **values)


def _pairing_picked(request: Request) -> Filled:
    """The forms for games with the game that was picked in the table."""
    pick = request.query_params.get("pick", "")
    return Filled(picked={form: {PAIRING.name: pick} for form in ("games", "games-apart")} if pick.isdigit() else {})


def _files(view: TournamentView) -> list[dict[str, Any]]:
    return [{"kind": kind, "is_csv": file.is_csv, "name": file_name(view.name, kind)} for kind, file in EXPORTS.items()]


def watched_tournament(request: Request, number: int) -> WatchedPage:
    """The page's stream."""

    async def make(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        values = await _tournament_values(request, number, read_model, lobby_view, GAMES_MAX)
        return lambda: _tournament_regions(values), False

    def select(lobby_view: LobbyView) -> object:
        here = tuple(player.name for player in lobby_view.players)
        return lobby_view.tournament_mark(number), here, lobby_view.presence(number), _troubles(lobby_view, number)

    return WatchedPage(("teacher's tournament", number, pages_url(request)), select, make, PAUSE_S)


async def _tournament_values(
    request: Request, number: int, read_model: ReadModel, lobby_view: LobbyView, games_max: int | None
) -> dict[str, Any]:
    view = await read_model.tournament(number, exact=True)
    if view is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, f"there is no tournament {number}")
    entered = {line.name for line in view.standings}
    others = [player.name for player in lobby_view.players if player.name not in entered]
    return {
        "view": view,
        "who": who_is_here(view, lobby_view),
        "troubles": trouble_lines(_troubles(lobby_view, number), pages_url(request)),
        "troubles_max": TROUBLES_MAX,
        "names_tournament": False,
        "now_ms": lobby_view.now_ms,
        "forms": act_forms(),
        "held": [one for one in view.pairings if one.status == PairingStatus.HELD],
        "names": [line.name for line in view.standings] + others,
        "pairings": listed_games(view, games_max),
        "pages_url": pages_url(request),
    } | bottleneck_values(view, lobby_view)


def _troubles(lobby_view: LobbyView, number: int) -> tuple[Trouble, ...]:
    """The troubles of this tournament. What is held for a decision has a place of its own on the page."""
    return tuple(one for one in lobby_view.troubles if one.tournament == number and one.kind is not TroubleKind.HELD)


def listed_games(view: TournamentView, most: int | None) -> list[PairingView]:
    """The games, the latest first. If there are more than `most`, every open game and the latest of the others."""
    latest = list(reversed(view.pairings))
    if most is None or len(latest) <= most:
        return latest
    room = most - sum(one.result == "" for one in latest)
    closed = [one.number for one in latest if one.result][: max(0, room)]
    shown = set(closed)
    return [one for one in latest if one.result == "" or one.number in shown]


def _tournament_regions(values: Mapping[str, Any]) -> Regions:
    return {block: Region(render_block(_TOURNAMENT_TEMPLATE, block, **values)) for block in _TOURNAMENT_BLOCKS}
