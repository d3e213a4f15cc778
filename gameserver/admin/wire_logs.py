"""The wire logs, for handlers behind the gate: what every player's connections said and heard."""

from collections.abc import Callable

import trio
from attrs import frozen
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

_KEY = "gameserver.wire_log_of"


@frozen
class WithWireLogs:
    """An ASGI application whose handlers may ask for wire logs, by player."""

    app: ASGIApp
    wire_log_of: Callable[[str], str | None]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        await self.app({**scope, _KEY: self.wire_log_of}, receive, send)


async def wire_log_of(request: Request, player: str) -> str | None:
    """The lines of a player; None where there are none, or none are kept."""
    read: Callable[[str], str | None] = request.scope[_KEY]
    return await trio.to_thread.run_sync(read, player)
