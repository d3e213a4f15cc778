"""The admin listener as a protocol like any other: port, options, and an adapter for each connection.

It serves `HttpEndpoint`s, as any protocol may. The lobby's own are in `lobby_api` and `tournament_api`;
other packages hand theirs to `AdminProtocol`. All of them are behind the gate, and no other port
serves them.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from attrs import Attribute, field

from gameserver.admin.guide import guide
from gameserver.endpoints import HttpEndpoint
from gameserver.http.host_context import HostContext
from gameserver.protocol import Adapter, Context, Peer, WireProtocol
from gameserver.values import value

if TYPE_CHECKING:
    from gameserver.admin.application import AdminSite

TOKEN_LENGTH_MIN = 16


def _is_token(_instance: object, _attribute: "Attribute[str]", token: str) -> None:
    fits = len(token) >= TOKEN_LENGTH_MIN and token.isascii() and token.isprintable() and " " not in token
    if token and not fits:
        message = f"'token' has {TOKEN_LENGTH_MIN} or more printable ASCII characters, without blanks"
        raise ValueError(message)


@value
class AdminOptions:
    """The settings of the admin listener: the table `[admin]`."""

    token: str = field(default="", repr=False, validator=_is_token)
    """The token that every request must have. If empty, the server makes one at its first start."""
    hosts: tuple[str, ...] = ()
    """Host names by which browsers may reach the listener, besides plain addresses, the machine's own name and that in
    `hall.url`."""


class AdminProtocol(WireProtocol):
    """The admin listener. `more` are endpoints beside the lobby's own; the longest matching path wins."""

    name: ClassVar[str] = "admin"
    title: ClassVar[str] = "Admin"
    default_port: ClassVar[int | None] = 8090
    default_host: ClassVar[str] = "127.0.0.1"
    is_limited: ClassVar[bool] = False
    options_type: ClassVar[type] = AdminOptions
    guide: ClassVar[str] = guide()
    carries_others: ClassVar[bool] = True
    try_it: ClassVar[str] = "gameserver status"

    def __init__(self, more: Sequence[HttpEndpoint] = ()) -> None:
        self._more = more

    def prepare(self) -> None:
        """Build the application."""
        self._site  # noqa: B018 - a cached property is built at its first use

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """The adapter of a new connection."""
        assert isinstance(context, HostContext), "the server gives one to every protocol that carries others"
        return self._site.adapter(peer, context)

    @cached_property
    def _site(self) -> "AdminSite":
        # The import brings in Starlette, h11 and the teacher's pages; no player should have to wait for them.
        from gameserver.admin.application import AdminSite  # noqa: PLC0415

        return AdminSite(self._more)
