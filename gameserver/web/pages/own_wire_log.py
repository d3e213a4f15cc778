"""A player's own wire log as text, whole."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from gameserver.read_model.lobby_view import read_model_of
from gameserver.web.pages.owner import refusal, visitor_of
from gameserver.wire_log.owner_access import NotShown


async def serve_own_log(request: Request) -> Response:
    """The log, for its owner."""
    visitor = await visitor_of(request)
    try:
        log = await read_model_of(request).own_wire_log(visitor.owner)
    except NotShown as refused:
        raise refusal(refused) from refused
    return PlainTextResponse(log.text, headers={"Cache-Control": "no-store"})
