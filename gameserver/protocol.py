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
  one connection and is logged with the module it came from. Its player's seat waits, as after a
  restart of the server, so a bug costs nobody the match.

Commands, events and rejection codes are those of the lobby, in `gameserver.core`; they are
importable from here, so that a protocol needs this module alone.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, ClassVar

from attrs import Factory, field, validators

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import (
    Accept,
    Against,
    Arrive,
    Book,
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
    ShowBoard,
    ShowMatch,
    ShowTicket,
    Sit,
    Unbook,
    Withdraw,
)
from gameserver.core.messages.events import (
    Accepted,
    Answer,
    BoardShown,
    By,
    Displaced,
    EndReason,
    Event,
    GameEnded,
    GamesListed,
    LobbyShown,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MatchStanding,
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
    SeatReady,
    SeatReturned,
    TableShown,
    TablesListed,
    TicketClosed,
    TicketShown,
    TicketStatus,
    TournamentsShown,
    TurnStarted,
    Unseated,
    UnseatedWhy,
    Why,
)
from gameserver.core.messages.rejections import Code
from gameserver.endpoints import (
    AsgiApp,
    Endpoint,
    Framing,
    Handshake,
    HttpEndpoint,
    LazyApp,
    LobbyClient,
    LobbyReply,
    NotAdmitted,
    WebSocketEndpoint,
    lobby_of,
)
from gameserver.values import frozen


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
    then: "Adapter | None" = None
    """The adapter with which the connection goes on from here, as after an HTTP request that opens a WebSocket."""


@frozen
class Work:
    """What takes its time, such as the answer of an HTTP route.

    The runtime runs it in a task beside the connection, one at a time, and cancels it when the
    connection ends. What it has to say or to ask, it leaves for `Adapter.next` and calls the
    function it is given, so that `next` is asked.
    """

    run: Callable[[Callable[[], None]], Awaitable[None]]
    may_prove: bool = False
    """True if it may show who the peer is, as a request does that brings a secret or books a match: where connections
    come too fast, such work is begun, and its commands are judged. Other work has to wait."""


@frozen
class Output:
    """Bytes for the peer, not to be sent before `release_ms` on the server's axis of time."""

    data: bytes
    release_ms: int = 0


class RefusalKind(Enum):
    """What a refusal is about, for protocols that have codes for it."""

    STOPPING = auto()
    """The server stops."""
    FULL = auto()
    """There are too many connections."""
    LATE = auto()
    """The peer did not tell who it is in time."""
    FAULT = auto()
    """The server made a mistake."""
    DISMISSED = auto()
    """The teacher ended it, or its player by coming in on another connection."""


@frozen
class Refusal:
    """Why the server will not have, or keep, a connection; `Adapter.farewell` says it to the peer."""

    why: str
    """One sentence for the user: what was wrong and what to do."""
    kind: RefusalKind = RefusalKind.FAULT


@frozen
class Peer:
    """Who is at the other end: the session's number and the host's address, without the port."""

    session: int
    address: str
    connected_ms: int = 0
    """When the connection was made, on the server's axis of time."""
    handshake: Handshake | None = None
    """The HTTP request that opened the WebSocket, where it is one."""
    is_encrypted: bool = False
    """Whether the connection is encrypted (TLS)."""
    reached: str = ""
    """The address of this machine that the peer connected to; empty where that is not known."""


@frozen
class PastMatch:
    """A player's match on record. `result` is `win`, `loss`, `draw` or `void`."""

    match: int
    game: str
    opponents: tuple[str, ...]
    result: str


@frozen
class NoProtocolOptions:
    """The options of a protocol that has none."""


def _no_ids() -> str:
    raise LookupError("this context was made without a source of ids")


def _no_date(axis_ms: int) -> str:
    """What stands for a date where there is no calendar."""
    return f"{axis_ms} ms on the server's clock"


async def _no_past_match(player: str) -> PastMatch | None:
    """Nothing on record."""
    return None


