r"""The facts that the contract kit needs about a protocol: how its players speak.

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
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import Factory

from gameserver.game import Game
from gameserver.protocol import Code, Command, Handshake, Query
from gameserver.testing.protocol_kit.driver import Driver, Told, Wire
from gameserver.values import value

LINE_BYTES_MAX = 2_048
"""`Context.line_bytes_max` of the kit's connections."""


def _anything(game: Game[Any]) -> bool:
    return True


def _never(asked: Command | Query, code: Code) -> bool:
    return False


@value
class Speaker:
    """A player of a protocol, as functions from meaning to bytes and back. The bytes are always whole messages."""

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
        """A player who has logged in if that is done by `log_in`."""
        return SpokenDriver(self, wire, name) if self.driver is None else self.driver(wire, name)

    @property
    def has_matches(self) -> bool:
        """True if its players can meet others."""
        return self.driver is not None or (None not in {self.log_in, self.find, self.move})


class SpokenDriver(Driver):
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
