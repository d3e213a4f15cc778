"""Pages of the records: finished matches and a player's results, in this hall or in all, and the seeds of chance.

Every hall counts its matches from 1, so a page of the list over all halls ends at a number in each hall, and the
address of the next page has them all: `before=first.120,reversi.33`. Within a hall the order is that of its own list,
so nothing is shown twice or left out, whatever ends meanwhile.
"""

from collections.abc import Mapping, Sequence
from math import ceil, floor
from typing import Any
from urllib.parse import urlencode
from xml.sax.saxutils import quoteattr

from attrs import asdict, evolve
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.core.identity import HOUSE_PREFIX
from gameserver.halls import hall_of_word, hall_phrase, hall_title, hall_word
from gameserver.ratings.rating import INTERVAL_DEVIATIONS
from gameserver.read_model.read_model import LobbyView, RecordsModel, read_model_of, records_at
from gameserver.read_model.replay import result_of
from gameserver.read_model.views import Result
from gameserver.records.house_strengths import encounters_of
from gameserver.records.player_stats import MOVES_MAX, Career, RatingPoint, Score, ScoreAgainst, career_of, total
from gameserver.records.reader import MatchHead, RecordedTournament, Wanted
from gameserver.records.tournament_record import NO_SHOWS_MAX, NoShowRecord
from gameserver.values import value
from gameserver.web.errors import Missing
from gameserver.web.responses import as_json, number_in
from gameserver.web.templating import render
from gameserver.web.tournament_list import ListedTournament, tournaments_of, with_idle_rounds, with_places

# The number of latest matches on a player's page, and of tournaments.
_RECENT = 20
# The number of opponents that are not folded away.
OPPONENTS_SHOWN = 6
_SEATS = ("First seat", "Second seat")
# The drawing of a rating, in units of the SVG.
_WIDTH, _HEIGHT = 480, 208
_LEFT, _RIGHT, _TOP, _BOTTOM = 50, 472, 18, 180
_LINES_MAX = 5
_STEPS = (10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
# The room of an event's number above the course; events that are nearer share a label, such as `3-5`.
_MARK_WIDTH = 26


def match_list_routes() -> list[BaseRoute]:
    """The routes of the list of finished matches, and of the same as JSON."""
    return [Route("/matches", _matches), Route("/api/v1/matches", _matches_json)]


def record_routes() -> list[BaseRoute]:
    """The routes of the pages of records: finished matches, players' results, and seeds; and of the same as JSON."""
    return [
        *match_list_routes(),
        Route("/players", _player),
        Route("/players/{name:path}", _player),
        Route("/fairness", _fairness),
        Route("/api/v1/fairness", _fairness_json),
        Route("/api/v1/players", _player_json),
        Route("/api/v1/players/{name:path}", _player_json),
    ]


def matches_page(
    heads: Sequence[MatchHead], wanted: Wanted, games: tuple[str, ...], before: str = "", following: str = ""
) -> str:
    """Renders a page of the list of finished matches. It begins at `before`, the next one at `following`."""
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
    no_shows: Sequence[NoShowRecord] = (),
    tournaments: Sequence[ListedTournament] = (),
    *,
    has_log: bool = False,
    has_halls: bool = False,
) -> str:
    """Renders the page of a player's results."""
    older = f"{'/halls' if has_halls else ''}/matches?{urlencode({'player': name})}" if len(heads) == _RECENT else ""
    house = next((one for one in lobby_view.house if one.name == name), None)
    strengths = encounters_of(name.removeprefix(HOUSE_PREFIX)) if house else ()
    return render(
        "player.html",
        here="",
        json_url=f"/api/v1/players?{urlencode({'name': name})}",
        name=name,
        present=next((one for one in lobby_view.players if one.name == name), None),
        is_house=house is not None,
        # The table has games of extras, too, which this server may not offer.
        strengths=tuple(each for each in strengths if house and each.game in house.games),
        career=career,
        figures=_figures_of(career, tournaments),
        opponents_shown=OPPONENTS_SHOWN,
        moves_max=MOVES_MAX,
        tournaments=tournaments,
        all_tournaments=f"/tournaments?{urlencode({'player': name})}"
        if len(tournaments) == _RECENT and not has_halls
        else "",
        heads=heads,
        no_shows=no_shows,
        older=older,
        result_of=result_of_head,
        own_page=f"/own?{urlencode({'player': name})}",
        has_log=has_log,
        own_log=f"/wire-log?{urlencode({'player': name})}",
    )


