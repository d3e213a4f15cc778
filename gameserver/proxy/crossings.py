"""Values that tell what passes through the proxy and what happens there. Times are on trio's clock, in microseconds."""

from enum import Enum

from gameserver.proxy.faults import Direction
from gameserver.values import value


@value
class Crossing:
    """Bytes that are sent on now, by one call."""

    connection: int
    direction: Direction
    at_us: int
    data: bytes
    came_us: int
    """When the first of them was read."""
    is_cut: bool = False
    """True if the bytes that were read with them are sent later."""
    joined: int = 0
    """The number of reads that were joined to the first one here."""


class Kind(Enum):
    """The kinds of what happens to connections, beside bytes."""

    OPENED = "opened"
    NOT_REACHED = "not reached"
    REFUSED = "refused"
    ENDED = "ended"
    LOST = "lost"
    RESET = "reset"
    HALF_OPENED = "half-opened"
    DROPPED = "dropped"
    RESTORED = "restored"
    CLOSED = "closed"


@value
class Incident:
    """Something that happened to a connection; to all of them if the number is 0. The text is a sentence part."""

    connection: int
    kind: Kind
    at_us: int
    text: str