def _no_guide(game: str) -> str:
    """Nothing to say."""
    return ""


@frozen
class Context:
    """What every connection of one listener shares."""

    profile: str
    options: Any
    games: tuple[str, ...]
    """The names of all games, sorted."""
    line_bytes_max: int = field(default=16_384, validator=validators.ge(64))
    """How much unfinished input an adapter may keep."""
    login_timeout_s: float = 300.0
    """How long a peer may stay without telling who it is; the runtime sees to it."""
    new_id: Callable[[], str] = _no_ids
    """Makes ids and tokens that nobody can guess: 128 random bits as 22 characters of base64url.
    The runtime fills it in."""
    date_at: Callable[[int], str] = _no_date
    """The date and time, as ISO 8601 has it and in UTC, of a point on the server's axis, if the server
    goes on serving until then; for protocols that tell a deadline so. The runtime fills it in."""
    guides: Mapping[str, str] = Factory(dict)
    """What games have to say to their players (`Game.guide`), by name; without those that say nothing."""
    built_guide: Callable[[str], str] = _no_guide
    """The same for a game that says nothing, built from what it offers at its start; empty where there is no such
    game. The runtime fills it in."""
    aliases: Mapping[str, str] = Factory(dict)
    """Other names of games (`Game.aliases`), each with the name that it stands for."""
    last_match_of: Callable[[str], Awaitable[PastMatch | None]] = _no_past_match
    """Looks up a player's latest match on record, for `Work`. The runtime fills it in."""
    pages_url: str = ""
    """Where this peer's browser finds the pages, without a slash at the end; empty where no pages are served. The
    runtime fills it in."""


__all__ = [
    "Accept",
    "Accepted",
    "Adapter",
    "Against",
    "Answer",
    "Arrive",
    "AsgiApp",
    "BoardShown",
    "Book",
    "BrokenInput",
    "By",
    "Capability",
    "Challenge",
    "Code",
    "Command",
    "Context",
    "Depart",
    "Displaced",
    "EndReason",
    "Endpoint",
    "Enter",
    "Event",
    "Framing",
    "GameEnded",
    "GamesListed",
    "Handshake",
    "HttpEndpoint",
    "LazyApp",
    "ListGames",
    "ListPlayers",
    "ListTables",
    "LobbyClient",
    "LobbyReply",
    "LobbyShown",
    "MatchEnded",
    "MatchOpened",
    "MatchPaired",
    "MatchShown",
    "MatchStanding",
    "MovePlayed",
    "MoveRefused",
    "NoProtocolOptions",
    "NotAdmitted",
    "OfferClosed",
    "OfferOpened",
    "Output",
    "PastMatch",
    "Peer",
    "Play",
    "PlayerShown",
    "PlayersListed",
    "Query",
    "Ready",
    "Refusal",
    "RefusalKind",
    "Rejected",
    "Reply",
    "Resign",
    "Said",
    "Say",
    "Scope",
    "SeatDropped",
    "SeatReady",
    "SeatReturned",
    "Seated",
    "Seek",
    "ShowBoard",
    "ShowMatch",
    "ShowTicket",
    "Sit",
    "TableShown",
    "TablesListed",
    "TicketClosed",
    "TicketShown",
    "TicketStatus",
    "TournamentsShown",
    "TurnStarted",
    "Unbook",
    "Unseated",
    "UnseatedWhy",
    "WebSocketEndpoint",
    "Why",
    "WireProtocol",
    "Withdraw",
    "Work",
    "lobby_of",
]


