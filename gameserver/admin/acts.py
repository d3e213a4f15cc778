"""What a teacher can see and do in the lobby: `/api`."""

from importlib.metadata import version
from typing import cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gameserver.admin.answers import CONVERTER, Act, Stop, answer, body_of, carry_out, in_json, told
from gameserver.core.commands import Drain, Kick, ShowLobby, Void
from gameserver.core.events import LobbyShown
from gameserver.endpoints import AsgiApp, HttpEndpoint, lobby_of


async def _status(request: Request) -> Response:
    return answer({"version": version("gameserver")} | CONVERTER.unstructure(await seen(request)))


async def _kick(request: Request) -> Response:
    act = await body_of(request, Act)
    return await carry_out(request, Kick(request.path_params["player"], act.why, act.by))


async def _void(request: Request) -> Response:
    act = await body_of(request, Act)
    return await carry_out(request, Void(request.path_params["match"], act.why, act.by))


async def _drain(request: Request) -> Response:
    stop = await body_of(request, Stop)
    shown = await seen(request)
    await told(request, Drain(round(stop.within_s * 1000), stop.why, stop.by))
    return answer({"done": True, "matches": len(shown.matches), "within_s": stop.within_s})


async def seen(request: Request) -> LobbyShown:
    """Everything that goes on in the lobby."""
    heard = await told(request, ShowLobby(lobby_of(request).session))
    (shown,) = [event for event in heard.events if isinstance(event, LobbyShown)]
    return shown


ENDPOINT = HttpEndpoint(
    "/api",
    cast(
        "AsgiApp",
        Starlette(
            routes=[
                Route("/status", _status),
                Route("/drain", _drain, methods=["POST"]),
                Route("/players/{player:path}/kick", _kick, methods=["POST"]),
                Route("/matches/{match:int}/void", _void, methods=["POST"]),
            ],
            exception_handlers={HTTPException: in_json},
        ),
    ),
)
