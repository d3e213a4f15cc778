"""The world with two servers over one database: one leads, the other stands by and takes over.

Clients reach the one that leads. One that was stopped or cut off for too long may believe that it still leads: it runs
on, with the connections that it had, and must tell nobody anything.

Halls stand side by side over one database, each with players and a log of its own. Each is a world that is held to all
that one server is held to. They share time, the database with its faults, the roster and the ratings, and come to their
calm together.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import trio

from gameserver.authentication.roster import Roster, SharedRoster
from gameserver.core.draft import Decision
from gameserver.core.lobby import At
from gameserver.engine.clock import HEARTBEAT_MS
from gameserver.engine.committer import JournalStopped
from gameserver.halls import HallSettings
from gameserver.journal.journal import JournalBroken
from gameserver.journal.recovery import Replayed
from gameserver.journal.snapshot import digest
from tests.simulation.audit import Auditor
from tests.simulation.contender import Contender, Host
from tests.simulation.database_session import Transaction
from tests.simulation.disk import Truth
from tests.simulation.faults import STANDBY_FAULTS_BY_KIND, Fault
from tests.simulation.plan import HALLS, HallsPlan, StandbyPlan
from tests.simulation.power import Machine
from tests.simulation.rosters import RosterConnection, Rosters
from tests.simulation.shared_database import Agenda, Database, HallDisk
from tests.simulation.threads import freezable, wait_for
from tests.simulation.told import Archive
from tests.simulation.violation import Violation
from tests.simulation.wire import Wire
from tests.simulation.world import World

RESTART_MS_MAX = 20_000
LONG_MEANWHILE_SHARE = 0.3
"""The share of questions on new connections before which a server that has led stands still for a while."""
MEANWHILE_MS = (100, 4_000)
"""The longest standstills: another server hardly takes its place, or does."""
KILLED_MEANWHILE_SHARE = 0.3
LAST_MS_MAX = 1_000
LEADER_KILLED_SHARE = 0.002
NOTICE_SHARE = 0.03
"""The probability that a client of a former leader finds out in a heartbeat."""
AFTER_A_LOSS_MS = 120_000
LAST_WORD_MS = 15_000
"""More than a server takes to find out that another one leads."""
LOOKS_MAX = 100
BEATS_MS = 500
"""The most that a server counts less of the time for which the database was away: a beat for each standstill."""


class StandbyWorld(World):
    """The world with two hosts."""

    plan: StandbyPlan
    disk: HallDisk
    process: Contender | None
    """The server that clients reach."""
    faults: ClassVar[Mapping[str, Fault]] = STANDBY_FAULTS_BY_KIND

    host_names: ClassVar[tuple[str, ...]] = ("one", "two")

    def __init__(self, plan: StandbyPlan, beside: "StandbyWorld | None" = None) -> None:
        self.agenda = Agenda(self._watched) if beside is None else beside.agenda
        self.database = Database(plan, self.agenda, lambda: self.real_ms) if beside is None else beside.database
        self.hosts = [Host(name, self) for name in self.host_names]
        self.freezes: tuple[str, int, int] | None = None
        """The moment of a commit in which the leader's host freezes, and the times of `Host.freeze_with_network`."""
        self.has_lost_rows = False
        self._lives: list[Contender] = []
        """The servers that run, or may still do so."""
        self._past: list[Contender] = []
        """The servers that have led."""
        self._led_before_the_loss: Contender | None = None
        self._between = plan.stream("between questions")
        self._notices = plan.stream("clients notice")
        self._restarts = plan.stream("restarts")
        self._has_proxy = plan.has_proxy()
        super().__init__(plan)
        self.commit_retry_s = plan.commit_retry_ms() / 1000

    def _disk(self) -> HallDisk:
        self.database.worlds.append(self)
        return HallDisk(self, self.database)

    @property
    def leading(self) -> Host | None:
        return None if self.process is None else self.process.host

    def run(self) -> None:
        with freezable(lambda machine: machine.threads, lambda machine: machine.freezer):
            super().run()

    def fail(self, error: Exception) -> None:
        super().fail(error)
        self._switch_off()

    def look(self) -> None:
        for life in self._lives:
            life.kernel.look()

    def in_a_while(self, wait_ms: int, what: Callable[[], None]) -> None:
        """Let something happen later, unless the calm has come by then."""
        self.agenda.at(trio.current_time() + wait_ms / 1000, lambda: None if self.calm else what())

    # What servers do.

    def asks(self, asking: Contender) -> None:
        """Let others go on, or be killed, while a server asks who leads. Called in a thread of it."""
        roll = self._between.random()
        if self.calm:
            return
        if not asking.serves and roll < LEADER_KILLED_SHARE:
            self._meanwhile(LAST_MS_MAX)
            self._kill_leader(asking, "crash", "killed while another one asked")
        elif asking.serves and roll < LONG_MEANWHILE_SHARE:
            self._meanwhile(self._between.choice(MEANWHILE_MS))
            if self._between.random() < KILLED_MEANWHILE_SHARE:
                self._kill_leader(asking, "standby-crash", "killed between questions of another one")

    def _meanwhile(self, ms_max: int) -> None:
        wait_for(partial(trio.sleep, self._between.randint(0, ms_max) / 1000))

    def _kill_leader(self, asking: Contender, fault: str, mark: str) -> None:
        process = self.process
        if process is None or process is asking or fault not in self.plan.faults:
            return
        if process.has_power and not (self.calm or self.has_lost_rows):
            self.count(mark)
            process.lose_power("now")

    def started(self, machine: Machine, replayed: Replayed) -> None:
        """Check the start of a server that stood by. The last leader has not been told of it."""
        leader = self.disk.leader
        if leader is not None and leader.token != machine.token:
            # It stood still between its word that it leads and its last rows, and knows of nobody who led meanwhile.
            # Its first commit will tell it, before it serves anybody.
            self.count("taken over before it served")
            return
        self.note("%s leads from row %d on", machine.token, replayed.seq)
        if self.process is not None and self.process.has_power:
            self.count("taken over from one that lives")
        with self.watching():
            last_ms = max((past.axis_ms for past in self._past), default=0)
            if not self.truth.now_ms <= replayed.now_ms <= max(last_ms, self.truth.now_ms):
                found = f"{self.truth.now_ms} to {last_ms} ms, then {replayed.now_ms}"
                raise Violation("server time stands while nobody serves", found)
        self._past.append(machine)
        super().started(machine, replayed)
        self.process = machine

    def leads(self, machine: int) -> bool:
        leader = self.disk.leader
        return leader is not None and leader.token.endswith(f"/{machine}")

    def telling(self, machine: Machine) -> None:
        """Check that nobody else can lead yet."""
        leader, last = self.disk.leader, self.disk.kept.last()
        if leader is None or leader.token != machine.token:
            raise Violation("only the leader tells anything", f"{machine.token} does, and {leader} leads")
        if machine.seq != last:
            raise Violation("who tells something has all rows", f"{machine.token} has {machine.seq} of {last}")
        self.disk.acknowledged = max(self.disk.acknowledged, last)

    def gave_up(self, machine: Contender, error: Exception) -> None:
        """Check that a server ended for a reason: the journal failed for long, lost rows, or others lead."""
        first: BaseException = error
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        if not machine.has_power:
            return
        self.note("%s gives up: %s", machine.token, first)
        journal, leader = machine.journal, self.disk.leader
        # One that has the lock and reads the last rows may lose it before it serves.
        if journal is None or not journal._leadership.leads:
            raise Violation("nobody stops without a reason", f"{machine.token} stands by") from error
        if isinstance(first, JournalBroken):
            self.count("killed: journal broken")
            if leader is not None and leader.token == machine.token and not self.has_lost_rows:
                raise Violation("nobody stops without a reason", f"{machine.token} still leads") from error
        elif isinstance(first, JournalStopped):
            self.count("killed: journal failed")
            away_ms = 0 if journal.away_since_ms is None else machine.ran_ms - journal.away_since_ms
            if away_ms < self.commit_retry_s * 1000 - BEATS_MS:
                raise Violation("nobody stops without a reason", f"the database was away for {away_ms} ms") from error
        else:
            raise first

    def freezes_at(self, machine: Contender, moment: str, transaction: Transaction | None) -> bool:
        """Freeze the leader's host, if this is the moment of a commit to do so."""
        if self.freezes is None or self.freezes[0] != moment or machine is not self.process:
            return False
        if transaction is not None and not transaction.rows:
            return False
        _, span_ms, thaws_ms = self.freezes
        self.freezes = None
        self.count(f"frozen when a commit was {moment}")
        machine.host.freeze_with_network(span_ms, thaws_ms)
        return True

    def rows_gone(self) -> None:
        """Rebuild the truth, as a replica without the last rows is the primary; nobody need have been told of these."""
        self.truth = Truth(self.plan.games)
        self.fairness.rewind()

        def followed(command: Any, _: At, decision: Decision) -> None:
            self.fairness.decided(self.truth.lobby, command, decision)

        for row in self.disk.history:
            self.truth.follow(row, followed)
        self.auditor.rewound(self.truth, self.disk.kept.read_records())
        self.fairness.rewound(self.truth.lobby, self.disk.kept.read_records())

    def rows_lost(self) -> None:
        """Forget what clients were told, as rows that they were told of are gone."""
        self.count("rows lost")
        self.has_lost_rows = True
        self._led_before_the_loss = self.process
        for bot in (*self.bots, *self.spectators, self.intruder, self.thief):
            bot.hang_up()
        self.bots, self.spectators = [], []
        self.archive, self.auditor = Archive(self), Auditor(self)
        self.auditor.rewound(self.truth, self.disk.kept.read_records())

    # The run.

    async def play(self) -> None:
        try:
            await self._play()
        finally:
            self._switch_off()

    async def _play(self) -> None:
        for _ in range(self.plan.steps):
            self.steps += 1
            await self.look_after_machine()
            await self.let_go_wrong()
            if self.has_lost_rows:
                await self._live_on()
                return
            await self._something()
        await self.settle()
        await self._check_standby()

    async def _something(self) -> None:
        if self.bots:
            await super()._something()

    async def _boot(self) -> None:
        self._nursery.start_soon(self.agenda.run)
        await self.look_after_machine()

    async def look_after_machine(self) -> None:
        self._look_after_hosts()
        await self._breathe()

    def _look_after_hosts(self) -> None:
        for host in self.hosts:
            life = host.life
            if life is not None and life.is_over:
                if life.has_power:
                    self.note("%s has stopped", life.token)
                    self.count("stopped")
                life.has_power = False
                wait_ms = 0 if self.calm else int(RESTART_MS_MAX * self._restarts.random() ** 3)
                host.life, host.starts_ms = None, max(host.starts_ms, self.real_ms + wait_ms)
                self._lives.remove(life)
                if life is self.process:
                    self.process = None
            if host.life is None and self.real_ms >= host.starts_ms:
                self._boots += 1
                host.life = Contender(self, self._boots, host)
                self._lives.append(host.life)
                self._nursery.start_soon(host.life.run)

    def _network(self) -> None:
        self.database.turn()
        self.database.keep_up()
        self._look_after_hosts()
        self._look_who_leads()
        super()._network()
        self._leave_the_past()

    def _look_who_leads(self) -> None:
        """Find an earlier leader that leads again, as a replica knows nothing of the one after it."""
        leader = self.disk.leader
        for life in self._lives:
            if life.serves and leader is not None and life.token == leader.token:
                self.process = life

    def _leave_the_past(self) -> None:
        """Let clients of a server that leads no more lose their connections, or leave."""
        if self.process is None:
            return
        for bot in self.bots:
            is_behind = bot.wire is not None and bot.wire.machine != self.process.number
            if is_behind and self._notices.random() < NOTICE_SHARE:
                self.count("left a server of the past")
                bot.wire.cut() if self._has_proxy else bot.hang_up()

    # The end.

    def _mend(self) -> None:
        super()._mend()
        self._mend_database()
        self.quiet_since_ms = self.real_ms + LAST_WORD_MS

    def _mend_database(self) -> None:
        self.freezes = None
        self.disk.commit_s = 0.0
        self.database.mend()
        for host in self.hosts:
            host.reconnect()
            host.go_on()
            host.starts_ms = 0

    async def _live_on(self) -> None:
        """Wait for a leader that does without the rows that were told and lost."""
        self.calm = True
        self._mend_database()
        await self.pass_time(AFTER_A_LOSS_MS)
        # One that led before may lead again, if only rows of the time after it are lost.
        process, leader = self.process, self.disk.leader
        if process is None or leader is None or leader.token != process.token or not process.serves:
            raise Violation("somebody leads after rows were lost", f"{process}, on record {leader}")
        if process is self._led_before_the_loss:
            raise Violation("who has more rows than the database stops", process.token)
        self.truth.check_replay(self.disk.history)

    async def _check_standby(self) -> None:
        await self.pass_time(LAST_WORD_MS)
        process, last = self.process, self.disk.kept.last()
        for host in self.hosts:
            life = host.life
            if life is process:
                continue
            if life is None or not host.stands_by:
                raise Violation("there is one leader", f"{host.name} is {life}, beside {process}")
            for _ in range(LOOKS_MAX):
                if life.follows_to == last:
                    break
                await self.pass_time(HEARTBEAT_MS)
            follower = life.standby and life.standby._follower
            if follower is None or (follower.seq, digest(follower._lobby)) != (last, digest(self.truth.lobby)):
                raise Violation("who stands by has the same lobby", f"row {life.follows_to} of {last}")

    def _switch_off(self) -> None:
        """End all servers with the run: nothing waits for anything any more."""
        for life in self._lives:
            life.freezer.thaw()
            life.lose_power("the end")

    def _watched(self, work: Callable[[], None]) -> None:
        with self.watching():
            work()


