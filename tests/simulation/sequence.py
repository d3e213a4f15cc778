"""Decide, commit, release: the contract of `gameserver.engine.sequencer`, one stride at a time.

Between strides anything may happen: bytes arrive, the alarm looks, the process is killed. On a quick disk chance
decides if a batch is decided, committed and released in one stride, as in the event loop, or in three, as by the
journal's thread; a process may be killed at any point of either way. What waits for its batch, batches, snapshots and
the clock's patience while a commit runs are the real ones.

A journal that others may lead is asked again and again if it is still ours (`confirm`), and before anything is told
where that is not certain. A process ends when it is not (`Stopped`), or when the journal fails for too long.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from gameserver.core.messages.commands import ServerStarted
from gameserver.core.state.lobby import Lobby
from gameserver.engine.batch import Batch, Receiver, Release, Submission
from gameserver.engine.clock import STALL_MS
from gameserver.engine.command_priority import MATCH_REQUESTS_SLICE, QUERIES_SLICE, CommandQueue
from gameserver.journal.journal import JournalBroken, JournalError
from gameserver.journal.snapshot import write_snapshot
from gameserver.protocol import Command, Event, Query
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.process import Process

RETRY_PAUSE_MS = 100
PAUSE_MS_MAX = STALL_MS + 1
"""How much the axis may advance while the journal fails, with what rounding adds."""
FAILED, BROKEN = "journal failed", "journal broken"
AT_ONCE = 0.5
"""The part of the commits on a quick disk that are made on the event loop."""
EFFORTS_S = (0.0, 0.0, 0.0, 0.0, 0.0, QUERIES_SLICE.slice_s, MATCH_REQUESTS_SLICE.slice_s)


class Killed(Exception):
    """The process is no more."""


class Stopped(Killed):
    """The process ends because its journal does not work any more, or is another's; it still says goodbye."""


