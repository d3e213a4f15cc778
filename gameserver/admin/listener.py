"""The admin listener as a protocol like any other: port, options, and an adapter for each connection.

What it serves are `HttpEndpoint`s, as every protocol may have them; `acts` has the lobby's own, and
whoever has more to offer to a teacher hands them to `AdminProtocol`. All of them are behind the
gate, and none of them is served on any other port.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from attrs import Attribute, field, frozen

from gameserver.admin.guide import guide
from gameserver.endpoints import HttpEndpoint
from gameserver.http.host_context import HostContext
from gameserver.protocol import Adapter, Context, Peer, WireProtocol

if TYPE_CHECKING:
    from gameserver.admin.application import AdminSite

TOKEN_LENGTH_MIN = 16


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
    guide: ClassVar[str] = guide()
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
