"""Where a connection stands in its life; `runtime.connection` tells what each stage means."""

from enum import Enum, auto


class Stage(Enum):
    """The stages of a connection, in their order."""

    OPEN = auto()
    CLOSING = auto()
    LINGERING = auto()
    CLOSED = auto()
