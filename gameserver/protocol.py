"""The interface of a wire protocol: the one module that a protocol author reads and imports from.

A protocol is two classes. `WireProtocol` is the protocol itself: its name, port, profiles and options. `Adapter` is
one connection's side of it, without input or output of its own: bytes in and commands out, answers and events in and
bytes out. It neither knows nor cares whether the bytes travel over TCP, TLS or in WebSocket messages.

The server keeps these promises to an adapter, and relies on the adapter for the ones beside them:

* One command is in flight at a time. `next` is asked again only when the last command's answer has been rendered, so
  the adapter's own state is current whenever a line is read, and replies stay in order however much is sent at once.
* `render` is called once for each command and receiver: for the sender with the answer, for everybody else with None.
  The answer's words come first. Events come in the order in which things happened.
* Broken bytes raise `BrokenInput`, and nothing else. Any other exception is a bug: it ends this one connection and is
  logged with the module that it came from. Its player's seat waits as after a restart: a bug costs nobody the match.

To write one in an afternoon, copy `examples/simple_json`, a whole protocol in a package of its own. Where a message is
a line, derive the adapter from `protocols.lines.LineAdapter`: say which command each line is, and what each
answer and event is called. Declare how a player of yours speaks (`gameserver.testing.Speaker`), and let
`check_protocol` tell you in sentences what is still wrong.

Capabilities    What the protocol can do for its player, said with `Enter` and `Arrive`. With none, the player can
                still `Seek`, `Challenge` and play; nobody calls on them, and lists of players leave them out.
    CHALLENGE   others challenge the player (`ChallengeOpened`), tournaments seat them at any time (`MatchOpened`)
    CHAT        others may `Say` something (`Said`)
    ROOMS       the protocol has rooms: `RoomsListed` on entering, `Sit`, `Ready`, `Depart`; a seat is taken back so,
                and a tournament at the rooms' game seats the player who waits in one, ready
    BANK        it shows the time that each player has for the whole match (`TurnStarted.banks_ms`)
    READY       the player is told of a match before it begins (`MatchPaired`) and says `Ready` before each game

Commands        Each is answered once: `Accepted`, or `Rejected` with a `Code` and what a sentence about it needs.
    Enter       come in under a name. If that name holds an empty seat, it is taken back: `MatchShown`
    Leave       go, and stay connected; the end of a connection is noticed without it
    Seek        look for any opponent at a game: `MatchOpened` (or `MatchPaired`) when one is found. Withdraw ends it
    Challenge   ask one player, or a player of the house; Accept takes a challenge up: `MatchOpened` for both
    Sit         take a place in a room: `Seated`. Ready there; Depart gives place and match up: `Unseated`
    Play        a move, as text in the game's own spelling. Send the `match` that it is meant for
    Resign      give up the game or the match: `GameEnded`, `MatchEnded`
    Say         a chat line to one player
    Contribute  bytes of the player's own, on which the chance of the next match depends, too
    Book        take out a ticket: a search for a player who need not be connected; Unbook gives it back
    Arrive      come in with a ticket, instead of `Enter`: `TicketShown`, then `MatchPaired` or `MatchShown`
Queries         Requests that change nothing. They are answered by an event, too.
    ListPlayers ListGames ListRooms     `PlayersListed`, `GamesListed`, `RoomsListed`
    ShowMatch ShowBoard                 how the player's own match stands: `MatchStatus`, `BoardShown`
    ShowFairness                        what the server has committed to, so that dice can be checked: `FairnessShown`
    ShowTicket RecallTicket             `TicketShown`

Events          The receivers, and the action expected of them. An event that names a match goes to its seats alone.
    MatchPaired MatchOpened     seated; the second when a game begins. Say `Ready` to the first, by `ready_by_ms`
    SeatReady OwnDrawShown      a seat is ready; the receiver's own value of a draw that waits for the others
    TurnStarted                 only to the seats that are to act: `Play` by `deadline_ms`. It comes again when a move
                                was `Rejected` as illegal
    MovePlayed                  to all seats, the mover too, as each may see it; `by` says if the server or chance moved
    MoveRefused                 an illegal move that costs its player the match
    GameEnded MatchEnded        a game's result; the players are free. A match may have several games
    SeatDropped SeatReturned    another player's connection was lost; is back
    MatchShown                  back in the own seat: the match as it stands. `TurnStarted` follows on its turn
    ChallengeOpened ChallengeClosed     challenged: `Accept`, or let it be; too late
    Said                        a chat line
    RoomsListed Seated Unseated         the free rooms; a place in one, and its end
    TicketShown TicketClosed            how a search stands; it led to nothing
    Displaced                   the same player arrived elsewhere with the ticket, or the key: this connection ends
    PlayersListed GamesListed MatchStatus BoardShown FairnessShown      answers to queries, to the sender alone
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Any, ClassVar

from attrs import Factory, field, validators

# Several names a line: a reader of this file looks them up above, not here.
# isort: off
# fmt: off
from gameserver.core.commands import (
    Accept, Against, Arrive, Book, Capability, Challenge, Command, Contribute, Depart, Enter, EntryMode, Leave,
    ListGames, ListPlayers, ListRooms, Play, Query, Ready, RecallTicket, Resign, Say, Scope, Seek, ShowBoard,
    ShowFairness, ShowMatch, ShowTicket, Sit, Unbook, Withdraw,
)
from gameserver.core.events import (
    Accepted, Answer, BoardShown, By, ChallengeClosed, ChallengeOpened, Code, Displaced, EndReason, Event,
    FairnessShown, GameEnded, GamesListed, MatchEnded, MatchOpened, MatchPaired, MatchShown, MatchStatus,
    MovePlayed, MoveRefused, OwnDrawShown, PlayerShown, PlayersListed, Rejected, Result, RoomShown, RoomsListed,
    Said, SeatDropped, SeatReady, SeatReturned, Seated, TicketClosed, TicketShown, TicketStatus, TurnStarted,
    Unseated, UnseatedWhy, Why,
)
from gameserver.endpoints import (
    AsgiApp, Endpoint, Framing, Handshake, HttpEndpoint, LazyApp, LobbyClient, LobbyReply, NotAdmitted,
    WebSocketEndpoint, lobby_of,
)
from gameserver.time_control import TimeControl
from gameserver.values import value

__all__ = [
    "Accept", "Accepted", "Adapter", "Against", "Answer", "Arrive", "AsgiApp", "BoardShown", "Book", "BrokenInput",
    "By", "Capability", "Challenge", "ChallengeClosed", "ChallengeOpened", "Code", "Command", "Context",
    "Contribute", "Depart", "Displaced", "EndReason", "Endpoint", "Enter", "EntryMode", "Event", "FairnessShown",
    "Framing", "GameEnded", "GamesListed", "Handshake", "HttpEndpoint", "LazyApp", "Leave", "ListGames", "ListPlayers",
    "ListRooms", "LobbyClient", "LobbyReply", "MatchEnded", "MatchOpened", "MatchPaired", "MatchShown",
    "MatchStatus", "MovePlayed", "MoveRefused", "NoProtocolOptions", "NotAdmitted", "Output", "OwnDrawShown",
    "PastMatch", "Peer", "Play", "PlayerShown", "PlayersListed", "Query", "Ready", "RecallTicket", "RecordsAway",
    "Refusal", "RefusalKind", "Rejected", "Reply", "Resign", "Result", "RoomShown", "RoomsListed", "Said", "Say",
    "Scope", "SeatDropped", "SeatReady", "SeatReturned", "Seated", "Seek", "ShowBoard", "ShowFairness", "ShowMatch",
    "ShowTicket", "Sit", "TicketClosed", "TicketShown", "TicketStatus", "TimeControl", "TurnStarted", "Unbook",
    "Unseated", "UnseatedWhy", "WebSocketEndpoint", "Why", "WireProtocol", "Withdraw", "Work", "lobby_of",
]
# fmt: on
# isort: on


class BrokenInput(Exception):
    """The peer sent what the protocol cannot read on from.

    The runtime sends `last_words` (in the protocol's own form), closes, and logs `why`.
    """

    def __init__(self, why: str, last_words: bytes = b"") -> None:
        super().__init__(why)
        self.why = why
        self.last_words = last_words


@value
class Reply:
    """An answer that a protocol's adapter gives without the lobby: help, a syntax error, a ping."""

    data: bytes
    then: "Adapter | None" = None
    """The adapter with which the connection goes on from here, as after an HTTP request that opens a WebSocket."""


@value
class Work:
    """A task of a protocol's adapter that takes time, such as the answer of an HTTP route.

    The runtime runs it in a task beside the connection, one at a time, and cancels it when the
    connection ends. It leaves its replies and commands for `Adapter.next`, and calls the function
    that it is given, so that `next` is asked.
    """

    run: Callable[[Callable[[], None]], Awaitable[None]]
    may_prove: bool = False
    """True if it may show who the peer is, as a request does that brings a secret or books a match: where connections
    come too fast, such work is begun, and its commands are judged. Other work has to wait."""


@value
class Output:
    """Bytes of a protocol for the peer, not to be sent before `release_ms` on the server's axis of time."""

    data: bytes
    release_ms: int = 0


class RefusalKind(Enum):
    """The kind of a refused connection, for protocols that have codes for it."""

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


@value
class Refusal:
    """The reason for which the server refuses or ends a connection. `Adapter.farewell` tells the peer."""

    why: str
    """One sentence for the user: what was wrong and what to do."""
    kind: RefusalKind = RefusalKind.FAULT


@value
class Peer:
    """The other end of a protocol's connection: the session's number, and the host's address without the port."""

    session: int
    address: str
    connected_ms: int = 0
    """The time at which the connection was made, on the server's axis of time."""
    handshake: Handshake | None = None
    """The HTTP request that opened the WebSocket, where it is one."""
    is_encrypted: bool = False
    """True if the connection is encrypted (TLS)."""
    reached: str = ""
    """The address of this machine that the peer connected to; empty where that is not known."""


class RecordsAway(Exception):
    """The records cannot be read now, as while the database is away. They can later."""


@value
class PastMatch:
    """A player's match on record, for a protocol to tell of. `result` is `win`, `loss`, `draw` or `void`."""

    match: int
    game: str
    opponents: tuple[str, ...]
    result: str


@value
class NoProtocolOptions:
    """The options of a protocol that has none."""


def _no_ids() -> str:
    raise LookupError("this context was made without a source of ids")


def _no_date(axis_ms: int) -> str:
    """The default of `Context.date_at`, without a calendar."""
    return f"{axis_ms} ms on the server's clock"


async def _no_past_match(player: str) -> PastMatch | None:
    """Nothing on record."""
    return None


@value
class Context:
    """The data that all connections of a protocol's listener share."""

    profile: str
    options: Any
    games: tuple[str, ...]
    """The names of all games, sorted."""
    # As much as the text protocol's server of 2016 took without a line end (ClientInputHandler.java:69-76).
    line_bytes_max: int = field(default=16_384, validator=validators.ge(64))
    """The most bytes of unfinished input that an adapter may keep."""
    # Time to type a name by hand, in telnet.
    login_timeout_s: float = 300.0
    """Seconds that a peer may stay without being `identified`. The runtime enforces it."""
    new_id: Callable[[], str] = _no_ids
    """Makes ids and tokens that nobody can guess: 128 random bits as 22 characters of base64url.
    The runtime fills it in."""
    date_at: Callable[[int], str] = _no_date
    """The date and time, as ISO 8601 has it and in UTC, of a point on the server's axis, if the server
    goes on serving until then; for protocols that tell a deadline so. The runtime fills it in."""
    guides: Mapping[str, str] = Factory(dict)
    """The guides of games (`Game.guide`), by name, without the empty ones."""
    built_guide: Callable[[str], str] = lambda game: ""  # noqa: ARG005 - there is no such game
    """Builds a guide for a game without one, from its start position; empty if there is no such game.
    The runtime fills it in."""
    aliases: Mapping[str, str] = Factory(dict)
    """Other names of games (`Game.aliases`), each with the name that it stands for."""
    last_match_of: Callable[[str], Awaitable[PastMatch | None]] = _no_past_match
    """Looks up a player's latest match on record, for `Work`; raises `RecordsAway`. The runtime fills it in."""
    own_page_of: Callable[[str, int], str] = lambda player, session: ""  # noqa: ARG005 - there is no page
    """The URL of a player's own page, which shows what nobody else is shown, for the player who is logged in by this
    session; empty if no pages are served. The runtime fills it in."""
    pages_url: str = ""
    """The URL at which this peer's browser finds the pages, without a slash at the end; empty if none are served.
    The runtime fills it in."""


class Adapter(ABC):
    """One connection's side of a wire protocol, without input or output of its own."""

    @property
    def due_ms(self) -> int | None:
        """The time at which a protocol adapter's `tick` is to be called next, on the server's axis; None for never.

        It is for pings and a protocol's own time limits. The runtime reads it after every event of the
        connection.
        """
        return None

    def tick(self, now_ms: int) -> None:  # noqa: B027 - most protocols do nothing by the clock
        """Notes in a protocol's adapter that it is `due_ms` or later; `next` is asked after it.

        May raise `BrokenInput`. It leaves `due_ms` later than `now_ms`, or None.
        """

    @abstractmethod
    def greeting(self) -> bytes:
        """The bytes that a protocol's server sends first; may be empty."""

    @abstractmethod
    def receive(self, data: bytes, at_ms: int) -> None:
        """Takes bytes from a protocol's peer, read at `at_ms`; raises `BrokenInput` beyond the limit."""

    @abstractmethod
    def receive_eof(self) -> None:
        """Notes that a protocol's peer will send no more. What is complete is still answered, then it ends."""

    @abstractmethod
    def next(self) -> Command | Query | Reply | Work | None:
        """Gives what a protocol's peer asked for next; None where nothing complete is left. May raise `BrokenInput`."""

    @abstractmethod
    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Says an answer and events in the protocol's own words, and keeps the state that follows from them."""

    @abstractmethod
    def farewell(self, refusal: Refusal) -> bytes:
        """Writes a protocol's last words to a peer whose connection the server ends."""

    @property
    def words_for_overlong(self) -> bytes:
        """The last words to a peer whose WebSocket message is too long. `receive` never sees such a message."""
        return b""

    @property
    @abstractmethod
    def pending_bytes(self) -> int:
        """The bytes of a protocol's finished input that wait for `next`; reading stops while it cannot take them.

        An unfinished message does not count: reading is what finishes it.
        """

    def ping(self) -> bytes:
        """Writes bytes that the peer's software answers by itself, such as a ping; empty if the protocol has none."""
        return b""

    @property
    def is_waiting(self) -> bool:
        """True if `next` has nothing until the peer sends more; the runtime need not ask it after an answer then.

        False is never wrong.
        """
        return False

    @property
    def discarded(self) -> int:
        """Counts the messages dropped silently, as the protocol demands; for the log."""
        return 0

    @property
    def is_passing(self) -> bool:
        """True if the peer comes and goes routinely, as for an HTTP request: its end is not worth a log line."""
        return False

    @property
    @abstractmethod
    def identified(self) -> bool:
        """True if a protocol's peer has told who it is; one that does not is closed after a time."""

    @property
    def is_established(self) -> bool:
        """True if the peer has logged in, plays, or is being answered: other connections give way to newcomers."""
        return self.identified

    @property
    @abstractmethod
    def finished(self) -> bool:
        """True if a protocol's peer is through, or closed its side and all is answered: the session ends then."""


class WireProtocol(ABC):
    """A wire protocol itself. One instance serves all its listeners and connections."""

    name: ClassVar[str]
    """The name in the config and on the command line: lower case, hyphens."""
    title: ClassVar[str]
    default_port: ClassVar[int | None]
    """The port unless the config names another; None for a protocol without sockets, which has only `endpoints`."""
    default_host: ClassVar[str] = "*"
    """The address that it listens on unless the config names another; `*` is every address of the machine."""
    profiles: ClassVar[tuple[str, ...]] = ("document",)
    """The dialects a listener may speak; the first is the default."""
    is_limited: ClassVar[bool] = True
    """True if its connections count against the limit. False for the teacher, who may enter a full server."""
    options_type: ClassVar[type] = NoProtocolOptions
    """An attrs class: the protocol's own table in the config."""
    scenarios: ClassVar[str] = ""
    """The importable package that holds the scenarios of `gameserver check`; empty if there are none."""
    guide: ClassVar[str] = ""
    """The protocol page, in Markdown: every message with an example, every policy, every difference."""
    secrets: ClassVar[Sequence[re.Pattern[bytes]]] = ()
    """Patterns of secrets, in what is read and in what is said: the first group is masked in logs.

    A pattern is matched against a line at a time."""
    mishaps: ClassVar[Mapping[str, re.Pattern[bytes]]] = {}
    """The server's words for what went wrong, each with a sentence about it; they are marked in wire logs."""
    plays_house: ClassVar[bool] = False
    """True if its clients play against the house alone."""
    ends_with_match: ClassVar[bool] = False
    """True if it tells its clients to leave once their match is over: they may close their connections then."""
    carries_others: ClassVar[bool] = False
    """True if its bytes only carry other protocols or pages: they are in no wire log, and may begin as HTTP does."""
    try_it: ClassVar[str] = ""
    """A command by which a person tries it, with `{host}` and `{port}`; shown when the server starts."""

    def prepare(self) -> None:  # noqa: B027 - most protocols have nothing to prepare
        """Imports and builds the parts that only connections to this protocol need. The server starts without them.

        Called once before the first connection is accepted, in a thread: other protocols are served meanwhile.
        """

    @abstractmethod
    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """Makes a new connection's adapter of this protocol. Of a WebSocket, it may raise `NotAdmitted` instead."""

    def joining(self, game: str, entry: EntryMode, rooms_game: str) -> str:
        """Tells in a sentence what a bot of this protocol does to take part in a tournament; empty if none can.

        It is for the screen on which a tournament gathers its players. Commands stand in backquotes. `entry` says who
        takes part besides the players who were entered by name; `rooms_game` is the game that is played in rooms.
        """
        return ""

    def endpoints(self) -> Sequence[Endpoint]:
        """The endpoints that the HTTP listener serves for this protocol: WebSocket paths and routes."""
        return ()
