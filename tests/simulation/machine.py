"""One of two servers over the shared database: off, standing by, leading, or stopped in the midst of it."""

from functools import partial
from typing import TYPE_CHECKING

from attrs import define, field

from gameserver.journal.journal import JournalBroken, JournalError
from gameserver.journal.recovery import Follower, Replayed
from tests.simulation.database_session import Link, Transaction
from tests.simulation.plan import GAMES
from tests.simulation.process import Process
from tests.simulation.sequence import Killed
from tests.simulation.shared_journal import DatabaseJournal
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.standby import StandbyWorld

POLL_MS = 100
SENT, ANSWERED = "sent", "answered"
"""The moments of a commit in which a machine can be frozen: before the answer, or after it."""


@define(eq=False)
class Machine:
    """A machine, and the server on it, as often as that is started anew."""

    name: str
    _world: "StandbyWorld"
    link: Link = field(factory=Link, init=False)
    process: Process | None = field(default=None, init=False)
    """The server, if it leads, or has not found out yet that another one does."""
    journal: DatabaseJournal | None = field(default=None, init=False)
    """None while nothing runs here."""
    starts_ms: int = field(default=0, init=False)
    """When it is started again."""
    goes_on_ms: int | None = field(default=None, init=False)
    """When it is continued, if it is stopped."""
    _follower: Follower | None = field(default=None, init=False)
    _polls_ms: int = field(default=0, init=False)
    _starts: int = field(default=0, init=False)
    _was_serving: bool = field(default=False, init=False)
    _is_at_work: bool = field(default=False, init=False)

    @property
    def runs(self) -> bool:
        """Whether anything is executed here."""
        return self.journal is not None and self.goes_on_ms is None

    def turn(self) -> None:
        """Do what is due, for a heartbeat."""
        world = self._world
        if self.goes_on_ms is not None and world.real_ms >= self.goes_on_ms:
            self.go_on()
        if self.journal is None and world.real_ms >= self.starts_ms:
            self._starts += 1
            self.journal = DatabaseJournal(world.database, self.link, f"{self.name}/{self._starts}", self._meanwhile)
        if not self.runs or self._is_at_work:
            return
        self._is_at_work = True
        try:
            if self.process is not None:
                world.serve(self.process)
            elif world.real_ms >= self._polls_ms:
                self._polls_ms = world.real_ms + POLL_MS
                self._stand_by()
        except Killed as killed:
            world.die(self, killed)
        finally:
            self._is_at_work = False

    def stop(self, span_ms: int) -> None:
        """Stop it for a while, as by SIGSTOP; what its thread has sent may be carried out meanwhile."""
        process = self.process
        if self.journal is None or self.goes_on_ms is not None:
            return
        self.goes_on_ms = self._world.real_ms + span_ms
        if process is None:
            return
        self._was_serving, process.serves = process.serves, False
        sequencer, session = process.sequencer, self.journal.session
        batch = sequencer.unsent
        if session is None or not session.is_used or not (batch is not None or sequencer.is_asking):
            return
        self._world.count("stopped in the midst of a call")
        if self.link.began_ms is None:
            self.journal.begin_call()
        records = () if batch is None else (*batch.records, *batch.other_records)
        session.carry_out_unread(Transaction(() if batch is None else tuple(batch.rows), records))

    def freeze(self, span_ms: int, thaws_ms: int) -> None:
        """Stop it with its network, as a virtual machine that is moved. The network is back `thaws_ms` after it.

        So it goes on without having been told that its session is over.
        """
        self.stop(span_ms)
        self.link.is_whole = False
        self._world.in_a_while(span_ms + thaws_ms, partial(setattr, self.link, "is_whole", True))

    def go_on(self) -> None:
        """Continue it, if it is stopped."""
        if self.goes_on_ms is not None and self.process is not None:
            self.process.serves = self._was_serving
        self.goes_on_ms = None

    def end(self) -> None:
        """Nothing runs here any more. The kernel closes its connections."""
        if self.journal is not None:
            self.journal.close()
        self.link.took_ms, self.link.began_ms = 0, None
        self.process = self.journal = self._follower = self.goes_on_ms = None

    def follow(self) -> Replayed:
        """What this server has when it has followed the journal to its end."""
        assert self.journal is not None
        return (self._follower or Follower(self.journal, GAMES)).finish()

    def _meanwhile(self) -> None:
        """Let others go on before a question is answered that this machine asks."""
        was_at_work, self._is_at_work = self._is_at_work, True
        try:
            self._world.meanwhile(self)
        finally:
            self._is_at_work = was_at_work

    def _stand_by(self) -> None:
        """Follow the journal, and lead where nobody else does."""
        world, journal = self._world, self.journal
        assert journal is not None
        if self._follower is None:
            self._follower = Follower(journal, GAMES)
        try:
            if journal.lead():
                replayed = self._follower.finish()
                self._follower = None
                world.take_over(self, journal, replayed)
            else:
                self._follower.follow()
        except JournalError:
            self._polls_ms += journal.took_ms()
        except JournalBroken as broken:
            raise Violation("nobody stops without a reason", f"{journal.token} stands by") from broken
