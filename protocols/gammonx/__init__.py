"""GammonX: backgammon over REST and a SignalR hub, as the server of that name spoke it in September 2025."""

from collections.abc import Sequence
from importlib.resources import files
from typing import ClassVar

from gameserver.adapter import Adapter, Context, Endpoint, HttpEndpoint, Peer, WireProtocol
from protocols.gammonx.commands import COMMANDS
from protocols.gammonx.methods import allowed_in, invoke
from protocols.gammonx.rest import matches_app
from protocols.gammonx.schema import CONVERTER
from protocols.gammonx.session import GammonXSession
from protocols.signalr import Calls, Hub

__all__ = ["PROTOCOL", "GammonXProtocol"]


class GammonXProtocol(WireProtocol):
    """The protocol as such. It has no port of its own: it lives on the HTTP listener."""

    name: ClassVar[str] = "gammonx"
    title: ClassVar[str] = "GammonX: backgammon over REST and SignalR"
    default_port: ClassVar[int | None] = None
    guide: ClassVar[str] = files(__name__).joinpath("guide.md").read_text("utf-8")
    try_it: ClassVar[str] = "curl http://{host}:{port}/api/matches"

    def __init__(self) -> None:
        self._hub = Hub(Calls(*COMMANDS), CONVERTER)

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A new connection to the hub."""
        return self._hub.adapter(peer, context, lambda client: GammonXSession(client, peer, invoke, allowed_in))

    def endpoints(self) -> Sequence[Endpoint]:
        """The hub, and where a match begins."""
        return (
            *self._hub.endpoints("/matchhub"),
            HttpEndpoint("/api/matches", matches_app(), origins=("*",), credentials=True),
        )


PROTOCOL = GammonXProtocol()
