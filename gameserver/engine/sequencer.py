"""Decide, commit, release: the one place where the lobby changes.

    commands -> decide each -> commit the rows, all at once -> release answers and events

Only the sequencer sees the lobby. It takes the waiting commands, up to `BATCH_COMMANDS_MAX`, and decides one after the
other. Then the rows of the whole batch are committed in one transaction. Only when they are durable does any byte of
the batch go out. So nothing that a client has been told can be lost, and nothing is told before it is decided. A batch
without rows (queries, rejections) skips the commit.

Where other servers may take the lead, nothing goes out either while this one is not certain that it leads: then even a
batch without rows waits for the journal's word (`confirm`), and so does a batch whose commit took too long to tell.

While the disk is quick, all three happen in one `step`, in the event loop, right after the reactor has read the
commands: no task is woken and no thread is asked, which would take longer than all the rest of a lone move. What a step
cannot do is left to the task, `run`: commits on a disk that is slow or fails (`committer`), queries, snapshots.

Queries are answered between two batches, for a slice, after which they rest (`queue`). Each answer goes out as soon as
it is found: sending one can take longer than finding it, and both count.

Rejected: deciding the next batch while a commit runs. It would overlap more, but decisions built on a commit that fails
would have to be undone.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from time import perf_counter

import structlog
import trio
from attrs import evolve

from gameserver.core import sessions
from gameserver.core.commands import Arrive, Book, Command, Enter, Query, ServerStarted, ShowTicket, Unbook, Void
from gameserver.core.lobby import Lobby, Timed, TournamentRow
from gameserver.core.match import Match
from gameserver.core.newcomers import name_of
from gameserver.core.organizer import to_pair
from gameserver.engine.batch import Batch, Receiver, Submission, release
from gameserver.engine.clock import ServerClock
from gameserver.engine.committer import SNAPSHOT_ROWS, Committer, JournalThread, JournalWorker, Snapshotter
from gameserver.engine.evidence import RoundTrip, with_evidence
from gameserver.engine.queue import CommandQueue
from gameserver.journal.journal import Journal
from gameserver.read_model.metrics import ServerMetrics
from gameserver.records.match_record import RestartRecord, time_of_day
from gameserver.records.rating_book import RatingBook
from gameserver.tournaments.model import RATING_MAX
from gameserver.values import value

# Judgement: a heartbeat of the alarm.
_SLOW_DECISION_S = 0.05

log = structlog.get_logger()


@value
class SequencerServices:
    """The parts that the sequencer works with. `find` gives the receiver of a session, if it is still connected."""

    clock: ServerClock
    wall_ms: Callable[[], int]
    find: Callable[[int], Receiver | None]
    watch: Callable[[Timed, int | None], None]
    commit_retry_s: float = 30.0
    drains: Callable[[int, int], None] = lambda _stop_by_ms, _matches: None
    """Called after every batch of a drain, with the latest time of the stop and the number of running matches."""
    wake: Callable[[Iterable[int | str]], None] = lambda _: None
    """Called with the tournaments in which there may be something to pair, as soon as that is decided."""
    round_trip: Callable[[int], RoundTrip | None] = lambda _: None
    """The round trip to the peer of a session, if the kernel tells."""
    judge: Callable[[Lobby, Enter], Enter] = lambda _, command: command
    """Same as in `Batch`."""
    input_held: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered while a commit runs: commands that are read meanwhile have to wait in any case."""
    work_s: Callable[[], float] = perf_counter
    """The clock by which work is measured."""
    journal_worker: Callable[[], JournalWorker] = JournalThread
    """Makes what works on a journal that blocks."""


