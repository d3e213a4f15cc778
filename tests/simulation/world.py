"""The whole world of one run: time, network, clients, a machine that fails and comes back, and its disk.

Everything happens in one deterministic run of trio on virtual time. The clients and the network act step by step in one
task; between two steps the server's own tasks run, as far as they have anything to do. No thread, socket or clock of
the real machine has a part in it.
"""

import hashlib
import secrets
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import ExitStack, contextmanager
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar
from unittest.mock import patch

import structlog
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from gameserver.authentication.roster import Roster
from gameserver.core import matchmaker
from gameserver.core.draft import Decision
from gameserver.core.lobby import At
from gameserver.engine import committer, sequencer
from gameserver.engine.clock import HEARTBEAT_MS
from gameserver.halls import HallSettings
from gameserver.journal import sqlite
from gameserver.journal.journal import JournalRow
from gameserver.journal.recovery import Replayed
from gameserver.policies import Policies, Rules, overtaking, ticket_policies
from gameserver.records.tournament_record import Record
from gameserver.server import server
from tests.simulation.audit import Auditor
from tests.simulation.bot import Bot, Intruder
from tests.simulation.breaker import Breaker, WebSocketBreaker
from tests.simulation.browsers import Browser
from tests.simulation.client import Client
from tests.simulation.disk import COMMIT_S_MAX, Disk, SqliteDisk, Truth
from tests.simulation.fairness import Fairness, Givers
from tests.simulation.faults import FAULTS_BY_KIND, Fault
from tests.simulation.kernel import simulated
from tests.simulation.ladders import LadderTeacher
from tests.simulation.manners import Manners
from tests.simulation.plan import CODES, CODES_BY_WEBSOCKET, NAMES, ROOMS, SQLITE, TEXT, TICKETS, WEB, Plan
from tests.simulation.power import MACHINE, Machine
from tests.simulation.rooms import RoomClient
from tests.simulation.rosters import Rosters
from tests.simulation.secrets import Secrets
from tests.simulation.spectators import Operator, Spectator
from tests.simulation.tickets import TicketClient
from tests.simulation.told import TONGUES, Archive
from tests.simulation.tournaments import Organiser
from tests.simulation.violation import Violation
from tests.simulation.wire import PROBE_MS, Wire
from tests.simulation.witness import PlantedBug

if TYPE_CHECKING:
    from tests.simulation.interrupted import Held

EVENTS_KEPT = 60
MOMENT_S = 0.0001
PASSES_MAX = 2_000
"""Passes over all tasks at one moment of virtual time: more are a loop that finds no rest."""
KEEPALIVE_MS = 20_000
WALL_START_MS = 1_750_000_000_000
SECRET_CHARS_MAX = 200
KINDS: dict[str, type[Client]] = {
    TEXT: Bot,
    ROOMS: RoomClient,
    CODES: Breaker,
    CODES_BY_WEBSOCKET: WebSocketBreaker,
    TICKETS: TicketClient,
    WEB: Browser,
}
OUR_MISTAKES = ("decision failed", "route failed", "adapter failed", "connection failed", "a house player failed")
"""Log lines of mistakes of its own that the server survives."""


def _overtaking_policies(rules: Rules, **terms: bool) -> Policies:
    return overtaking(ticket_policies(rules, **terms), rules)


