"""The host context: what a listener knows that carries other protocols and pages; and the settings of `[http]`.

No protocol of a plug-in sees it. In a context for all, a protocol's author met students' ids and wire logs, and any
adapter could have used them.
"""

import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from email.utils import formatdate
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attrs import Factory, field, fields

from gameserver.http.own_names import OwnNames
from gameserver.protocol import Adapter, Context, EntryMode, Peer, WireProtocol
from gameserver.read_model.read_model import ReadModel
from gameserver.read_model.views import AdminLobbyView, Attack, ListedStudent, RollCall
from gameserver.settings import FIXED
from gameserver.tournaments.plan import Plan
from gameserver.values import value

if TYPE_CHECKING:
    from attrs import Attribute


_URL = re.compile(r"https?://[^/\s?#]+(/[^\s?#]*)?")


def _is_url(_instance: object, attribute: "Attribute[str]", url: str) -> None:
    if url and not _URL.fullmatch(url):
        message = f"{url!r} is not the address of a site; write it as https://games.example.edu"
        raise ValueError(message, attribute)


@value
class HttpOptions:
    """The settings of `[http]`: the address of the pages, sizes and times of requests, host names.

    Sizes of WebSocket messages are in `[limits]`.
    """

    url: str = field(default="", validator=_is_url)
    """The address at which people open the pages, such as `"https://games.example.edu"`: links that players get, those
    on the teacher's pages, and the pages of other halls lead there. Empty: players get the address that they reached,
    the teacher the one of the admin listener, and other halls say that there is none."""
    head_bytes_max: int = field(default=16_384, metadata=FIXED)  # the 16 KiB that h11 has by itself
    """Bytes of a request's first line and headers."""
    body_bytes_max: int = field(default=65_536, metadata=FIXED)
    """Bytes of a request's body."""
    request_timeout_s: float = field(default=30.0, metadata=FIXED)  # as long as a peer may read nothing (`Limits`)
    """The time that a request may take to arrive, and that a new connection may take to send its first."""
    keep_alive_s: float = field(default=75.0, metadata=FIXED)  # nginx's keepalive_timeout
    """The time for which an idle connection is kept open for its next request."""
    ping_every_s: float = field(default=30.0, metadata=FIXED)  # below the 60 s after which nginx gives up a silent one
    """Seconds of silence after which a WebSocket's peer is sent a ping; 0 for no pings."""
    hosts: tuple[str, ...] = ()
    """Host names by which browsers reach this server, such as `["games.example.edu"]`, besides plain addresses, the
    machine's own name and that in `http.url`. Under other names `/play` refuses to play."""


async def _no_wait(address: str, session: int) -> None:
    """No turn to wait for."""


async def _no_warnings(plan: Plan, entry: EntryMode, entered: Sequence[str]) -> Sequence[str]:
    """No settings to look at."""
    return ()


async def _no_forecast(*_asked: object) -> tuple[Sequence[str], str]:
    """No figures to forecast from."""
    return (), ""


async def _none_left(_number: int) -> Sequence[str]:
    """No tournament to forecast."""
    return ()


def http_date(wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> bytes:
    """The host context's time of day, `wall_ms`, as the value of HTTP's Date header for now."""
    return _date(wall_ms() // 1000)


@lru_cache(maxsize=1)  # most responses of a busy server are of the same second
def _date(second: int) -> bytes:
    return formatdate(second, usegmt=True).encode("ascii")


@value
class HostContext(Context):
    """The context of a protocol that `carries_others`: of the HTTP listener and of the admin listener."""

    options_of: Mapping[str, Any] = Factory(dict)
    """The options of every protocol by its name."""
    recorded: Callable[[Adapter, Peer, WireProtocol], Adapter] = lambda adapter, _peer, _protocol: adapter
    """Makes of an adapter, its peer and its protocol an adapter whose bytes are noted in the wire log, if there is
    one."""
    http_date: Callable[[], bytes] = http_date
    read_model: ReadModel | None = None
    """The public view of the lobby, for pages."""
    student_ids: Callable[[], Mapping[str, str]] = dict
    """The ids that the teacher's roster gives to players, for files behind the admin listener's gate and nothing
    else."""
    students: Callable[[], Sequence[ListedStudent]] = tuple
    """The lines of the teacher's roster, for the teacher and nobody else."""
    roll_call: Callable[[AdminLobbyView], RollCall | None] = lambda _lobby: None
    """Compares the teacher's roster with the players who are here; None without a roster."""
    attacks: Callable[[], Sequence[Attack]] = tuple
    """The names for which wrong secrets came in lately, for the teacher and nobody else."""
    warnings_before: Callable[[Plan, EntryMode, Sequence[str]], Awaitable[Sequence[str]]] = _no_warnings
    """Finds the settings that would hurt a tournament of this plan, with these players who are entered by name."""
    forecast_before: Callable[..., Awaitable[tuple[Sequence[str], str]]] = _no_forecast
    """Forecasts in sentences a tournament that begins now, from the same and the time within which it is to end; and
    objects to a plan that may not end in time."""
    forecast_left: Callable[[int], Awaitable[Sequence[str]]] = _none_left
    """Forecasts in sentences the time that a running tournament, by its number, still takes."""
    wrong_token: Callable[[str, int], Awaitable[None]] = _no_wait
    """Takes note of a wrong token of the admin listener, by its address and session, and waits for its turn to be
    answered."""
    own_names: OwnNames = Factory(OwnNames)
    """The host names of this server, and who came under others."""
    wire_log_of: Callable[[str], str | None] = lambda _player: None
    """The wire log of a player, for the teacher and nobody else; None where there is none. It may take long."""

    def guest(self, protocol: WireProtocol, profile: str = "") -> Context:
        """The context of a protocol that is carried, without the host's secrets; an empty profile is its first."""
        shared = {field.name: getattr(self, field.name) for field in fields(Context)}
        options = self.options_of.get(protocol.name) or protocol.options_type()
        return Context(**shared | {"profile": profile or protocol.profiles[0], "options": options})