def result_of_head(head: MatchHead) -> Result:
    """The result of a finished match on a page of the records, for its words."""
    return result_of(head.reason, head.seats, head.reason_text, head.why)


def wanted_in(request: Request) -> Wanted:
    """The finished matches that the query of a page of records asks for."""
    query = request.query_params
    before = number_in(query.get("before", ""))
    return Wanted(before, player=query.get("player") or None, game=query.get("game") or None)


async def _matches(request: Request) -> Response:
    read_model, wanted = read_model_of(request), wanted_in(request)
    heads = await read_model.read(lambda reader: reader.heads(wanted))
    following = str(heads[-1].match) if heads else ""
    return HTMLResponse(
        matches_page(heads, wanted, (await read_model.latest()).games, str(wanted.before or ""), following)
    )


async def _matches_json(request: Request) -> Response:
    wanted = wanted_in(request)
    heads = await read_model_of(request).read(lambda reader: reader.heads(wanted))
    return JSONResponse(as_json(heads))


async def _fairness(request: Request) -> Response:
    epochs = await read_model_of(request).read(lambda reader: reader.epochs())
    return HTMLResponse(render("fairness.html", here="", json_url="/api/v1/fairness", epochs=epochs))


async def _fairness_json(request: Request) -> Response:
    return JSONResponse(as_json(await read_model_of(request).read(lambda reader: reader.epochs())))


# The number in each hall before which its matches are wanted; all of them in a hall that is missing.
Before = Mapping[str, int]


@value
class HallHead(MatchHead):
    """A finished match in the list over all halls."""

    hall: str
    at: str
    """The beginning of the address of its page."""

    @property
    def title(self) -> str:
        """The hall of a finished match as people read it."""
        return hall_title(self.hall)


def _models_of(read_model: RecordsModel) -> Mapping[str, RecordsModel]:
    """The records of each hall by its name, this server's first."""
    others = ((name, read_model.of_hall(name)) for name in read_model.halls.others)
    return {read_model.halls.own: read_model} | {name: model for name, model in others if model is not None}


async def heads_of_all(
    read_model: RecordsModel, wanted: Wanted, before: Before | None = None
) -> tuple[tuple[HallHead, ...], Before]:
    """Merges finished matches of all halls for a web page of records, latest first, and where the next begins.

    Of `wanted`, `before` does not count.
    """
    found: dict[str, Sequence[HallHead]] = {}
    before = before or {}
    for hall, model in _models_of(read_model).items():
        of_hall = Wanted(before.get(hall), wanted.player, wanted.game, wanted.count)
        heads = await model.read(lambda reader, of_hall=of_hall: reader.heads(of_hall))  # type: ignore[misc]
        at = "" if hall == read_model.halls.own else records_at(hall)
        found[hall] = [HallHead(**_fields_of(head), hall=hall, at=at) for head in heads]
    merged = _latest_first(found, wanted.count)
    return merged, {**before, **{head.hall: head.match for head in merged}}


def _latest_first(found: Mapping[str, Sequence[HallHead]], count: int) -> tuple[HallHead, ...]:
    """The first matches of the lists in one, by their ends; those of one hall stay in their order."""
    left = {hall: list(reversed(heads)) for hall, heads in found.items() if heads}
    merged: list[HallHead] = []
    while left and len(merged) < count:
        latest = max(left, key=lambda hall: left[hall][-1].ended_at)
        merged.append(left[latest].pop())
        if not left[latest]:
            del left[latest]
    return tuple(merged)


def before_in(text: str) -> Before:
    """Reads from a web address where a page of the records begins, in each hall. What makes no sense is left out."""
    found = {}
    for part in text.split(","):
        word, _, digits = part.rpartition(".")
        hall, number = hall_of_word(word), number_in(digits)
        if hall is not None and number is not None:
            found[hall] = number
    return found


def before_text(before: Before) -> str:
    """Writes into a web address where a page of the records begins, in each hall."""
    return ",".join(f"{hall_word(hall)}.{number}" for hall, number in sorted(before.items()))


def _fields_of(head: MatchHead) -> dict[str, Any]:
    return asdict(head, recurse=False)


