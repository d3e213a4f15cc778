"""A player of the protocol at the contract kit's lobby: what it does, and what it is told of its match.

Most protocols need no class for it: the functions of a `Speaker` will do. A player who has to remember something, to
answer by itself or to make HTTP requests is a `Driver` of the author's own, named in the `Speaker`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Protocol

from gameserver.values import value


@value
class YourTurn:
    """The client is asked for a move."""


@value
class Moved:
    """The client is told of a move, in a spelling that the game reads, or hidden as the game hides it."""

    text: str
    is_own: bool = False
    """True for the player's own move; a protocol may leave those out."""


@value
class Position:
    """The client is told how the game stands, where it is not told of moves. `facts` are items of `State.view`."""

    facts: Mapping[str, object]


@value
class Over:
    """The client is told of a game's end: `win`, `loss` or `draw`."""

    result: str


Told = YourTurn | Moved | Position | Over


@value
class HttpAnswer:
    """The response to an HTTP request."""

    status: int
    body: bytes


class Wire(Protocol):
    """The client's way to the server: one connection, and HTTP requests beside it."""

    @property
    def profile(self) -> str:
        """The profile that the connection was made with."""

    def send(self, data: bytes) -> None:
        """Send bytes on the connection."""

    def request(self, method: str, path: str, body: bytes = b"") -> HttpAnswer:
        """Make a request, with a body of JSON, of one of the protocol's `HttpEndpoint`s."""


class Driver(ABC):
    """A player on one connection; on another connection the same player is a new object."""

    def __init__(self, wire: Wire, name: str) -> None:
        self.wire = wire
        self.name = name

    @property
    def comes_back(self) -> bool:
        """True if the player can take the seat back on a new connection."""
        return False

    @abstractmethod
    def find(self, game: str) -> None:
        """Log in, and look for any opponent at the game of this name."""

    @abstractmethod
    def move(self, game: str, text: str) -> None:
        """Make a move, given the game's name and the move as `Game.write_move` has it."""

    def says(self, text: str) -> bool:
        """True for a move that the protocol has a message for, as it has for every move in most games."""
        return True

    @abstractmethod
    def read(self, data: bytes) -> Sequence[Told]:
        """Finds what the player is told of the match in what the server sent; the rest is left out.

        It sends what a client answers by itself. Raises `ValueError` at what is no whole message of the protocol.
        """

    def come_back(self, before: "Driver") -> None:  # noqa: B027 - only a player who `comes_back` is asked to
        """Take the seat back that the player has on a connection that was lost; `before` was its driver."""
