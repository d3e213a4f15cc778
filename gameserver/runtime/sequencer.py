"""Decide, commit, release: the one place where the lobby changes.

    commands -> decide each -> commit the rows, all at once -> release what was said

Only the sequencer sees the lobby. It takes what is waiting, up to `BATCH_COMMANDS_MAX`, and decides
one after the other, each on the lobby as the one before left it. Then the rows of the whole batch
are committed in one transaction, off the event loop. Only when they are durable does any byte of
the batch go out. So nothing that a client has been told can be lost, and nothing undecided is ever
told. A batch without rows (queries, rejections) skips the commit.

A commit that fails is tried again while input waits; players see a pause, and the server's clock
stands. If it does not succeed in `commit_retry_s`, the server stops with one line: going on in
memory would promise what the next start cannot keep.

A game's bug ends its own match: `GameFault` names it, a journaled `Void` ends it without a loser,
and the command that met the fault is refused. Any other exception in `decide` is a bug of ours; the
lobby is untouched, the command is refused, the traceback is logged, and the server goes on. Where
a timer met it, the match is voided, because a timer has nobody to try again.

Rejected: to decide the next batch while a commit runs. It would overlap more, but a failed commit
would then have decisions built on it that must be undone.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

import structlog
import trio
from attrs import field, frozen

from gameserver.core.commands import (
    Command,
    Enter,
    Leave,
    ListGames,
    ListPlayers,
    Query,
    ServerStarted,
    TimeUp,
    Void,
)
from gameserver.core.decide import At, decide, overdue
from gameserver.core.events import Answer, Event, Rejected
from gameserver.core.lobby import Decision, Lobby
from gameserver.core.match import Match
from gameserver.core.referee import GameFault
from gameserver.core.rejections import Code
from gameserver.journal.codec import write_row
from gameserver.journal.log import Journal, JournalError, Row
from gameserver.journal.snapshot import write_snapshot
from gameserver.records.model import MatchRecord, record_of
from gameserver.runtime.clock import ServerClock

BATCH_COMMANDS_MAX = 256
SLOW_DECISION_MS = 50
SNAPSHOT_ROWS = 100_000
_RETRY_PAUSE_S = 0.1

_AFTER_A_VOID = (Leave, Enter, ServerStarted)
"""What has to be carried out even if a match that it touches had to be voided first."""

log = structlog.get_logger()


class JournalStopped(Exception):
    """The journal took no batch for too long; the server has to stop."""


class Receiver(Protocol):
    """Where answers and events go: a connection, or the house."""

    def deliver(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Take what one command led to, once for each command."""

    def flush(self) -> None:
        """Send it."""

    def resume(self) -> None:
        """Go on with input that waited for the answer."""


@frozen
class Input:
    """A command on its way in. `sender` is None for the server's own."""

    command: Command | Query
    stamp_ms: int
    sender: Receiver | None = None


@frozen
class Output:
    """A decision on its way out."""

    sender: Receiver | None
    answer: Answer
    deliveries: tuple[tuple[int, Event], ...]


@frozen
class Surroundings:
    """What the sequencer is given to work with. `find` names the receiver of a session, if it is still there."""

    clock: ServerClock
    wall_ms: Callable[[], int]
    find: Callable[[int], Receiver | None]
    watch: Callable[[int, int | None], None]
    commit_retry_s: float = field(default=30.0)


