"""The check's own server: in this process, on loopback sockets, with a journal in memory that outlives a restart.

Its adapters are wrapped: one wrapper notes the refusals of the client, one lets players sit in rooms. Its clock runs as
time does, and can be pushed on: nobody has to wait for what only the server waits for.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import Any

import trio
from attrs import Factory, define, evolve, field

from gameserver.config import Settings, structure
from gameserver.config_file import ConfigError
from gameserver.core.events import Code
from gameserver.core.lobby import Lobby, Player
from gameserver.core.match import Match
from gameserver.game import Game
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.plugins import Plugins
from gameserver.protocol import (
    Adapter,
    Answer,
    Capability,
    Command,
    Enter,
    Event,
    FairnessShown,
    MatchOpened,
    MatchPaired,
    MatchShown,
    Output,
    Peer,
    Query,
    Rejected,
    Reply,
    WireProtocol,
    Work,
)
from gameserver.records.match_record import MatchRecord
from gameserver.server.server import Listening, Server, Setup
from gameserver.transport.listener import Address, open_listeners
from gameserver.values import value
from gameserver.wire_log.recording_adapter import PassingAdapter

HOST = "127.0.0.1"
OPPONENTS = "strategic"
"""The protocol that the players of the check speak. It carries every game."""

STEP_S = 0.05
"""Time that is skipped at once: no more than the server takes for a pause of its own, which it charges to nobody."""
_TURNS = 3
"""Passes of the event loop after each step, in which everybody does what was due."""
# A scenario of a long list of players has more of them than a class behind one router may have.
_ROOMY = {"connections_per_address_max": 10_000}
_NEW_CONNECTIONS_PER_S = 10_000.0
"""All players of a check come from this machine."""

# The text protocol begins a refusal with ERR; the others have a field or message called error or Error.
_COMPLAINTS = (b"ERR", b"rror")
"""Parts of answers that protocols give without asking the lobby, where they refuse something."""
_CLIENT, _OWN = "client", "own"


@value
class RefusedInput:
    """Something that the check's server refused.

    The code is None where the protocol did so without asking the lobby.
    """

    code: Code | None
    text: str


@define(eq=False)
class _RefusalWatch(PassingAdapter):
    """An adapter that tells of refusals."""

    refused: Callable[[RefusedInput], None]

    def next(self) -> Command | Query | Reply | Work | None:
        """Look for a complaint in an answer that needs no lobby."""
        item = self.inner.next()
        if isinstance(item, Reply) and item.then is None and any(part in item.data for part in _COMPLAINTS):
            self.refused(RefusedInput(None, item.data.decode("utf-8", "replace").strip()))
        return item

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Look for a refusal of the lobby."""
        outputs = self.inner.render(answer, list(map(_uncommitted, events)))
        if isinstance(answer, Rejected):
            said = b"".join(output.data for output in outputs).decode("utf-8", "replace").strip()
            self.refused(RefusedInput(answer.code, said.splitlines()[0] if said else str(answer.code)))
        return outputs


def _uncommitted(event: Event) -> Event:
    """The event without what a server commits to: in a check the dice are given, or follow from its own seed."""
    if isinstance(event, MatchOpened | MatchPaired):
        return evolve(event, commitment="")
    if isinstance(event, MatchShown):
        return evolve(event, paired=evolve(event.paired, commitment=""))
    return FairnessShown(event.epoch, "", event.match) if isinstance(event, FairnessShown) else event


@value
class ServerTerms:
    """The check's own server for a scenario: its protocol, settings and seed."""

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