class Sequencer:
    """Owns the lobby and the journal from the start of the server to its end."""

    def __init__(
        self, lobby: Lobby, journal: Journal, ports: SequencerServices, *, seq: int, rows_replayed: int = 0
    ) -> None:
        self._lobby = lobby
        self._journal = journal
        self._ports = ports
        self._seq = seq
        self._uncommitted: Batch | None = None
        """The batch that the lobby is ahead of the journal by, if any: nobody must be told of it, or save it."""
        self._is_resting = False
        """True while the task waits for something to do: then a step may have the lobby and the journal."""
        self._step_follows = False
        """True while commands are taken in that a step will carry out: the task need not be woken for each."""
        self._waiting = CommandQueue(ports.work_s, work_s=trio.current_time)
        self._wake = trio.Event()
        self._ratings = RatingBook()
        self._closed_ms: int | None = None
        self._epoch_logged = 0
        self.metrics = ServerMetrics(queue_depth=lambda: len(self._waiting), is_certain=lambda: journal.is_certain)
        self._committer = Committer(
            journal, self._held, ports.commit_retry_s, self.metrics.committed, ports.work_s, ports.journal_worker()
        )
        # Replayed rows go into a snapshot as soon as players are served, or the next start would replay them again.
        rows = SNAPSHOT_ROWS if rows_replayed else 0
        self._snapshotter = Snapshotter(journal, self._committer.carry_out, ports.work_s, rows)
        self._released: Callable[[], None] = lambda: None
        self._confirmed: Callable[[], None] = lambda: None

    def submit(self, command: Command | Query, stamp_ms: int, sender: Receiver | None = None) -> None:
        """Takes a command in, to be decided by the single writer.

        After `close` none is taken: a command that was not decided did not happen.
        """
        if self._closed_ms is not None:
            return
        if self._uncommitted is not None and self._uncommitted.in_flight is not None:
            *before, command = self._uncommitted.in_flight.adjust(self._lobby, command)
            for earlier in before:
                self._waiting.add(Submission(earlier, stamp_ms))
        self._waiting.add(Submission(command, stamp_ms, sender))
        if not self._step_follows:
            self._wake.set()

    def step(self, read: Callable[[], None]) -> None:
        """Reads what clients have sent; decides, commits and releases a batch of it at once, if the task is idle.

        The reactor calls it whenever sockets are ready. What is left over is the task's: a commit that the event loop
        must not wait for, and all that waits beyond one batch.
        """
        # Every command that `read` submits is carried out below, so `submit` need not wake the task.
        self._step_follows = True
        read()
        waiting = self._waiting
        # Else the task has the lobby or the journal in its hands, and carries out what was read.
        if self._is_resting and self._uncommitted is None:
            requests_wait_s, _ = waiting.waits_s()
            if waiting.commands or requests_wait_s <= 0:
                batch = self._decided(waiting.batch(match_requests_rest=requests_wait_s > 0))
                if waiting.match_requests_took_s:
                    waiting.batch_done()
                if self._is_committed_at_once(batch):
                    self._release(batch)
        self._step_follows = False
        # The task does the work that a step leaves over.
        if self._uncommitted is not None or any(waiting.all_queues) or self._snapshotter.is_due:
            self._wake.set()

    def match(self, number: int) -> Match | None:
        """A live match of the sequencer's lobby, read-only."""
        return self._lobby.matches.get(number)

    @property
    def live_matches(self) -> int:
        """The number of matches in the sequencer's lobby that are not over."""
        return len(self._lobby.matches)

    def settled(self) -> Lobby | None:
        """Lends the sequencer's lobby, to be read and not kept.

        None while it holds decisions that are not in the journal yet, or another server may have decided others.
        """
        return self._lobby if self._uncommitted is None and self._journal.is_certain else None

    def tell_of(self, released: Callable[[], None], confirmed: Callable[[], None]) -> None:
        """Has `released` called after the release of each batch, `confirmed` after each word of the journal."""
        self._released, self._confirmed = released, confirmed

    def to_pair(self, number: int) -> tuple[TournamentRow, frozenset[str]] | None:
        """A tournament of the sequencer's lobby that runs, and the players who are free for it; None if it does not."""
        return to_pair(self._lobby, number, self._ports.clock.now_ms())

    def due_ms(self, timed: Timed) -> int | None:
        """Tells the alarm when a row of the sequencer's lobby is due; None if it is not, or is gone."""
        return self._lobby.due_ms(timed)

    def awaited(self, timed: Timed) -> tuple[int, ...]:
        """Tells the alarm the sessions of the players whom a row's next thing is about, such as the one to act."""
        return self._lobby.awaited(timed)

    def holder_of(self, command: sessions.Newcomer) -> tuple[int | None, bool, bool]:
        """The session in the sequencer's lobby whose end alone lets a newcomer in.

        With it: True if they may wait for it, and True if they know a secret.
        """
        session, lobby = sessions.session_in_the_way(self._lobby, command), self._lobby
        if session is None:
            return None, False, False
        return session, sessions.may_wait(lobby, command), sessions.knows_secret(lobby, command)

    def has_seat_for(self, command: Command | Query) -> bool:
        """True if a seat or ticket in the sequencer's lobby waits for the sender of this command."""
        if isinstance(command, Enter):
            return sessions.has_seat_for(self._lobby, command)
        if not isinstance(command, Arrive | ShowTicket | Unbook):
            return False
        return bool(self._lobby.player_with(command.ticket, command.identity))

    def may_have_place(self) -> bool:
        """True if any seat or ticket in the sequencer's lobby may wait for a newcomer, or a key let one take over."""
        lobby = self._lobby
        if lobby.tickets or any(name not in lobby.players for name in lobby.seated):
            return True
        return any(player.key for player in lobby.players.values())

    def player_of(self, session: int) -> str | None:
        """The name of a session's player in the sequencer's lobby; None before a login."""
        return self._lobby.sessions.get(session)

    def rating(self, game: str, player: str) -> int:
        """The rating of a player at a game, from the sequencer's book of rated matches."""
        return round(self._ratings.rating(game, player).mean)

    def rated_players(self) -> Iterable[str]:
        """The names of the players in the sequencer's book of rated matches."""
        return self._ratings.players()

    def named(self, command: Book) -> Book:
        """A booking under the name that its identity has in the lobby, if the protocol's name for it is another's."""
        return evolve(command, player=name_of(self._lobby, command))

    def seeding(self, number: int) -> dict[str, int]:
        """The ratings of all who may take part in a tournament, from the sequencer's book of rated matches."""
        row = self._lobby.tournaments.get(number)
        if row is None:
            return {}
        # Players who are here, too: many tournaments take in all who are, when they start.
        names = (*self._lobby.players, *(entrant.name for entrant in row.state.entrants))
        known = {name: self._ratings.rating(row.state.plan.game, name) for name in names}
        return {name: min(max(round(one.mean), 1), RATING_MAX) for name, one in known.items() if one.games}

    async def start(
        self, command: Callable[[int], ServerStarted], lost_matches: Mapping[int, str], last_wall_ms: int | None = None
    ) -> None:
        """Carries out the first command of a start, and voids the matches that cannot go on, with the reason of each.

        `command` is made of the highest match number on record. `last_wall_ms` is the time of the last decision before,
        if there was one.
        """
        journal = self._journal
        last_match, ratings = await self._committer.asked(lambda: (journal.last_match(), list(journal.read_ratings())))
        self._ratings.learn(ratings)
        voids = [Void(match, why) for match, why in lost_matches.items()]
        started, now_ms = command(last_match), self._ports.clock.now_ms()
        batch = self._decided([Submission(started, now_ms), *(Submission(void, now_ms) for void in voids)])
        if last_wall_ms is not None:
            # The first row's time: a match that does not outlive the restart must not seem to have ended before it.
            times = (time_of_day(last_wall_ms), time_of_day(batch.rows[0].wall_ms))
            batch.other_records.append(RestartRecord(started.boot, now_ms, *times))
        await self._carry_through(batch)

    async def run(self) -> None:
        """Carries out what is submitted to the sequencer, for ever, as far as `step` leaves it to this task."""
        waiting = self._waiting
        while True:
            if self._uncommitted is not None:
                await self._commit(self._uncommitted)
            if self._committer.confirm_wait_s <= 0:
                await self._confirm()
            requests_wait_s, queries_wait_s = waiting.waits_s()
            if not (waiting.commands or self._snapshotter.is_due) and requests_wait_s > 0 and queries_wait_s > 0:
                await self._something_to_do(min(requests_wait_s, queries_wait_s, self._committer.confirm_wait_s))
                continue
            if waiting.commands or requests_wait_s <= 0:
                await self._carry_through(self._decided(waiting.batch(match_requests_rest=requests_wait_s > 0)))
                if waiting.match_requests_took_s:
                    waiting.batch_done()
            if queries_wait_s <= 0:
                await self._answer(waiting.asked())
            if self._snapshotter.is_due:
                await self._snapshotter.go_on(self._lobby, self._seq, self._ports.clock.now_ms)
                await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """Closes the sequencer: it takes no more commands.

        The axis of time ends here: what the stop takes is charged to nobody.
        """
        if self._closed_ms is None:
            self._closed_ms = self._ports.clock.now_ms()
        self._waiting.clear()

    async def save_snapshot(self) -> None:
        """Has the sequencer's lobby saved as it stands, so that the next start need not replay what came before."""
        # A snapshot of what is not in the journal would be a lie after a kill.
        if self._uncommitted is None and self._journal.is_certain:
            now_ms = self._ports.clock.now_ms() if self._closed_ms is None else self._closed_ms
            await self._snapshotter.save(self._lobby, self._seq, now_ms)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Charge nobody for the time that everybody waits for the journal."""
        with self._ports.clock.held(), self._ports.input_held():
            yield

    async def _something_to_do(self, wait_s: float) -> None:
        """Wait until a command comes in, or the end of the rest."""
        self._wake = trio.Event()
        self._is_resting = True
        if wait_s == float("inf"):
            await self._wake.wait()
        else:
            with trio.move_on_after(wait_s):
                await self._wake.wait()
        self._is_resting = False

    async def _carry_through(self, batch: Batch) -> None:
        if self._is_committed_at_once(batch):
            self._release(batch)
            # A client that asks again and again must not keep the loop from others: a commit in the thread lets them
            # in, so does this.
            await trio.lowlevel.checkpoint()
        else:
            await self._commit(batch)

    async def _answer(self, queries: Iterable[Submission]) -> None:
        """Answer queries one by one, for a slice; then they rest."""
        began_s = self._waiting.work_s()
        for taken in queries:
            batch = self._decided((taken,))
            if batch.rows:
                break  # a game's bug has ended a match: commit that first
            if not self._is_committed_at_once(batch):
                break
            self._tell(batch)
        self._waiting.answered(self._waiting.work_s() - began_s)
        if self._uncommitted is not None:
            await self._commit(self._uncommitted)
        else:
            await trio.lowlevel.checkpoint()

    def _decided(self, inputs: Iterable[Submission]) -> Batch:
        """Decide one batch. From here to its commit, whatever goes wrong, the lobby may be ahead of the journal."""
        ports = self._ports
        batch = Batch(self._lobby, self._seq, ports.clock.now_ms, ports.wall_ms, ports.watch, ports.judge)
        self._uncommitted = batch
        for taken in inputs:
            began_s = ports.work_s()
            batch.add(taken)
            took_s = ports.work_s() - began_s
            if took_s > _SLOW_DECISION_S:
                log.warning("slow decision", command=type(taken.command).__name__, took_ms=round(took_s * 1000))
        self._seq = batch.seq
        if batch.wake:
            ports.wake(batch.wake)
        if batch.records:
            self._complete(batch)
        if not batch.rows:
            self._uncommitted = None
        return batch

    def _complete(self, batch: Batch) -> None:
        """Add what only this process knows to the records: its stalls, the players' round trips, their ratings."""
        ports = self._ports
        batch.records[:] = self._ratings.enter(
            [
                with_evidence(record, match, ports.clock.stalls, ports.round_trip)
                for record, match in zip(batch.records, batch.finished, strict=True)
            ]
        )

    def _is_committed_at_once(self, batch: Batch) -> bool:
        """Commit a batch in the event loop, if it has rows; False if it has to be left to `_commit`."""
        if batch.rows:
            if not self._committer.commit_at_once(batch.rows, batch.records + batch.other_records):
                return False
            self._snapshotter.rows += len(batch.rows)
            self._uncommitted = None
        elif not self._journal.is_certain:
            self._uncommitted = batch
            return False
        return True

    async def _commit(self, batch: Batch) -> None:
        """Commit a batch off the event loop, however long it takes, and release it. Raises `JournalStopped`.

        The process may have been stopped between the commit and its answer, so the server has to be certain after it.
        """
        if batch.rows:
            await self._committer.commit(batch.rows, batch.records + batch.other_records)
            self._snapshotter.rows += len(batch.rows)
        # The process may have been stopped between the commit and its answer.
        while not self._journal.is_certain:
            await self._confirm()
        self._uncommitted = None
        self._release(batch)

    async def _confirm(self) -> None:
        """Make sure that this server leads, and learn what others have changed. Raises `JournalStopped`."""
        self._ratings.learn(await self._committer.confirm())
        self._confirmed()

    def _release(self, batch: Batch) -> None:
        """Let out what a batch of commands has to say, once it is durable.

        A batch without rows is a change to the pages, too: the teacher is shown wrong secrets.
        """
        server = self._lobby.server[""]
        if server.epochs and server.epochs[-1].number != self._epoch_logged:
            # Durable, and before anybody is told anything: players can hold the server to it.
            self._epoch_logged = server.epochs[-1].number
            log.info("epoch begun", epoch=self._epoch_logged, commitment=server.epochs[-1].commitment)
        self._tell(batch)
        self._released()
        stop_by_ms = server.stop_by_ms
        if stop_by_ms is not None:
            self._ports.drains(stop_by_ms, len(self._lobby.matches))

    def _tell(self, batch: Batch) -> None:
        release(batch.outputs, self._ports.find)
        self.metrics.count(batch.outputs, batch.rows, len(batch.finished))
