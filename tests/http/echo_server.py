"""A server that echoes over HTTP, and everything that comes back on a connection to it."""

from typing import Any

from gameserver.http.listener import HttpProtocol
from gameserver.http.options import HttpOptions
from tests.http.support import Browser
from tests.support.echo import EchoProtocol
from tests.support.serving import Running, serving

OPTIONS = HttpOptions(
    head_bytes_max=2_000, body_bytes_max=5_000, request_timeout_s=20, keep_alive_s=60, ping_every_s=30
)


def serving_http(**setup: Any) -> Any:
    protocol = HttpProtocol([EchoProtocol()])
    return serving(protocol=protocol, options=setup.pop("options", OPTIONS), **setup)


async def raw(running: Running, request: bytes) -> bytes:
    """Everything that comes back up to the end of the connection."""
    browser = await Browser.connect(running)
    await browser.send(request)
    return await browser.rest()
