"""The list of tournaments, all of them or a player's: dates, formats, players, winners."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from attrs import evolve
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.read_model import RecordsModel, read_model_of
from gameserver.records.reader import TOURNAMENTS_MAX, RecordedTournament
from gameserver.tournaments.model import TournamentPhase
from gameserver.tournaments.plan import BRACKET_FORMATS, Format
from gameserver.tournaments.podium import Place, outside_words, winners
from gameserver.tournaments.season import SeasonSettings
from gameserver.tournaments.view import IdleRound, as_json
from gameserver.values import value
from gameserver.web.responses import number_in
from gameserver.web.templating import render


@value
class ListedTournament:
    """A line of the list of tournaments, with the final places of one that is over."""

    tournament: RecordedTournament
    places: tuple[Place, ...]
    at: str = ""
    """The beginning of the address of its page, in a list of several halls."""
    title: str = ""
    """The hall, in a list of several."""
    so_far: tuple[IdleRound, ...] = ()
    """The rounds without an opponent of all players of a Swiss that goes on."""

    @property
    def winners(self) -> tuple[str, ...]:
        """The players who share the first place; nobody before the end."""
        return winners(self.places)

    @property
    def outside(self) -> str:
        """Names the house players who came out ahead of the winners; empty if none did."""
        return outside_words(self.places, is_bracket=self.tournament.format in BRACKET_FORMATS)

    @property
    def ranked(self) -> int:
        """The number of players with a place."""
        return sum(one.rank is not None for one in self.places)

    def is_shared(self, place: Place) -> bool:
        """True if others have the same place."""
        return sum(one.rank == place.rank for one in self.places) > 1

    def place_of(self, player: str) -> Place | None:
        """A player's place; None before the end."""
        return next((one for one in self.places if one.name == player), None)

    def idle_of(self, player: str) -> tuple[IdleRound, ...]:
        """The rounds of a listed Swiss in which a player had no opponent."""
        place = self.place_of(player)
        return tuple(one for one in self.so_far if one.player == player) if place is None else place.idle

    @property
    def json(self) -> dict[str, Any]:
        """The line of the list of tournaments in terms of JSON."""
        of_hall = {"at": self.at, "title": self.title} if self.title else {}
        return as_json(self.tournament) | {"winners": list(self.winners)} | of_hall


def tournament_list_routes() -> list[BaseRoute]:
    """The routes of the list of tournaments, as a page and as JSON."""
    return [Route("/tournaments", _list), Route("/api/v1/tournaments", _list_json)]


def tournaments_page(
    lines: list[ListedTournament],
    older: str = "",
    player: str = "",
    query: str = "",
    *,
    is_further: bool = False,
    seasons: Mapping[str, SeasonSettings] | None = None,
) -> str:
    """Renders the list of tournaments. `is_further` means that a page with later ones comes before it."""
    return render(
        "tournaments.html",
        here="/tournaments",
        json_url=f"/api/v1/tournaments{'?' if query else ''}{query}",
        lines=lines,
        older=older,
        player=player,
        is_further=is_further,
        seasons=seasons or {},
    )


async def listed_tournaments(request: Request) -> tuple[list[RecordedTournament], str]:
    """The tournaments that the query of the list asks for, the latest first, and the query for those before them.

    `before` is a number, `player` a name.
    """
    before, player = number_in(request.query_params.get("before", "")), request.query_params.get("player") or None
    found = await tournaments_of(read_model_of(request), player, before)
    of_player = {"player": player} if player else {}
    older = f"?{urlencode({'before': found[-1].number} | of_player)}" if len(found) == TOURNAMENTS_MAX else ""
    return found, older


async def tournaments_of(
    read_model: RecordsModel, player: str | None, before: int | None = None, count: int | None = None
) -> list[RecordedTournament]:
    """The tournaments of the list, of a player if one is given, the latest first.

    All of them are on record from their beginning. The lobby knows more of the tournaments that it keeps.
    """
    here = {one.number: as_json(one) for one in await read_model.current_tournaments()}
    recorded = await read_model.read(lambda reader: reader.tournaments(before, count, player))
    return [evolve(one, **here.get(one.number, {})) for one in recorded]


async def with_places(read_model: RecordsModel, found: list[RecordedTournament]) -> list[ListedTournament]:
    """The lines of the list of tournaments, with the final places."""
    # Worked out once for each tournament, in a thread: 30 players and 435 games take 4 ms.
    places = await read_model.places([one.number for one in found if one.phase == TournamentPhase.OVER])
    return [ListedTournament(one, places.get(one.number, ())) for one in found]


async def with_idle_rounds(read_model: RecordsModel, lines: list[ListedTournament]) -> list[ListedTournament]:
    """Adds to a player's list of tournaments the byes of a Swiss that goes on."""
    on = [one.tournament.number for one in lines if one.tournament.format == Format.SWISS and not one.places]
    views = {number: await read_model.tournament(number) for number in on}
    return [
        line if (view := views.get(line.tournament.number)) is None else evolve(line, so_far=view.idle)
        for line in lines
    ]


async def _lines(request: Request) -> tuple[list[ListedTournament], str]:
    found, older = await listed_tournaments(request)
    return await with_places(read_model_of(request), found), older


async def _list(request: Request) -> Response:
    lines, older = await _lines(request)
    query = request.query_params
    is_further, seasons = bool(query.get("before")), read_model_of(request).seasons
    player = query.get("player", "")
    return HTMLResponse(
        tournaments_page(lines, older, player, request.url.query, is_further=is_further, seasons=seasons)
    )


async def _list_json(request: Request) -> Response:
    lines, _ = await _lines(request)
    return JSONResponse([one.json for one in lines])
