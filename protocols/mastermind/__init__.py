"""Mastermind in `Type|JSON` messages, a line each."""

from importlib.resources import files
from typing import ClassVar

from gameserver.adapter import Adapter, Context, Peer, WireProtocol
from protocols.mastermind.adapter import MastermindAdapter
from protocols.mastermind.conversation import Conversation
from protocols.mastermind.options import MastermindOptions
from protocols.mastermind.profiles import PROFILES

__all__ = ["PROTOCOL", "MastermindProtocol"]


class MastermindProtocol(WireProtocol):
    """The protocol as such."""

    name: ClassVar[str] = "mastermind"
    title: ClassVar[str] = "Mastermind in Type|JSON"
    default_port: ClassVar[int] = 8081
    profiles: ClassVar[tuple[str, ...]] = tuple(PROFILES)
    options_type: ClassVar[type] = MastermindOptions
    guide: ClassVar[str] = files(__name__).joinpath("guide.md").read_text("utf-8")
    try_it: ClassVar[str] = 'nc {host} {port}, then type: 0|{{"NbrColors":6,"MaxTries":12,"CodeLength":4}}'

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A new connection's adapter."""
        conversation = Conversation(peer, PROFILES[context.profile], context.options)
        return MastermindAdapter(conversation, context.line_bytes_max)


PROTOCOL = MastermindProtocol()
