"""One of two servers over the shared database: it stands by, leads, and may be stopped in the midst of it.

The standby and the server are those that ship. Their threads are `threads`. Its journal has the contract of
`gameserver.journal.postgresql`; who leads, and what a lost connection means, is decided by the real `Leadership`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar

import trio
from attrs import define, field

from gameserver.core.commands import Command
from gameserver.database.connection import DatabaseError
from gameserver.engine.committer import JournalWorker
from gameserver.journal.journal import JournalError, JournalRow, ServerPresence, Snapshot
from gameserver.journal.leadership import CERTAIN_S, Leadership
from gameserver.journal.postgresql import SharedRatings
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.match_record import RatingRecord
from gameserver.records.reader import HallDirectory, HallNews, HallSeen, RecordReader
from gameserver.records.tournament_record import Record
from gameserver.server.standby import Standby
from tests.simulation.database_session import ANSWERED, DatabaseSession, Transaction
from tests.simulation.disk import PAUSE_MS_MAX
from tests.simulation.plan import GAMES
from tests.simulation.power import Machine
from tests.simulation.shared_database import RatingConnection
from tests.simulation.threads import Freezer, T, Threads, wait_for
from tests.support.journals import PassedOn

if TYPE_CHECKING:
    from tests.simulation.standby import StandbyWorld


@define
class Directory(HallDirectory):
    """The halls in the database, as a server finds them."""

    _machine: "Contender"

    def exchange(self, news: HallNews) -> Sequence[HallSeen]:
        database = self._machine.world.database
        if not (database.is_up and self._machine.host.is_linked):
            raise DatabaseError("the database is away")
        database.news[news.name] = news
        return [HallSeen(one, "", 0.0) for _, one in sorted(database.news.items())]

    def reader(self, hall: str) -> RecordReader:
        worlds = self._machine.world.database.worlds
        return next(world.disk.kept.reader() for world in worlds if world.hall.name == hall)


class DatabaseJournal(PassedOn):
    """A journal in the shared database. The constructor connects, and raises `JournalError` where that fails."""

    confirm_every_s: ClassVar[float] = 1.0

    def __init__(self, machine: "Contender") -> None:
        self.name = token = machine.token
        self.away_since_ms: int | None = None
        """Start of the first call that was not answered, by `ran_ms`; None if the last one was answered."""
        self._machine = machine
        self._hall = machine.world.disk
        self._database = database = self._hall.database
        self.ratings = SharedRatings()
        self._rated_s = machine.world.clock.current_time()
        self.known_ratings: dict[tuple[str, str], int] = {}
        """By game and player: the rated matches of which a question for changes was to tell."""
        self._leadership: Leadership[DatabaseSession] = Leadership(
            lambda: database.connect(machine),
            token,
            token,
            token,
            now_s=machine.world.clock.current_time,
            wall_ms=machine.world.wall_ms,
        )
        with self._leadership.using():
            pass

    @property
    def is_certain(self) -> bool:
        return self._leadership.is_certain

    def confirm(self) -> None:
        with self._judged():
            self._leadership.confirm()

    def lead(self) -> bool:
        leads = self._leadership.lead()
        if leads:
            self._hall.leads(self.name)
            self.away_since_ms = None
        return leads

    def show_presence(self, seq: int) -> None:
        self.asked(lambda _: None)

    def servers(self) -> Sequence[ServerPresence]:
        leader = self.asked(lambda _: self._hall.leader)
        return () if leader is None else (ServerPresence(leader.name, True, 0, leader.since_ms, 0.0),)

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        self._machine.world.count("committed in the thread")
        with self._judged():
            self._leadership.append(rows, records)

    def last(self) -> int:
        return self._leadership.last

    def trim(self, before: int) -> None:
        with self._leadership.using() as session:
            session.trim(before)

    def save_snapshot(self, snapshot: Snapshot) -> None:
        with self._leadership.using() as session:
            session.save_snapshot(snapshot)

    def reader(self) -> RecordReader:
        return self._hall.kept.reader()

    def changed_ratings(self) -> Sequence[RatingRecord]:
        world, table = self._machine.world, self._database.ratings
        asked_s = world.clock.current_time()
        known = []
        with self._judged(), self._leadership.using() as session:

            def answer(query: Callable[[], T]) -> T:
                known.append(table.matches())
                return query()

            def ask(query: Callable[[], T]) -> T:
                return session.asked(lambda _: answer(query))

            connection = RatingConnection(table, world.hall.name, lambda: self._database.now_ms, ask)
            found = self.ratings.changed(connection, asked_s - self._rated_s)
        self._rated_s, self.known_ratings = asked_s, known[-1]
        return found

    def halls(self) -> HallDirectory:
        return Directory(self._machine)

    def close(self) -> None:
        self._leadership.close()

    def asked(self, question: Callable[[MemoryJournal], T]) -> T:
        with self._judged(), self._leadership.using() as session:
            found = session.asked(question)
        self.away_since_ms = None
        return found

    @contextmanager
    def _judged(self) -> Iterator[None]:
        """Note whether a call that fails had to fail."""
        database, machine = self._database, self._machine
        began_ms, disturbances, session = database.now_ms, database.disturbances, self._leadership.open_session
        ran_ms = machine.ran_ms
        could_answer = database.can_answer(machine) and (session is None or not session.is_over)
        try:
            yield
        except JournalError:
            machine.world.count("commit failed")
            is_late = database.now_ms - began_ms >= CERTAIN_S * 1000
            is_disturbed = is_late or disturbances != database.disturbances or not database.can_answer(machine)
            if could_answer and not is_disturbed:
                self.away_since_ms = None
            elif self.away_since_ms is None:
                self.away_since_ms = ran_ms
            raise
        if self.is_certain:
            self.away_since_ms = None
        elif self.away_since_ms is None:
            self.away_since_ms = ran_ms  # it answered too late


class Contender(Machine):
    """A server's process on one of the hosts."""

    world: "StandbyWorld"

    def __init__(self, world: "StandbyWorld", number: int, host: "Host") -> None:
        super().__init__(world, number)
        self.host = host
        self.token = f"{host.name}/{number}"
        self.threads = Threads()
        self.freezer = Freezer()
        self.journal: DatabaseJournal | None = None
        self._stood_ms = self._frozen_at_ms = 0
        self.standby: Standby | None = None
        """None unless it stands by."""

    async def run(self) -> None:
        try:
            await super().run()
        except Exception as error:  # noqa: BLE001 - of which kind it has to be is looked at there
            with self.world.watching():
                self.world.gave_up(self, error)
        finally:
            self.world.database.hang_up(self)

    async def _serve(self) -> None:
        def tell(text: str) -> None:
            self.world.note("%s: %s", self.token, text)

        self.standby = Standby(self._opened, GAMES, tell, now_s=trio.current_time)
        lead = await self.standby.lead()
        self.standby = None
        await self._serve_from(lead.journal, lead.replayed)

    @property
    def follows_to(self) -> int:
        """The last row that it has while it stands by."""
        follower = None if self.standby is None else self.standby._follower
        return 0 if follower is None else follower.seq

    @property
    def seq(self) -> int:
        """The last row of its lobby while it leads."""
        return 0 if self._server is None else self._server._sequencer._seq

    @property
    def is_committing(self) -> bool:
        return self.threads.are_at_work

    def ask(self, command: Command) -> None:
        if not self.freezer.is_on:
            super().ask(command)

    def stop(self) -> None:
        if not self.freezer.is_on:
            super().stop()

    def freeze(self) -> None:
        """Execute nothing from now on."""
        self.freezer.is_on, self._frozen_at_ms = True, self.world.real_ms
        if self.threads.are_at_work:
            self.world.count("stopped in the midst of a call")

    def go_on(self) -> None:
        if self.freezer.is_on:
            self._stood_ms += self.world.real_ms - self._frozen_at_ms
            self.freezer.thaw()

    @property
    def ran_ms(self) -> int:
        """Real time, less the time for which it stood still."""
        return self.world.real_ms - self._stood_ms

    def lose_power(self, why: str) -> None:
        if not self.has_power:
            return
        if self.standby is not None:
            self.world.count("standby ended")
        super().lose_power(why)
        self.freezer.thaw()
        self.threads.end()
        self.world.database.hang_up(self)

    def meet_or_stop(self, point: str) -> None:
        """Meet a point where the power may fail. Raises `JournalError` if it has."""
        self.meet(point)
        if not self.has_power:
            raise JournalError("the process is no more")

    def frozen_when(self, moment: str, transaction: Transaction | None = None) -> None:
        """Stand still now, if the leader's host is to freeze at this moment of a commit. Called in a thread."""
        if self.serves and self.world.freezes_at(self, moment, transaction) and moment == ANSWERED:
            wait_for(trio.lowlevel.checkpoint)

    def _opened(self) -> DatabaseJournal:
        self.journal = DatabaseJournal(self)
        return self.journal

    def _journal_worker(self) -> JournalWorker:
        return DatabaseThread(self)


