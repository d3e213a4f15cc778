"""The whole world of one run: time, network, clients, a server that dies and comes back, and its journal."""

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from math import inf
from random import Random
from typing import ClassVar

from gameserver.core.state.match import Match
from gameserver.engine.batch import Batch, Release, Submission
from gameserver.engine.clock import HEARTBEAT_MS
from gameserver.journal.journal import Journal
from gameserver.journal.recovery import Replayed, replay
from tests.simulation.bot import Bot, Intruder
from tests.simulation.breaker import Breaker, WebSocketBreaker
from tests.simulation.browsers import Browser
from tests.simulation.client import Client
from tests.simulation.durable import FailingJournal, Shadow
from tests.simulation.faults import FAULT_KINDS, Fault
from tests.simulation.invariants import Auditor
from tests.simulation.manners import Manners
from tests.simulation.plan import CODES, CODES_BY_WEBSOCKET, GAMES, NAMES, ROOMS, TEXT, TICKETS, WEB, Plan
from tests.simulation.process import Process
from tests.simulation.rooms import RoomClient
from tests.simulation.rosters import Rosters
from tests.simulation.secrets import Secrets
from tests.simulation.sequence import Killed
from tests.simulation.tickets import TicketClient
from tests.simulation.told import Archive
from tests.simulation.tongues import TONGUES
from tests.simulation.tournaments import Organiser
from tests.simulation.wire import PROBE_MS, Wire

EVENTS_KEPT = 40
KEEPALIVE_MS = 20_000
COMPARE_SHARE = 0.15
ROUNDS_IN_HEARTBEAT_MAX = 4
"""How often the server's wheels turn in one heartbeat, if they find something to do. A real one turns oftener."""
WALL_START_MS = 1_750_000_000_000
KINDS: dict[str, type[Client]] = {
    TEXT: Bot,
    ROOMS: RoomClient,
    CODES: Breaker,
    CODES_BY_WEBSOCKET: WebSocketBreaker,
    TICKETS: TicketClient,
    WEB: Browser,
}


