"""The admin requests about the lobby: `/api`."""

from http import HTTPStatus
from importlib.metadata import version
from typing import cast

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from gameserver.admin.api_responses import (
    CONVERTER,
    HANDLERS,
    Stop,
    TeacherCommand,
    answer,
    answer_of,
    body_of,
    carry_out,
)
from gameserver.admin.request_scope import attacks_of, wire_log_of
from gameserver.core.commands import Drain, Kick, Void
from gameserver.endpoints import AsgiApp, HttpEndpoint
from gameserver.read_model.lobby_view import read_model_of
from gameserver.read_model.views import AdminLobbyView


async def _status(request: Request) -> Response:
    shown = CONVERTER.unstructure(await seen(request))
    return answer({"version": version("gameserver")} | shown | {"attacks": CONVERTER.unstructure(attacks_of(request))})


async def _kick(request: Request) -> Response:
    act = await body_of(request, TeacherCommand)
    return await carry_out(request, Kick(request.path_params["player"], act.why, act.by))


async def _void(request: Request) -> Response:
    act = await body_of(request, TeacherCommand)
    return await carry_out(request, Void(request.path_params["match"], act.why, act.by))


async def _drain(request: Request) -> Response:
    stop = await body_of(request, Stop)
    shown = await seen(request)
    await answer_of(request, Drain(round(stop.within_s * 1000), stop.why, stop.by))
    return answer({"done": True, "matches": len(shown.matches), "within_s": stop.within_s})


async def _wire_log(request: Request) -> Response:
    player = request.query_params.get("player", "")
    found = await wire_log_of(request, player)
    if found is None:
        raise HTTPException(
            HTTPStatus.NOT_FOUND, f"there is no wire log of {player!r}; set wire_log.directory to keep wire logs"
        )
    # RFC 6266: the file name is the ASCII part of the player's name. If none is left, the browser chooses one.
    name = "".join(letter for letter in player if letter.isascii() and letter.isalnum())
    disposition = f'attachment; filename="wire-log-{name}.txt"'
    return PlainTextResponse(found, headers={"Content-Disposition": disposition, "Cache-Control": "no-store"})


async def seen(request: Request) -> AdminLobbyView:
    """The whole lobby, including the effect of every act that was answered."""
    return (await read_model_of(request).look(exact=True)).admin


ENDPOINT = HttpEndpoint(
    "/api",
    cast(
        "AsgiApp",
        Starlette(
            routes=[
                Route("/status", _status),
                Route("/wire-log", _wire_log),
                Route("/drain", _drain, methods=["POST"]),
                Route("/players/{player:path}/kick", _kick, methods=["POST"]),
                Route("/matches/{match:int}/void", _void, methods=["POST"]),
            ],
            exception_handlers=HANDLERS,
        ),
    ),
)
