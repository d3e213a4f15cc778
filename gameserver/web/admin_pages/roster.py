"""The page of the roster: which students are here, which are missing, and which are here under nearly their names."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from starlette.requests import Request

from gameserver.admin.request_scope import roll_call_of
from gameserver.read_model.lobby_view import LobbyView, ReadModel, read_model_of
from gameserver.read_model.views import AdminLobbyView, AdminPlayerView, StudentView
from gameserver.web.admin_pages.forms import Filled
from gameserver.web.admin_pages.layout import PAUSE_S, page_of, pages_url
from gameserver.web.ui.live_pages import Region, Regions, Streams, WatchedPage
from gameserver.web.ui.templating import render_block

_ROSTER_TEMPLATE = "teacher_roster.html"
_ROSTER_BLOCK = "roll"


async def roster_page(request: Request, streams: Streams) -> str:
    """The page."""
    read_model = read_model_of(request)
    lobby_view = await read_model.look(exact=True)
    mark = await streams.begin(read_model, watched_roster(request), lobby_view)
    values = _roster_values(request, lobby_view.admin)
    live = {"mark": mark, "events_url": "/roster/events", "pages_url": pages_url(request)}
    return page_of(request, _ROSTER_TEMPLATE, Filled(), **live, **values)


def watched_roster(request: Request) -> WatchedPage:
    """The page's stream."""

    async def make(_read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        values = _roster_values(request, lobby_view.admin)
        return lambda: _roster_regions(values), False

    return WatchedPage(("roster",), lambda lobby_view: lobby_view.version, make, PAUSE_S)


def _roster_regions(values: Mapping[str, Any]) -> Regions:
    return {_ROSTER_BLOCK: Region(render_block(_ROSTER_TEMPLATE, _ROSTER_BLOCK, **values))}


def _roster_values(request: Request, lobby: AdminLobbyView) -> dict[str, Any]:
    """The students by where they are: those first for whom the teacher has to do something."""
    roll = roll_call_of(request, lobby)
    students = () if roll is None else roll.students
    searches = {ticket.player: ticket.game for ticket in lobby.tickets}
    return {
        "has_roster": roll is not None,
        "count": len(students),
        "mistaken": _mistaken(students),
        "missing": [one for one in students if one.player is None],
        "present": [(one, one.player, _doing(one.player, searches)) for one in students if one.player is not None],
        "others": () if roll is None else [(one, _doing(one, searches)) for one in roll.others],
    }


def _mistaken(students: Sequence[StudentView]) -> list[tuple[AdminPlayerView, list[str]]]:
    """The players under names that are nearly a missing student's, each with the students they may be."""
    found: dict[str, tuple[AdminPlayerView, list[str]]] = {}
    for student in students:
        for player in student.mistaken:
            found.setdefault(player.name, (player, []))[1].append(student.name)
    return list(found.values())


def _doing(player: AdminPlayerView, searches: Mapping[str, str]) -> str:
    """The occupation of a player, in a few words. `searches` are the games of open tickets."""
    game = player.seeks or searches.get(player.name)
    if player.match is not None:
        return f"playing match {player.match}"
    if game:
        return f"looking for {game}"
    return "idle" if player.room is None else f"in room {player.room}"
