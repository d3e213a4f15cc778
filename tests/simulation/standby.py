"""The world with two servers over one database: one leads, the other stands by and takes over.

Clients reach the one that leads. One that was stopped or cut off for too long may believe that it still leads: it runs
on, with the connections that it had, and must tell nobody anything.
"""

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import ClassVar

from gameserver.engine.batch import Batch, Release, Submission
from gameserver.engine.clock import HEARTBEAT_MS
from gameserver.journal.journal import Snapshot
from gameserver.journal.recovery import Replayed
from gameserver.journal.snapshot import digest
from tests.simulation.copied_world import World
from tests.simulation.durable import FailingJournal, Shadow
from tests.simulation.faults import Fault
from tests.simulation.invariants import Auditor
from tests.simulation.machine import ANSWERED, SENT, Machine
from tests.simulation.process import Process
from tests.simulation.sequence import BROKEN, FAILED, Killed, Stopped
from tests.simulation.shared_database import Database
from tests.simulation.shared_journal import DatabaseJournal
from tests.simulation.standby_faults import FAULT_KINDS
from tests.simulation.standby_plan import StandbyPlan
from tests.simulation.told import Archive
from tests.simulation.violation import Violation

START_MS = 1_000
RESTART_MS_MAX = 20_000
MEANWHILE_SHARE = 0.2
SAVED_MEANWHILE_SHARE = 0.02
LONG_MEANWHILE_SHARE = 0.3
"""The share of new connections on which a server stands still for a while before one of its questions."""
LONG_MEANWHILE_MS_MAX = 4_000
OTHERS_MEANWHILE_SHARE = 0.6
"""The share of those times in which other servers do something."""
KILLED_MEANWHILE_SHARE = 0.5
LEADER_KILLED_SHARE = 0.001
NOTICE_SHARE = 0.03
"""How likely a client of a server that leads no more finds out in a heartbeat."""
AFTER_A_LOSS_MS = 120_000
LAST_WORD_MS = 15_000
"""More than a server takes to find out that another one leads."""


class RowsLost(Exception):
    """An asynchronous replica has become the primary, and everybody has noticed: the run is over."""