@value
class _HallNoShow(NoShowRecord):
    """A no-show of a player's results, in one of several halls."""

    hall: str
    at: str
    """The beginning of the addresses of the hall's records; empty for this server's own hall."""

    @property
    def where(self) -> str:
        """The tournament and the hall of a no-show, within a sentence."""
        return f"tournament {self.decided.tournament} in {hall_phrase(self.hall)}"

    @property
    def anchor(self) -> str:
        """The id of a no-show on a player's page; `PageHall.id_part` is the same part."""
        # Every hall counts its tournaments from 1: without it, no-shows of two halls had the same id.
        part = f"{hall_word(self.hall)}-" if self.at else ""
        return f"no-show-{part}{self.decided.tournament}-{self.decided.pairing}"


@value
class _PlayerResults:
    """Statistics, and the latest matches, no-shows and tournaments, the last one first."""

    career: Career
    heads: Sequence[MatchHead]
    no_shows: Sequence[NoShowRecord]
    tournaments: Sequence[ListedTournament]


async def _results_of(read_model: RecordsModel, name: str) -> _PlayerResults:
    """A player's results. With one hall they are as its records have them, and nothing speaks of halls."""
    models = _models_of(read_model)
    wanted = Wanted(player=name, count=_RECENT)
    if len(models) == 1:
        return _PlayerResults(
            # In a thread: 5,000 matches take 27 ms to read.
            career=await read_model.read(lambda reader: reader.career(name)),
            heads=await read_model.read(lambda reader: reader.heads(wanted)),
            no_shows=await read_model.read(lambda reader: reader.no_shows(name)),
            tournaments=await _with_all(read_model, await tournaments_of(read_model, name, count=_RECENT)),
        )
    parts = [await model.read(lambda reader: reader.career_parts(name)) for model in models.values()]
    heads, _ = await heads_of_all(read_model, wanted)
    no_shows = [one for hall, model in models.items() for one in await _no_shows(read_model, hall, model, name)]
    return _PlayerResults(
        career=career_of(parts, tuple(models)),
        heads=heads,
        no_shows=sorted(no_shows, key=lambda one: one.decided.at, reverse=True)[:NO_SHOWS_MAX],
        tournaments=await _tournaments(read_model, name),
    )


async def _no_shows(read_model: RecordsModel, hall: str, model: RecordsModel, name: str) -> list[_HallNoShow]:
    """The latest no-shows in one hall."""
    at = "" if hall == read_model.halls.own else records_at(hall)
    found = await model.read(lambda reader: reader.no_shows(name))
    return [_HallNoShow(one.decided, one.announced, one.meanwhile, hall, at) for one in found]


async def _with_all(model: RecordsModel, found: list[RecordedTournament]) -> list[ListedTournament]:
    return await with_idle_rounds(model, await with_places(model, found))


async def _tournaments(read_model: RecordsModel, name: str) -> list[ListedTournament]:
    """The tournaments of all halls, the latest first. Places are worked out for those that are shown alone."""
    own, models = read_model.halls.own, _models_of(read_model)
    # So many of each hall: all of the latest may be in one.
    found = [
        (one.created_at, hall, one)
        for hall, model in models.items()
        for one in await tournaments_of(model, name, count=_RECENT)
    ]
    found.sort(key=lambda line: line[0], reverse=True)
    lines = []
    for _, hall, tournament in found[:_RECENT]:
        (line,) = await _with_all(models[hall], [tournament])
        lines.append(evolve(line, at="" if hall == own else records_at(hall), title=hall_title(hall)))
    return lines


async def _seen(request: Request) -> tuple[str, LobbyView, _PlayerResults]:
    """A player's name, and the data of the player's page. Raises `Missing`."""
    name = request.path_params.get("name") or request.query_params.get("name", "")
    read_model = read_model_of(request)
    lobby_view = await read_model.latest()
    found = await _results_of(read_model, name)
    names = {one.name for one in lobby_view.players} | {one.name for one in lobby_view.house}
    if not (found.career.is_known or found.no_shows or found.tournaments or name in names):
        raise Missing(f"There is no player {name} here, and none on record")
    return name, lobby_view, found


