"""Certificates of a tournament that is over: a page for each player who came, made for printing.

Whoever came has one, not the podium alone: a student of the last place takes home the record and the best win, too. A
browser prints them, to paper or as a PDF, so that no program for typesetting is needed.
"""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.read_model import read_model_of
from gameserver.tournaments.plan import BRACKET_FORMATS
from gameserver.tournaments.podium import Place, PodiumPlayer, told_of
from gameserver.tournaments.view import TournamentView
from gameserver.values import value
from gameserver.web.errors import Missing
from gameserver.web.templating import render


@value
class _Certificate:
    """A player's page: the place, and what there is to tell."""

    place: Place
    is_shared: bool
    player: PodiumPlayer


def certificate_routes() -> list[BaseRoute]:
    """The route of the certificates of a tournament."""
    return [Route("/tournaments/{number:int}/certificates", _page)]


def certificates_page(view: TournamentView, places: Sequence[Place], ended_at: str) -> str:
    """Renders the certificates of a tournament, the first place first. `ended_at` is a time of day of the records."""
    ranks = [one.rank for one in places]
    told = told_of(view)
    found = [
        _Certificate(place, ranks.count(place.rank) > 1, told[place.name])
        for place in places
        if place.rank is not None and not place.absent
    ]
    return render(
        "certificates.html",
        here="",
        json_url=f"/api/v1/tournaments/{view.number}",
        view=view,
        certificates=found,
        ranked=sum(rank is not None for rank in ranks),
        is_bracket=view.format in BRACKET_FORMATS,
        ended_at=ended_at,
        # Of a team in which not everybody's points count, those whose points do.
        team_of={name: team for team in view.teams for name in team.players},
    )


async def _page(request: Request) -> Response:
    read_model, number = read_model_of(request), request.path_params["number"]
    view = await read_model.tournament(number)
    if view is None:
        raise Missing(f"There is no tournament {number}")
    places = (await read_model.places([number])).get(number, ())
    if not places:
        raise Missing(
            f"Tournament {number} has no places yet: there are certificates once it is over. It stands on ",
            f"/tournaments/{number}",
        )
    recorded = await read_model.read(lambda reader: reader.tournaments(number + 1, 1))
    ended_at = next((one.ended_at or "" for one in recorded if one.number == number), "")
    return HTMLResponse(certificates_page(view, places, ended_at))
