"""Mastermind in `Type|JSON` messages: a line each over TCP, a frame each over WebSocket.

    schema               the messages, and how they are read and written
    handlers             the messages, and the stages that they are taken at, and how it is answered
    session              the state of a connection
    rendering            events into messages
    profiles             the words of errors
    options              the protocol's own settings
    adapter              joins the parts
    scenarios            what `gameserver check` plays with its clients

The page for its users is `guide.md`.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import ClassVar

from gameserver.protocol import Adapter, Context, Endpoint, Peer, WebSocketEndpoint, WireProtocol
from protocols.mastermind.adapter import MastermindAdapter
from protocols.mastermind.options import MastermindOptions
from protocols.mastermind.profiles import PROFILES
from protocols.mastermind.session import MastermindSession

__all__ = ["PROTOCOL", "MastermindProtocol"]


class MastermindProtocol(WireProtocol):
    """The protocol itself."""

    name: ClassVar[str] = "mastermind"
    title: ClassVar[str] = "Mastermind in Type|JSON"
    default_port: ClassVar[int] = 8081
    profiles: ClassVar[tuple[str, ...]] = tuple(PROFILES)
    options_type: ClassVar[type] = MastermindOptions
    scenarios: ClassVar[str] = "protocols.mastermind.scenarios"
    plays_house: ClassVar[bool] = True
    guide: ClassVar[str] = files(__name__).joinpath("guide.md").read_text("utf-8")
    mishaps: ClassVar[Mapping[str, re.Pattern[bytes]]] = {"A message was refused.": re.compile(rb"(?m)^6\|")}
    try_it: ClassVar[str] = 'nc {host} {port}, then type: 0|{{"NbrColors":6,"MaxTries":12,"CodeLength":4}}'

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A new connection's adapter."""
        session = MastermindSession(peer, PROFILES[context.profile], context.options)
        return MastermindAdapter(session, context.line_bytes_max)

    def endpoints(self) -> Sequence[Endpoint]:
        """The path of the original server, and the same in its words."""
        return (WebSocketEndpoint("/echo"), WebSocketEndpoint("/original/echo", profile="original"))


PROTOCOL = MastermindProtocol()
