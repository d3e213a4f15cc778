"""3D Connect Four over newline JSON, as the tournament server of 2016 spoke it.

    schema               the messages, and the way from lines to messages and back
    handlers             the actions, and the stages that they are taken at, and how it is answered
    session              the state of one connection
    rendering            events into lines
    profiles             the dialects, and every error in their words
    options              the protocol's own settings
    adapter              joins the parts
    scenarios            what `gameserver check` plays with its clients

The page for its users is `guide.md`.
"""

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import ClassVar

from gameserver.protocol import Adapter, Context, Peer, WireProtocol
from protocols.connect_four.adapter import ConnectFourAdapter
from protocols.connect_four.options import ConnectFourOptions
from protocols.connect_four.profiles import PROFILES
from protocols.connect_four.session import ConnectFourSession

__all__ = ["PROTOCOL", "ConnectFourProtocol"]


class ConnectFourProtocol(WireProtocol):
    """The protocol itself."""

    name: ClassVar[str] = "connect-four"
    title: ClassVar[str] = "3D Connect Four over newline JSON"
    default_port: ClassVar[int] = 9090
    profiles: ClassVar[tuple[str, ...]] = tuple(PROFILES)
    options_type: ClassVar[type] = ConnectFourOptions
    scenarios: ClassVar[str] = "protocols.connect_four.scenarios"
    guide: ClassVar[str] = files(__name__).joinpath("guide.md").read_text("utf-8")
    secrets: ClassVar[Sequence[re.Pattern[bytes]]] = (re.compile(rb'"name"\s*:\s*"[^":]*:((?:[^"\\\r\n]|\\.|\\\Z)*)'),)
    mishaps: ClassVar[Mapping[str, re.Pattern[bytes]]] = {"A message was refused.": re.compile(rb'"event":"error"')}
    try_it: ClassVar[str] = 'nc {host} {port}, then type: {{"action":"connect","name":"Ann"}}'

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A new connection's adapter."""
        session = ConnectFourSession(peer, PROFILES[context.profile], context.options)
        return ConnectFourAdapter(session, context.line_bytes_max)


PROTOCOL = ConnectFourProtocol()
