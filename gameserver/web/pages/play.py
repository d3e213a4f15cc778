"""The page to play on. Its scripts speak the protocol `web`; the server has nothing else to do for it."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gameserver.read_model.lobby_view import ReadModel, read_model_of
from gameserver.read_model.views import GameCard
from gameserver.web.pages.lobby import text_port
from gameserver.web.ui.shared_compression import Document, document, document_response
from gameserver.web.ui.single_flight import SharedPage
from gameserver.web.ui.templating import render


def play_routes() -> list[BaseRoute]:
    """The route of the page. Who plays, and what, is asked by its scripts, so all who open it get the same."""

    async def make(read_model: ReadModel) -> Document:
        lobby_view = await read_model.look()
        return document(play_page(text_port(read_model), lobby_view.turn_time_ms, lobby_view.game_cards))

    shared = SharedPage(make)

    async def play(request: Request) -> Response:
        return document_response(request, await shared.get(read_model_of(request)))

    return [Route("/play", play)]


def play_page(port: int | None, turn_time_ms: int, games: Sequence[GameCard]) -> str:
    """The page. `port` is that of the text protocol, for a reader without scripts.

    `turn_time_ms` is the time for a turn where nobody names another one.
    """
    families: dict[str, list[GameCard]] = {"": []}  # games without one come first
    for game in games:
        families.setdefault(game.family, []).append(game)
    values = {"families": {name: cards for name, cards in families.items() if cards}, "games": games}
    return render("play.html", here="/play", json_url="", port=port, turn_time_s=turn_time_ms / 1000, **values)
