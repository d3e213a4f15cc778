"""One connection to the hub: its calls go to `handlers`, the lobby's events to `rendering`, about one `session`."""

from collections.abc import Sequence
from typing import Any

from gameserver.protocol import Event, MatchEnded
from protocols.gammonx import handlers, joining, rendering
from protocols.gammonx.schema import Commands
from protocols.gammonx.session import GammonXSession
from protocols.signalr import Steps


class HubConnection(GammonXSession):
    """A connection with everything that it can do."""

    @property
    def allowed(self) -> Commands:
        """The methods that the client may call now, as payloads name them."""
        return handlers.ALLOWED[self.profile.name][self.standing]

    def invoke(self, call: Any) -> Steps | Any:
        """Carry out a method."""
        return handlers.invoke(self, call)

    def connected(self) -> Steps | None:
        """Take the seat back that the connection names, if it does."""
        return joining.attach(self)

    def heard(self, events: Sequence[Event]) -> None:
        """Keep what follows from events, and tell the client."""
        self.is_ending = MatchEnded in map(type, events)
        for event in events:
            self.release_ms = getattr(event, "release_ms", 0)
            rendering.hear(self, event)
        self.release_ms = 0
