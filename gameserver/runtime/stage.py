"""Where a connection stands in its life; `runtime.connection` tells what each stage means."""

from enum import Enum, auto


class Stage(Enum):
    """The stages of a connection, in their order."""

    OPEN = auto()
    CLOSING = auto()
    LINGERING = auto()
    CLOSED = auto()


# For the way of every move: in Python 3.11 a member that is looked up by its class costs more than a call.
OPEN, CLOSING, LINGERING, CLOSED = Stage

LINGER_S = 2.0
"""Seconds that a connection lingers at the most."""

OVER = "closed by the player"
GONE = (OVER, "connection lost")
"""What the reasons begin with that a connection ends for by its peer, without anything wrong."""
