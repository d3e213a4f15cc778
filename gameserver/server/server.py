"""The server: assembles the parts from the journal to the sockets, starts and stops them."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import structlog
import trio

from gameserver.authentication.names import Lookalikes
from gameserver.authentication.secret_queue import SecretQueue
from gameserver.core.commands import HOUSE_SESSION, Drain, Enter, Leave, NewEpoch, ServerStarted
from gameserver.core.lobby import Lobby, Timed, time_up_of
from gameserver.engine.batch import Receiver
from gameserver.engine.clock import Alarm, ServerClock
from gameserver.engine.evidence import RoundTrip
from gameserver.engine.sequencer import Sequencer, SequencerServices
from gameserver.flow_control.connection_limiter import ConnectionLimiter
from gameserver.flow_control.fair_scheduler import FairScheduler, Timer, Timers
from gameserver.flow_control.rates import AddressBuckets
from gameserver.journal.journal import Journal
from gameserver.journal.recovery import Replayed, replay
from gameserver.protocol import Command, Query, RefusalKind, WireProtocol, Work
from gameserver.server.adapter_factory import AdapterFactory
from gameserver.server.archive import LiveHalls
from gameserver.server.command_preparer import LOOKED_AT, CommandPreparer, watch_roster
from gameserver.server.house_players import HousePlayers, house_players
from gameserver.server.invitation import inviting
from gameserver.server.ladder_director import LadderDirector
from gameserver.server.live_read_model import LiveReadModel
from gameserver.server.setup import Setup, freeze_gc
from gameserver.server.thinkers import InlineThinkers, Thinkers, WorkerThinkers
from gameserver.server.tournament_director import TournamentDirector
from gameserver.transport import liveness
from gameserver.transport.acceptor import Acceptor
from gameserver.transport.connection import Connection, ConnectionState
from gameserver.transport.listener import Listening, accept_forever
from gameserver.transport.proxy_gate import entrance
from gameserver.transport.tcp_info import round_trip
from gameserver.wire_log.files import WireLog
from gameserver.wire_log.owner_access import OwnerAccess, OwnLinks

__all__ = ["Listening", "Server", "Setup"]

# Judgement: a last line over a phone's network takes less; a client that hangs should not hold up a stop.
_STOP_S = 1.0
"""Seconds that a stop waits for the last messages to reach the clients."""

_EPOCH_S = 86_400.0
"""Seconds that an epoch lasts, unless a start begins another one before."""

# Judgement: the teacher's own request comes over the network, too.
_ANSWER_S = 0.2
"""Seconds that a requested stop waits at least, so that the request can be answered."""

# Judgement: a service manager kills what takes longer (systemd after 90 s); the journal has everything anyway.
_SAVE_S = 10.0
"""Seconds that a stop waits for the snapshot; without one the next start replays the journal."""

# Judgement. A peer could fill the journal by it.
WHY_LENGTH_MAX = 200
"""Characters of a connection's end reason that go on record: it may contain the peer's own words."""

GOODBYE = "The server is stopping; matches are saved, log in again when it is back"

log = structlog.get_logger()


class Server:
    """The running server with all its parts.

    `run` serves until `request_stop`, then tells all clients, saves and closes.
    """

    def __init__(self, setup: Setup, journal: Journal, replayed: Replayed | None = None) -> None:
        replayed = _logged(replayed or replay(journal, setup.games))
        self.limits, self.timers = setup.limits, Timers()
        clock_s = trio.lowlevel.current_clock().current_time
        self._fair_scheduler = FairScheduler(clock_s)
        self.turns = self._fair_scheduler.share("connections")
        self.match_requests = AddressBuckets(setup.limits.address_offers_per_s)
        self._setup, self._journal, self._replayed = setup, journal, replayed
        self._secret_queue = SecretQueue(self.timers, self._has_ended)
        self._clock = ServerClock(clock_s, replayed.now_ms)
        self._alarm = Alarm(self._clock, self)
        self._connections: dict[int, Connection] = {}
        self._receivers: dict[int, Receiver] = {}
        """Receivers of answers and events, by session: the connections and the house."""
        self._protocols: dict[int, str] = {}
        self._connection_limiter = ConnectionLimiter(setup.limits, self.now_ms, self._may_prove, self._knows_names)
        self._probes = liveness.Probes(self.timers, setup.last_contact)
        self._stop_requested, self._all_gone = trio.Event(), trio.Event()
        self._lookalikes = Lookalikes(setup.roster.names)
        self._drain: tuple[int, bool] | None = None
        """While draining: the latest time of the stop, and True once no match is played any more."""
        self._drain_timer: Timer | None = None
        self._sequencer = Sequencer(
            replayed.lobby, journal, self._sequencer_ports(setup), seq=replayed.seq, rows_replayed=replayed.rows
        )
        self._reactor = setup.reactor(self._reading_ms, self._fair_scheduler, self._sequencer.step)
        sequencer = self._sequencer
        # A journal in memory is that of a test, or of a server that keeps nothing: neither needs threads.
        self._has_threads = threads = journal.blocks and not setup.has_virtual_time
        self._wire_log = WireLog(setup.wire_log, self._sequencer.player_of)
        links = OwnLinks(setup.new_key(), lambda: setup.wall_ms() / 1000)
        self._owner_access = OwnerAccess(self._wire_log, setup.roster, links, setup.mishaps, self._secret_queue)
        self._halls = LiveHalls(journal.halls(), setup.hall.name, setup.url, setup.games, self.now_ms, threads=threads)
        facts = (setup.games, journal.reader(), sequencer.metrics, setup.places, inviting(setup), self._owner_access)
        self._house = HousePlayers(sequencer.match, self.ask, setup.house_terms, _thinkers(setup))
        self._read_model = LiveReadModel(
            sequencer.settled,
            self.now_ms,
            self._fair_scheduler,
            *facts,
            self._halls,
            threads=threads,
            wall_ms=setup.wall_ms,
            seasons=setup.seasons,
            students=setup.roster.season_students,
            opinions=self._house.opinions,
        )
        self._sequencer.tell_of(self._read_model.released, self._read_model.confirmed)
        self._house.has_opinion = self._read_model.released
        sequencer.metrics.connections = self._by_protocol
        self._receivers[HOUSE_SESSION] = self._house
        self._adapters = AdapterFactory(setup, self._read_model, self._wire_log, self.now_ms, self._secret_queue)
        self._acceptor = Acceptor(self._adapters.adapter, self._connection_limiter, self)
        self._accepted = entrance(self._acceptor, self.start_soon, setup.limits.trusted_proxies)
        self._director = TournamentDirector(sequencer.to_pair, self.ask, self.now_ms, threads=threads)
        self._ladders = LadderDirector(sequencer.settled, self._read_model.ladder_at_rest, self.ask, setup.wall_ms)
        waits = (self._probes, self.timers, self._secret_queue)
        self._command_preparer = CommandPreparer(
            setup, self._sequencer, self._connection_limiter, self._connections.get, *waits
        )

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Start all parts of the server, and serve.

        Raises `JournalStopped` or `JournalBroken`, in a group, where the journal fails for good.
        """
        try:
            before = self._replayed
            await self._sequencer.start(self._started, before.lost_matches, before.last_wall_ms)
            self._lookalikes.warn(self._replayed.lobby, self._sequencer.rated_players())
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                self._start_services(nursery)
                task_status.started()
                try:
                    await self._stop_requested.wait()
                    await self._say_goodbye()
                finally:
                    # A look-up waits up to 30 s for a PostgreSQL that hangs; for so long players stayed on a server
                    # that led no more.
                    self._part()  # before the other tasks have ended: one of them may hang with the database
                nursery.cancel_scope.cancel()
        finally:
            self._part()
            try:
                with trio.move_on_after(_SAVE_S, shield=True):
                    await self._sequencer.save_snapshot()
            finally:
                # Whatever becomes of the snapshot: another server leads at once when the journal is closed.
                self._reactor.close()
                self._halls.close()
                self._journal.close()
                self._wire_log.flush()

    @property
    def lobby(self) -> Lobby | None:
        """The server's lobby, to be read and not kept; None while it holds decisions not in the journal yet."""
        return self._sequencer.settled()

    @property
    def live_matches(self) -> int:
        """The number of matches on this server that are not over."""
        return self._sequencer.live_matches

    def request_stop(self) -> None:
        """Make the server's `run` end."""
        self._stop_requested.set()

    def drain(self, within_s: float, why: str, by: str) -> None:
        """Drain the server.

        It begins no new match, and stops when the running ones are over, after `within_s` at the latest.
        """
        self._sequencer.submit(Drain(round(within_s * 1000), why, by), self.now_ms())

    def now_ms(self) -> int:
        """Look at the clock of the running server."""
        return self._clock.now_ms()

    def _reading_ms(self) -> int:
        """The stamp of what the reactor is about to read, once the alarm knows of everything that is due by then."""
        now_ms = self._clock.now_ms()
        self._alarm.look_if_due(now_ms)
        return now_ms

    def start_soon(self, run: Callable[..., Awaitable[None]], *args: Any) -> None:
        """Run a task until the server stops."""
        self._nursery.start_soon(run, *args)

    def ask(self, command: Command) -> None:
        """Take a command of the server's own, as the admin listener, the house and the director give it."""
        self._sequencer.submit(command, self.now_ms())

    def submit(self, command: Command | Query, stamp_ms: int, sender: Connection) -> None:
        """Take a command of one of the server's connections to the sequencer, or to the preparer first."""
        # By type, not isinstance: every move comes through here.
        if type(command) in LOOKED_AT or self._connection_limiter.doubts:
            if isinstance(command, Enter):
                self._owner_access.logs_in(sender.session)
            self._command_preparer.take(command, stamp_ms, sender)
        else:
            self._sequencer.submit(command, stamp_ms, sender)

    def may_begin(self, work: Work, sender: Connection) -> bool:
        """True if one of the server's connections may begin work; else it is ended."""
        return self._command_preparer.may_begin(work, sender)

    def interest_changed(self, connection: Connection) -> None:
        """Have the server's reactor watch for what a connection wants now."""
        if connection.stage is not ConnectionState.CLOSED:
            self._reactor.update(connection)

    def left(self, connection: Connection, why: str, fault: str = "") -> None:
        """End the session of a server's connection. The rest of the connection's life counts against no limit."""
        self._connection_limiter.release(connection)
        self._secret_queue.forget(connection.address, connection.session)
        leave = Leave(connection.session, why[:WHY_LENGTH_MAX], fault=fault[:WHY_LENGTH_MAX])
        self._sequencer.submit(leave, self.now_ms())

    def closed(self, connection: Connection) -> None:
        """Forget a connection of the server that is closed."""
        self._connection_limiter.closed(connection.session)
        self._reactor.remove(connection)
        self._connections.pop(connection.session, None)
        self._receivers.pop(connection.session, None)
        self._protocols.pop(connection.session, None)
        self._probes.forget(connection.session)
        self._setup.roster.throttle.forget(connection.session)
        self._owner_access.forget(connection.session)
        self._wire_log.closed(connection.session)
        if self._stop_requested.is_set() and not self._connections:
            self._all_gone.set()

    def due_ms(self, timed: Timed) -> int | None:
        """The time at which a row's next thing is due, for the alarm; None if nothing is."""
        return self._sequencer.due_ms(timed)

    def is_quiet(self, timed: Timed) -> bool:
        """True if no input of the players whom the row waits for is unread, unparsed or in flight."""
        connections = (self._connections.get(session) for session in self._sequencer.awaited(timed))
        return all(connection is None or connection.is_quiet for connection in connections)

    def read_pass(self, late: Sequence[tuple[int, Timed]]) -> None:
        """Have the server read everything that has arrived; input of late players is stamped with their deadline."""
        awaited = {session: due_ms for due_ms, timed in late for session in self._sequencer.awaited(timed)}
        self._reactor.read_pass(self.now_ms(), awaited)
        for session, due_ms in awaited.items():
            connection = self._connections.get(session)
            if connection is not None:
                connection.note_unread(due_ms)

    def time_up(self, timed: Timed, *, is_final: bool) -> None:
        """Submit a time-out that the alarm found due.

        It is for the connections that are quiet now or, if it is final, for any.
        """
        quiet = None if is_final else self._sequencer.awaited(timed)
        self._sequencer.submit(time_up_of(timed, quiet), self.now_ms())

    def _sequencer_ports(self, setup: Setup) -> SequencerServices:
        return SequencerServices(
            clock=self._clock,
            wall_ms=setup.wall_ms,
            find=self._receivers.get,
            watch=self._alarm.watch,
            commit_retry_s=setup.commit_retry_s,
            drains=self._drains,
            round_trip=self._round_trip,
            judge=self._lookalikes.judged,
            input_held=self._fair_scheduler.commit_gate.held,
            wake=self._wake,
            work_s=setup.work_s,
            journal_worker=setup.journal_worker,
        )

    def _start_services(self, nursery: trio.Nursery) -> None:
        services = (
            self._sequencer,
            self._reactor,
            self._fair_scheduler,
            self._alarm,
            self.timers,
            self._house,
            self._director,
            self._ladders,
            self._read_model,
            self._wire_log,
        )
        for service in services:
            nursery.start_soon(service.run)
        nursery.start_soon(watch_roster, self._setup.roster.shared)
        nursery.start_soon(self._begin_epochs)
        # In a task of its own: read on the loop before it served, they kept a new leader's heartbeat away for 3 s.
        nursery.start_soon(self._read_model.read_restarts, self._replayed.lobby.matches.values())
        nursery.start_soon(self._halls.run, self._read_model, self._read_model.released)
        nursery.start_soon(self._accept, nursery)
        if self._has_threads:
            nursery.start_soon(self._adapters.own_names.look_up)

    async def _begin_epochs(self) -> None:
        """Begin another epoch each day, so that the seed of the day before is told though the server runs on."""
        while True:
            await trio.sleep(_EPOCH_S)
            self.ask(NewEpoch(self._setup.new_seed()))

    async def _accept(self, nursery: trio.Nursery) -> None:
        """Accept on every listener as soon as its protocol is prepared; earlier connections wait in the kernel."""
        more = self._fair_scheduler.commit_gate, self._connection_limiter.free_a_socket, self._setup.work_s
        # Quick ones first: a protocol that needs time to prepare holds no other one up.
        for listening in sorted(self._setup.listening, key=lambda one: one.needs_time):
            if not self._has_threads:
                listening.protocol.prepare()  # virtual time must not pass while a thread works
            elif listening.needs_time:
                await trio.to_thread.run_sync(_prepare, listening.protocol)
            for listener in listening.sockets:
                nursery.start_soon(accept_forever, listener, partial(self._accepted, listening), *more)

    def _started(self, last_match: int) -> ServerStarted:
        games = self._setup.games
        return ServerStarted(
            boot=self._replayed.lobby.server[""].boot + 1,
            seed=self._setup.new_seed(),
            rules=self._setup.rules,
            house=house_players(games) if self._setup.house else (),
            games={game.name: game.version for game in games.values()},
            # Matches on record keep their numbers, also where the journal that began them is gone.
            next_match_min=last_match + 1,
        )

    def _drains(self, stop_by_ms: int, matches: int) -> None:
        """Note the progress of a drain."""
        drain = (stop_by_ms, matches == 0)
        if drain == self._drain:
            return
        wait_s = (stop_by_ms - self.now_ms()) / 1000 if matches else 0.0
        log.info("the server is about to stop and starts no new matches", matches=matches, within_s=max(0.0, wait_s))
        if self._drain_timer is not None:
            self._drain_timer.cancel()
        self._drain = drain
        self._drain_timer = self.timers.after(max(_ANSWER_S, wait_s), self.request_stop)

    def _wake(self, changed: Iterable[int | str]) -> None:
        """Wake the directors of what has changed: tournaments by number, ladders by game."""
        changed = tuple(changed)
        self._director.wake(one for one in changed if isinstance(one, int))
        self._ladders.wake(one for one in changed if isinstance(one, str))

    def _may_prove(self) -> bool:
        """True if a newcomer could show a secret, or take back a seat that waits."""
        return self._setup.roster.binds_names or self._sequencer.may_have_place()

    def _knows_names(self) -> bool:
        """True if any name is on the roster, or has played a rated match."""
        return bool(self._setup.roster.names()) or any(self._sequencer.rated_players())

    def _by_protocol(self) -> Mapping[str, int]:
        """Connections by protocol of their listeners; 0 for a protocol without any."""
        counted = dict.fromkeys((place.protocol for place in self._read_model.listeners), 0)
        return counted | Counter(self._protocols.values())

    def _round_trip(self, session: int) -> RoundTrip | None:
        connection = self._connections.get(session)
        measured = None if connection is None else round_trip(connection.sock)
        return None if measured is None else RoundTrip(*measured)

    def _has_ended(self, session: int) -> bool:
        connection = self._connections.get(session)
        return connection is None or connection.has_ended

    def opened(self, connection: Connection, protocol: str) -> None:
        """Register a new connection with the server, and have the reactor watch it."""
        self._connections[connection.session] = self._receivers[connection.session] = connection
        self._protocols[connection.session] = protocol
        self._reactor.add(connection)

    async def _say_goodbye(self) -> None:
        """Tell all clients of the stop, and give the message a moment to arrive. Undecided commands did not happen."""
        self._send_farewells()
        with trio.move_on_after(_STOP_S):
            if self._connections:
                await self._all_gone.wait()

    def _part(self) -> None:
        """Close the connections that are left."""
        self._send_farewells()
        for connection in list(self._connections.values()):
            connection.abort("the server stops")

    def _send_farewells(self) -> None:
        self._sequencer.close()
        for connection in list(self._connections.values()):
            connection.farewell(GOODBYE, RefusalKind.STOPPING)


def _thinkers(setup: Setup) -> Thinkers:
    # Not by the journal: with one in memory, too, a master's move would hold up everybody on the loop.
    return InlineThinkers() if setup.has_virtual_time else WorkerThinkers(setup.house_terms.workers_max)


def _logged(replayed: Replayed) -> Replayed:
    """Log what was read, and what could not be."""
    for skipped in replayed.skipped:
        log.warning("the journal has commands that no longer apply", what=skipped)
    log.info("journal read", rows=replayed.rows, live_matches=len(replayed.lobby.matches))
    return replayed


def _prepare(protocol: WireProtocol) -> None:
    """Have a protocol prepare what it keeps for the server's lifetime."""
    with freeze_gc():
        protocol.prepare()
