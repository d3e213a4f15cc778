"""The page of a tournament, made for a projector, and the page for the prize-giving.

The tournament's page has standings, live boards, and a crosstable or a bracket; an arena's has its duels and streaks.
It leads to the podium by itself when the last result is in.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise

from attrs import asdict
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.database.connection import DatabaseError
from gameserver.read_model.read_model import PUBLIC_AFTER_MOVES, LobbyView, ReadModel, read_model_of
from gameserver.read_model.troubles import Presence
from gameserver.read_model.views import Invitation
from gameserver.tournaments.model import CLOSED, TournamentPhase
from gameserver.tournaments.plan import BRACKET_FORMATS
from gameserver.tournaments.podium import (
    Highlight,
    Meeting,
    PodiumPlayer,
    PodiumStep,
    final_of,
    highlights,
    outside_words,
    podium,
)
from gameserver.tournaments.progress import CHASING, LAST_RANK
from gameserver.tournaments.standings import StandingsRow
from gameserver.tournaments.teams import TeamRow
from gameserver.tournaments.view import (
    IdleRound,
    PairingView,
    TournamentSummary,
    TournamentView,
    as_json,
)
from gameserver.values import value
from gameserver.web import bracket
from gameserver.web.errors import Missing
from gameserver.web.join import join_values
from gameserver.web.live_pages import Region, Regions, Streams, WatchedPage, block_regions
from gameserver.web.lobby import tile_of
from gameserver.web.made_once import RenderedOnce, SharedPages, SharedText, page_response, shared_text
from gameserver.web.season import seasons_of
from gameserver.web.templating import render

_TEMPLATE = "tournament.html"
# Seconds between two updates of a page, as of the lobby's.
_PAUSE_S = 1.0
# Boards of a class of sixty, all at play. Judgement.
_BOARDS_MAX = 30
# Beyond so many players one win behind the podium, the mark would tell nobody anything, and costs bytes in each change
# for each viewer: marks on all of 60 players made the standings 30 kB in place of 19.
_MARKED_CHASERS_MAX = 8
# The most players for whom a crosstable is shown. A wider one is unreadable on a projector; the file has it whole.
_CROSSTABLE_PLAYERS_MAX = 40
# The most players, and results of a pair, with which half a screen has room for a crosstable in large letters.
_LARGE_CROSSTABLE_MAX, _LARGE_CELL_MAX = 12, 2
# The most letters of all rounds of a Swiss together, likewise.
_LARGE_ROUNDS_LETTERS_MAX = 30
_BLOCKS = ("head", "join", "featured", "standings", "highlights")
# The parts that show nothing but the view, which stays the same object until the next result.
_BLOCKS_OF_RESULTS = ("table", "teams", "stages", "pairings", "rulings", "tie_breaks", "chance")
_RESULTS: RenderedOnce[Regions] = RenderedOnce(16)  # tournaments that somebody watches at once: few

_PODIUM_TEMPLATE = "podium.html"
_PODIUM_BLOCKS = ("final", "ceremony", "teams", "standings", "highlights")
# The most players named on a step that they share.
PLAYERS_MAX = 6
# The most players of a step of whom more than the name is told.
_STORIES_MAX = 2
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_DUELS_MAX = 30
# Duels that are shown with room around them. More of them are set closer, to stay on the screen.
_ROOMY_MAX = 12
# Names in a list before the rest of them is only counted.
_NAMES_MAX = 12
_STREAKS_MAX = 5
# The pairings listed, the latest. An arena has no end of them, and the page is made anew after each.
PAIRINGS_MAX = 200
_WAITING = (Presence.READY, Presence.RESTING)
_UNREADY = (Presence.NOT_READY, Presence.ELSEWHERE)
# The distance between the two estimates of a line: less than most waits for a player who does not come.
_AHEAD_MS = 10_000
# The precision of a line's beginning: it must not move by rounding, as the page would be sent again for it.
_GRAIN_MS = 1_000
# The most lines in a column: with more, the letters were smaller than 20 of a projector's 1080 pixels.
COLUMN_LINES_MAX = 22
_PINNED_MAX = 8
# The most players behind the podium who are always shown.
_CHASERS_MAX = 3
# Lines of players that a column of groups has room for, and those that a group takes besides: its head and the gap.
_GROUP_LINES, _GROUP_HEAD_LINES = 27, 1.25
# The most pages that are turned; longer standings stand below one another.
_TURNED_PAGES_MAX = 8


def tournament_routes(streams: Streams) -> list[BaseRoute]:
    """The routes of each tournament's page, of its stream, and of the same as JSON."""

    async def make(read_model: ReadModel, number: int) -> SharedText:
        lobby_view = await read_model.latest()
        # Begun before the view is read: what comes in between is then sent, rather than neither shown nor sent.
        watched = _watched_tournament(number)
        mark = await streams.begin(read_model, watched, lobby_view) if lobby_view.has_tournament(number) else ""
        view = await _view_or_404(read_model, number)
        invitation = read_model.invitation(number)
        seasons = seasons_of(read_model, lambda season: season.has(number, view.name))
        counts = await _move_counts(read_model, view)
        return shared_text(tournament_page(view, lobby_view, mark, invitation, seasons, counts).encode())

    shared = SharedPages(make)

    async def page(request: Request) -> Response:
        return page_response(request, await shared.get(read_model_of(request), request.path_params["number"]))

    async def events(request: Request) -> Response:
        await _asked_for(request)
        return streams.open(request, _watched_tournament(request.path_params["number"]))

    return [
        Route("/tournaments/{number:int}", page),
        Route("/tournaments/{number:int}/events", events),
        Route("/api/v1/tournaments/{number:int}", _json),
    ]


