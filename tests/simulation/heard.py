"""What a client that looks for games in a lobby can be told, and what it can say, in no protocol's words.

A dialect (`strategic`) turns its server's bytes into these, and these into its own bytes. Bots and
their invariants know nothing else.
"""

from abc import ABC, abstractmethod

from attrs import frozen


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
    """A move was made; `refused`: an illegal one that ends the match; `by_server`: in a late player's place."""

    player: str
    text: str
    refused: bool
    by_server: bool = False


@frozen
class Ended:
    """The match is over: `win`, `loss` or `draw`, the scores of the first mover and the other, and why."""

    result: str
    scores: tuple[str, str]
    comment: str


@frozen
class Challenged:
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


Heard = Answered | Opened | Turn | Move | Ended | Challenged | Withdrawn | Noted | LastWords


@frozen
class Spoken:
    """Bytes to say, and what they must be answered: yes, no, either, or not at all."""

    data: bytes
    what: str
    """For the log, and for the bot to know what was answered."""
    answers: tuple[bool, ...] = (True, False)


class Dialect(ABC):
    """One client's way to speak and to listen; it lives as long as a connection."""

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
