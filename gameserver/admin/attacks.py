"""The names for which wrong secrets come in, for handlers behind the gate."""

from collections.abc import Callable, Sequence

from attrs import frozen
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from gameserver.public.attacks import Attack

_KEY = "gameserver.attacks"


@frozen
class WithAttacks:
    """An ASGI application whose handlers may ask which names are under attack."""

    app: ASGIApp
    attacks: Callable[[], Sequence[Attack]]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        await self.app({**scope, _KEY: self.attacks}, receive, send)


def attacks_of(request: Request) -> Sequence[Attack]:
    """The names for which wrong secrets came in lately, the most tried first."""
    found: Callable[[], Sequence[Attack]] = request.scope[_KEY]
    return found()