class World:
    """Everything there is. `step` makes something happen; `settling` lets it come to its end."""

    kinds: ClassVar[Mapping[str, type[Client]]] = KINDS
    fault_kinds: ClassVar[Mapping[str, Fault]] = FAULT_KINDS

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.rules = plan.rules()
        self.menu = plan.menu()
        self.tongue = TONGUES[plan.profile("strategic", tuple(TONGUES))]
        self.real_ms = 0
        self.wall_offset_ms = 0
        self.alarm_pause_ms = 0
        """How long the alarm rests after a look, beyond what it should."""
        self.commit_ms = 0
        """How long a commit takes."""
        self.commit_retry_ms = inf
        """How long a journal may fail before the server stops."""
        self.steps = 0
        self.calm = False
        self.quiet_since_ms: int | None = None
        """Whether nothing goes wrong any more."""
        self.outwaited: set[int] = set()
        """The matches whose turn ended when the alarm's patience did, with a client that took no answers meanwhile."""
        self.marks: Counter[str] = Counter()
        """What has happened how often."""
        self.events: deque[tuple[int, int, str, tuple[object, ...]]] = deque(maxlen=EVENTS_KEPT)
        self.journal = self._journal()
        self.shadow = Shadow(self.journal)
        self.auditor = Auditor()
        self.archive = Archive(self)
        self.manners = self._manners()
        self.secrets = Secrets()
        self.organiser = self._organiser()
        self.wires: list[Wire] = []
        self.bots = [
            self.kinds[protocol](index, name, self, plan.stream(f"bot {index}"))
            for index, (protocol, name) in enumerate(plan.cast())
        ]
        self.rosters = Rosters(self)
        self.intruder = Intruder(len(NAMES), NAMES[0], self, plan.stream("intruder's words"))
        self.thief = TicketClient(len(NAMES) + 1, "thief", self, plan.stream("thief's words"))
        self.process: Process | None = None
        self.chance = plan.stream("order of things")
        self._faults = {kind: (rate, plan.stream(kind)) for kind, rate in plan.rates().items()}
        self._boots = 0
        if "late-alarm" in plan.faults:
            self.alarm_pause_ms = plan.stream("alarm").choice((0, 200, 500, 1_000))
        if "slow-commit" in plan.faults:
            self.commit_ms = plan.stream("commits").choice((0, 0, 10, 200, 1_000))
        self._boot()

    def _journal(self) -> FailingJournal:
        return FailingJournal()

    def _manners(self) -> Manners:
        return Manners(self)

    def _organiser(self) -> Organiser:
        return Organiser(self)

    def house_numbers(self, match: Match, chance: Random) -> Random:
        """What a house player draws its next move from."""
        return chance

    def is_away(self, client: Client) -> bool:
        """Whether a client stays away on purpose, even in the calm."""
        return False

    def decided(self, process: Process, taken: Submission, outputs: Sequence[Release]) -> None:
        """A command is decided: `outputs` are its own and what had to be decided before it."""
        self.auditor.decided(process, taken, outputs)

    def releasing(self, process: Process) -> None:
        """Somebody is about to be told something that was decided."""

    def mend(self) -> None:
        """Nothing goes wrong any more."""
        self.journal.failures.clear()
        self.rosters.mend()

    def before_commit(self, process: Process, batch: Batch) -> None:
        """A batch is decided, and will be committed."""

    def wall_ms(self) -> int:
        """The time of day."""
        return WALL_START_MS + self.real_ms + self.wall_offset_ms

    def note(self, text: str, *facts: object) -> None:
        """Keep an event for the case that something is wrong soon."""
        self.events.append((self.steps, self.real_ms, text, facts))

    def count(self, mark: str) -> None:
        """Something happened that a run should come to."""
        self.marks[mark] += 1

    def step(self) -> None:
        """Let something happen."""
        self.steps += 1
        self.guarded(self.misfortunes)
        self.guarded(self._something)
        self.stop_if_drained()

    def pass_time(self, span_ms: int, *, served: bool = True) -> None:
        """Let time pass. A server that does not serve meanwhile still has its sockets filled."""
        end_ms = self.real_ms + span_ms
        while self.real_ms < end_ms:
            self.real_ms += min(self.chance.randint(5, HEARTBEAT_MS), end_ms - self.real_ms)
            self._network()
            if served and self.process is not None:
                self._serve(self.process)

    def committed(self, process: Process, batch: Batch) -> None:
        """A batch is durable: it is true from now on."""
        self.auditor.committed(process, batch)
        for record in batch.records:
            self.count(f"ended: {record.reason}")
        self.note("committed %d rows", len(batch.rows))
        if self.chance.random() < COMPARE_SHARE:
            self.shadow.compare(process.lobby, "live")

    def end_process(self, chance: Random, why: str) -> None:
        """The process is gone; its last words arrive or do not."""
        assert self.process is not None
        self.note("the server is gone: %s", why)
        self.count(f"killed: {why}")
        self.bury(self.process, chance)
        self.process = None

    def bury(self, process: Process, chance: Random) -> None:
        """End the connections of a process that is gone."""
        process.die()
        for wire in process.wires:
            if not wire.server_done:
                wire.server_died(int(len(wire.coming) * min(1.0, 2 * chance.random())))
        self.wires = [wire for wire in self.wires if not wire.server_done]

    def stop(self, chance: Random, why: str) -> None:
        """The server stops in good order, and comes back."""
        if self.process is not None:
            self.process.stop()
            self.end_process(chance, why)
            self.down_for(chance)

    def stop_if_drained(self) -> None:
        """The server stops if it was told to do so by now, or when all matches are over."""
        process = self.process
        if process is None or not process.serves or process.sequencer.batch is not None:
            return
        stop_by_ms = process.lobby.server[""].stop_by_ms
        if stop_by_ms is not None and (not process.lobby.matches or stop_by_ms <= process.now_ms()):
            self.stop(self.chance, "drained")

    def down_for(self, chance: Random) -> None:
        """Some time without a server, then the next start."""
        self.pass_time(int(20_000 * chance.random() ** 4))
        self._boot()

    def _boot(self) -> None:
        self.begin(self.journal, replay(self.journal, GAMES))

    def begin(self, journal: Journal, replayed: Replayed) -> None:
        """A process begins to serve, from what it has replayed."""
        self._boots += 1
        seed = self.plan.stream(f"secret {self._boots}").randbytes(32).hex()
        self.secrets.keep_seed(seed)
        self.process = Process(self, seed, journal, replayed)
        self.auditor.restarted(self.process.lobby, self.journal.read_records())
        self.archive.check()

    def guarded(self, work: Callable[[], None]) -> None:
        """Do something; a server that is killed by it is started again."""
        try:
            work()
        except Killed as killed:
            self.kill(str(killed))

    def kill(self, why: str) -> None:
        """Kill the process, and start another one after a while."""
        process, chance = self.process, self._faults["crash"][1]
        assert process is not None
        if process.sequencer.batch is None:
            self.shadow.compare(process.lobby, "killed")
        self.end_process(chance, why)
        self.down_for(chance)

    def misfortunes(self) -> None:
        """Let go wrong what is to go wrong."""
        for kind, (rate, chance) in self._faults.items():
            if chance.random() < rate:
                self.note("fault: %s", kind)
                self.count(f"fault: {kind}")
                self.fault_kinds[kind](self, chance)

    def _something(self) -> None:
        self.organiser.act()
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
        elif roll < 0.48:
            self._network()
        elif roll < 0.68:
            if self.process is not None:
                self._wheel(self.process, chance.choice(WHEELS))
        else:
            self.pass_time(int(chance.choice((5, 50, 400, 1_500)) * chance.random()))

    def _network(self) -> None:
        """Bytes travel, in pieces; whoever has a move to make makes it."""
        chance = self.chance
        axis_ms = 0 if self.process is None else self.process.axis_ms
        self.wires = [wire for wire in self.wires if not wire.server_done]
        for wire in self.wires:
            if wire.flying or (wire.client_done and not wire.end_arrived):
                wire.carry(chance.choice((1, 7, 60_000, 60_000)), self.real_ms, axis_ms)
            if wire.silent_since_ms is not None:
                self._notice_silence(wire, wire.silent_since_ms)
        for bot in (*self.bots, self.intruder, self.thief):
            if bot.wire is None:
                continue
            if bot.has_mail:
                bot.listen(chance.choice((3, 60, 60_000, 60_000)))
            bot.tend()

    def _notice_silence(self, wire: Wire, since_ms: int) -> None:
        """Keepalive finds a dead connection in the end, and soon if the kernel was asked to make sure."""
        patience_ms = KEEPALIVE_MS
        if wire.probed_ms is not None:
            since_ms, patience_ms = wire.probed_ms, PROBE_MS
        if self.real_ms - since_ms > patience_ms:
            wire.cut()

    def _serve(self, process: Process) -> None:
        """One heartbeat of a server that is not held up: every wheel turns, in any order."""
        if process.only_waits:
            process.look()
            if process.only_waits:
                return
        for _ in range(self.chance.randint(1, ROUNDS_IN_HEARTBEAT_MAX)):
            for wheel in self.chance.choice(ORDERS):
                self._wheel(process, wheel)
            if process.only_waits:
                return

    def _wheel(self, process: Process, wheel: str) -> None:
        if wheel == "poll":
            process.poll(self.chance, self.chance.choice((1, 100)))
        elif wheel == "sequence":
            process.sequencer.stride()
        elif wheel == "look":
            process.look()
        elif wheel == "tick":
            process.tick()
        else:
            process.house.think()
            process.director.think()


WHEELS = ("poll", "sequence", "sequence", "look", "tick", "think")
ORDERS = tuple(permutations(WHEELS))
