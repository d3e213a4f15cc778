"""The protocol of players in a browser: JSON messages over a WebSocket, for any program that likes them.

    schema               the messages of a client, and how they are read
    handlers             the messages, the stages that they are taken at, and their answers
    session              the state of one connection
    rendering            events into messages
    picture              a board's picture and its sides in terms of JSON
    refusals             every error in the protocol's words
    keys                 the key by which a player takes the own name and seat back
    options              the protocol's own settings
    adapter              joins the parts
    scenarios            what `gameserver check` plays with its clients

The page for its users is `guide.md`.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import ClassVar

from gameserver.endpoints import SAME_ORIGIN
from gameserver.protocol import Adapter, Context, Endpoint, Peer, WebSocketEndpoint, WireProtocol
from protocols.message_pace import MessagePace
from protocols.web.adapter import WebAdapter
from protocols.web.options import WebOptions
from protocols.web.session import WebSession

__all__ = ["PROTOCOL", "WebProtocol"]

PATH = "/play/socket"


class WebProtocol(WireProtocol):
    """The protocol itself. It has no port of its own: it lives on the HTTP listener."""

    name: ClassVar[str] = "web"
    title: ClassVar[str] = "JSON over a WebSocket, as browsers play"
    default_port: ClassVar[int | None] = None
    options_type: ClassVar[type] = WebOptions
    scenarios: ClassVar[str] = "protocols.web.scenarios"
    guide: ClassVar[str] = files(__name__).joinpath("guide.md").read_text("utf-8")
    secrets: ClassVar[Sequence[re.Pattern[bytes]]] = (
        re.compile(rb'"secret"\s*:\s*"((?:[^"\\\r\n]|\\.|\\\Z)*)'),
        re.compile(rb'"key"\s*:\s*"((?:[^"\\\r\n]|\\.|\\\Z)*)'),
    )
    mishaps: ClassVar[Mapping[str, re.Pattern[bytes]]] = {
        "A request or a move was refused.": re.compile(rb'"tell":"(?:error|refused)"'),
    }
    try_it: ClassVar[str] = "websocat ws://{host}:{port}" + PATH

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A new connection's adapter."""
        session = WebSession(peer, context, MessagePace(context.options.messages_per_10_s))
        return WebAdapter(session, context.line_bytes_max)

    def endpoints(self) -> Sequence[Endpoint]:
        """The one path. Of all pages in a browser, the server's own alone may connect."""
        return (WebSocketEndpoint(PATH, origins=(SAME_ORIGIN,)),)


PROTOCOL = WebProtocol()
