"""A server with an admin listener, and somebody who asks there."""

from typing import Any

import orjson

from gameserver.admin.listener import AdminOptions, AdminProtocol
from gameserver.server.server import Listening
from gameserver.transport.listener import Address, open_listeners
from tests.http.support import Answer, Browser
from tests.support.serving import Running, serving

TOKEN = "a-token-for-the-tests"
OPTIONS = AdminOptions(TOKEN, ("Lab.example",))
BEARER = f"Authorization: Bearer {TOKEN}"


def serving_admin(more: Any = (), **setup: Any) -> Any:
    """The text protocol, and the admin listener beside it."""
    sockets = tuple(open_listeners(Address("127.0.0.1", 0)))
    protocol = AdminProtocol(more)
    return serving(beside=(Listening(protocol, sockets, "document", OPTIONS),), **setup)


async def admin(running: Running) -> Browser:
    return await Browser.connect(running, running.ports["admin"])


async def get(running: Running, path: str, *headers: str, host: str = "localhost:1") -> Answer:
    return await (await admin(running)).get(path, headers, host=host)


async def post(running: Running, path: str, body: Any = None, *headers: str) -> Answer:
    """Post JSON with the token."""
    return await (await admin(running)).post(path, orjson.dumps(body), BEARER, *headers, host="localhost:1")