@define
class ServerUnderCheck:
    """The check's own server, which can be stopped and started again."""

    terms: ServerTerms
    nursery: trio.Nursery
    refused: Callable[[RefusedInput], None]
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
        # A protocol keeps lines that its receivers share: the client's connections must not meet those of the check's
        # players.
        self._spoken = copy(self.terms.plugins.protocols[OPPONENTS])

    @property
    def is_up(self) -> bool:
        """True while the check's own server can be reached."""
        return self._server is not None

    @property
    def client_port(self) -> int:
        """The port that the relay connects the client to."""
        return self._ports[_CLIENT]

    @property
    def own_port(self) -> int:
        """The port of the check's own server for the players of the check."""
        return self._ports[_OWN]

    @property
    def games(self) -> Mapping[str, Game[Any]]:
        """The games of the check's own server, by name in lower case."""
        return self.terms.plugins.games

    async def start(self) -> None:
        """Start the check's own server, on other ports than before a restart."""
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
            # The clock of the check is pushed on, which must not happen while a thread or another process works.
            has_virtual_time=True,
            around=self._around,
        )
        self._server = Server(setup, self.journal)
        self._stopped = trio.Event()
        await self.nursery.start(self._run, self._server)

    async def stop(self) -> None:
        """Stop the check's own server in good order: every client is told so, and matches are kept."""
        if self._server is not None:
            self._server.request_stop()
            await self._stopped.wait()

    def ask(self, command: Command) -> None:
        """Have the lobby of the check's own server carry out a command of the server."""
        if self._server is not None:
            self._server.ask(command)

    @property
    def lobby(self) -> Lobby | None:
        """The lobby of the check's own server, to be read and not kept.

        It is None for a moment now and then, and while the server is down.
        """
        return None if self._server is None else self._server.lobby

    def player(self, name: str) -> Player | None:
        """Finds a player who is logged in at the check's own server."""
        lobby = self.lobby
        return None if lobby is None else lobby.players.get(name)

    def match_of(self, name: str) -> Match | None:
        """Finds the match in which a player of the check's own server has a seat, present or not."""
        lobby = self.lobby
        number = None if lobby is None else lobby.seated.get(name)
        return None if lobby is None or number is None else lobby.matches.get(number)

    def records(self) -> list[MatchRecord]:
        """All matches that are over at the check's own server, in order."""
        return list(self.journal.read_records())

    def _listening(self, what: str, protocol: WireProtocol, profile: str = "") -> Listening:
        sockets = tuple(open_listeners(Address(HOST, 0)))
        self._ports[what] = sockets[0].getsockname()[1]
        return Listening(protocol, sockets, profile or protocol.profiles[0], self.terms.options[protocol.name])

    def _around(self, adapter: Adapter, _peer: Peer, protocol: WireProtocol) -> Adapter:
        """Watch the client's connections. What a player of the check is refused tells nothing."""
        if protocol is not self._spoken:
            return _RefusalWatch(adapter, self.refused)
        return _WithRooms(adapter) if self.terms.knows_rooms else adapter

    async def _run(self, server: Server, task_status: trio.TaskStatus[None]) -> None:
        await server.run(task_status)
        self._server = None
        self._stopped.set()


def settings_of(
    plugins: Plugins, protocol: WireProtocol, raw: Mapping[str, Any], turn_time_s: float | None
) -> tuple[Settings, dict[str, Any]]:
    """Reads the settings under which the check's own server runs for a scenario. Raises `ConfigError`."""
    base: dict[str, Any] = {"limits": dict(_ROOMY), "lobby": {"house_players": protocol.plays_house}}
    if turn_time_s is not None:
        base |= {section: {"clock": f"turn {turn_time_s}s"} for section in ("match", "rooms", "tickets")}
    for section, table in raw.items():
        if not isinstance(table, Mapping):
            raise ConfigError(f"{section} should be section.key = value")
        base[section] = {**base.get(section, {}), **table}
    settings, options = structure(base, plugins.configured)
    limits = evolve(settings.limits, new_connections_per_s=_NEW_CONNECTIONS_PER_S)
    return evolve(settings, limits=limits), options


class SkippingClock(trio.abc.Clock):
    """The clock of a check's server: the time of this machine, and all that was skipped.

    Make one for each `trio.run`.
    """

    def __init__(self) -> None:
        self.skipped_s = 0.0

    def start_clock(self) -> None:
        """Do nothing: the clock of a check's server needs no start."""

    def current_time(self) -> float:
        """Seconds on the clock of a check's server, skipped ones included, since some moment."""
        return time.perf_counter() + self.skipped_s

    def deadline_to_sleep_time(self, deadline: float) -> float:
        """The real seconds until a deadline of a check's server, if nothing is skipped meanwhile."""
        return deadline - self.current_time()

    async def skip(self, time_s: float) -> None:
        """Let time pass at once for the check's server, in small steps, each with what is due in it."""
        end_s = self.skipped_s + time_s
        while self.skipped_s < end_s:
            self.skipped_s = min(self.skipped_s + STEP_S, end_s)
            for _ in range(_TURNS):
                await trio.lowlevel.checkpoint()


def real_s() -> float:
    """Real seconds beside the server under check, which skips time: they measure a client."""
    return time.perf_counter()


class _WithRooms(PassingAdapter):
    """The adapter of a player of the check that may take a place in a room; its protocol knows none."""

    def next(self) -> Command | Query | Reply | Work | None:
        """Let the player enter as those do who know rooms."""
        item = self.inner.next()
        if isinstance(item, Enter):
            return evolve(item, capabilities=(*item.capabilities, Capability.ROOMS))
        return item
