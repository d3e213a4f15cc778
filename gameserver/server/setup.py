"""The parts that a server is made of."""

import gc
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import trio
from attrs import field

from gameserver.authentication.roster import Roster
from gameserver.engine.committer import JournalThread, JournalWorker
from gameserver.flow_control.limits import Limits
from gameserver.game import Game
from gameserver.halls import HallSettings
from gameserver.http.host_context import HttpOptions
from gameserver.policies import Rules
from gameserver.protocol import Adapter, Peer, WireProtocol
from gameserver.read_model.views import ListenerSummary
from gameserver.settings import HouseTerms
from gameserver.tournaments.season import SeasonSettings
from gameserver.transport.listener import Listening, network_address
from gameserver.transport.reactor_choice import NewReactor, best_reactor
from gameserver.transport.tcp_info import LastContact, last_contact
from gameserver.values import value
from gameserver.wire_log.files import WireLogSettings
from gameserver.wire_log.owner_access import Words


@value
class Setup:
    """The setup of a server: the parts that it is made of.

    Clock, chance and wall time come in here and nowhere else.
    """

    games: Mapping[str, Game[Any]]
    """The games, by name in lower case."""
    listening: tuple[Listening, ...]
    rules: Rules = field(factory=Rules)
    limits: Limits = field(factory=Limits)
    options_of: Mapping[str, Any] = field(factory=dict)
    """The options of every protocol, by its name."""
    mishaps: Mapping[str, Words] = field(factory=dict)
    """The words of every protocol, by its name, for what went wrong."""
    house: bool = True
    house_terms: HouseTerms = field(factory=HouseTerms)
    commit_retry_s: float = 30.0
    roster: Roster = field(factory=lambda: Roster(None, trio.current_time))
    wire_log: WireLogSettings = field(factory=WireLogSettings)
    hall: HallSettings = field(factory=HallSettings)
    seasons: Mapping[str, SeasonSettings] = field(factory=dict)
    """The seasons by the names in their addresses."""
    wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    new_seed: Callable[[], str] = lambda: secrets.token_hex(32)
    new_id: Callable[[], str] = lambda: secrets.token_urlsafe(16)
    """Same as in `Context`."""
    new_key: Callable[[], bytes] = lambda: secrets.token_bytes(32)
    """Makes the key that seals links to players' own pages, once for each start."""
    last_contact: Callable[[socket.socket], LastContact | None] = last_contact
    """The time at which the peer of a connection was last there."""
    has_virtual_time: bool = False
    """True in tests whose clock jumps: it must not pass while a thread or another process works."""
    work_s: Callable[[], float] = time.perf_counter
    """The clock by which work of the processor and of the disk is measured."""
    journal_worker: Callable[[], JournalWorker] = JournalThread
    """Makes what works on a journal that blocks."""
    network_address: Callable[[], str] = network_address
    """The address at which this machine is found in its network."""
    free_bytes: Callable[[], int | None] = lambda: None
    """The bytes that are left on the disk of the data file; None where there is none on this machine."""
    around: Callable[[Adapter, Peer, WireProtocol], Adapter] = lambda adapter, _peer, _protocol: adapter
    """Puts an adapter around that of a connection, which looks at what goes through."""
    reactor: NewReactor = best_reactor

    @property
    def url(self) -> str:
        """The address at which people open the pages of this setup; empty if the settings name none."""
        options = self.options_of.get("http")
        return options.url if isinstance(options, HttpOptions) else ""

    @property
    def places(self) -> tuple[ListenerSummary, ...]:
        """The listeners of this setup, each with its protocol and address."""
        return tuple(
            ListenerSummary(each.protocol.name, host, port, each.tls is not None, each.profile)
            for each in self.listening
            for host, port, *_ in (sock.getsockname() for sock in each.sockets)
        )


@contextmanager
def freeze_gc() -> Iterator[None]:
    """Exempts a server's parts set up here from garbage collection: modules, and the lobby out of the journal.

    Each collection of all of it would make every player wait for about 0.05 s.
    """
    gc.disable()
    try:
        yield
    finally:
        # Moves everything that is alive to a generation that no collection looks at.
        gc.freeze()
        gc.enable()