NOBODY = -1
HEARD_MS = 5_000
"""More than it takes until every hall has heard of what changed in the others."""


class HallWorld(StandbyWorld):
    """One of the halls. The first makes what all share, and runs them all."""

    plan: HallsPlan
    halls: "list[HallWorld]"
    host_names: ClassVar[tuple[str, ...]] = ("one",)

    def __init__(self, plan: HallsPlan, beside: "HallWorld | None" = None) -> None:
        self.hall = HallSettings(plan.hall)
        super().__init__(plan, beside)
        self.stage = 0
        """The number of points reached at which all halls wait for each other."""
        self._is_lost = plan.is_lost_in_the_calm()
        if beside is None:
            self.halls = halls = [self, *(HallWorld(plan.of_hall(name), self) for name in HALLS[1:])]
            rosters = Rosters(self, [bot for hall in halls for bot in hall.bots])
            for hall in halls:
                hall.halls, hall.rosters = halls, rosters
        else:
            self.clock, self.events, self.marks, self.hash = beside.clock, beside.events, beside.marks, beside.hash
            self._rest = beside._rest

    def opened_roster(self, machine: Machine) -> Roster:
        connection = RosterConnection(self.rosters.file)
        roster = self.rosters.opened(trio.current_time, SharedRoster(connection.opened, lambda: None))
        connection.is_away = lambda: not (self.database.is_up and machine.host.is_linked)
        return roster

    def told(self, machine: Machine, wire: Wire, data: bytes) -> None:
        super().told(machine, wire, data)
        with self.watching():
            for hall in self.halls:
                if hall is not self:
                    hall.secrets.check(wire.last_said, NOBODY)
                    hall.fairness.check_secret(wire.last_said, "another hall")

    # The run.

    async def _main(self) -> None:
        """Run all halls until they end, or one of them finds something."""

        async def run(hall: HallWorld) -> None:
            await StandbyWorld._main(hall)
            if hall.violation is not None:
                self.violation = self.violation or hall.violation
                nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            for hall in self.halls:
                nursery.start_soon(run, hall)

    async def _boot(self) -> None:
        if self is self.halls[0]:
            self._nursery.start_soon(self.agenda.run)
        await self.look_after_machine()

    def _look_after_hosts(self) -> None:
        if not (self.calm and self._is_lost):
            super()._look_after_hosts()

    def _network(self) -> None:
        super()._network()
        with self.watching():
            self._check_ratings()

    async def settle(self) -> None:
        await self._meet_the_others()
        if self._is_lost:
            self._lose_it_all()
        else:
            await super().settle()

    async def _check_standby(self) -> None:
        """Check at the end that every hall has heard of the others' ratings."""
        await self._meet_the_others()
        await self.pass_time(HEARD_MS)
        if not self._is_lost:
            self._check_ratings(self.database.ratings.matches())
        await self._meet_the_others()

    async def _meet_the_others(self) -> None:
        self.stage += 1
        while any(hall.stage < self.stage for hall in self.halls):
            if self.stage == 1:
                await self.look_after_machine()
            await self.pass_time(HEARTBEAT_MS)

    def _mend(self) -> None:
        super()._mend()
        if self.plan.all_come_anew():
            for bot in self.bots:
                bot.hang_up()

    def _lose_it_all(self) -> None:
        """Lose the hall's machine for good; nobody else is to notice."""
        self.calm = True
        self.note("hall %r is gone", self.hall.name)
        self.count("a hall is gone")
        self._mend()
        self._switch_off()
        self.process = None

    def _check_ratings(self, known: dict[tuple[str, str], int] | None = None) -> None:
        """Check that the server knows what changed before it last asked for changes."""
        process = self.process
        if process is None or not process.is_settled or process.host.is_frozen or process.threads.are_at_work:
            return
        book = process._server._sequencer._ratings
        for key, matches in (known or process.journal.known_ratings).items():
            if book.rating(*key).games < matches:
                found = f"{process.token} knows of {book.rating(*key).games} matches of {key}, and there were {matches}"
                raise Violation("ratings of all halls are known in each", found)
