"""The check's own server: in this process, on loopback sockets, with a journal in memory that outlives a restart."""

import time
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

import trio
from attrs import Factory, define, field

from gameserver.check.answers import Refusal, RefusalWatch, WithRooms
from gameserver.config import Settings, structure
from gameserver.config_file import ConfigError
from gameserver.core.lobby import Lobby, Player
from gameserver.core.match import Match
from gameserver.game import Game
from gameserver.journal.journal import MemoryJournal
from gameserver.plugins import Plugins
from gameserver.protocol import Adapter, Command, Peer, WireProtocol
from gameserver.records.match_record import MatchRecord
from gameserver.server.server import Listening, Server, Setup
from gameserver.transport.listener import Address, open_listeners
from gameserver.values import value

HOST = "127.0.0.1"
OPPONENTS = "strategic"
"""The protocol that the players of the check speak. It carries every game."""
_ROOMY = {"connections_per_address_max": 10_000, "new_connections_per_s": 10_000.0}
"""All players of a check come from this machine."""
_CLIENT, _OWN = "client", "own"


@value
class ServerTerms:
    """The server of a scenario: its protocol, settings and seed."""

    plugins: Plugins
    protocol: WireProtocol
    profile: str
    """The dialect in which the client is spoken to; empty for the protocol's first one."""
    settings: Settings
    options: Mapping[str, Any]
    over_http: bool
    """True if the client comes to the port for HTTP."""
    seed: str
    knows_rooms: bool = False
    """True if the players of the check may sit down in rooms."""


def settings_of(
    plugins: Plugins, protocol: WireProtocol, raw: Mapping[str, Any], turn_time_s: float | None
) -> tuple[Settings, dict[str, Any]]:
    """The settings of a scenario's server. Raises `ConfigError`."""
    base: dict[str, Any] = {"limits": dict(_ROOMY), "lobby": {"house_players": protocol.plays_house}}
    if turn_time_s is not None:
        base |= {section: {"turn_time_s": turn_time_s} for section in ("match", "tables", "tickets")}
    for section, table in raw.items():
        if not isinstance(table, Mapping):
            raise ConfigError(f"{section} should be section.key = value")
        base[section] = {**base.get(section, {}), **table}
    return structure(base, plugins.protocols)


@define
class ServerUnderCheck:
    """A server that can be stopped and started again."""

    terms: ServerTerms
    nursery: trio.Nursery
    refused: Callable[[Refusal], None]
    journal: MemoryJournal = Factory(MemoryJournal)
    _server: Server | None = field(default=None, init=False)
    _stopped: trio.Event = field(factory=trio.Event, init=False)
    _spoken: WireProtocol = field(init=False)
    """The protocol of the players of the check, as an instance that no connection of the client has."""
    _ports: dict[str, int] = field(factory=dict, init=False)
    _wall_ms: int = field(factory=lambda: time.time_ns() // 1_000_000, init=False)
    """The time of day at the beginning. From there it runs with the clock of the check, skipped time included."""
    _began_s: float = field(factory=trio.current_time, init=False)

    def __attrs_post_init__(self) -> None:
        self._spoken = copy(self.terms.plugins.protocols[OPPONENTS])

    @property
    def is_up(self) -> bool:
        """True while it can be reached."""
        return self._server is not None

    @property
    def client_port(self) -> int:
        """The port for the client, behind the relay."""
        return self._ports[_CLIENT]

    @property
    def own_port(self) -> int:
        """The port for the players of the check."""
        return self._ports[_OWN]

    @property
    def games(self) -> Mapping[str, Game[Any]]:
        """The games, by name in lower case."""
        return self.terms.plugins.games

    async def start(self) -> None:
        """Serve, on other ports than before a restart."""
        terms = self.terms
        served = terms.plugins.protocols["http"] if terms.over_http else terms.protocol
        profile = "" if terms.over_http else terms.profile
        listening = (self._listening(_CLIENT, served, profile), self._listening(_OWN, self._spoken))
        setup = Setup(
            games=self.games,
            listening=listening,
            rules=terms.settings.rules(),
            limits=terms.settings.limits,
            options_of=terms.options,
            house=terms.settings.lobby.house_players,
            house_terms=terms.settings.house,
            wall_ms=lambda: self._wall_ms + round((trio.current_time() - self._began_s) * 1000),
            new_seed=lambda: terms.seed,
            has_virtual_time=True,
            around=self._around,
        )
        self._server = Server(setup, self.journal)
        self._stopped = trio.Event()
        await self.nursery.start(self._run, self._server)

    async def stop(self) -> None:
        """Stop in good order: every client is told so, and matches are kept."""
        if self._server is not None:
            self._server.request_stop()
            await self._stopped.wait()

    def ask(self, command: Command) -> None:
        """Have the lobby carry out a command of the server's own."""
        if self._server is not None:
            self._server.ask(command)

    @property
    def lobby(self) -> Lobby | None:
        """The lobby, to be read and not kept; None for a moment now and then, and while the server is down."""
        return None if self._server is None else self._server.lobby

    def player(self, name: str) -> Player | None:
        """A player who is logged in."""
        lobby = self.lobby
        return None if lobby is None else lobby.players.get(name)

    def match_of(self, name: str) -> Match | None:
        """The match in which a player has a seat, present or not."""
        lobby = self.lobby
        number = None if lobby is None else lobby.seated.get(name)
        return None if lobby is None or number is None else lobby.matches.get(number)

    def records(self) -> list[MatchRecord]:
        """All matches that are over, in order."""
        return list(self.journal.read_records())

    def _listening(self, what: str, protocol: WireProtocol, profile: str = "") -> Listening:
        sockets = tuple(open_listeners(Address(HOST, 0)))
        self._ports[what] = sockets[0].getsockname()[1]
        return Listening(protocol, sockets, profile or protocol.profiles[0], self.terms.options[protocol.name])

    def _around(self, adapter: Adapter, _peer: Peer, protocol: WireProtocol) -> Adapter:
        """Watch the client's connections. What a player of the check is refused tells nothing."""
        if protocol is not self._spoken:
            return RefusalWatch(adapter, self.refused)
        return WithRooms(adapter) if self.terms.knows_rooms else adapter

    async def _run(self, server: Server, task_status: trio.TaskStatus[None]) -> None:
        await server.run(task_status)
        self._server = None
        self._stopped.set()
