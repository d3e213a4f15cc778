"""The part of the server that connections call: whoever runs connections provides it, as the benchmarks do."""

from typing import Protocol, TypeVar

from gameserver.flow_control.fair_scheduler import Share
from gameserver.flow_control.limits import Limits
from gameserver.flow_control.token_bucket import AddressBuckets
from gameserver.protocol import Command, Query, Work
from gameserver.transport.adapter_tasks import AdapterTaskServices

ConnectionT_contra = TypeVar("ConnectionT_contra", contravariant=True)
"""The class of the connection."""


class ConnectionServices(AdapterTaskServices, Protocol[ConnectionT_contra]):
    """The part of the server that a connection calls."""

    limits: Limits
    turns: Share
    match_requests: AddressBuckets

    def submit(self, command: Command | Query, stamp_ms: int, sender: ConnectionT_contra) -> None:
        """Take a command; its answer comes by `sender.deliver`."""

    def may_begin(self, work: Work, sender: ConnectionT_contra) -> bool:
        """True if a connection may begin work; else it is ended."""

    def interest_changed(self, connection: ConnectionT_contra) -> None:
        """Take notice that the connection wants to read or write, or no longer wants to."""

    def left(self, connection: ConnectionT_contra, why: str, fault: str = "") -> None:
        """End the session; `fault` names the module whose bug ended it, if one did."""

    def closed(self, connection: ConnectionT_contra) -> None:
        """Forget the connection: its socket is about to be closed."""
