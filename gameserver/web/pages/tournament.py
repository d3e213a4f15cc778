"""The page of a tournament, made for a projector: standings, live boards, crosstable or bracket."""

from collections.abc import Callable, Mapping, Sequence

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.lobby_view import LobbyView, ReadModel, read_model_of
from gameserver.tournaments.model import CLOSED, TournamentPhase
from gameserver.tournaments.plan import BRACKET_FORMATS
from gameserver.tournaments.progress import CHASING
from gameserver.tournaments.view import (
    IdleRound,
    PairingView,
    StandingView,
    TournamentSummary,
    TournamentView,
    as_json,
)
from gameserver.web.pages import bracket
from gameserver.web.pages.arena import PAIRINGS_MAX, arena_values, streaks_of
from gameserver.web.pages.bottleneck import bottleneck_values
from gameserver.web.pages.lobby import tile_of
from gameserver.web.pages.missing import Missing
from gameserver.web.pages.standings_layout import TURNED_PAGES_MAX, in_columns, layout_of
from gameserver.web.ui.live_pages import Region, Regions, Streams, WatchedPage
from gameserver.web.ui.rendered_once import RenderedOnce
from gameserver.web.ui.shared_compression import Document, document, document_response
from gameserver.web.ui.single_flight import SharedPages
from gameserver.web.ui.templating import render, render_block

_TEMPLATE = "tournament.html"
PAUSE_S = 1.0
BOARDS_MAX = 30
MARKED_CHASERS_MAX = 8
"""Beyond so many players one win behind the podium, the mark would tell nobody anything."""
CROSSTABLE_PLAYERS_MAX = 40
"""The most players for whom a crosstable is shown. A wider one is unreadable; the file has it whole."""
LARGE_CROSSTABLE_MAX, LARGE_CELL_MAX = 12, 2
"""The most players, and results of a pair, with which half a screen has room for a crosstable in large letters."""
LARGE_ROUNDS_LETTERS_MAX = 30
"""The most letters of all rounds of a Swiss together, likewise."""
_BLOCKS = {"head": "head", "standings": "standings"}
_BLOCKS_OF_RESULTS = {"table": "table", "pairings": "pairings", "rulings": "rulings", "tie-breaks": "tie_breaks"}
"""The parts that show nothing but the view, which stays the same object until the next result."""
_RESULTS: RenderedOnce[Regions] = RenderedOnce(16)


def tournament_routes(streams: Streams) -> list[BaseRoute]:
    """The routes of each tournament's page, of its stream, and of the same as JSON."""

    async def make(read_model: ReadModel, number: int) -> Document:
        lobby_view = await read_model.look()
        is_here = lobby_view.has_tournament(number)
        mark = await streams.begin(read_model, _watched_tournament(number), lobby_view) if is_here else ""
        view = await view_or_404(read_model, number)
        return document(tournament_page(view, lobby_view, mark))

    shared = SharedPages(make)

    async def page(request: Request) -> Response:
        return document_response(request, await shared.get(read_model_of(request), request.path_params["number"]))

    async def events(request: Request) -> Response:
        await asked_for(request)
        return streams.open(request, _watched_tournament(request.path_params["number"]))

    return [
        Route("/tournaments/{number:int}", page),
        Route("/tournaments/{number:int}/events", events),
        Route("/api/v1/tournaments/{number:int}", _json),
    ]


def tournament_page(view: TournamentView, lobby_view: LobbyView, mark: str = "") -> str:
    """The page."""
    tiles = [Markup(tile) for tile in _tiles(view, lobby_view).values()]  # noqa: S704 - a template's output
    json_url = f"/api/v1/tournaments/{view.number}"
    values = _page_values(view, lobby_view)
    return render(_TEMPLATE, here="", json_url=json_url, tiles=tiles, mark=mark, **values)


def tournament_regions(view: TournamentView, lobby_view: LobbyView) -> Regions:
    """The regions of a tournament's page."""
    values = _page_values(view, lobby_view)
    blocks = _BLOCKS if view.arena is None else {**_BLOCKS, "arena": "arena"}
    regions = {name: Region(render_block(_TEMPLATE, block, **values)) for name, block in blocks.items()}
    regions |= _RESULTS.get(
        view.number,
        view,
        lambda: {name: Region(render_block(_TEMPLATE, block, **values)) for name, block in _BLOCKS_OF_RESULTS.items()},
    )
    return regions | {name: Region(tile, "tiles") for name, tile in _tiles(view, lobby_view).items()}


def _page_values(view: TournamentView, lobby_view: LobbyView) -> dict[str, object]:
    values = tournament_values(view) | arena_values(view, lobby_view) | bottleneck_values(view, lobby_view)
    return values | {"awaits_teacher": lobby_view.awaits_teacher(view.number)}


def _tiles(view: TournamentView, lobby_view: LobbyView) -> dict[str, str]:
    """The boards of the matches being played, by the ids of their elements."""
    lines = {line.id: line for line in lobby_view.matches}
    found: dict[str, str] = {}
    for pairing in sorted(view.live, key=lambda one: (one.round, one.board, one.game))[:BOARDS_MAX]:
        line = lines.get(pairing.match or 0)
        tile = "" if line is None else tile_of(lobby_view, line)
        if tile:
            found[f"t{pairing.match}"] = tile
    return found