async def _player(request: Request) -> Response:
    (name, lobby_view, found), read_model = await _seen(request), read_model_of(request)
    has_halls = bool(read_model.halls.others)
    lists, has_log = (found.heads, found.no_shows, found.tournaments), read_model.keeps_wire_logs
    page = player_page(name, lobby_view, found.career, *lists, has_log=has_log, has_halls=has_halls)
    return HTMLResponse(page)


async def _player_json(request: Request) -> Response:
    name, lobby_view, results = await _seen(request)
    here = next((one for one in lobby_view.players if one.name == name), None)
    found: dict[str, Any] = {
        "name": name,
        "here": as_json(here),
        "career": as_json(results.career),
        "matches": as_json(results.heads),
        "no_shows": as_json(results.no_shows),
        "tournaments": [line.json | {"place": as_json(line.place_of(name))} for line in results.tournaments],
    }
    return JSONResponse(found)


@value
class _SeatLine:
    """The score in a seat, or in all of them."""

    words: str
    score: Score


@value
class _GameFigures:
    """A player's results at one game: the rating's course, scores by seat and by opponent."""

    game: str
    lines: tuple[_SeatLine, ...]
    opponents: tuple[ScoreAgainst, ...]
    graph: Markup
    events: tuple[ListedTournament, ...]
    """The tournaments that are marked in the graph by their places here, counted from 1."""
    rating: int | None
    plus_minus: int
    rated: int
    """The number of rated matches."""
    since: RatingPoint | None
    """The first point of the graph."""

    @property
    def matches(self) -> int:
        """The number of matches."""
        return self.lines[0].score.matches

    @property
    def has_void(self) -> bool:
        """True if a match ended without a result."""
        return bool(self.lines[0].score.void)


def _figures_of(career: Career, tournaments: Sequence[ListedTournament]) -> list[_GameFigures]:
    """The figures of each game, the game of the most matches first."""
    found = [_figures(career, game, tournaments) for game in career.games]
    return sorted(found, key=lambda one: -one.matches)


def _figures(career: Career, game: str, tournaments: Sequence[ListedTournament]) -> _GameFigures:
    seats = [one for one in career.seats if one.game == game]
    history = [one for one in career.history if one.game == game]
    events = _events_during(history, game, tournaments)
    rating = next((one for one in career.ratings if one.game == game), None)
    return _GameFigures(
        game=game,
        lines=(
            _SeatLine("All", total(one.score for one in seats)),
            *(_SeatLine(_seat_words(one.seat), one.score) for one in seats),
        ),
        opponents=tuple(one for one in career.opponents if one.game == game),
        graph=rating_graph(history, [_began_at(one) for one in events]),
        events=events,
        rating=None if rating is None else round(rating.rating),
        plus_minus=0 if rating is None else _plus_minus(rating.deviation),
        rated=0 if rating is None else rating.matches,
        since=history[0] if history else None,
    )


def _began_at(line: ListedTournament) -> str:
    return line.tournament.started_at or ""


def _events_during(
    history: Sequence[RatingPoint], game: str, tournaments: Sequence[ListedTournament]
) -> tuple[ListedTournament, ...]:
    """The tournaments of a game that began while the curve of the rating was drawn, the first one first."""
    if len(history) < 2:  # no course yet
        return ()
    # One that began before the first point stands at it, if it was not over by then.
    first, last = history[0].ended_at, history[-1].ended_at
    found = [
        one
        for one in tournaments
        if one.tournament.game == game and "" < _began_at(one) <= last and (one.tournament.ended_at or last) >= first
    ]
    return tuple(sorted(found, key=_began_at))


def _seat_words(seat: int) -> str:
    return _SEATS[seat] if seat < len(_SEATS) else f"Seat {seat + 1}"


def _plus_minus(deviation: float) -> int:
    """Half the width of the range that holds the rating 95 times of 100."""
    return round(INTERVAL_DEVIATIONS * deviation)