def tournament_page(
    view: TournamentView,
    lobby_view: LobbyView,
    mark: str = "",
    invitation: Invitation | None = None,
    seasons: Mapping[str, str] | None = None,
    counts: Mapping[int, int] | None = None,
) -> str:
    """Renders a tournament's page, for the projector; with an invitation, its players can join.

    `seasons` has the titles of those of which it is an event, by their names, and `counts`, once it is over, the moves
    of its matches that are on record.
    """
    tiles = [Markup(tile) for tile in _tiles(view, lobby_view).values()]  # noqa: S704 - a template's output
    json_url = f"/api/v1/tournaments/{view.number}"
    values = _page_values(view, lobby_view, invitation, counts or {}) | {"seasons": seasons or {}}
    return render(_TEMPLATE, here="", json_url=json_url, tiles=tiles, mark=mark, **values)


def tournament_regions(
    view: TournamentView,
    lobby_view: LobbyView,
    invitation: Invitation | None = None,
    counts: Mapping[int, int] | None = None,
) -> Regions:
    """Renders the regions of a tournament's page, for its stream."""
    values = _page_values(view, lobby_view, invitation, counts or {})
    regions = block_regions(_TEMPLATE, _BLOCKS if view.arena is None else (*_BLOCKS, "arena"), **values)
    regions |= _RESULTS.get(view.number, view, lambda: block_regions(_TEMPLATE, _BLOCKS_OF_RESULTS, **values))
    return regions | {name: Region(tile, "tiles") for name, tile in _tiles(view, lobby_view).items()}


def _page_values(
    view: TournamentView, lobby_view: LobbyView, invitation: Invitation | None, counts: Mapping[int, int]
) -> dict[str, object]:
    values = (
        {"highlights": _highlights_of(view, counts)}
        | _tournament_values(view)
        | _arena_values(view, lobby_view)
        | bottleneck_values(view, lobby_view)
    )
    values |= featured_values(view, lobby_view, PUBLIC_AFTER_MOVES)
    values |= join_values(invitation, lobby_view.gathering(view.number))
    return values | {"awaits_teacher": lobby_view.awaits_teacher(view.number)}


def _tiles(view: TournamentView, lobby_view: LobbyView) -> dict[str, str]:
    """The boards of the matches being played, by the ids of their elements."""
    lines = {line.id: line for line in lobby_view.matches}
    found: dict[str, str] = {}
    for pairing in sorted(view.live, key=lambda one: (one.round, one.board, one.game))[:_BOARDS_MAX]:
        if pairing.match == lobby_view.featured.get(view.number):
            continue
        line = lines.get(pairing.match or 0)
        tile = "" if line is None else tile_of(lobby_view, line)
        if tile:
            found[f"t{pairing.match}"] = tile
    return found


