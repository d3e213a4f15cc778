r"""Facts that the contract kit needs about a protocol: how its players speak.

A protocol's author declares one `Speaker`:

    SPEAKER = Speaker(
        log_in=lambda name: line(do="login", name=name),
        find=lambda game: line(do="find", game=game),
        move=lambda game, text: line(do="move", move=text),
        read=told_by,
        messages=(line(do="games"), line(do="login", name="bob"), b"hello\n"),
        silent=frozenset({SeatDropped, SeatReturned}),
    )

A player who needs more than functions is a `Driver`, such as that of `tests/protocols/gammonx/driver.py`:

    SPEAKER = Speaker(read=told_by, messages=(...), driver=GammonXDriver)

Most protocols need no class for a player: the functions of a `Speaker` will do. A player who has to remember something,
to answer by itself or to make HTTP requests is a `Driver` of the author's own, named in the `Speaker`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from attrs import Factory

from gameserver.game import Game
from gameserver.protocol import Code, Command, Handshake, Query
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
class PositionTold:
    """The client is told how the game stands, where it is not told of moves. `facts` are items of `State.view`."""

    facts: Mapping[str, object]


@value
class Over:
    """The client is told of a game's end: `win`, `loss` or `draw`."""

    result: str


Told = YourTurn | Moved | PositionTold | Over


@value
class HttpAnswer:
    """The response to an HTTP request of a protocol's speaker."""

    status: int
    body: bytes


class Wire(Protocol):
    """The way of a speaker's driver to the server: one connection, and HTTP requests beside it."""

    @property
    def profile(self) -> str:
        """The profile that the connection of a speaker's driver was made with."""

    def send(self, data: bytes) -> None:
        """Send bytes of a speaker's driver on its connection."""

    def request(self, method: str, path: str, body: bytes = b"") -> HttpAnswer:
        """Make a driver's HTTP request, with a body of JSON, of one of the protocol's `HttpEndpoint`s."""


class Driver(ABC):
    """A driver: a player whom a protocol's author writes, on one connection.

    On another connection the same player is a new object.
    """

    def __init__(self, wire: Wire, name: str) -> None:
        self.wire = wire
        self.name = name

    @property
    def comes_back(self) -> bool:
        """True if the driver's player can take the seat back on a new connection."""
        return False

    @abstractmethod
    def find(self, game: str) -> None:
        """Have the driver log in, and look for any opponent at the game of this name."""

    @abstractmethod
    def move(self, game: str, text: str) -> None:
        """Have the driver make a move, given the game's name and the move as `Game.write_move` has it."""

    def says(self, text: str) -> bool:
        """True for a move that the driver's protocol has a message for, as it has for most."""
        return True

    @abstractmethod
    def read(self, data: bytes) -> Sequence[Told]:
        """Has the driver find what its player is told of the match in what the server sent; the rest is left out.

        It sends what a client answers by itself. Raises `ValueError` at what is no whole message of the protocol.
        """

    def come_back(self, before: "Driver") -> None:  # noqa: B027 - only a player who `comes_back` is asked to
        """Have the driver take its seat back, after a connection that was lost; `before` was its driver."""


# Small, so that the kit need not send 16 kB for each message that is too long.
LINE_BYTES_MAX = 2_048
"""`Context.line_bytes_max` of the kit's connections."""


def _anything(game: Game[Any]) -> bool:
    return True


def _never(asked: Command | Query, code: Code) -> bool:
    return False


@value
class Speaker:
    """The speaker of a protocol: its player, as functions from meaning to bytes and back.

    The bytes are always whole messages.
    """

    read: Callable[[str, bytes], Sequence[Told]]
    """Finds what the player of this name is told of its match in what the server sent; the rest is left out. Raises
    `ValueError` at what is no whole message of the protocol."""
    messages: Sequence[bytes]
    """One message of each kind that a client can send, some that are wrong, and some that are junk."""
    log_in: Callable[[str], bytes] | None = None
    """Logs in under a name. None if that takes more than bytes: then no check has a logged-in player."""
    find: Callable[[str], bytes] | None = None
    """Looks for any opponent at the game of this name, having logged in. None where a player cannot meet others."""
    move: Callable[[str, str], bytes] | None = None
    """Makes a move, given the game's name and the move as `Game.write_move` has it."""
    come_back: Callable[[str], bytes] | None = None
    """Takes the player's seat back on a new connection, by its name. None where the protocol has no way to."""
    driver: Callable[[Wire, str], Driver] | None = None
    """Makes the player of this name, where the functions above do not say all that a player does in a match."""
    meets_house: bool = False
    """True if its players play nobody but the house."""
    plays: Callable[[Game[Any]], bool] = _anything
    """True for the games that can be played in the protocol."""
    silent: frozenset[type] = frozenset()
    """The events that the protocol has no words for."""
    is_told_unasked: bool = True
    """False where the server speaks only when it is spoken to: then no event is tried by itself."""
    needs_no_words: Callable[[Command | Query, Code], bool] = _never
    """True for a refusal that the client is not told of."""
    opening: bytes = b""
    """The bytes that the client sends first, such as a SignalR handshake."""
    unfinished_bytes_max: int = LINE_BYTES_MAX
    """The most bytes of an unfinished message, if that is not `Context.line_bytes_max`."""
    handshake: Handshake | None = None
    """The request that opened the WebSocket, for a protocol that is spoken over one alone."""
    options: Mapping[str, Any] = Factory(dict)
    """Options of the protocol other than the usual ones."""

    def player(self, wire: Wire, name: str) -> Driver:
        """Makes the driver of a speaker's player, who has logged in if that is done by `log_in`."""
        return _SpokenDriver(self, wire, name) if self.driver is None else self.driver(wire, name)

    @property
    def has_matches(self) -> bool:
        """True if a speaker's players can meet others."""
        return self.driver is not None or (None not in {self.log_in, self.find, self.move})


class _SpokenDriver(Driver):
    """A player who does nothing but what the functions of a `Speaker` say."""

    def __init__(self, speaker: Speaker, wire: Wire, name: str) -> None:
        super().__init__(wire, name)
        self._speaker = speaker

    @property
    def comes_back(self) -> bool:
        """True if there is a function for it."""
        return self._speaker.come_back is not None

    def find(self, game: str) -> None:
        """Say that the player looks for an opponent."""
        assert self._speaker.find is not None, "has_matches"
        self.wire.send(self._speaker.find(game))

    def move(self, game: str, text: str) -> None:
        """Say the move."""
        assert self._speaker.move is not None, "has_matches"
        self.wire.send(self._speaker.move(game, text))

    def read(self, data: bytes) -> Sequence[Told]:
        """Read what is told to the player."""
        return self._speaker.read(self.name, data)

    def come_back(self, before: Driver) -> None:
        """Say who is back."""
        assert self._speaker.come_back is not None, "comes_back"
        self.wire.send(self._speaker.come_back(self.name))
