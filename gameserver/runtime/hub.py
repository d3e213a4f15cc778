"""The server as its connections see it."""

from typing import Protocol, TypeVar

from gameserver.protocol import Command, Query, Work
from gameserver.runtime import duties
from gameserver.runtime.limits import Limits
from gameserver.runtime.rate import AddressRates
from gameserver.runtime.turns import Turns

ConnectionT_contra = TypeVar("ConnectionT_contra", contravariant=True)
"""The connection's class, which is in `connection`."""


class Hub(duties.Surroundings, Protocol[ConnectionT_contra]):
    """What a connection needs of the server around it."""

    limits: Limits
    turns: Turns
    offers: AddressRates

    def submit(self, command: Command | Query, stamp_ms: int, sender: ConnectionT_contra) -> None:
        """Take a command; its answer comes by `sender.deliver`."""

    def may_begin(self, work: Work, sender: ConnectionT_contra) -> bool:
        """True if a connection may begin work; else it is ended."""

    def interest_changed(self, connection: ConnectionT_contra) -> None:
        """The connection wants to read or write, or does not any more."""

    def left(self, connection: ConnectionT_contra, why: str, fault: str = "") -> None:
        """The session is over; `fault` names the module whose bug ended it, if one did."""

    def closed(self, connection: ConnectionT_contra) -> None:
        """The socket is about to be closed."""