def featured_values(
    view: TournamentView, lobby_view: LobbyView, moves_late: int, pages_url: str = ""
) -> dict[str, object]:
    """Values for a tournament's pages: the board that is shown large, and an opinion of so many moves ago at least."""
    number = lobby_view.featured.get(view.number)
    replay = None if number is None else lobby_view.match(number)
    line = next((one for one in lobby_view.matches if one.id == number), None)
    if number is None or replay is None or line is None:
        return {"featured": "", "opinion": None}
    tile = render("tile.html", line=line, board=replay.present, is_large=True, at=pages_url)
    found, players = lobby_view.opinion(number, moves_late), tuple(seat.player for seat in line.seats)
    opinion = found and dict(zip(("by", "chance", "ago"), found, strict=True), players=players)
    return {"featured": Markup(tile), "opinion": opinion}  # noqa: S704 - a template's output


def _tournament_values(view: TournamentView) -> dict[str, object]:
    """The values that templates of a tournament's pages share."""
    is_bracket = view.format in BRACKET_FORMATS
    chasers = sum(one.chances == CHASING for one in view.standings)
    return {
        "view": view,
        "layout": _in_columns(view.standings) if is_bracket else layout_of(view.standings),
        "turned_max": _TURNED_PAGES_MAX,
        "example": _interval_to_explain(view),
        "has_chasers": chasers > 0,
        "marks_chasers": 0 < chasers <= _MARKED_CHASERS_MAX,
        "has_crosstable": not is_bracket and 1 < len(view.crosstable) <= _CROSSTABLE_PLAYERS_MAX,
        "is_dense": _is_dense(view),
        "idle": _idle_by_round(view),
        "is_bracket": is_bracket,
        "is_closed": view.phase in CLOSED,
        "has_podium": view.phase == TournamentPhase.OVER and any(one.result for one in view.pairings),
        "drawing": bracket.drawing_of(view.bracket, has_boards=view.phase not in CLOSED),
        "by_round": bracket.by_round(view.bracket),
        "rounds_now": bracket.rounds_now(view.bracket),
        "reached": bracket.reached(view.bracket),
        "place_words": bracket.place_words,
        "rounds": _shown_rounds(view),
        "round_names": _round_names(view),
        "earlier": 0 if view.arena is None else max(0, len(view.pairings) - PAIRINGS_MAX),
        "streaks": _streaks_of(view),
        "round": _round_of(view),
        **_group_values(view),
        "earlier_stages": view.stages[:-1],
    }