class Adapter(ABC):
    """One connection's side of a protocol."""

    @property
    def due_ms(self) -> int | None:
        """When `tick` is to be called next, on the server's axis of time; None for never.

        For what a protocol does by the clock: pings, its own time limits. It is looked at after
        everything that happens to the connection.
        """
        return None

    def tick(self, now_ms: int) -> None:  # noqa: B027 - most protocols do nothing by the clock
        """Note that it is `due_ms` or later; `next` is asked after it. May raise `BrokenInput`.

        It leaves `due_ms` later than `now_ms`, or None.
        """

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
    def next(self) -> Command | Query | Reply | Work | None:
        """The next thing the peer asked for; None where nothing complete is left. May raise `BrokenInput`."""

    @abstractmethod
    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Say an answer and events in the protocol's own words, and keep the state that follows from them."""

    @abstractmethod
    def farewell(self, refusal: Refusal) -> bytes:
        """The last words to a peer whose connection the server ends."""

    @property
    def words_for_overlong(self) -> bytes:
        """The last words to a peer whose WebSocket message is over the limit. `receive` never sees such a message."""
        return b""

    @property
    @abstractmethod
    def pending_bytes(self) -> int:
        """How much finished input waits for `next`; the runtime stops reading while it cannot be taken.

        An unfinished message does not count: reading is what finishes it.
        """

    def ping(self) -> bytes:
        """Bytes that the peer's software answers by itself, such as a ping; empty where the protocol has none."""
        return b""

    @property
    def is_waiting(self) -> bool:
        """Whether `next` has nothing until the peer sends more; the runtime need not ask it after an answer then.

        False is never wrong.
        """
        return False

    @property
    def discarded(self) -> int:
        """How many messages were thrown away without a word, where the protocol says so; for the log."""
        return 0

    @property
    def is_passing(self) -> bool:
        """Whether the peer comes and goes as a rule, as for an HTTP request: its end is nothing to tell."""
        return False

    @property
    @abstractmethod
    def identified(self) -> bool:
        """Whether the peer has told who it is; one that does not is closed after a time."""

    @property
    def is_established(self) -> bool:
        """True if the peer has logged in, plays, or is being answered: other connections give way to newcomers."""
        return self.identified

    @property
    @abstractmethod
    def finished(self) -> bool:
        """True if the peer is through, or closed its side and all is answered: the runtime ends the session then."""


class WireProtocol(ABC):
    """The protocol as such. One instance serves every listener and connection of it."""

    name: ClassVar[str]
    """As in the config and on the command line: lower case, hyphens."""
    title: ClassVar[str]
    default_port: ClassVar[int | None]
    """None for a protocol that has no sockets of its own, only `endpoints`."""
    default_host: ClassVar[str] = "*"
    """Where it listens unless told otherwise; `*` is every address of the machine."""
    profiles: ClassVar[tuple[str, ...]] = ("document",)
    """The dialects a listener may speak; the first is the default."""
    is_limited: ClassVar[bool] = True
    """Whether its connections are counted: who may come in when the server is full is the teacher."""
    options_type: ClassVar[type] = NoProtocolOptions
    """An attrs class: the protocol's own table in the config."""
    guide: ClassVar[str] = ""
    """The protocol page, in Markdown: every message with an example, every policy, every difference."""
    secrets: ClassVar[Sequence[re.Pattern[bytes]]] = ()
    """What of a peer's bytes, the first group of each pattern, is masked in logs. It sees a line at a time."""
    carries_others: ClassVar[bool] = False
    """Whether its own bytes are but the wrapping of other protocols, or pages, and in no wire log."""
    try_it: ClassVar[str] = ""
    """How a person tries it, with `{host}` and `{port}`; shown when the server starts."""

    def prepare(self) -> None:  # noqa: B027 - most protocols have nothing to prepare
        """Import and make what only connections to this protocol need, and the start of the server need not wait for.

        Called once before the first connection is accepted, in a thread: other protocols are served meanwhile.
        """

    @abstractmethod
    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A new connection's adapter. Of a WebSocket, it may raise `NotAdmitted` instead."""

    def endpoints(self) -> Sequence[Endpoint]:
        """What the HTTP listener serves for this protocol: WebSocket paths and routes."""
        return ()
