"""GammonX: backgammon over REST and a SignalR hub, as the server of that name spoke it in September 2025.

handlers   The hub's methods
payloads   a match as its client sees it
profiles   The two generations of the protocol, as data
rendering  Consequences of the lobby's events
rest       matchmaking over REST
schema     the document: messages, enums, methods, GUIDs
session    The state of one connection to the hub

The page for its users is `guide.md`.

A connection to the hub joins the parts: its calls go to `handlers`, the lobby's events to `rendering`, about one
`session`.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from importlib.resources import files
from typing import ClassVar, cast

from gameserver.protocol import (
    Adapter,
    AsgiApp,
    Context,
    Endpoint,
    EntryMode,
    HttpEndpoint,
    LazyApp,
    Peer,
    WireProtocol,
)
from protocols.gammonx import handlers, rendering
from protocols.gammonx.profiles import PROFILES, GammonXProfile
from protocols.gammonx.schema import CONVERTER, VARIANT_OF
from protocols.gammonx.session import GammonXOptions, GammonXSession
from protocols.signalr import Calls, Hub

__all__ = ["PROTOCOL", "GammonXProtocol"]


class _HubConnection(GammonXSession):
    """A connection with everything that it can do: the functions are its methods, so that calls go straight there."""

    invoke = handlers.invoke
    connected = handlers.attach
    heard = rendering.hear


class GammonXProtocol(WireProtocol):
    """The GammonX protocol itself. It has no port of its own: it lives on the HTTP listener."""

    name = "gammonx"
    title = "GammonX: backgammon over REST and SignalR"
    default_port = None
    profiles = tuple(PROFILES)
    options_type = GammonXOptions
    scenarios = "protocols.gammonx.scenarios"
    # `force-disconnect` follows the end: clients close their connections upon it.
    ends_with_match = True
    guide = files(__name__).joinpath("guide.md").read_text("utf-8")
    mishaps: ClassVar[Mapping[str, re.Pattern[bytes]]] = {
        "A method was refused.": re.compile(rb'"target":"error"'),
        "A method failed, or the server ended the connection.": re.compile(rb'"type":[37],[^\x1e]*"error":'),
    }
    try_it = "curl http://{host}:{port}/api/matches"

    def __init__(self) -> None:
        # One for each profile: their methods differ, and so do the ids that negotiation gives out.
        self._hubs = {name: Hub(Calls(*profile.methods), CONVERTER) for name, profile in PROFILES.items()}

    def joining(self, game: str, entry: EntryMode, rooms_game: str) -> str:
        """Tells what a GammonX client does to take part in a tournament: it takes a ticket for each match."""
        if game not in VARIANT_OF:
            return ""
        known = ", by the PlayerId on the list" if entry is EntryMode.ROSTER else ""
        return (
            f"Take a ticket for each match by `POST /api/matches/join` (Normal, cash{known}), and wait at the hub "
            "`/matchhub`."
        )

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """Makes the adapter of a new connection to the GammonX hub of its profile."""
        profile = PROFILES[context.profile]
        allowed = handlers.ALLOWED[profile.name]
        return self._hubs[profile.name].adapter(
            peer,
            context,
            lambda client: _HubConnection(client, peer, profile, context.options, context.date_at, allowed),
        )

    def endpoints(self) -> Sequence[Endpoint]:
        """Names the HTTP paths of GammonX: a SignalR hub and the REST matchmaking for each profile."""
        return tuple(
            endpoint
            for profile in PROFILES.values()
            for endpoint in (
                *self._hubs[profile.name].endpoints(f"{profile.prefix}/matchhub", profile.name),
                HttpEndpoint(
                    f"{profile.prefix}/api/matches",
                    LazyApp(partial(_matches, profile)),
                    # The original never set a CORS policy, so that pages of other hosts could not use it.
                    origins=("*",),
                    credentials=True,
                ),
            )
        )


def _matches(profile: GammonXProfile) -> AsgiApp:
    from protocols.gammonx.rest import matches_app  # noqa: PLC0415 - it imports Starlette

    return cast("AsgiApp", matches_app(profile))


PROTOCOL = GammonXProtocol()
