"""The page of the whole server: players, matches, all tournaments, and the forms for them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request

from gameserver.admin.request_scope import attacks_of, refusals_of
from gameserver.read_model.lobby_view import LobbyView, ReadModel, read_model_of
from gameserver.read_model.views import Attack
from gameserver.tournaments.presets import PRESETS, summary_of_fields
from gameserver.web.admin_pages.forms import Filled
from gameserver.web.admin_pages.layout import PAUSE_S, page_of, pages_url
from gameserver.web.admin_pages.troubles import TROUBLES_MAX, trouble_lines
from gameserver.web.pages.tournament_list import listed_tournaments
from gameserver.web.ui.live_pages import Region, Regions, Streams, WatchedPage
from gameserver.web.ui.templating import render_block

_LOBBY_TEMPLATE = "teacher.html"
ADDRESSES_SHOWN = 4
"""The number of addresses of an attack that are shown beside the latest."""
_LOBBY_BLOCKS = ("troubles", "stopping", "attacks", "tournaments", "players", "kicked", "matches", "voided")
"""The blocks that the stream updates. Each block is an element whose id is the block's name."""


async def overview(request: Request, streams: Streams, filled: Filled | None = None) -> str:
    """The page."""
    read_model = read_model_of(request)
    lobby_view = await read_model.look(exact=True)
    mark = await streams.begin(read_model, watched_overview(request), lobby_view)
    presets = {which: summary_of_fields(which) for which in PRESETS}
    values = {"games": lobby_view.games, "presets": presets} | await _lobby_values(request, lobby_view)
    before = request.query_params.get("before", "")
    live = {"mark": mark, "events_url": f"/events?{urlencode({'before': before})}" if before else "/events"}
    return page_of(request, _LOBBY_TEMPLATE, filled or _lobby_picked(request), **live, **values)


def _lobby_picked(request: Request) -> Filled:
    """The forms with the player or the match that a link names."""
    query = request.query_params
    return Filled(picked={"kick": {"player": query.get("player", "")}, "void": {"match": query.get("match", "")}})


def watched_overview(request: Request) -> WatchedPage:
    """The page's stream."""

    async def make(_read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        values = await _lobby_values(request, lobby_view)
        return lambda: _lobby_regions(values), False

    topic = ("teacher", request.query_params.get("before", ""), pages_url(request))
    return WatchedPage(topic, lambda lobby_view: lobby_view.version, make, PAUSE_S)


async def _lobby_values(request: Request, lobby_view: LobbyView) -> dict[str, Any]:
    tournaments, older = await listed_tournaments(request)
    return {
        "lobby": lobby_view.admin,
        "troubles": trouble_lines((*refusals_of(request), *lobby_view.troubles), pages_url(request)),
        "troubles_max": TROUBLES_MAX,
        "names_tournament": True,
        "now_ms": lobby_view.now_ms,
        "attacks": [_attack(one) for one in attacks_of(request)],
        "tournaments": tournaments,
        "older": older,
        "pages_url": pages_url(request),
    }


def _attack(attack: Attack) -> dict[str, Any]:
    """A row of the table of wrong secrets."""
    *others, last = attack.addresses
    addresses = [last, *reversed(others[-ADDRESSES_SHOWN:])]
    return {
        "name": attack.name,
        "tries": attack.tries,
        "addresses": addresses,
        "more": len(attack.addresses) - len(addresses),
        "since": _time_of_day(attack.since_ms),
        "last": _time_of_day(attack.last_ms),
    }


def _time_of_day(wall_ms: int) -> str:
    return datetime.fromtimestamp(wall_ms / 1000).astimezone().strftime("%H:%M:%S")


def _lobby_regions(values: Mapping[str, Any]) -> Regions:
    fields = Filled().fields
    return {block: Region(render_block(_LOBBY_TEMPLATE, block, typed=fields, **values)) for block in _LOBBY_BLOCKS}
