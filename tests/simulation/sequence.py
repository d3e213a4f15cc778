"""Decide, commit, release: the contract of `gameserver.engine.sequencer`, one stride at a time.

Between strides anything may happen: bytes arrive, the alarm looks, the process is killed. On a quick disk chance
decides if a batch is decided, committed and released in one stride, as in the event loop, or in three, as by the
journal's thread; a process may be killed at any point of either way. What waits for its batch, batches, snapshots and
the clock's patience while a commit runs are the real ones. Left out: giving up on a journal that never works again.
"""

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from gameserver.core.messages.commands import ServerStarted
from gameserver.core.state.lobby import Lobby
from gameserver.engine.batch import Batch, Receiver, Release, Submission
from gameserver.engine.command_priority import MATCH_REQUESTS_SLICE, QUERIES_SLICE, CommandQueue
from gameserver.journal.journal import JournalError
from gameserver.journal.snapshot import write_snapshot
from gameserver.protocol import Command, Event, Query
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.process import Process

RETRY_PAUSE_MS = 100
AT_ONCE = 0.5
"""The part of the commits on a quick disk that are made on the event loop."""
EFFORTS_S = (0.0, 0.0, 0.0, 0.0, 0.0, QUERIES_SLICE.slice_s, MATCH_REQUESTS_SLICE.slice_s)


class Killed(Exception):
    """The process is no more."""


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
        self._seq = seq
        self._durable = False
        self._effort_s = 0.0
        self._effort_chance = self._world.plan.stream(f"effort of deciding after {seq}")
        self._way_chance = self._world.plan.stream(f"way of committing after {seq}")
        self._waiting = CommandQueue(self._after_some_effort)
        self._owes_answers = False
        """Whether questions have waited for a batch, after which they are answered whatever has come in meanwhile."""
        self._hold = ExitStack()

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits to be decided, committed or released."""
        return self.batch is None and not self._waiting

    @property
    def only_waits(self) -> bool:
        """Whether there is nothing to do but to wait for the end of a commit, if for anything."""
        if self.batch is None:
            return not self._waiting
        return not self._durable and self._world.real_ms < self.commit_due_ms

    def submit(self, command: Command | Query, stamp_ms: int, sender: Receiver | None = None) -> None:
        """Take a command in; who leaves while the commit runs that seats them is not made to lose by it."""
        if self.batch is not None and self.batch.in_flight is not None:
            *before, command = self.batch.in_flight.adjust(self.lobby, command)
            for earlier in before:
                self._waiting.add(Submission(earlier, stamp_ms))
        self._waiting.add(Submission(command, stamp_ms, sender))

    def stride(self) -> None:
        """Go on by one step."""
        if self.batch is None:
            self._decide()
        elif not self._durable:
            self._commit(self.batch)
        else:
            self._release(self.batch.outputs)

    def save_snapshot(self, now_ms: int) -> None:
        """Keep the lobby as it stands; between batches only."""
        if self.batch is None:
            self._world.journal.save_snapshot(write_snapshot(self.lobby, self._seq, now_ms))

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
        batch = Batch(self.lobby, self._seq, process.now_ms, self._world.wall_ms, process.alarm.watch)
        answers = self._owes_answers or not (waiting.commands or waiting.match_requests)
        self._owes_answers = not answers and bool(waiting.queries)
        for taken in waiting.asked() if answers else waiting.batch():
            self._decide_one(batch, taken)
        self._seq = batch.seq
        process.director.look(batch.wake)
        self._durable = not batch.rows
        if self._durable:
            self._release(batch.outputs)
        else:
            self.batch = batch
            self.commit_due_ms = self._world.real_ms + self._world.commit_ms
            self._world.before_commit(process, batch)
            self._meet("decided")
            if self._world.commit_ms == 0 and self._way_chance.random() < AT_ONCE:
                self._commit(batch)
            if self._durable:
                self._world.count("committed on the event loop")
                self._release(batch.outputs)
            else:
                self._world.count("committed in the thread")
                self._hold.enter_context(process.clock.held())

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
        self._world.auditor.decided(self._process, taken, outputs)

    def _commit(self, batch: Batch) -> None:
        if self._world.real_ms < self.commit_due_ms:
            return
        try:
            self._world.journal.append(batch.rows, batch.records + batch.other_records)
        except JournalError:
            self._world.count("commit failed")
            self.commit_due_ms = self._world.real_ms + RETRY_PAUSE_MS
            return
        self._hold.close()
        self._durable = True
        self._world.committed(self._process, batch)
        self._meet("committed")

    def _release(self, outputs: Sequence[Release]) -> None:
        touched: dict[int, Receiver] = {}
        answered: list[Receiver] = []
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
