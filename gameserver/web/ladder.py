"""Page of a game's ladder: its ranking, everybody's form, the last matches, and the rankings of earlier nights."""

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.ladder import DAY_MS, LadderHistory
from gameserver.ratings.rating import INTERVAL_DEVIATIONS
from gameserver.read_model.read_model import read_model_of
from gameserver.records.match_record import time_of_day
from gameserver.records.reader import MatchHead, Wanted
from gameserver.values import value
from gameserver.web.errors import Missing
from gameserver.web.records import result_of_head
from gameserver.web.responses import as_json
from gameserver.web.season import seasons_of
from gameserver.web.templating import render

_MATCHES = 10
_FORM = 5
# Two weeks of links; older rankings are on record.
_NIGHTS = 14
_LETTERS: Mapping[str, str] = {"win": "W", "draw": "D", "loss": "L", "void": "-"}

Lines = Sequence[tuple[str, float, float, int]]


@value
class _Line:
    """A player of the ranking. `form` has the last results, the latest last."""

    place: int
    player: str
    rating: int
    plus_minus: int
    matches: int
    """Those of the last seven days."""
    before: int | None = None
    """The place in the night's ranking."""
    form: str = ""
    matches_a_day: int | None = None
    """Those of the last day; None in the ranking of a night."""


@value
class _Seen:
    """The content of a ladder's page."""

    game: str
    since: str | None
    """The time of day at which it was opened; None while it is closed."""
    waits_for: str | None
    matches_a_day: int
    night: str | None
    """The day whose ranking is shown; None for that of now."""
    lines: tuple[_Line, ...]
    matches: tuple[MatchHead, ...]
    nights: tuple[str, ...]
    seasons: Mapping[str, str]
    """The titles of those of which it is an event, by their names."""


def ladder_routes() -> list[BaseRoute]:
    """The routes of a ladder's page, and of the same as JSON."""
    return [Route("/ladders/{game}", _page), Route("/api/v1/ladders/{game}", _json)]


async def _page(request: Request) -> Response:
    seen = await _seen(request)
    json_url = f"/api/v1{request.url.path}" + (f"?night={seen.night}" if seen.night else "")
    return HTMLResponse(render("ladder.html", here="", json_url=json_url, seen=seen, result_of=result_of_head))


async def _json(request: Request) -> Response:
    return JSONResponse(as_json(await _seen(request)))


async def _seen(request: Request) -> _Seen:
    """Looks up what the page shows. Raises `Missing`."""
    read_model, wanted = read_model_of(request), request.path_params["game"]
    lobby_view = await read_model.latest()
    game = next((name for name in lobby_view.games if name.lower() == wanted.lower()), None)
    if game is None:
        raise Missing(f"There is no game {wanted} here")
    row, night = lobby_view.ladders.get(game), request.query_params.get("night")
    nights, ranking = await read_model.read(lambda reader: reader.ranking(game, night, _NIGHTS))
    history = await read_model.ladder(game)
    if row is None and not (nights or history.players):
        raise Missing(f"There is no ladder of {game} here; its teacher opens one with: gameserver ladder open {game}")
    if night is not None and not ranking:
        raise Missing(f"There is no ranking of {game} of the night of {night}; see ", f"/ladders/{game}")
    heads = await read_model.read(lambda reader: reader.heads(Wanted(ladder=game, count=_MATCHES)))
    return _Seen(
        game=game,
        since=None if row is None else time_of_day(row.since_wall_ms),
        waits_for=None if row is None else lobby_view.event_at(game),
        matches_a_day=history.matches_a_day,
        night=night,
        lines=tuple(_lines(ranking) if night is not None else _lines_now(history, ranking)),
        matches=heads,
        nights=nights,
        seasons=seasons_of(read_model, lambda season: game in dict(season.ladders)),
    )


def _lines(ranking: Lines) -> list[_Line]:
    return [_Line(place, *_rounded(*line)) for place, line in enumerate(ranking, start=1)]


def _rounded(player: str, rating: float, deviation: float, matches: int) -> tuple[Any, ...]:
    return player, round(rating), round(INTERVAL_DEVIATIONS * deviation), matches


def _lines_now(history: LadderHistory, before: Lines) -> list[_Line]:
    places = {player: place for place, (player, *_) in enumerate(before, start=1)}
    lines = []
    for place, line in enumerate(history.ranking, start=1):
        player = line[0]
        results = history.results_of(player)
        form = [_LETTERS[one.results[one.players.index(player)]] for one in list(results)[-_FORM:]]
        day = sum(one.ended_ms > history.as_of_ms - DAY_MS for one in results)
        shown = _Line(place, *_rounded(*line))
        lines.append(evolve(shown, before=places.get(player), form=" ".join(form), matches_a_day=day))
    return lines
