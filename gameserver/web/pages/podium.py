"""The page for the prize-giving: the podium fills the screen, the full table follows below.

The tournament's page leads here by itself when the last result is in, and the places then appear one after the other,
the first one last. That is done by the style sheet for the URL's fragment `#ceremony`; the page itself has everything.
"""

from collections.abc import Callable, Mapping, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.lobby_view import LobbyView, ReadModel, read_model_of
from gameserver.tournaments.model import TournamentPhase
from gameserver.tournaments.plan import BRACKET_FORMATS
from gameserver.tournaments.podium import Meeting, PodiumPlayer, PodiumStep, outside_words, podium
from gameserver.tournaments.view import TournamentView
from gameserver.values import value
from gameserver.web.pages.standings_layout import in_columns
from gameserver.web.pages.tournament import PAUSE_S, asked_for, tournament_values, view_or_404
from gameserver.web.ui.live_pages import Region, Regions, Streams, WatchedPage
from gameserver.web.ui.shared_compression import Document, document, document_response
from gameserver.web.ui.single_flight import SharedPages
from gameserver.web.ui.templating import render, render_block

_PODIUM_TEMPLATE = "podium.html"
_PODIUM_BLOCKS = ("ceremony", "standings")
PLAYERS_MAX = 6
"""The most players named on a step that they share."""
STORIES_MAX = 2
"""The most players of a step of whom more than the name is told."""
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@value
class Longest:
    """A player's longest match."""

    moves: int
    meeting: Meeting


def podium_routes(streams: Streams) -> list[BaseRoute]:
    """The routes of the page and of its changes."""

    async def make(read_model: ReadModel, key: tuple[int, str]) -> Document:
        number, files_url = key
        lobby_view = await read_model.look()
        is_here = lobby_view.has_tournament(number)
        mark = await streams.begin(read_model, _watched_podium(number), lobby_view) if is_here else ""
        view = await view_or_404(read_model, number)
        counts = await _move_counts(read_model, view)
        return document(podium_page(view, counts, mark=mark, files_url=files_url))

    shared = SharedPages(make)

    async def page(request: Request) -> Response:
        number = request.path_params["number"]
        page = await shared.get(read_model_of(request), (number, _files_url(request, number)))
        return document_response(request, page)

    async def events(request: Request) -> Response:
        view = await asked_for(request)
        return streams.open(request, _watched_podium(view.number))

    return [
        Route("/tournaments/{number:int}/podium", page),
        Route("/tournaments/{number:int}/podium/events", events),
    ]


def podium_page(view: TournamentView, counts: Mapping[int, int], *, mark: str = "", files_url: str = "") -> str:
    """The page. `counts` has the number of moves of the matches that are on record."""
    json_url = f"/api/v1/tournaments/{view.number}"
    return render(_PODIUM_TEMPLATE, here="", json_url=json_url, mark=mark, files_url=files_url, **_values(view, counts))


def podium_regions(view: TournamentView, counts: Mapping[int, int]) -> Regions:
    """The regions of the page."""
    values = _values(view, counts)
    return {block: Region(render_block(_PODIUM_TEMPLATE, block, **values)) for block in _PODIUM_BLOCKS}


def steps_of(view: TournamentView) -> tuple[PodiumStep, ...]:
    """The steps of the podium; none until the tournament is over."""
    return podium(view) if _is_decided(view) else ()


def _is_decided(view: TournamentView) -> bool:
    return view.phase == TournamentPhase.OVER and any(one.result for one in view.pairings)


def _values(view: TournamentView, counts: Mapping[int, int]) -> dict[str, object]:
    steps = steps_of(view)
    players = [player for step in steps for player in step.players]
    longest = {player.standing.name: _longest(player, counts) for player in players}
    return tournament_values(view) | {
        "layout": in_columns(view.standings),
        "steps": steps,
        "outside": outside_words(view.standings, is_bracket=view.format in BRACKET_FORMATS)
        if _is_decided(view)
        else "",
        "longest": longest,
        "players_max": PLAYERS_MAX,
        "stories_max": STORIES_MAX,
    }


def _longest(player: PodiumPlayer, counts: Mapping[int, int]) -> Longest | None:
    found = [Longest(counts[one.match or 0], one) for one in player.matches if one.match in counts]
    return max(found, key=lambda one: one.moves, default=None)


async def _move_counts(read_model: ReadModel, view: TournamentView) -> Mapping[int, int]:
    players: Sequence[PodiumPlayer] = [player for step in steps_of(view) for player in step.players]
    matches = sorted({one.match for player in players for one in player.matches if one.match is not None})
    return await read_model.read(lambda reader: reader.move_counts(matches)) if matches else {}


def _watched_podium(number: int) -> WatchedPage:
    async def make(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        view = await read_model.tournament(number)
        if view is None:
            return dict, True
        counts = await _move_counts(read_model, view)
        return lambda: podium_regions(view, counts), not lobby_view.has_tournament(number)

    return WatchedPage(("podium", number), lambda lobby_view: lobby_view.tournament_mark(number), make, PAUSE_S)


def _files_url(request: Request, number: int) -> str:
    """The teacher's page with the files, if a browser that reached this page can reach the admin listener, too."""
    host = request.url.hostname or ""
    for place in read_model_of(request).listeners:
        if place.protocol == "admin" and (place.is_everywhere or host == place.host or host in LOOPBACK):
            name = f"[{host}]" if ":" in host else host
            return f"{'https' if place.is_encrypted else 'http'}://{name}:{place.port}/tournaments/{number}#files"
    return ""