@define(eq=False)
class DatabaseThread:
    _machine: Contender
    _is_at_work: bool = False

    async def carry_out(self, work: "Callable[[], T]") -> None:
        await trio.lowlevel.checkpoint_if_cancelled()
        machine, axis_ms = self._machine, self._machine.axis_ms
        if self._is_at_work:
            machine.world.wrong("one thread at a time uses the journal", machine.token)
        self._is_at_work = True
        try:
            await machine.threads.run(work)
        finally:
            self._is_at_work = False
            if machine.axis_ms - axis_ms > PAUSE_MS_MAX and machine.serves:
                machine.world.wrong("server time stands during a pause", f"{machine.axis_ms - axis_ms} ms")


@define(eq=False)
class Host:
    """A machine, and the lives of its server, one after the other."""

    name: str
    _world: "StandbyWorld" = field(repr=False)
    is_linked: bool = field(default=True, init=False)
    """True if the database can be reached."""
    life: Contender | None = field(default=None, init=False)
    """None while nothing runs here."""
    starts_ms: int = field(default=0, init=False)
    """Time at which it is started again."""

    @property
    def is_frozen(self) -> bool:
        return self.life is not None and self.life.freezer.is_on

    @property
    def stands_by(self) -> bool:
        return self.life is not None and self.life.standby is not None

    def freeze(self, span_ms: int) -> None:
        """Stop the server for a while, as by SIGSTOP; what its thread has sent is carried out all the same."""
        life = self.life
        if life is not None and life.has_power and not self.is_frozen:
            self._world.database.disturbances += 1
            life.freeze()
            self._world.in_a_while(span_ms, life.go_on)

    def freeze_with_network(self, span_ms: int, thaws_ms: int) -> None:
        """Stop the server with its network, as a virtual machine that is moved; the network is back `thaws_ms` later.

        So it goes on without having been told that its session is over.
        """
        self.freeze(span_ms)
        self.cut_off(span_ms + thaws_ms)

    def cut_off(self, span_ms: int) -> None:
        self.is_linked = False
        self._world.database.disturbances += 1
        self._world.in_a_while(span_ms, self.reconnect)

    def reconnect(self) -> None:
        self.is_linked = True
        self._world.database.disturbances += 1

    def go_on(self) -> None:
        if self.life is not None:
            self.life.go_on()