def _group_values(view: TournamentView) -> dict[str, object]:
    """The groups of the stage that is on, in pages that a projector has room for: two columns of whole groups."""
    if not view.stages or not view.stages[-1].best:
        return {"in_groups": False}
    groups = view.stages[-1].groups
    longest = max(len(group.standings) for group in groups)
    a_page = 2 * max(1, int(_GROUP_LINES / (longest + _GROUP_HEAD_LINES)))
    pages = -(-len(groups) // a_page)
    is_turned = pages <= _TURNED_PAGES_MAX
    return {"in_groups": True, "groups_a_page": a_page if is_turned else 0, "group_pages": pages if is_turned else 1}


def _is_dense(view: TournamentView) -> bool:
    """True if so much stands in a line of the crosstable that it needs smaller letters."""
    if view.round_table:
        letters = max(sum(len(cell.text) for cell in row if cell) for row in view.round_table)
        return len(view.standings) > _LARGE_CROSSTABLE_MAX or letters > _LARGE_ROUNDS_LETTERS_MAX
    return len(view.crosstable) > _LARGE_CROSSTABLE_MAX or any(
        len(cell) > _LARGE_CELL_MAX for row in view.crosstable for cell in row
    )


def _idle_by_round(view: TournamentView) -> Mapping[int, Sequence[IdleRound]]:
    found: dict[int, list[IdleRound]] = {}
    for one in view.idle:
        found.setdefault(one.round, []).append(one)
    return found


def _round_of(view: TournamentSummary) -> int:
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
    found: dict[int, dict[str, None]] = {}
    for pairing in view.pairings:
        found.setdefault(pairing.round, {})[pairing.round_name] = None
    return {number: ", ".join(names) for number, names in found.items()}


def _watched_tournament(number: int) -> WatchedPage:
    async def make(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        view = await read_model.tournament(number)
        if view is None:
            return dict, True
        invitation, counts = read_model.invitation(number), await _move_counts(read_model, view)
        return lambda: tournament_regions(view, lobby_view, invitation, counts), not lobby_view.has_tournament(number)

    return WatchedPage(("tournament", number), lambda lobby_view: lobby_view.tournament_mark(number), make, _PAUSE_S)


async def _asked_for(request: Request) -> TournamentView:
    """The tournament whose number is in the path. Raises `Missing`."""
    return await _view_or_404(read_model_of(request), request.path_params["number"])


async def _view_or_404(read_model: ReadModel, number: int) -> TournamentView:
    """The tournament with this number. Raises `Missing`."""
    view = await read_model.tournament(number)
    if view is None:
        raise Missing(f"There is no tournament {number}")
    return view


async def _json(request: Request) -> Response:
    read_model, view = read_model_of(request), await _asked_for(request)
    lobby_view = await read_model.latest()
    found = _highlights_of(view, await _move_counts(read_model, view))
    told = {"highlights": [asdict(one) for one in found]}
    return JSONResponse(as_json(view) | lobby_view.waiting_json(view.number, read_model.now_ms()) | told)


def _interval_to_explain(view: TournamentView) -> StandingsRow | None:
    """The first line with an interval that is shown in figures: not one rank, and not all of them."""
    sizes = ((one, (one.worst or 0) - one.best) for one in view.standings if one.best is not None)
    return next((one for one, size in sizes if 0 < size < len(view.standings) - 1), None)


@value
class _Longest:
    moves: int
    meeting: Meeting


def podium_routes(streams: Streams) -> list[BaseRoute]:
    """The routes of a tournament's podium, the page for the prize-giving, and of its stream."""

    async def make(read_model: ReadModel, key: tuple[int, str]) -> SharedText:
        number, files_url = key
        lobby_view = await read_model.latest()
        watched = _watched_podium(number)
        mark = await streams.begin(read_model, watched, lobby_view) if lobby_view.has_tournament(number) else ""
        view = await _view_or_404(read_model, number)
        counts, final = await _move_counts(read_model, view), await _final_of(read_model, view)
        return shared_text(podium_page(view, counts, mark=mark, files_url=files_url, final=final).encode())

    shared = SharedPages(make)

    async def page(request: Request) -> Response:
        number = request.path_params["number"]
        page = await shared.get(read_model_of(request), (number, _files_url(request, number)))
        return page_response(request, page)

    async def events(request: Request) -> Response:
        view = await _asked_for(request)
        return streams.open(request, _watched_podium(view.number))

    return [
        Route("/tournaments/{number:int}/podium", page),
        Route("/tournaments/{number:int}/podium/events", events),
    ]


def podium_page(
    view: TournamentView,
    counts: Mapping[int, int],
    *,
    mark: str = "",
    files_url: str = "",
    final: tuple[PairingView, int] | None = None,
) -> str:
    """Renders a tournament's podium, the page for the prize-giving: it fills the screen, the full table follows below.

    The places appear one after the other, the first one last. That is done by the style sheet for the URL's fragment
    `#ceremony`; the page itself has everything. There its script shows all positions of the final before. `counts` has
    the number of moves of the matches that are on record, `final` the game that is replayed and its last step.
    """
    json_url = f"/api/v1/tournaments/{view.number}"
    values = _values(view, counts, final)
    return render(_PODIUM_TEMPLATE, here="", json_url=json_url, mark=mark, files_url=files_url, **values)


async def _final_of(read_model: ReadModel, view: TournamentView) -> tuple[PairingView, int] | None:
    pairing = final_of(view) if _is_decided(view) else None
    replay = None if pairing is None else await read_model.match_replay(pairing.match or 0)
    return (pairing, replay.last_step) if pairing and replay and replay.last_step else None


def _podium_regions(view: TournamentView, counts: Mapping[int, int], final: tuple[PairingView, int] | None) -> Regions:
    return block_regions(_PODIUM_TEMPLATE, _PODIUM_BLOCKS, **_values(view, counts, final))


def _steps_of(view: TournamentView) -> tuple[PodiumStep, ...]:
    """The steps of the podium; none until the tournament is over."""
    return podium(view) if _is_decided(view) else ()


def _team_steps_of(view: TournamentView) -> Mapping[int, Sequence[TeamRow]]:
    """The teams on each step of the podium, by rank, where teams were paired; none until the tournament is over."""
    found: dict[int, list[TeamRow]] = {}
    for team in view.teams if _is_decided(view) else ():
        if team.match_points is not None and team.rank <= LAST_RANK:
            found.setdefault(team.rank, []).append(team)
    return found


def _is_decided(view: TournamentView) -> bool:
    return view.phase == TournamentPhase.OVER and any(one.result for one in view.pairings)


def _highlights_of(view: TournamentView, counts: Mapping[int, int]) -> tuple[Highlight, ...]:
    return highlights(view, counts) if _is_decided(view) else ()


def _values(
    view: TournamentView, counts: Mapping[int, int], final: tuple[PairingView, int] | None
) -> dict[str, object]:
    steps = _steps_of(view)
    players = [player for step in steps for player in step.players]
    longest = {player.standing.name: _longest(player, counts) for player in players}
    return _tournament_values(view) | {
        "layout": _in_columns(view.standings),
        "steps": steps,
        "team_steps": _team_steps_of(view),
        "outside": outside_words(view.standings, is_bracket=view.format in BRACKET_FORMATS)
        if _is_decided(view)
        else "",
        "longest": longest,
        "final": final,
        "highlights": _highlights_of(view, counts),
        "players_max": PLAYERS_MAX,
        "stories_max": _STORIES_MAX,
    }


def _longest(player: PodiumPlayer, counts: Mapping[int, int]) -> _Longest | None:
    found = [_Longest(counts[one.match or 0], one) for one in player.matches if one.match in counts]
    return max(found, key=lambda one: one.moves, default=None)


async def _move_counts(read_model: ReadModel, view: TournamentView) -> Mapping[int, int]:
    """The moves of the matches of a tournament that is over, by their numbers; none while the records are away."""
    matches = [one.match for one in view.pairings if one.match is not None] if _is_decided(view) else []
    with suppress(DatabaseError):
        return await read_model.read(lambda reader: reader.move_counts(matches)) if matches else {}
    return {}


def _watched_podium(number: int) -> WatchedPage:
    async def make(read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        view = await read_model.tournament(number)
        if view is None:
            return dict, True
        counts, final = await _move_counts(read_model, view), await _final_of(read_model, view)
        return lambda: _podium_regions(view, counts, final), not lobby_view.has_tournament(number)

    return WatchedPage(("podium", number), lambda lobby_view: lobby_view.tournament_mark(number), make, _PAUSE_S)


def _files_url(request: Request, number: int) -> str:
    """The teacher's page with the files, if a browser that reached this page can reach the admin listener, too."""
    host = request.url.hostname or ""
    # A link that leads nowhere is worse than none: by default only this machine reaches the admin listener.
    for place in read_model_of(request).listeners:
        if place.protocol == "admin" and (place.is_everywhere or host == place.host or host in _LOOPBACK):
            return f"{place.url(host)}/tournaments/{number}#files"
    return ""


@value
class _Duel:
    """A game that is being played, with the ranks of its players."""

    pairing: PairingView
    ranks: tuple[int | None, int | None]


def _arena_values(view: TournamentView, lobby_view: LobbyView) -> dict[str, object]:
    """The blocks of an arena alone: the pairs that play, the leaders first, and the players who wait."""
    playing = {name for one in view.live for name in (one.first, one.second)}
    presence = lobby_view.presence(view.number) if view.arena is not None else ()
    idle = [one for one in presence if one.player not in playing]
    return {
        "duels": _duels(view) if view.arena is not None else [],
        "duels_max": _DUELS_MAX,
        "roomy_max": _ROOMY_MAX,
        "waiting": [one.player for one in idle if one.presence in _WAITING],
        "unready": [one.player for one in idle if one.presence in _UNREADY],
        "missing": [one.player for one in idle if one.presence is Presence.AWAY],
        "names_max": _NAMES_MAX,
        "streaks_max": _STREAKS_MAX,
    }


def _streaks_of(view: TournamentView) -> Mapping[str, object]:
    """The streaks, by player; none once nothing can be added to them."""
    if view.arena is None or view.phase in CLOSED:
        return {}
    return {one.player: one for one in view.arena.streaks}


def _duels(view: TournamentView) -> list[_Duel]:
    ranks = {line.name: line.rank for line in view.standings}
    last = len(ranks) + 1
    duels = [_Duel(one, (ranks.get(one.first), ranks.get(one.second))) for one in view.live]
    return sorted(duels, key=lambda one: sorted(last if rank is None else rank for rank in one.ranks))


@value
class GrowingEstimate:
    """The time left of a tournament while everybody waits.

    On the server's axis it is 0 at `from_ms`, and grows at a steady rate.

    While a player who does not come is waited for, it shrinks: the rate is negative.
    """

    from_ms: int
    rate: float


def bottleneck_values(view: TournamentView, lobby_view: LobbyView) -> dict[str, object]:
    """Values for a tournament's page and the teacher's: the players for whom it waits, and the time left.

    The view has the time left as of the last result. While everybody waits it grows or shrinks, but nothing happens for
    which the page would be made anew. So the page's script lets it.
    """
    bottleneck = lobby_view.waiting(view.number)
    eta_ms, estimate = view.eta_ms, None
    if bottleneck is not None:
        now_ms = lobby_view.now_ms
        eta_ms = lobby_view.left_ms(view.number, now_ms)
        estimate = _line(now_ms, eta_ms, lobby_view.left_ms(view.number, now_ms + _AHEAD_MS))
    return {"bottleneck": bottleneck, "eta_ms": eta_ms, "estimate": estimate}


def _line(now_ms: int, left_ms: int | None, later_ms: int | None) -> GrowingEstimate | None:
    """The line through the estimates of now and of some seconds later."""
    if left_ms is None or later_ms is None or later_ms == left_ms:
        return None
    rate = (later_ms - left_ms) / _AHEAD_MS
    return GrowingEstimate(round((now_ms - left_ms / rate) / _GRAIN_MS) * _GRAIN_MS, round(rate, 3))


@value
class _StandingsPart:
    """Some lines in one place. `page` counts from 0; it is None for what always stays."""

    lines: Sequence[StandingsRow]
    page: int | None
    column: int


@value
class StandingsLayout:
    """The layout of a tournament's standings on a projector: as large as they can be, and all players are seen.

    Up to `COLUMN_LINES_MAX` players stand in one column, twice as many in two. More turn in pages: the podium and those
    who are one win behind it always stay, and the others change places every few seconds (`static/turning.js`). Without
    a script, and on a phone, the parts follow one another. `rows` is the length of the longest column.
    """

    parts: tuple[_StandingsPart, ...]
    columns: int
    pages: int
    rows: int
    ends_groups: frozenset[str]
    """The players whom the results tell apart from the next one."""


def layout_of(standings: Sequence[StandingsRow]) -> StandingsLayout:
    """Lays out a tournament's standings for a projector."""
    count = len(standings)
    if count <= COLUMN_LINES_MAX:
        return _laid_out(standings, (_StandingsPart(standings, None, 0),), columns=1, pages=1, rows=count)
    pinned = _pinned(standings)
    room = 2 * COLUMN_LINES_MAX - pinned
    pages = -(-(count - pinned) // room)
    length = -(-(count - pinned) // pages)
    rows = -(-(pinned + length) // 2)
    parts = [_StandingsPart(standings[:pinned], None, 0)]
    for page, start in enumerate(range(pinned, count, length)):
        lines = standings[start : start + length]
        turn = rows - pinned
        parts += [_StandingsPart(lines[:turn], page, 0), _StandingsPart(lines[turn:], page, 1)]
    return _laid_out(standings, tuple(part for part in parts if part.lines), columns=2, pages=pages, rows=rows)


def _in_columns(standings: Sequence[StandingsRow]) -> StandingsLayout:
    """The whole table at once, in columns of about the same length, for a page that is scrolled."""
    columns = max(1, -(-len(standings) // (COLUMN_LINES_MAX + 10)))
    length = max(1, -(-len(standings) // columns))
    starts = enumerate(range(0, len(standings), length))
    parts = tuple(_StandingsPart(standings[start : start + length], None, column) for column, start in starts)
    return _laid_out(standings, parts, columns=columns, pages=1, rows=length)


def _pinned(standings: Sequence[StandingsRow]) -> int:
    """The number of first lines that always stay: the podium, ties and all, and who can reach it with a win."""
    podium = sum(line.rank is not None and line.rank <= LAST_RANK for line in standings)
    below = standings[podium : podium + _CHASERS_MAX]
    chasers = next((at for at, line in enumerate(below) if line.chances != CHASING), len(below))
    return min(podium + chasers, _PINNED_MAX)


def _laid_out(
    standings: Sequence[StandingsRow], parts: tuple[_StandingsPart, ...], *, columns: int, pages: int, rows: int
) -> StandingsLayout:
    ends = frozenset(one.name for one, below in pairwise(standings) if one.group and one.group != below.group)
    return StandingsLayout(parts, columns, pages, rows, ends)