class _Rest(trio.abc.Instrument):
    """Knows whether any task is to run now, and finds those that go on and on while virtual time hardly passes."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._passes, self._since_s = 0, 0.0
        self.due = 0
        """The tasks that are to run at this moment, without the one that is running."""

    def task_scheduled(self, _task: trio.lowlevel.Task) -> None:
        self.due += 1

    def before_task_step(self, _task: trio.lowlevel.Task) -> None:
        self.due -= 1

    def before_io_wait(self, _timeout: float) -> None:
        now_s = self._world.clock.current_time()
        if now_s - self._since_s > MOMENT_S:
            self._passes, self._since_s = 0, now_s
        self._passes += 1
        if self._passes > PASSES_MAX:
            self._world.wrong("the server rests when there is nothing to do", f"{self._passes} passes at one moment")


class World:
    """Everything there is. `run` lets it happen."""

    machine: ClassVar[type[Machine]] = Machine
    """The fuzzer has one of its own."""
    kinds: ClassVar[Mapping[str, type[Client]]] = KINDS
    faults: ClassVar[Mapping[str, Fault]] = FAULTS_BY_KIND
    hall: ClassVar[HallSettings] = HallSettings()
    held: "Held | None" = None
    """The tournament of an interrupted run, once it is over."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rules = plan.rules()
        self.menu = plan.menu()
        self.tongue = TONGUES[plan.profile("strategic", tuple(TONGUES))]
        self.clock = MockClock(autojump_threshold=0)
        self._rest = _Rest(self)
        self.halls: Sequence[World] = [self]
        """The halls over one database."""
        self.wall_offset_ms = 0
        self.commit_retry_s = inf
        self.steps = 0
        self.calm = False
        """True if nothing goes wrong any more."""
        self.quiet_since_ms: int | None = None
        """Time at which the last fault of the surroundings was taken away."""
        self.violation: Exception | None = None
        self.outwaited: set[int] = set()
        """The matches whose turn ended when the alarm's patience did, with a client that took no answers meanwhile."""
        self.marks: Counter[str] = Counter()
        """Counts of what has happened."""
        self.events: deque[tuple[int, int, str, tuple[object, ...]]] = deque(maxlen=EVENTS_KEPT)
        self.hash = hashlib.sha256()
        """Hash of everything that crossed the process's border, with its time."""
        self.secrets = Secrets()
        self.fairness = Fairness(self)
        self.truth = Truth(plan.games)
        self.disk = self._disk()
        self.auditor = Auditor(self)
        self.archive = Archive(self)
        self.manners = self._manners()
        self.organiser = self._organiser()
        self.ladder = LadderTeacher(self)
        self.givers = Givers(self)
        self.wires: list[Wire] = []
        self.bots = [
            self.kinds[protocol](index, name, self, plan.stream(f"bot {index}"))
            for index, (protocol, name) in enumerate(plan.cast())
        ]
        self.rosters = Rosters(self, self.bots)
        self.intruder = Intruder(len(NAMES), NAMES[0], self, plan.stream("intruder's words"))
        self.thief = TicketClient(len(NAMES) + 1, "thief", self, plan.stream("thief's words"))
        readers = (Spectator, Spectator, Operator) if plan.has_spectators else ()
        self.spectators = [
            reader(len(NAMES) + 2 + number, f"reader {number}", self, plan.stream(f"reader {number}"))
            for number, reader in enumerate(readers)
        ]
        self.process: Machine | None = None
        self.chance = plan.stream("order of things")
        rates = plan.rates()
        self._rates = {kind: (rates[kind], plan.stream(kind)) for kind in self.faults if kind in rates}
        self._boots = 0

    def _disk(self) -> Disk:
        return SqliteDisk(self) if self.plan.journal == SQLITE else Disk(self)

    def _manners(self) -> Manners:
        return Manners(self)

    def _organiser(self) -> Organiser:
        return Organiser(self)

    def hall_of(self, name: str) -> "World":
        return next(hall for hall in self.halls if hall.hall.name == name)

    def opened_roster(self, _: Machine) -> Roster:
        """Open the roster as a process does at its start."""
        return self.rosters.opened(trio.current_time)

    def before_append(self, machine: Machine, rows: Sequence[JournalRow]) -> None:
        """Take note of rows that are about to be kept."""

    def leads(self, machine: int) -> bool:
        """True if the machine of this number is the one that leads."""
        return True

    def telling(self, machine: Machine) -> None:
        """Take note that a machine is about to tell what it has decided."""

    @property
    def serving(self) -> Machine | None:
        """The server's process, if it serves."""
        return self.process if self.process is not None and self.process.serves else None

    @property
    def real_ms(self) -> int:
        """Real time, which the server's own may fall behind."""
        return round(self.clock.current_time() * 1000)

    def wall_ms(self) -> int:
        return WALL_START_MS + self.real_ms + self.wall_offset_ms

    def note(self, text: str, *facts: object) -> None:
        """Keep an event for the report of a failure."""
        self.events.append((self.steps, self.real_ms, text, facts))

    def count(self, mark: str) -> None:
        """Count something that runs should come to."""
        self.marks[mark] += 1

    def trace(self, *facts: object) -> None:
        """Hash something that crossed the border of the process."""
        self.hash.update(f"{self.clock.current_time():.6f} {facts!r}\n".encode())

    def wrong(self, rule: str, text: str) -> None:
        """End the run at its next wait, with a violation that was found inside the server."""
        self.fail(Violation(rule, text))

    def fail(self, error: Exception) -> None:
        """End the run with its first find."""
        if self.violation is None:
            self.violation = error
            self._run_scope.cancel()

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Take what is raised here for a find, so that the server does not survive it."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told
            self.fail(error)

    def run(self) -> None:
        """Let everything happen. Raises what was found."""
        with ExitStack() as stack:
            stack.enter_context(patch.object(trio._core._run, "_ALLOW_DETERMINISTIC_SCHEDULING", True))
            stack.enter_context(simulated(lambda: MACHINE.get().kernel))
            stack.callback(self.disk.end)
            if self.plan.overtakes_tickets():
                stack.enter_context(patch.object(matchmaker, "ticket_policies", _overtaking_policies))
            stack.enter_context(patch.object(server, "_EPOCH_S", self.plan.epoch_s()))
            stack.enter_context(patch.object(sqlite, "LOG_PAGES_MAX", self.plan.log_pages()))
            stack.enter_context(patch.object(committer, "QUICK_COMMITS", self.plan.quick_commits()))
            for module in (sequencer, committer):
                stack.enter_context(patch.object(module, "SNAPSHOT_ROWS", self.plan.snapshot_rows()))
            stack.enter_context(self._mistakes_surface())
            epochs = self.plan.stream("epochs of streams")
            stack.enter_context(patch.object(secrets, "token_hex", lambda size: epochs.randbytes(size).hex()))
            trio._core._run._r.seed(self.plan.seed)
            trio.run(self._main, clock=self.clock, instruments=[self._rest])
        if self.violation is not None:
            raise self.violation

    # What the machine tells of.

    def started(self, machine: Machine, replayed: Replayed) -> None:
        """Check a process that has read the journal."""
        with self.watching():
            if replayed.skipped:
                raise Violation("replay gives the same lobby", f"rows were skipped: {replayed.skipped}")
            self.truth.check_same(replayed.lobby, "start")
            self.auditor.restarted(self.truth.lobby, self.disk.kept.read_records())
            self.archive.check()

    def durable(self, machine: Machine, rows: Sequence[JournalRow], records: Iterable[Record]) -> None:
        """Take rows on the disk for the truth from now on."""
        with self.watching():
            for row in rows:
                self.trace("durable", row.seq, row.tag, row.body)
                self.note("  %s: %s", row.tag, row.body)
                self.truth.follow(row, lambda command, at, decision: self._decided(machine, command, at, decision))
            if rows:
                self.auditor.committed(machine, rows, records)
                self.fairness.committed(records)

    def told(self, machine: Machine, wire: Wire, data: bytes) -> None:
        """Check bytes that the server has sent against the disk as it is at this moment."""
        with self.watching():
            around = wire.last_said + data
            self.secrets.check(around, wire.owner)
            self.fairness.check_secret(around, f"bot {wire.owner}")
            wire.last_said = around[-SECRET_CHARS_MAX:]
            for reader in self.spectators:
                if reader.wire is wire:
                    reader.sent()
            witness = machine.witnesses.get(wire.session)
            early_ms = 0 if witness is None else witness.sent(wire.pushed_bytes)
            if early_ms > 0:
                raise Violation("nothing goes out before its time", f"{early_ms} ms too early")

    def _decided(self, machine: Machine, command: Any, at: At, decision: Decision) -> None:
        machine.kept[getattr(command, "session", 0), type(command)] += 1
        for session, event in decision.deliveries:
            machine.meant[session].append(event)
        self.fairness.decided(machine.lobby, command, decision)
        self.auditor.decided(machine, command, at, decision)

    # The run.

    async def _main(self) -> None:
        with trio.CancelScope() as self._run_scope:
            try:
                async with trio.open_nursery() as self._nursery:
                    await self._boot()
                    await self.play()
                    self._nursery.cancel_scope.cancel()
            except BaseExceptionGroup as group:
                self._keep_first(group)

    def _keep_first(self, group: BaseExceptionGroup[BaseException]) -> None:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if not isinstance(error, Exception):
            raise error
        if self.violation is None:
            self.violation = error

    async def play(self) -> None:
        """Let everything go wrong; then nothing, until everything has come to its end."""
        for _ in range(self.plan.steps):
            self.steps += 1
            await self.look_after_machine()
            await self.let_go_wrong()
            await self._something()
        await self.settle()

    async def look_after_machine(self) -> None:
        """Start a machine again that is gone."""
        process = self.process
        if process is None or not process.is_over:
            return
        chance = self._rates["crash"][1] if "crash" in self._rates else self.chance
        if process.has_power:
            self.note("the server has stopped")
            self.count("stopped")
        process.has_power = False
        self.process = None
        self.wires = [wire for wire in self.wires if not wire.server_closed or wire.coming]
        await self.pass_time(int(20_000 * chance.random() ** 4))
        await self._boot()

    async def _boot(self) -> None:
        self._boots += 1
        self.process = self.machine(self, self._boots)
        self._nursery.start_soon(self.process.run)
        await self._breathe()

    async def _breathe(self) -> None:
        """Let the server do what it can do now."""
        self.look()
        if self._rest.due:
            await wait_all_tasks_blocked()

    def look(self) -> None:
        """Wake what waits for the network, which has changed."""
        if self.process is not None:
            self.process.kernel.look()

    async def pass_time(self, span_ms: int, *, served: bool = True) -> None:
        """Let time pass. A server that does not serve meanwhile still has its sockets filled."""
        end_ms = self.real_ms + span_ms
        while self.real_ms < end_ms:
            chunk_ms = min(self.chance.randint(5, HEARTBEAT_MS), end_ms - self.real_ms)
            if served:
                await self._sleep(chunk_ms / 1000)
            else:
                self.clock.jump(chunk_ms / 1000)
            self._network()
            if served:
                self.look()
        if not served:
            self.look()

    async def _sleep(self, span_s: float) -> None:
        """Sleep, or move the clock alone where nobody else would do anything meanwhile.

        Trio takes a scope, two passes of its loop and an exception for a sleep: half of a run's time went into those
        from which nothing followed.
        """
        if self._rest.due or trio.lowlevel.current_statistics().seconds_to_next_deadline <= span_s:
            await trio.sleep(span_s)
        else:
            self.clock.jump(span_s)

    async def let_go_wrong(self) -> None:
        for kind, (rate, chance) in self._rates.items():
            if chance.random() < rate:
                self.note("fault: %s", kind)
                self.count(f"fault: {kind}")
                found = self.faults[kind](self, chance)
                if found is not None:
                    await found

    async def _something(self) -> None:
        self.organiser.act()
        self.ladder.act()
        self.givers.act()
        chance = self.chance
        roll = chance.random()
        if roll < 0.35:
            bot = chance.choice(self.bots)
            bot.listen(chance.choice((1, 20, 200, 60_000)))
            bot.act()
            bot.tend()
        elif roll < 0.38:
            for stranger in (self.intruder, self.thief):
                stranger.act() if stranger.wire is not None else None
        elif roll < 0.58:
            self._network()
            await self._breathe()
        else:
            await self.pass_time(int(chance.choice((5, 50, 400, 1_500)) * chance.random()))

    def _network(self) -> None:
        """Carry bytes, in pieces, and let clients make the moves that are due."""
        axis_ms = 0 if self.process is None else self.process.axis_ms
        self.wires = [wire for wire in self.wires if not wire.server_closed]
        for wire in self.wires:
            if wire.flying or (wire.client_done and not wire.end_arrived):
                wire.carry(wire.chance.choice((1, 7, 60_000, 60_000)), self.real_ms, axis_ms)
            if wire.silent_since_ms is not None:
                self._notice_silence(wire, wire.silent_since_ms)
        for bot in (*self.bots, self.intruder, self.thief):
            if bot.wire is None:
                continue
            if bot.has_mail:
                bot.listen(bot.wire.chance.choice((3, 60, 60_000, 60_000)))
            bot.tend()
        for reader in self.spectators:
            if reader.has_mail:
                reader.listen(60_000)
            if not self.calm:
                reader.act()

    def _notice_silence(self, wire: Wire, since_ms: int) -> None:
        """Find a dead connection by keepalive in the end, and soon if the kernel was asked to make sure."""
        patience_ms = KEEPALIVE_MS
        if wire.probed_ms is not None:
            since_ms, patience_ms = max(since_ms, wire.probed_ms), PROBE_MS
        if self.real_ms - since_ms > patience_ms:
            wire.cut()

    # The calm at the end.

    async def settle(self) -> None:
        """Play on without faults until all is still, and check how things stand then."""
        process = self.process
        if self.plan.ends_with_a_crash() and process is not None:
            process.lose_power("now")
        self.calm = True
        self.note("faults stop")
        self._mend()
        for _ in range(ROUNDS_MAX):
            await self.look_after_machine()
            for bot in (*self.bots, *self.spectators):
                bot.finish()
            self.organiser.wind_up()
            self.ladder.wind_up()
            await self.pass_time(self.chance.randint(20, HEARTBEAT_MS))
            if self._is_still():
                await self.pass_time(STILL_MS)  # whoever has just left is noticed, and a server that stops is gone
                if self._is_still():
                    break
        self._check_end()

    def _mend(self) -> None:
        """Take away all faults of the surroundings; clients that stay away leave now."""
        absentees = self.plan.absentees()
        self.quiet_since_ms = self.real_ms + round(1000 * COMMIT_S_MAX)  # one may be under way
        self.disk.failures.clear()
        self.disk.commit_s = 0.0
        self.rosters.mend()
        self.intruder.hang_up()
        self.thief.hang_up()
        for reader in self.spectators:
            reader.deaf_until_ms = 0
        for bot in self.bots:
            bot.deaf_until_ms = 0
            if bot.index in absentees:
                bot.hang_up()
        self.bots = [bot for bot in self.bots if bot.index not in absentees]
        for wire in self.wires:
            wire.held_until_ms = 0
        if self.process is not None:
            self.process.doom = None

    def is_away(self, client: Client) -> bool:
        """True if a client stays away on purpose, even in the calm."""
        return False

    def _is_still(self) -> bool:
        process = self.process
        return (
            process is not None
            and process.serves
            and not process.is_committing  # what is read since a slow one began waits for it
            and not process.lobby.matches
            and not process.lobby.ladders
            and not process.lobby.server[""].drains  # it is about to stop
            and all(row.is_over for row in process.lobby.tournaments.values())
            and all(
                not bot.unsettled and (bot.wire is None or bot.wire.is_empty) for bot in (*self.bots, *self.spectators)
            )
        )

    def _check_end(self) -> None:
        """Check that no match is left, nobody waits who could play, and everybody knows how it ended."""
        lobby = self.truth.lobby
        if lobby.matches:
            raise Violation("every match comes to an end", repr(list(lobby.matches.values())))
        from tests.simulation import tournaments  # noqa: PLC0415

        tournaments.check_end(self, lobby)
        for game, waiting in lobby.queues.items():
            if len(waiting) > 1:
                raise Violation("who could play is not left waiting", f"{game}: {waiting}")
        for session, name in lobby.sessions.items():
            if self.process is not None and (wire := self.process.wires[session]).end_arrived and wire.client_closed:
                raise Violation("who has left is gone", f"{name} is still here in session {session}")
        for bot in (*self.bots, *self.spectators):
            if bot.unsettled:
                raise Violation(bot.unsettled, f"not with {bot}: {bot!r}")
        self.fairness.check_end(lobby)
        self.truth.check_replay(self.disk.history)

    @contextmanager
    def _mistakes_surface(self) -> Iterator[None]:
        """Print no log lines, but fail on those that tell of a mistake of the server's own."""
        before = structlog.get_config()
        structlog.configure(processors=[self._looked_at])
        try:
            yield
        finally:
            structlog.configure(**before)

    def _looked_at(self, _: Any, __: str, event: MutableMapping[str, Any]) -> str:
        machine = MACHINE.get(None)
        world = self if machine is None else machine.world
        with world.watching():
            world.fairness.logged(event)
        if event["event"] in OUR_MISTAKES:
            error = event.get("exc_info")
            error = error if isinstance(error, BaseException) else sys.exc_info()[1]
            if not isinstance(error, PlantedBug):
                found = Violation("the server makes no mistakes", f"{event['event']}: {error!r}")
                found.__cause__ = error
                self.fail(found)
        raise structlog.DropEvent


STILL_MS = 500
ROUNDS_MAX = 4_000
"""The most rounds, of 20 to 50 ms, that the calm may take."""