class Sequencer:
    """Owns the lobby and the journal from the start of the server to its end."""

    def __init__(self, lobby: Lobby, journal: Journal, surroundings: Surroundings, *, seq: int) -> None:
        self._lobby = lobby
        self._journal = journal
        self._around = surroundings
        self._seq = seq
        self._rows_since_snapshot = 0
        self._waiting: deque[Input] = deque()
        self._wake = trio.Event()
        self._closed = False
        self._writer = trio.CapacityLimiter(1)

    def submit(self, command: Command | Query, stamp_ms: int, sender: Receiver | None = None) -> None:
        """Take a command in. After `close` nothing is taken: what was not decided did not happen."""
        if not self._closed:
            self._waiting.append(Input(command, stamp_ms, sender))
            self._wake.set()

    def match(self, number: int) -> Match | None:
        """A live match, to look at."""
        return self._lobby.matches.get(number)

    def holder_of(self, name: str) -> int | None:
        """The session of the player under this name, if one is here."""
        player = self._lobby.players.get(name)
        return None if player is None else player.session

    async def start(self, command: ServerStarted, lost_matches: Sequence[int]) -> None:
        """Carry out the first command, and void the matches whose game is gone."""
        voids = [Void(match, "its game is not on this server any more") for match in lost_matches]
        now_ms = self._around.clock.now_ms()
        await self._carry_out([Input(command, now_ms), *(Input(void, now_ms) for void in voids)])
        await self.save_snapshot()

    async def run(self) -> None:
        """Carry out what is submitted, for ever."""
        while True:
            if not self._waiting:
                self._wake = trio.Event()
                await self._wake.wait()
            count = min(len(self._waiting), BATCH_COMMANDS_MAX)
            await self._carry_out([self._waiting.popleft() for _ in range(count)])
            if self._rows_since_snapshot >= SNAPSHOT_ROWS:
                await self.save_snapshot()

    def close(self) -> None:
        """Take no more commands."""
        self._closed = True
        self._waiting.clear()

    async def save_snapshot(self) -> None:
        """Keep the lobby as it stands, so that the next start need not replay what came before."""
        if self._rows_since_snapshot == 0:
            return
        snapshot = write_snapshot(self._lobby, self._seq, self._around.clock.now_ms())
        try:
            await self._off_the_loop(lambda: self._journal.save_snapshot(snapshot))
        except JournalError as error:
            log.warning("no snapshot was saved, the next start takes longer", why=str(error))
        self._rows_since_snapshot = 0

    async def _carry_out(self, inputs: Sequence[Input]) -> None:
        outputs: list[Output] = []
        rows: list[Row] = []
        records: list[MatchRecord] = []
        for taken in inputs:
            self._decide(taken, outputs, rows, records)
        if rows:
            await self._commit(rows, records)
        self._release(outputs)

    def _decide(self, taken: Input, outputs: list[Output], rows: list[Row], records: list[MatchRecord]) -> None:
        """Decide one command, and before it whatever it proves to be overdue."""
        around = self._around
        at = At(around.clock.now_ms(), taken.stamp_ms, around.wall_ms())
        late = overdue(self._lobby, taken.command, at)
        if late is not None:
            self._decide(Input(late, at.now_ms), outputs, rows, records)
        decision = self._decided(taken.command, at, outputs, rows, records)
        self._keep(taken.command, at, decision, rows, records)
        outputs.append(Output(taken.sender, decision.answer, decision.deliveries))

    def _decided(
        self, command: Command | Query, at: At, outputs: list[Output], rows: list[Row], records: list[MatchRecord]
    ) -> Decision:
        try:
            return decide(self._lobby, command, at)
        except GameFault as fault:
            log.exception("a game's code failed", match=fault.match, command=type(command).__name__)
            if fault.match is None:
                return _refused(fault.why)
            self._decide(Input(Void(fault.match, fault.why), at.now_ms), outputs, rows, records)
            if isinstance(command, _AFTER_A_VOID) and fault.match not in self._lobby.matches:
                return self._decided(command, at, outputs, rows, records)
            return _refused("the game made a mistake, so this match ends without a loser")
        except Exception:
            log.exception("decision failed", command=command)
            if isinstance(command, TimeUp):
                self._decide(Input(Void(command.match, "server fault"), at.now_ms), outputs, rows, records)
            return _refused("the server made a mistake, nothing was changed")

    def _keep(
        self, command: Command | Query, at: At, decision: Decision, rows: list[Row], records: list[MatchRecord]
    ) -> None:
        """Take over a decision's changes, and note the row and the records that go with it."""
        for why in decision.faults:
            log.error("a game's code failed", why=why)
        if decision.changes and not isinstance(command, ListPlayers | ListGames):
            self._seq += 1
            rows.append(write_row(self._seq, at, command))
            self._lobby.apply(decision.changes)
            for table, key, row in decision.changes:
                if table == "matches":
                    self._around.watch(key, None if row is None else row.due_ms)
        for match in decision.finished:
            records.append(record_of(match, at.wall_ms))
            _log_result(match)
        self._warn_if_slow(command, at)

    def _warn_if_slow(self, command: Command | Query, at: At) -> None:
        took_ms = self._around.clock.now_ms() - at.now_ms
        if took_ms > SLOW_DECISION_MS:
            log.warning("slow decision", command=type(command).__name__, took_ms=took_ms)

    async def _commit(self, rows: Sequence[Row], records: Sequence[MatchRecord]) -> None:
        give_up_s = trio.current_time() + self._around.commit_retry_s
        complained = False
        with self._around.clock.held():
            while True:
                try:
                    await self._off_the_loop(lambda: self._journal.append(rows, records))
                    break
                except JournalError as error:
                    if trio.current_time() > give_up_s:
                        message = f"the journal has failed for {self._around.commit_retry_s:g} s: {error}"
                        raise JournalStopped(message) from error
                    if not complained:
                        log.warning("the journal cannot be written; players wait until it can", why=str(error))
                        complained = True
                await trio.sleep(_RETRY_PAUSE_S)
        if complained:
            log.info("the journal can be written again")
        self._rows_since_snapshot += len(rows)

    async def _off_the_loop(self, work: Callable[[], None]) -> None:
        """Run journal work where it may block. A journal in memory does not, and keeps virtual time exact."""
        if self._journal.blocks:
            await trio.to_thread.run_sync(work, limiter=self._writer)
        else:
            work()

    def _release(self, outputs: Sequence[Output]) -> None:
        touched: dict[int, Receiver] = {}
        answered: list[Receiver] = []
        for output in outputs:
            if output.sender is not None:
                touched[id(output.sender)] = output.sender
                answered.append(output.sender)
            self._tell(output, touched)
        for receiver in touched.values():
            receiver.flush()
        for sender in answered:
            sender.resume()

    def _tell(self, output: Output, touched: dict[int, Receiver]) -> None:
        """Hand each receiver, once, everything that this command led to for it; the sender first."""
        by_receiver: dict[int, tuple[Receiver, list[Event]]] = {}
        sender = output.sender
        if sender is not None:
            by_receiver[id(sender)] = (sender, [])
        for session, event in output.deliveries:
            receiver = self._around.find(session)
            if receiver is not None:
                by_receiver.setdefault(id(receiver), (receiver, []))[1].append(event)
        for key, (receiver, events) in by_receiver.items():
            touched[key] = receiver
            receiver.deliver(output.answer if receiver is sender else None, events)


def _refused(why: str) -> Decision:
    return Decision(Rejected(Code.SERVER_FAULT, {"why": why}), (), ())


def _log_result(match: Match) -> None:
    result = match.result
    assert result is not None, "only a match that is over is logged"
    log.info(
        "match over",
        match=match.id,
        game=match.game.name,
        players=match.players,
        winners=tuple(match.seats[seat].player for seat in result.winners),
        reason=result.reason.value,
        why=result.why,
    )