class Sequencer:
    """Owns the lobby of one process."""

    def __init__(self, process: "Process", lobby: Lobby, seq: int) -> None:
        self.lobby = lobby
        self.batch: Batch | None = None
        """What is decided and not yet released."""
        self.doom = ""
        """Between which strides the process is going to be killed."""
        self.commit_due_ms = 0
        """A commit does not end before this, in real time."""
        self._process = process
        self._world = process.world
        self.seq = seq
        """The last row, committed or not."""
        self._durable = False
        self._effort_s = 0.0
        self._effort_chance = self._world.plan.stream(f"effort of deciding after {seq}")
        self._way_chance = self._world.plan.stream(f"way of committing after {seq}")
        self._waiting = CommandQueue(self._after_some_effort)
        self._owes_answers = False
        """Whether questions have waited for a batch, after which they are answered whatever has come in meanwhile."""
        self._hold = ExitStack()
        self._confirm_every_ms = process.journal.confirm_every_s * 1000
        self._confirmed_ms = self._world.real_ms
        self._failed_ms: int | None = None
        """Since when every call of the journal has failed."""
        self._failed_axis_ms = 0
        self.is_asking = False
        """Whether the journal is asked if it is still ours."""
        self._is_held = False
        """Whether the clock stands because nobody knows who leads."""

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits to be decided, committed or released."""
        return self.batch is None and not self._waiting

    @property
    def only_waits(self) -> bool:
        """Whether there is nothing to do but to wait for the end of a commit, if for anything."""
        if self.batch is None:
            is_asking = self.is_asking or self._failed_ms is not None
            return not self._is_to_confirm and (is_asking or not self._waiting)
        return self._world.real_ms < self.commit_due_ms and not (self._durable and self._process.journal.is_certain)

    @property
    def _is_to_confirm(self) -> bool:
        """Whether others should be told again that this process leads, or it is not certain of it."""
        due_ms = self._confirmed_ms + self._confirm_every_ms if self._process.journal.is_certain else 0
        return self._world.real_ms >= max(self.commit_due_ms, due_ms)

    @property
    def unsent(self) -> Batch | None:
        """The batch that the journal's thread commits."""
        return None if self._durable else self.batch

    def submit(self, command: Command | Query, stamp_ms: int, sender: Receiver | None = None) -> None:
        """Take a command in; who leaves while the commit runs that seats them is not made to lose by it."""
        if self.batch is not None and self.batch.in_flight is not None:
            *before, command = self.batch.in_flight.adjust(self.lobby, command)
            for earlier in before:
                self._waiting.add(Submission(earlier, stamp_ms))
        self._waiting.add(Submission(command, stamp_ms, sender))

    def stride(self) -> None:
        """Go on by one step."""
        if self.batch is None and (self._is_to_confirm or self.is_asking or self._failed_ms is not None):
            self._confirm()
        elif self.batch is None:
            self._decide()
        elif not self._durable:
            self._commit(self.batch)
        else:
            self._tell(self.batch)

    def save_snapshot(self, now_ms: int) -> None:
        """Keep the lobby as it stands; between batches only."""
        if self.batch is None and self._process.journal.is_certain:
            with suppress(JournalError, JournalBroken):
                self._process.journal.save_snapshot(write_snapshot(self.lobby, self.seq, now_ms))

    def close(self, closed_ms: int) -> None:
        """Take no more commands, let the commit that runs come to its end, and keep the lobby if it did."""
        self._waiting.clear()
        self.commit_due_ms = 0
        if self.batch is not None and not self._durable:
            self._commit(self.batch)
        if self._durable:
            self.batch = None
        self.save_snapshot(closed_ms)

    def _decide(self) -> None:
        if not self._waiting:
            return
        process, waiting = self._process, self._waiting
        batch = Batch(self.lobby, self.seq, process.now_ms, self._world.wall_ms, process.alarm.watch)
        answers = self._owes_answers or not (waiting.commands or waiting.match_requests)
        self._owes_answers = not answers and bool(waiting.queries)
        for taken in waiting.asked() if answers else waiting.batch():
            self._decide_one(batch, taken)
        self.seq = batch.seq
        process.director.look(batch.wake)
        self._durable = not batch.rows
        self.batch = batch
        if self._durable:
            self._tell(batch)
        else:
            self.commit_due_ms = self._world.real_ms + self._world.commit_ms
            self._world.before_commit(process, batch)
            self._meet("decided")
            if self._world.commit_ms == 0 and self._way_chance.random() < AT_ONCE and not process.journal.blocks:
                self._commit(batch)
            if self._durable:
                self._world.count("committed on the event loop")
                self._release(batch.outputs)
            else:
                self._world.count("committed in the thread")
                self._hold.enter_context(process.clock.held())
                process.begin_call()

    def _after_some_effort(self) -> float:
        """The time that deciding takes, which says where a batch ends: any time, now and then too long."""
        self._effort_s += self._effort_chance.choice(EFFORTS_S)
        return self._effort_s

    def _decide_one(self, batch: Batch, taken: Submission) -> None:
        known, known_rows = len(batch.outputs), len(batch.rows)
        batch.add(taken)
        outputs = batch.outputs[known:]
        answers = [output for output in outputs if output.sender is taken.sender]
        if taken.sender is not None and len(answers) != 1:
            raise Violation("every command is answered once", f"{taken.command} has {len(answers)} answers")
        command = taken.command
        shown = type(command).__name__ if isinstance(command, ServerStarted) else command
        rows = ", ".join(row.tag for row in batch.rows[known_rows:])
        self._world.note("  %s -> %s [%s]", shown, outputs[-1].answer, rows)
        self._world.decided(self._process, taken, outputs)

    def _commit(self, batch: Batch) -> None:
        if self._called(lambda: self._process.journal.append(batch.rows, batch.records + batch.other_records)):
            self._hold.close()
            self._durable = True
            self._world.committed(self._process, batch)
            self._meet("committed")

    def _tell(self, batch: Batch) -> None:
        """Release a batch, once it is certain that nobody else leads."""
        if self._process.journal.is_certain or self._confirm():
            self._release(batch.outputs)

    def _confirm(self) -> bool:
        """Ask the journal whether it is still ours; False while there is no answer."""
        if not self.is_asking:
            self.is_asking = True
            self._process.begin_call()
            self.commit_due_ms = max(self.commit_due_ms, self._world.real_ms + self._world.commit_ms)
        is_confirmed = self._called(self._ask)
        if is_confirmed:
            self._confirmed_ms = self._world.real_ms
            self._hold.close()
        elif not self._is_held:
            self._is_held = True
            self._hold.callback(setattr, self, "_is_held", False)
            self._hold.enter_context(self._process.clock.held())
        return is_confirmed

    def _ask(self) -> None:
        journal = self._process.journal
        journal.confirm()
        if not journal.is_certain:
            raise JournalError("its answer came too late")

    def _called(self, call: Callable[[], None]) -> bool:
        """Call the journal, unless it is not yet time; False if it was not, or the call failed."""
        world, process = self._world, self._process
        if world.real_ms < self.commit_due_ms:
            return False
        self.is_asking = False
        try:
            call()
        except JournalError as error:
            world.count("commit failed")
            world.note("%s: %s", process.journal.name, error)
            if self._failed_ms is None:
                self._failed_ms, self._failed_axis_ms = world.real_ms, process.now_ms()
            if world.real_ms - self._failed_ms > world.commit_retry_ms:
                raise Stopped(FAILED) from error
            self.commit_due_ms = world.real_ms + RETRY_PAUSE_MS + process.took_ms()
            return False
        except ValueError as error:
            raise Violation("the log has no gap", str(error)) from error
        except JournalBroken as error:
            world.note("%s: %s", process.journal.name, error)
            raise Stopped(BROKEN) from error
        if self._failed_ms is not None and process.now_ms() - self._failed_axis_ms > PAUSE_MS_MAX:
            raise Violation("server time stands during a pause", f"{process.now_ms() - self._failed_axis_ms} ms")
        self._failed_ms = None
        return True

    def _release(self, outputs: Sequence[Release]) -> None:
        touched: dict[int, Receiver] = {}
        answered: list[Receiver] = []
        self._world.releasing(self._process)
        self.batch = None
        for output in outputs:
            if output.sender is not None:
                answered.append(output.sender)
            for receiver, events in self._by_receiver(output):
                touched[id(receiver)] = receiver
                receiver.deliver(output.answer if receiver is output.sender else None, events)
            for session, why in output.dismissed:
                dismissed = self._process.find(session)
                if dismissed is not None:
                    dismissed.dismiss(why)
        for receiver in touched.values():
            receiver.flush()
            self._meet("released to some")
        for sender in answered:
            sender.resume()
        self._process.serves = True

    def _by_receiver(self, output: Release) -> list[tuple[Receiver, list[Event]]]:
        gathered: dict[int, tuple[Receiver, list[Event]]] = {}
        if output.sender is not None:
            gathered[id(output.sender)] = (output.sender, [])
        for session, event in output.deliveries:
            receiver = self._process.find(session)
            if receiver is not None:
                gathered.setdefault(id(receiver), (receiver, []))[1].append(event)
        return list(gathered.values())

    def _meet(self, fate: str) -> None:
        """Die here, if that is to be."""
        if self.doom == fate:
            raise Killed(fate)