def tournament_values(view: TournamentView) -> dict[str, object]:
    """The values that templates of a tournament's pages share."""
    is_bracket = view.format in BRACKET_FORMATS
    chasers = sum(one.chances == CHASING for one in view.standings)
    return {
        "view": view,
        "layout": in_columns(view.standings) if is_bracket else layout_of(view.standings),
        "turned_max": TURNED_PAGES_MAX,
        "example": _interval_to_explain(view),
        "has_chasers": chasers > 0,
        "marks_chasers": 0 < chasers <= MARKED_CHASERS_MAX,
        "has_crosstable": not is_bracket and 1 < len(view.crosstable) <= CROSSTABLE_PLAYERS_MAX,
        "is_dense": _is_dense(view),
        "idle": _idle_by_round(view),
        "is_bracket": is_bracket,
        "is_closed": view.phase in CLOSED,
        "has_podium": view.phase == TournamentPhase.OVER and any(one.result for one in view.pairings),
        "drawing": bracket.drawing_of(view.bracket, has_boards=view.phase not in CLOSED),
        "stages": bracket.by_stage(view.bracket),
        "stages_now": bracket.stages_now(view.bracket),
        "reached": bracket.reached(view.bracket),
        "place_words": bracket.place_words,
        "rounds": _shown_rounds(view),
        "round_names": _round_names(view),
        "earlier": 0 if view.arena is None else max(0, len(view.pairings) - PAIRINGS_MAX),
        "streaks": streaks_of(view),
        "round": round_of(view),
    }


def _is_dense(view: TournamentView) -> bool:
    """True if so much stands in a line of the crosstable that it needs smaller letters."""
    if view.round_table:
        letters = max(sum(len(cell.text) for cell in row if cell) for row in view.round_table)
        return len(view.standings) > LARGE_CROSSTABLE_MAX or letters > LARGE_ROUNDS_LETTERS_MAX
    return len(view.crosstable) > LARGE_CROSSTABLE_MAX or any(
        len(cell) > LARGE_CELL_MAX for row in view.crosstable for cell in row
    )


def _idle_by_round(view: TournamentView) -> Mapping[int, Sequence[IdleRound]]:
    found: dict[int, list[IdleRound]] = {}
    for one in view.idle:
        found.setdefault(one.round, []).append(one)
    return found


def round_of(view: TournamentSummary) -> int:
    """The round that is being played, or was last; it only rises. 0 where rounds overlap."""
    return view.round if view.has_rounds and view.phase not in CLOSED else 0


def _shown_rounds(view: TournamentView) -> Mapping[int, Sequence[PairingView]]:
    """The pairings by round, the latest round first. Those of an arena have no round, and the latest come first."""
    if view.arena is not None:
        return {0: view.pairings[: -PAIRINGS_MAX - 1 : -1]} if view.pairings else {}
    rounds: dict[int, list[PairingView]] = {}
    for pairing in view.pairings:
        rounds.setdefault(pairing.round, []).append(pairing)
    return {number: rounds[number] for number in sorted(rounds, reverse=True)}


def _round_names(view: TournamentView) -> dict[int, str]:
    """The names of the rounds of a bracket, as the bracket has them. Matches of both its parts may share a round."""
    stages: dict[int, dict[str, None]] = {}
    for pairing in view.pairings:
        stages.setdefault(pairing.round, {})[pairing.stage] = None
    return {number: ", ".join(found) for number, found in stages.items()}


def _watched_tournament(number: int) -> WatchedPage:
    async def make(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        view = await read_model.tournament(number)
        if view is None:
            return dict, True
        return lambda: tournament_regions(view, lobby_view), not lobby_view.has_tournament(number)

    return WatchedPage(("tournament", number), lambda lobby_view: lobby_view.tournament_mark(number), make, PAUSE_S)


async def asked_for(request: Request) -> TournamentView:
    """The tournament whose number is in the path. Raises `Missing`."""
    return await view_or_404(read_model_of(request), request.path_params["number"])


async def view_or_404(read_model: ReadModel, number: int) -> TournamentView:
    """The tournament with this number. Raises `Missing`."""
    view = await read_model.tournament(number)
    if view is None:
        raise Missing(f"There is no tournament {number}")
    return view


async def _json(request: Request) -> Response:
    read_model, view = read_model_of(request), await asked_for(request)
    lobby_view = await read_model.look()
    return JSONResponse(as_json(view) | lobby_view.waiting_json(view.number, read_model.now_ms()))


def _interval_to_explain(view: TournamentView) -> StandingView | None:
    """The first line with an interval that is shown in figures: not one rank, and not all of them."""
    sizes = ((one, (one.worst or 0) - one.best) for one in view.standings if one.best is not None)
    return next((one for one, size in sizes if 0 < size < len(view.standings) - 1), None)
