"""The admin listener as a protocol like any other: port, options, its guide, and an adapter for each connection.

It serves `HttpEndpoint`s, as any protocol may: the lobby's own (`api`), and those that are handed to `AdminProtocol`.
All of them are behind the gate, and no other port serves them.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from attrs import Attribute, field

from gameserver.endpoints import HttpEndpoint
from gameserver.http.host_context import HostContext
from gameserver.protocol import Adapter, Context, Peer, WireProtocol
from gameserver.tournaments.act_table import WHY, teacher_acts
from gameserver.values import value

# Short enough to type, and far too long to guess at 20 tries a second. Judgement.
_TOKEN_LENGTH_MIN = 16

_REQUESTS = """\
# Admin

A teacher's interface to a running server, over HTTP/1.1 on its own port: by default only this machine can reach it.
`gameserver status`, `kick`, `void`, `drain` and `tournament` use it, and so can any program:

    curl -H "Authorization: Bearer $TOKEN" http://localhost:8090/api/status

The token is in the file that the server names at startup, beside the data file; `admin.token` in the config sets
another. A browser is asked for it once. Answers are JSON; a refusal has an `error` that says why, with the
status 401 (no token, or a wrong one), 403 (a request from a page of another site), 404 (not found), 409 (the lobby
refuses), 421 (a host name that is not in `admin.hosts`) or 503 (the database with the records is away; ask again).

| request | what it does |
|---|---|
| `GET /api/status` | players, matches, rooms, queues and tickets, now; `attacks`: wrong secrets, by name |
| `GET /api/wire-log?player=NAME` | the wire log of a player, if `wire_log.directory` is set |
| `POST /api/players/NAME/kick` with `{"why": "...", "by": "..."}` | ends a player's connection; they may log in again |
| `POST /api/matches/NUMBER/void` with `{"why": "...", "by": "..."}` | ends a match without a loser |
| `POST /api/drain` with `{"within_s": 300, "why": "...", "by": "..."}` | starts no new matches, stops after the last |
| `GET /api/tournaments/` | every tournament, with its number and state |
| `POST /api/tournaments/` with `{"preset": "hanze", "name": "...", "game": "Reversi"}` | makes one |
| `POST /api/tournaments/check` with the same | makes none; the settings that would hurt it, as `warnings` |
| `GET /api/tournaments/NUMBER` | entrants, pairings and standings |
| `GET /api/tournaments/NUMBER/export/FILE` | `standings`, `crosstable`, `matches`, `teams`, `grades`, `trf` or `json` |
| the same with `?csv=STYLE` | CSV with a byte order mark, for a spreadsheet: `english`, `dutch` or `german` |
| `POST` to the same with `{"student_ids": {"ann": "s1001"}, "csv": "dutch"}` | these ids override the roster's |
"""
_TOURNAMENTS = """
A new tournament has the fields of its preset, overridden by `changes`; `entry` (`logged-in`, `subscribed`, `roster`)
and `roster` (`[{"player": "ann"}]`) say who takes part. A PlayerId of GammonX as `player` is the student who has it in
the server's roster; a `gammonx_id` beside the name has to be the same as there.

Every action may have a reason (`why`) and an author (`by`); both are journaled.
"""


def guide() -> str:
    """The admin listener's own guide: the page that documents the admin requests, in Markdown."""
    return "\n".join([_REQUESTS.rstrip(), *_act_rows(), _TOURNAMENTS])


def _act_rows() -> Iterator[str]:
    for name, act in teacher_acts().items():
        asked = [
            f"`{one.name}`" + (f" ({', '.join(choice.value for choice in one.choices)})" if one.choices else "")
            for one in (*act.fields, *([WHY] if act.needs_why else []))
        ]
        said = f" with {', '.join(asked)}" if asked else ""
        what = act.help.partition(". ")[0].rstrip(".")
        yield f"| `POST /api/tournaments/NUMBER/{name}`{said} | {what[0].lower()}{what[1:]} |"


def _is_token(_instance: object, _attribute: "Attribute[str]", token: str) -> None:
    fits = len(token) >= _TOKEN_LENGTH_MIN and token.isascii() and token.isprintable() and " " not in token
    if token and not fits:
        message = f"'token' has {_TOKEN_LENGTH_MIN} or more printable ASCII characters, without blanks"
        raise ValueError(message)


@value
class AdminOptions:
    """The settings of the admin listener: the table `[admin]`."""

    token: str = field(default="", repr=False, validator=_is_token)
    """The token that every request must have. If empty, the server makes one at its first start."""
    hosts: tuple[str, ...] = ()
    """Host names by which browsers may reach the listener, besides plain addresses, the machine's own name and that in
    `http.url`."""


class AdminProtocol(WireProtocol):
    """The admin listener as a protocol. `more` are endpoints beside `/api`; the longest matching path wins."""

    name = "admin"
    title = "Admin"
    default_port = 8090
    default_host = "127.0.0.1"
    is_limited = False
    options_type = AdminOptions
    guide = guide()
    carries_others = True
    try_it = "gameserver status"

    def __init__(self, more: Sequence[HttpEndpoint] = ()) -> None:
        self._more = more

    def prepare(self) -> None:
        """Build the admin listener's application."""
        self._make_adapter  # noqa: B018 - a cached property is built at its first use

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """The adapter of a new connection to the admin listener."""
        assert isinstance(context, HostContext), "the server gives one to every protocol that carries others"
        return self._make_adapter(peer, context)

    @cached_property
    def _make_adapter(self) -> Callable[[Peer, HostContext], Adapter]:
        # The import brings in Starlette, h11 and the teacher's pages; no player should have to wait for them.
        from gameserver.admin.gate import adapter_maker  # noqa: PLC0415

        return adapter_maker(self._more)
