"""What a protocol offers to the server: everything that a protocol author has to read.

A protocol is two classes. `WireProtocol` is the protocol as such: its name, port, profiles and
options. `Adapter` is one connection's side of it, without any input or output of its own: it is
handed bytes and hands back commands; it is handed answers and events and hands back bytes. It
neither knows nor cares whether the bytes travel over TCP, TLS or in WebSocket frames.

The runtime keeps these promises to an adapter, and relies on the adapter for the ones beside them:

* One command is in flight at a time. `next()` is asked again only when the last command's answer
  has been rendered, so the adapter's own state is current whenever a line is read, and replies
  stay in order however many lines a client sends at once.
* `render()` is called once for each command and receiver: for the sender with the answer, for
  everybody else with `answer=None`. The answer's words come first unless the protocol has it
  otherwise.
* Broken bytes raise `BrokenInput`, and nothing else. Any other exception is a bug: it ends this
  one connection and is logged.

Commands, events and rejection codes are those of the lobby, in `gameserver.core`; they are
importable from here, so that a protocol needs this module alone.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from attrs import field, frozen, validators

from gameserver.core.commands import (
    Accept,
    Challenge,
    Command,
    Depart,
    Enter,
    ListGames,
    ListPlayers,
    ListTables,
    Play,
    Query,
    Ready,
    Resign,
    Say,
    Scope,
    Seek,
    Sit,
    Withdraw,
)
from gameserver.core.events import (
    Accepted,
    Answer,
    By,
    EndReason,
    Event,
    GameEnded,
    GamesListed,
    MatchEnded,
    MatchOpened,
    MatchShown,
    MovePlayed,
    MoveRefused,
    OfferClosed,
    OfferOpened,
    PlayerShown,
    PlayersListed,
    Rejected,
    Said,
    SeatDropped,
    Seated,
    SeatReturned,
    TableShown,
    TablesListed,
    TurnStarted,
    Unseated,
    UnseatedWhy,
)
from gameserver.core.rejections import Code

__all__ = [
    "Accept",
    "Accepted",
    "Adapter",
    "Answer",
    "BrokenInput",
    "By",
    "Challenge",
    "Code",
    "Command",
    "Context",
    "Depart",
    "EndReason",
    "Enter",
    "Event",
    "GameEnded",
    "GamesListed",
    "ListGames",
    "ListPlayers",
    "ListTables",
    "MatchEnded",
    "MatchOpened",
    "MatchShown",
    "MovePlayed",
    "MoveRefused",
    "NoProtocolOptions",
    "OfferClosed",
    "OfferOpened",
    "Output",
    "Peer",
    "Play",
    "PlayerShown",
    "PlayersListed",
    "Query",
    "Ready",
    "Refusal",
    "Rejected",
    "Reply",
    "Resign",
    "Said",
    "Say",
    "Scope",
    "SeatDropped",
    "SeatReturned",
    "Seated",
    "Seek",
    "Sit",
    "TableShown",
    "TablesListed",
    "TurnStarted",
    "Unseated",
    "UnseatedWhy",
    "WireProtocol",
    "Withdraw",
]


class BrokenInput(Exception):
    """The peer sent what the protocol cannot read on from.

    The runtime sends `last_words` (in the protocol's own form), closes, and logs `why`.
    """

    def __init__(self, why: str, last_words: bytes = b"") -> None:
        super().__init__(why)
        self.why = why
        self.last_words = last_words


@frozen
class Reply:
    """What the adapter answers by itself, without the lobby: help, a syntax error, a ping."""

    data: bytes


@frozen
class Output:
    """Bytes for the peer, not to be sent before `release_ms` on the server's axis of time."""

    data: bytes
    release_ms: int = 0


@frozen
class Refusal:
    """Why the server will not have, or keep, a connection; `Adapter.farewell` says it to the peer."""

    why: str
    """One sentence for the user: what was wrong and what to do."""


@frozen
class Peer:
    """Who is at the other end: the session's number and the host's address, without the port."""

    session: int
    address: str


@frozen
class NoProtocolOptions:
    """The options of a protocol that has none."""


@frozen
class Context:
    """What every connection of one listener shares."""

    profile: str
    options: Any
    games: tuple[str, ...]
    """The names of all games, sorted."""
    line_bytes_max: int = field(default=16_384, validator=validators.ge(64))
    """How much unfinished input an adapter may keep."""
    guides: Mapping[str, str] = field(factory=dict)
    """What games have to say to their players (`Game.guide`), by name; without those that say nothing."""


class Adapter(ABC):
    """One connection's side of a protocol."""

    @abstractmethod
    def greeting(self) -> bytes:
        """What the server says first; may be empty."""

    @abstractmethod
    def receive(self, data: bytes, at_ms: int) -> None:
        """Take bytes from the peer, read at `at_ms`; raises `BrokenInput` beyond the limit."""

    @abstractmethod
    def receive_eof(self) -> None:
        """The peer will send no more. What is complete is still answered; then the session ends."""

    @abstractmethod
    def next(self) -> Command | Query | Reply | None:
        """The next thing the peer asked for; None where nothing complete is left. May raise `BrokenInput`."""

    @abstractmethod
    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Say an answer and events in the protocol's own words, and keep the state that follows from them."""

    @abstractmethod
    def farewell(self, refusal: Refusal) -> bytes:
        """The last words to a peer whose connection the server ends."""

    @property
    @abstractmethod
    def pending_bytes(self) -> int:
        """How much finished input waits for `next`; the runtime stops reading while it cannot be taken.

        An unfinished message does not count: reading is what finishes it.
        """

    @property
    def discarded(self) -> int:
        """How many messages were thrown away without a word, where the protocol says so; for the log."""
        return 0

    @property
    @abstractmethod
    def identified(self) -> bool:
        """Whether the peer has told who it is; one that does not is closed after a time."""

    @property
    @abstractmethod
    def finished(self) -> bool:
        """Whether the peer is through: it said goodbye, or closed its side and all is answered.

        The runtime then ends the session, sends what is waiting and closes.
        """


class WireProtocol(ABC):
    """The protocol as such. One instance serves every listener and connection of it."""

    name: ClassVar[str]
    """As in the config and on the command line: lower case, hyphens."""
    title: ClassVar[str]
    default_port: ClassVar[int]
    profiles: ClassVar[tuple[str, ...]] = ("document",)
    """The dialects a listener may speak; the first is the default."""
    options_type: ClassVar[type] = NoProtocolOptions
    """An attrs class: the protocol's own table in the config."""
    guide: ClassVar[str] = ""
    """The protocol page, in Markdown: every message with an example, every policy, every difference."""
    try_it: ClassVar[str] = ""
    """How a person tries it, with `{host}` and `{port}`; shown when the server starts."""

    @abstractmethod
    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A new connection's adapter."""
