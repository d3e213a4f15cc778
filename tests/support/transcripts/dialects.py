"""Facts about each protocol for the checker: its line ends, its login, the paths of its WebSockets."""

import json
import re
from collections.abc import Callable

from attrs import converters, field, frozen

from gameserver.protocol import WebSocketEndpoint, WireProtocol
from protocols.connect_four import PROTOCOL as CONNECT_FOUR_PROTOCOL
from protocols.gammonx import PROTOCOL as GAMMONX_PROTOCOL
from protocols.mastermind import PROTOCOL as MASTERMIND_PROTOCOL
from protocols.strategic import PROTOCOL as STRATEGIC_PROTOCOL
from protocols.strategic.profiles import PROFILES
from protocols.web import PROTOCOL as WEB_PROTOCOL


def web_key(name: str) -> str:
    """The key with which a player of the protocol `web` comes in, so that a transcript can write it down."""
    return (name * 22)[:22]


@frozen(eq=False)
class Dialect:
    """A protocol as it is seen from outside."""

    protocol: WireProtocol
    line_end: bytes
    """The line end of the server, which occurs nowhere else."""
    client_line_ends: frozenset[bytes]
    """The line ends that a client may use."""
    greeting: Callable[[str], tuple[str, ...]]
    """The lines that come before a client has spoken, by profile."""
    enters: Callable[[str], str] | None = None
    """The line with which a client of this name logs in, if the protocol has names."""
    entered: re.Pattern[str] | None = field(default=None, converter=converters.optional(re.compile))
    """The answer to a successful login."""

    is_hub: bool = False
    """True if it uses SignalR records, and has no listener of its own."""

    @property
    def name(self) -> str:
        """The protocol's name."""
        return self.protocol.name


STRATEGIC = Dialect(
    protocol=STRATEGIC_PROTOCOL,
    line_end=b"\r\n",
    client_line_ends=frozenset({b"\n", b"\r\n", b"\r"}),
    greeting=lambda profile: PROFILES[profile].banner,
    enters=lambda name: f"login {name}",
    entered="OK",
)
CONNECT_FOUR = Dialect(
    protocol=CONNECT_FOUR_PROTOCOL,
    line_end=b"\n",
    client_line_ends=frozenset({b"\n", b"\r\n"}),
    greeting=lambda profile: (),
    enters=lambda name: json.dumps({"action": "connect", "name": name}, separators=(",", ":")),
    entered=r'\{"event":"lobby",.*',
)
MASTERMIND = Dialect(
    protocol=MASTERMIND_PROTOCOL,
    line_end=b"\n",
    client_line_ends=frozenset({b"\n", b"\r\n"}),
    greeting=lambda profile: (),
)
GAMMONX = Dialect(
    protocol=GAMMONX_PROTOCOL,
    line_end=b"",
    client_line_ends=frozenset({b"\n"}),
    greeting=lambda profile: (),
    is_hub=True,
)
WEB = Dialect(
    protocol=WEB_PROTOCOL,
    line_end=b"\n",
    client_line_ends=frozenset({b"\n", b"\r\n"}),
    greeting=lambda profile: ('{"tell":"hello","server_ms":0,"version":1}',),
    enters=lambda name: json.dumps({"do": "login", "name": name, "key": web_key(name)}, separators=(",", ":")),
    entered=r'\{"tell":"welcome",.*',
)
"""It has no listener of its own, but here it gets one, on which its messages are lines."""
DIALECTS = {dialect.name: dialect for dialect in (STRATEGIC, CONNECT_FOUR, MASTERMIND, GAMMONX, WEB)}
"""Dialects by the protocol's name; the first is the default."""


@frozen
class Endpoint:
    """A listener that a client connects to: a protocol in one of its profiles."""

    dialect: Dialect
    profile: str

    @property
    def path(self) -> str | None:
        """The path at which the HTTP listener has the same in WebSocket messages; None without one."""
        protocol = self.dialect.protocol
        for found in protocol.endpoints():
            if isinstance(found, WebSocketEndpoint) and (found.profile or protocol.profiles[0]) == self.profile:
                return found.path
        return None


def endpoint(text: str) -> Endpoint:
    """`ngs` (of the text protocol), `connect-four` or `connect-four:0.5.3`. Raises `KeyError` for all else."""
    name, _, profile = text.partition(":")
    if name not in DIALECTS:
        name, profile = STRATEGIC.name, text
    dialect = DIALECTS[name]
    profile = profile or dialect.protocol.profiles[0]
    if profile not in dialect.protocol.profiles:
        raise KeyError(text)
    return Endpoint(dialect, profile)