def rating_graph(points: Sequence[RatingPoint], events: Sequence[str] = ()) -> Markup:
    """Draws the course of a player's rating as an `svg` element, in the range that holds it 95 times of 100.

    `events` are the times of day, in their order, at which tournaments began: each has a line at the first match that
    ended after it, and its place among them as a number. Nothing for fewer than two points.
    """
    if len(points) < 2:  # no course yet
        return Markup()
    scale = _Scale(points)
    upper = [scale.place(one, INTERVAL_DEVIATIONS) for one in points]
    lower = [scale.place(one, -INTERVAL_DEVIATIONS) for one in reversed(points)]
    line = [scale.place(one) for one in points]
    x, y = line[-1]
    lines = "".join(_grid_line(scale.y(at), at) for at in scale.levels)
    inner = f'x="{_LEFT}" y="{_TOP}" width="{_RIGHT - _LEFT}" height="{_BOTTOM - _TOP}"'
    # The inner element cuts off the range of the first matches, which would press all else flat.
    drawing = (
        f'<svg {inner} viewBox="{_LEFT} {_TOP} {_RIGHT - _LEFT} {_BOTTOM - _TOP}">'
        f'<polygon class="range" points="{_text_of(upper + lower)}"/>'
        f'<polyline class="course" points="{_text_of(line)}"/></svg>'
        f'<circle class="now" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    )
    numbers = (
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}">{points[0].number}</text>'
        f'<text class="middle" x="{(_LEFT + _RIGHT) / 2:g}" y="{_HEIGHT - 6}">rated matches</text>'
        f'<text class="end" x="{_RIGHT}" y="{_HEIGHT - 6}">{points[-1].number}</text>'
    )
    label = quoteattr(f"The rating after each match: {_words(points[0])} at first, {_words(points[-1])} at last")
    return Markup(  # noqa: S704 - nothing in it but numbers
        f'<svg class="rating-graph" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label={label}>'
        f"{lines}{_marks(scale, points, events)}{drawing}{numbers}</svg>"
    )


def _marks(scale: "_Scale", points: Sequence[RatingPoint], events: Sequence[str]) -> str:
    """The lines of events in the drawing, with their numbers above them."""
    places = [
        scale.place(next((point for point in points if point.ended_at >= began_at), points[-1]))[0]
        for began_at in events
    ]
    labels: list[tuple[float, int, int]] = []
    for number, x in enumerate(places, 1):
        if labels and x - labels[-1][0] < _MARK_WIDTH:
            labels[-1] = (*labels[-1][:2], number)
        else:
            labels.append((x, number, number))
    lines = "".join(f'<line class="event" x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{_BOTTOM}"/>' for x in places)
    return lines + "".join(
        f'<text class="middle" x="{x:.1f}" y="{_TOP - 4}">{_numbers(first, last)}</text>' for x, first, last in labels
    )


def _words(point: RatingPoint) -> str:
    return f"{round(point.rating)} ± {_plus_minus(point.deviation)} after {point.number}"


class _Scale:
    """Places of ratings in the drawing. All ratings have room, and the ranges of the later half."""

    def __init__(self, points: Sequence[RatingPoint]) -> None:
        settled = points[len(points) // 2 :]  # the ranges of the first matches are wider than all that follows
        low = min(
            [one.rating for one in points] + [one.rating - INTERVAL_DEVIATIONS * one.deviation for one in settled]
        )
        high = max(
            [one.rating for one in points] + [one.rating + INTERVAL_DEVIATIONS * one.deviation for one in settled]
        )
        step = next((one for one in _STEPS if high - low <= one * (_LINES_MAX - 2)), _STEPS[-1])
        bottom, top = floor(low / step), max(ceil(high / step), floor(low / step) + 1)
        self.levels = [level * step for level in range(bottom, top + 1)]
        self._first, self._last = points[0].number, points[-1].number

    def y(self, rating: float) -> float:
        """From the top of the drawing."""
        return _BOTTOM - (_BOTTOM - _TOP) * (rating - self.levels[0]) / (self.levels[-1] - self.levels[0])

    def place(self, point: RatingPoint, deviations: float = 0.0) -> tuple[float, float]:
        """A point, or one so many standard deviations above it."""
        across = (point.number - self._first) / (self._last - self._first)
        return _LEFT + (_RIGHT - _LEFT) * across, self.y(point.rating + deviations * point.deviation)


def _numbers(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}\N{EN DASH}{last}"


def _grid_line(y: float, level: int) -> str:
    return (
        f'<line class="level" x1="{_LEFT}" y1="{y:.1f}" x2="{_RIGHT}" y2="{y:.1f}"/>'
        f'<text class="end" x="{_LEFT - 6}" y="{y + 4:.1f}">{level}</text>'
    )


def _text_of(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
