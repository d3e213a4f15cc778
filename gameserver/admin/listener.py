"""The admin listener as a protocol like any other: port, options, and an adapter for each connection.

What it serves are `HttpEndpoint`s, as every protocol may have them; `acts` has the lobby's own, and
whoever has more to offer to a teacher hands them to `AdminProtocol`. All of them are behind the
gate, and none of them is served on any other port.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from attrs import Attribute, field, frozen

from gameserver.endpoints import HttpEndpoint
from gameserver.http.host_context import HostContext
from gameserver.protocol import Adapter, Context, Peer, WireProtocol

if TYPE_CHECKING:
    from gameserver.admin.application import AdminSite

TOKEN_LENGTH_MIN = 16

GUIDE = """\
# Admin

What a teacher asks of a running server, over HTTP/1.1 on a port of its own: by default it is reached from this machine
only. `gameserver status`, `kick`, `void`, `drain` and `tournament` use it; so can any program:

    curl -H "Authorization: Bearer $TOKEN" http://localhost:8090/api/status

The token is in the file that the server names at its start, beside the data file; `admin.token` in the config sets
another. A browser is asked for it once. Answers are JSON; what is refused has an `error` that says why, with the
status 401 (no token, or a wrong one), 403 (a page of another site asks), 404 (there is no such thing), 409 (the lobby
refuses) or 421 (a name in the address bar that is not in `admin.hosts`).

| request | what it does |
|---|---|
| `GET /api/status` | players, matches, tables, queues and tickets, as they are now; `attacks`: wrong secrets, by name |
| `GET /api/wire-log?player=NAME` | what a player's connections said and heard, where `wire_log.directory` is set |
| `POST /api/players/NAME/kick` with `{"why": "...", "by": "..."}` | ends a player's connection; they may enter again |
| `POST /api/matches/NUMBER/void` with `{"why": "...", "by": "..."}` | ends a match without a loser |
| `POST /api/drain` with `{"within_s": 300, "why": "...", "by": "..."}` | begins no new match, stops after the last |
| `GET /api/tournaments/` | every tournament, with its number and state |
| `POST /api/tournaments/` with `{"preset": "hanze", "name": "...", "game": "Reversi"}` | makes one |
| `GET /api/tournaments/NUMBER` | entrants, pairings and standings |
| `GET /api/tournaments/NUMBER/export/FILE` | `standings`, `crosstable`, `grades`, `trf` or `json` |
| `POST` to the same with `{"student_ids": {"ann": "s1001"}}` | with these ids where the roster has none, or others |
| `POST /api/tournaments/NUMBER/ACT` with `why` and `by` | `start`, `pause`, `resume`, `finish` or `cancel` |
| the same with `"player"` | `add`, `drop` or `disqualify` |
| the same with `"pairing"` | `void`, or with a `"verdict"` (`first`, `second`, `draw`, `both lose`) `correct` |

A new tournament is its preset, with `changes` to its fields; `entry` (`logged-in`, `subscribed`, `roster`)
and `roster` (`[{"player": "ann"}]`) say who takes part.

Every act is journaled with who did it and why.
"""


def _is_token(_instance: object, _attribute: "Attribute[str]", token: str) -> None:
    fits = len(token) >= TOKEN_LENGTH_MIN and token.isascii() and token.isprintable() and " " not in token
    if token and not fits:
        message = f"'token' has {TOKEN_LENGTH_MIN} or more printable ASCII characters, without blanks"
        raise ValueError(message)


@frozen
class AdminOptions:
    """What can be set for the admin listener: the table `[admin]`."""

    token: str = field(default="", repr=False, validator=_is_token)
    """What every request has to bring; empty for one that the server makes at its first start."""
    hosts: tuple[str, ...] = ()
    """The names, beside `localhost` and plain addresses, under which browsers may reach it."""


class AdminProtocol(WireProtocol):
    """The admin listener. `more` are the endpoints beside the lobby's own acts; the longest path that fits wins."""

    name: ClassVar[str] = "admin"
    title: ClassVar[str] = "Admin"
    default_port: ClassVar[int | None] = 8090
    default_host: ClassVar[str] = "127.0.0.1"
    is_limited: ClassVar[bool] = False
    options_type: ClassVar[type] = AdminOptions
    guide: ClassVar[str] = GUIDE
    carries_others: ClassVar[bool] = True
    try_it: ClassVar[str] = "gameserver status"

    def __init__(self, more: Sequence[HttpEndpoint] = ()) -> None:
        self._more = more

    def prepare(self) -> None:
        """Put together what is served."""
        self._site  # noqa: B018 - it is made when it is first looked at

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A new connection's adapter."""
        assert isinstance(context, HostContext), "the server gives one to every protocol that carries others"
        return self._site.adapter(peer, context)

    @cached_property
    def _site(self) -> "AdminSite":
        # With it come Starlette, h11 and the teacher's pages, which no player is to wait for.
        from gameserver.admin.application import AdminSite  # noqa: PLC0415

        return AdminSite(self._more)
