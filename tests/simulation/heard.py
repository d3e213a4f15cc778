"""What a client can be told, in words of no protocol; and what it can say.

A dialect (`strategic` is the first) turns its server's bytes into these and these into its own
bytes. Bots and invariants know nothing else, so that another protocol is one more dialect.
"""

from abc import ABC, abstractmethod
from random import Random
from typing import ClassVar

from attrs import frozen

from gameserver.adapter import WireProtocol


@frozen
class Answered:
    """The answer to the oldest thing said that has none yet."""

    ok: bool
    text: str = ""


@frozen
class Opened:
    """A match begins, or is shown again."""

    first: str
    game: str
    opponent: str


@frozen
class Turn:
    """It is the client's turn."""


@frozen
class Move:
    """A move was made; `refused` if it was an illegal one that ends the match."""

    player: str
    text: str
    refused: bool


@frozen
class Ended:
    """The match is over: `win`, `loss` or `draw`, the scores of the first mover and the other, and why."""

    result: str
    scores: tuple[str, str]
    comment: str


@frozen
class Offered:
    """Somebody challenges the client."""

    number: int


@frozen
class Withdrawn:
    """A challenge is no longer open."""

    number: int


@frozen
class Noted:
    """Anything else that is well formed."""

    text: str


@frozen
class LastWords:
    """The server ends the connection, and says why."""

    text: str


Heard = Answered | Opened | Turn | Move | Ended | Offered | Withdrawn | Noted | LastWords


@frozen
class Spoken:
    """Bytes to say, and what they must be answered: yes, no, either, or not at all."""

    data: bytes
    what: str
    """For the log, and for the bot to know what was answered."""
    answers: tuple[bool, ...] = (True, False)


class Dialect(ABC):
    """One client's way to speak and to listen; it lives as long as a connection."""

    protocol: ClassVar[WireProtocol]

    @abstractmethod
    def hear(self, data: bytes) -> list[Heard]:
        """What these bytes complete. Raises `Violation` on anything malformed."""

    @abstractmethod
    def login(self, name: str) -> Spoken: ...

    @abstractmethod
    def logout(self) -> Spoken: ...

    @abstractmethod
    def seek(self, game: str) -> Spoken: ...

    @abstractmethod
    def withdraw(self) -> Spoken: ...

    @abstractmethod
    def challenge(self, to: str, game: str, turn_s: int | None) -> Spoken: ...

    @abstractmethod
    def accept(self, number: int | None) -> Spoken: ...

    @abstractmethod
    def move(self, text: str) -> Spoken: ...

    @abstractmethod
    def resign(self) -> Spoken: ...

    @abstractmethod
    def say(self, to: str, text: str) -> Spoken: ...

    @abstractmethod
    def ask(self) -> Spoken:
        """Some question that changes nothing."""

    @abstractmethod
    def nonsense(self) -> Spoken:
        """Something that must be refused and changes nothing."""

    @abstractmethod
    def last_straw(self) -> Spoken:
        """Something at which the server answers and hangs up."""


DialectType = type[Dialect]


def new_dialect(kind: DialectType, chance: Random) -> Dialect:
    """A dialect for a new connection; what it leaves open (spelling, line ends) it draws from `chance`."""
    return kind(chance)  # type: ignore[call-arg]