class StandbyWorld(World):
    """Everything there is, with two machines."""

    plan: StandbyPlan
    fault_kinds: ClassVar[Mapping[str, Fault]] = FAULT_KINDS

    def __init__(self, plan: StandbyPlan) -> None:
        self.database = Database(lambda: self.real_ms, plan.stream("database"), self.count, plan.replica)
        self.machines = [Machine("one", self), Machine("two", self)]
        self.later: list[tuple[int, Callable[[], None]]] = []
        """What happens by itself, and when."""
        self.freezes: tuple[str, int, int] | None = None
        """The moment of a commit in which the leader's machine freezes, and the times of `Machine.freeze`."""
        self.has_lost_rows = False
        self.snapshot_begun: tuple[Process, Snapshot] | None = None
        self._past: list[Process] = []
        """The servers that have led."""
        self._is_between = False
        """True while others go on between two questions. They are not interrupted themselves."""
        self._between = plan.stream("between questions")
        self._notices = plan.stream("clients notice")
        self._has_proxy = plan.has_proxy()
        super().__init__(plan)
        self.commit_retry_ms = plan.commit_retry_ms()

    @property
    def leading(self) -> Machine | None:
        """The machine that clients reach."""
        return next((machine for machine in self.machines if machine.process is self.process is not None), None)

    def _journal(self) -> FailingJournal:
        return self.database.kept

    def _boot(self) -> None:
        """Start both at once."""
        self.pass_time(START_MS)

    def pass_time(self, span_ms: int, *, served: bool = True) -> None:
        end_ms = self.real_ms + span_ms
        while self.real_ms < end_ms:
            self.real_ms += min(self.chance.randint(5, HEARTBEAT_MS), end_ms - self.real_ms)
            self._happen()
            self.database.turn()
            self._network()
            self._leave_the_past()
            if served:
                for machine in self.machines:
                    machine.turn()

    def in_a_while(self, wait_ms: int, what: Callable[[], None]) -> None:
        """Let something happen by itself."""
        self.later.append((self.real_ms + wait_ms, what))

    def serve(self, process: Process) -> None:
        """One heartbeat of a server."""
        self._serve(process)

    def meanwhile(self, asking: Machine) -> None:
        """Let the other servers and the database go on between two questions of a server."""
        if self._is_between:
            return
        self._is_between = True
        try:
            if asking.process is None:
                self._let_lead(self._between.random())
            elif not self.calm and self._between.random() < LONG_MEANWHILE_SHARE:
                self._let_take_over(asking)
        finally:
            self._is_between = False

    def _let_lead(self, roll: float) -> None:
        """Let the leader go on, and seldom be killed then, or save the lobby and forget rows."""
        leading, is_killed = self.leading, roll < LEADER_KILLED_SHARE and self._may_kill("crash")
        if leading is not None and roll < MEANWHILE_SHARE:
            leading.turn()
        if leading is not None and leading.runs and is_killed:
            self.count("killed while another one asked")
            self.die(leading, Killed("now"))
        if roll < SAVED_MEANWHILE_SHARE and "snapshot" in self.plan.faults:
            FAULT_KINDS["snapshot"](self, self._between)

    def _let_take_over(self, asking: Machine) -> None:
        """Let the other server take the place of one that has lost its connection, and perhaps be killed then.

        Or let nothing but time pass: a late commit may be made in it.
        """
        self.real_ms += self._between.randint(0, LONG_MEANWHILE_MS_MAX)
        self.database.turn()
        if self._between.random() < OTHERS_MEANWHILE_SHARE:
            for machine in self.machines:
                machine.turn()
        leading = self.leading
        is_killed = self._between.random() < KILLED_MEANWHILE_SHARE and self._may_kill("standby-crash")
        if leading is not None and leading is not asking and is_killed:
            self.count("killed between questions of another one")
            self.die(leading, Killed("now"))

    def _may_kill(self, fault: str) -> bool:
        return fault in self.plan.faults and not self.calm and not self.has_lost_rows

    def take_over(self, machine: Machine, journal: DatabaseJournal, replayed: Replayed) -> None:
        """A server leads that stood by. Whatever led before has not been told of it."""
        self.note("%s leads from row %d on", journal.token, replayed.seq)
        if self.process is not None:
            self.count("taken over from one that lives")
        if self.has_lost_rows:
            self._forget()
        self.begin(journal, replayed)
        process = machine.process = self.process
        assert process is not None
        stood_ms = max((past.axis_ms for past in self._past), default=0)
        if process.axis_ms != replayed.now_ms or process.axis_ms > stood_ms:
            raise Violation("server time stands while nobody serves", f"{stood_ms} ms, then {process.axis_ms}")
        self._past.append(process)

    def decided(self, process: Process, taken: Submission, outputs: Sequence[Release]) -> None:
        if process is self.process:
            super().decided(process, taken, outputs)

    def before_commit(self, process: Process, batch: Batch) -> None:
        self._freeze(process, SENT)

    def committed(self, process: Process, batch: Batch) -> None:
        self.database.acknowledged = max(self.database.acknowledged, batch.rows[-1].seq)
        if self.has_lost_rows or process is not self.process:
            return
        super().committed(process, batch)
        self._freeze(process, ANSWERED)

    def releasing(self, process: Process) -> None:
        """Nobody else can lead yet."""
        leader, last = self.database.leader, self.database.kept.last()
        if leader is None or leader.token != process.journal.name:
            raise Violation("only the leader tells anything", f"{process.journal.name} does, and {leader} leads")
        if process.sequencer.seq != last:
            raise Violation("who tells something has all rows", f"{process.sequencer.seq} of {last}")

    def die(self, machine: Machine, killed: Killed) -> None:
        """The server on a machine ends, and is started again after a while."""
        self.note("%s ends: %s", machine.name, killed)
        self.count(f"killed: {killed}" if machine.process is not None else "standby ended")
        chance = self._faults["crash"][1] if "crash" in self._faults else self.chance
        process = machine.process
        if process is not None:
            if isinstance(killed, Stopped):
                self._check_reason(process, killed)
                process.give_up()
            if process is self.process:
                if process.sequencer.batch is None and not self.has_lost_rows:
                    self.shadow.compare(process.lobby, "killed")
                self.process = None
            self.bury(process, chance)
        machine.end()
        machine.starts_ms = self.real_ms + (0 if self.calm else int(RESTART_MS_MAX * chance.random() ** 3))

    def kill(self, why: str) -> None:
        leading = self.leading
        if leading is not None:
            self.die(leading, Killed(why))

    def guarded(self, work: Callable[[], None]) -> None:
        leading = self.leading
        try:
            work()
        except Killed as killed:
            assert leading is not None, "nobody else is looked at here"
            self.die(leading, killed)

    def stop(self, chance: Random, why: str) -> None:
        """The leader stops in good order: the other one leads at once."""
        leading = self.leading
        if leading is not None and leading.runs and self.process is not None:
            self.process.stop()
            self.die(leading, Killed(why))

    def mend(self) -> None:
        super().mend()
        self.later.clear()
        self.freezes = None
        self.commit_ms = 0
        self.database.mend()
        for machine in self.machines:
            machine.link.is_whole = True
            machine.go_on()
            machine.starts_ms = 0

    def lose_rows(self) -> None:
        """Rows that clients were told of are gone: who led stops, and the next one goes on without them."""
        self.count("rows lost")
        self.has_lost_rows = True
        before = self.process
        self.mend()
        self.pass_time(AFTER_A_LOSS_MS)
        # One that led before may lead again, if only rows of the time after it are lost.
        leader = "" if self.database.leader is None else self.database.leader.token
        processes = [machine.process for machine in self.machines if machine.process is not None]
        process = next((process for process in processes if process.journal.name == leader), None)
        if process is None or process is before or not process.serves:
            raise Violation("somebody leads after rows were lost", str(process))
        self.shadow.compare_whole(process.lobby)
        self.process = process
        raise RowsLost

    def check_standby(self) -> None:
        """At the end the one that stands by has the same lobby."""
        self.pass_time(LAST_WORD_MS)
        process = self.process
        assert process is not None
        for machine in self.machines:
            if machine.process is process:
                continue
            if machine.process is not None or machine.journal is None:
                raise Violation("there is one leader", f"{machine.name} is {machine}")
            follower = machine.follow()
            if (follower.seq, digest(follower.lobby)) != (self.database.kept.last(), digest(process.lobby)):
                raise Violation("who stands by has the same lobby", f"row {follower.seq}")

    def _check_reason(self, process: Process, killed: Stopped) -> None:
        """A server gives up on a journal that fails for long, that lost rows, or that others lead."""
        leader = self.database.leader
        is_superseded = leader is None or leader.token != process.journal.name
        if str(killed) == BROKEN and not is_superseded and not self.has_lost_rows:
            raise Violation("nobody stops without a reason", f"{process.journal.name} still leads")
        if str(killed) == FAILED and isinstance(process.journal, DatabaseJournal):
            since_ms = process.journal.away_since_ms
            away_ms = 0 if since_ms is None else self.real_ms - since_ms
            if away_ms <= self.commit_retry_ms:
                raise Violation("nobody stops without a reason", f"the database was away for {away_ms} ms")

    def _freeze(self, process: Process, moment: str) -> None:
        leading = self.leading
        if (
            self.freezes is not None
            and self.freezes[0] == moment
            and leading is not None
            and leading.process is process
        ):
            _, span_ms, thaws_ms = self.freezes
            self.freezes = None
            self.count(f"frozen when a commit was {moment}")
            leading.freeze(span_ms, thaws_ms)

    def _wheel(self, process: Process, wheel: str) -> None:
        if any(machine.process is process and machine.runs for machine in self.machines):
            super()._wheel(process, wheel)

    def _happen(self) -> None:
        due = [what for due_ms, what in self.later if due_ms <= self.real_ms]
        self.later = [(due_ms, what) for due_ms, what in self.later if due_ms > self.real_ms]
        for what in due:
            what()

    def _leave_the_past(self) -> None:
        """Clients of a server that leads no more lose their connections, or leave."""
        if self.process is None:
            return
        for bot in self.bots:
            is_behind = bot.wire is not None and bot.wire not in self.process.wires
            if is_behind and self._notices.random() < NOTICE_SHARE:
                self.count("left a server of the past")
                bot.wire.cut() if self._has_proxy else bot.hang_up()

    def _forget(self) -> None:
        """What was told before is not true any more."""
        self.shadow, self.archive = Shadow(self.journal), Archive(self)
        self.auditor = Auditor({record.match: record for record in self.journal.read_records()})
        for bot in self.bots:
            bot.hang_up()
        self.bots = []
