"""What passes between the runtime and an adapter: input that breaks, replies, outputs, refusals, and who is there.

For protocol authors all of it is in `gameserver.adapter`.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import Enum, auto
from typing import Any

from attrs import Factory, field, validators

from gameserver.endpoints import Handshake
from gameserver.public.attacks import Attack
from gameserver.public.gallery import Gallery
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


def _no_wire_log(player: str) -> str | None:
    """No log."""
    return None


def _unrecorded(adapter: Any, peer: Peer, protocol: Any) -> Any:
    """Leaves an adapter as it is."""
    return adapter


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
    options_of: Mapping[str, Any] = Factory(dict)
    """The options of every protocol by its name, for one that carries others, as HTTP does."""
    new_id: Callable[[], str] = _no_ids
    """Makes ids and tokens that nobody can guess: 128 random bits as 22 characters of base64url.
    The runtime fills it in."""
    date_at: Callable[[int], str] = _no_date
    """The date and time, as ISO 8601 has it and in UTC, of a point on the server's axis, if the server
    goes on serving until then; for protocols that tell a deadline so. The runtime fills it in."""
    recorded: Callable[[Any, Peer, Any], Any] = _unrecorded
    """Makes of an adapter, its peer and its protocol an adapter whose bytes are noted in the wire log,
    if there is one; for a protocol that carries others. The runtime fills it in."""
    guides: Mapping[str, str] = Factory(dict)
    """What games have to say to their players (`Game.guide`), by name; without those that say nothing."""
    built_guide: Callable[[str], str] = _no_guide
    """The same for a game that says nothing, built from what it offers at its start; empty where there is no such
    game. The runtime fills it in."""
    aliases: Mapping[str, str] = Factory(dict)
    """Other names of games (`Game.aliases`), each with the name that it stands for."""
    student_ids: Callable[[], Mapping[str, str]] = dict
    """The ids that the teacher's roster gives to players, for files behind the admin listener's gate and nothing
    else. The runtime fills it in."""
    attacks: Callable[[], Sequence[Attack]] = tuple
    """The names for which wrong secrets came in lately, for the teacher and nobody else. The runtime fills it in."""
    wire_log_of: Callable[[str], str | None] = _no_wire_log
    """The wire log of a player, for the teacher and nobody else; None where there is none. It may take long. The
    runtime fills it in."""
    last_match_of: Callable[[str], Awaitable[PastMatch | None]] = _no_past_match
    """Looks up a player's latest match on record, for `Work`. The runtime fills it in."""
    pages_url: str = ""
    """Where this peer's browser finds the pages, without a slash at the end; empty where no pages are served. The
    runtime fills it in."""
    gallery: Gallery | None = None
    """What everybody may see, for pages; the runtime fills it in."""
