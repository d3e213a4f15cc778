"""Decide, commit, release: the one place where the lobby changes.

    commands -> decide each -> commit the rows, all at once -> release answers and events

Only the sequencer sees the lobby. It takes the waiting commands, up to `BATCH_COMMANDS_MAX`, and decides one after the
other. Then the rows of the whole batch are committed in one transaction, off the event loop. Only when they are durable
does any byte of the batch go out. So nothing that a client has been told can be lost, and nothing is told before it is
decided. A batch without rows (queries, rejections) skips the commit.

Queries are answered between two batches, for a slice, after which they rest (`command_priority`). Each answer goes
out as soon as it is found: sending one can take longer than finding it, and both count.

A commit that fails is tried again while input waits; players see a pause, and the server's clock stands. If it does not
succeed within `commit_retry_s`, the server stops with one line: going on in memory would promise what the next start
cannot keep.

Rejected: deciding the next batch while a commit runs. It would overlap more, but decisions built on a commit that fails
would have to be undone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter

import structlog
import trio

from gameserver.core.messages.commands import Arrive, Command, Enter, Query, ServerStarted, ShowTicket, Unbook, Void
from gameserver.core.organizer.availability import to_pair
from gameserver.core.sessions.blocking import may_wait, session_in_the_way
from gameserver.core.state.lobby import Lobby, Timed
from gameserver.core.state.match import Match
from gameserver.core.state.tournament import TournamentRow
from gameserver.engine.batch import Batch, Receiver, Submission
from gameserver.engine.clock import ServerClock
from gameserver.engine.command_priority import CommandQueue
from gameserver.engine.evidence import RoundTrip, with_evidence
from gameserver.engine.in_flight import InFlight
from gameserver.engine.journal_thread import JournalThread
from gameserver.engine.release import release
from gameserver.engine.snapshotter import SNAPSHOT_ROWS, Snapshotter
from gameserver.journal.journal import Journal, JournalError, JournalRow
from gameserver.read_model.metrics import ServerMetrics
from gameserver.records.match_record import MatchRecord
from gameserver.records.rating_book import RatingBook
from gameserver.records.tournament_record import Record
from gameserver.tournaments.acts import RATING_MAX
from gameserver.values import value

SLOW_DECISION_S = 0.05
_RETRY_PAUSE_S = 0.1

log = structlog.get_logger()


class JournalStopped(Exception):
    """The journal took no batch for too long; the server has to stop."""


@value
class SequencerPorts:
    """The parts that the sequencer works with. `find` gives the receiver of a session, if it is still connected."""

    clock: ServerClock
    wall_ms: Callable[[], int]
    find: Callable[[int], Receiver | None]
    watch: Callable[[Timed, int | None], None]
    commit_retry_s: float = 30.0
    drains: Callable[[int, int], None] = lambda _stop_by_ms, _matches: None
    """Called after every batch of a drain, with the latest time of the stop and the number of running matches."""
    wake: Callable[[Iterable[int]], None] = lambda _: None
    """Called with the tournaments in which there may be something to pair, as soon as that is decided."""
    round_trip: Callable[[int], RoundTrip | None] = lambda _: None
    """The round trip to the peer of a session, if the kernel tells."""
    judge: Callable[[Lobby, Enter], Enter] = lambda _, command: command
    """Same as in `Batch`."""
    input_held: Callable[[], AbstractContextManager[None]] = nullcontext
    """Entered while a commit runs: commands that are read meanwhile have to wait in any case."""


class Sequencer:
    """Owns the lobby and the journal from the start of the server to its end."""

    def __init__(
        self, lobby: Lobby, journal: Journal, ports: SequencerPorts, *, seq: int, rows_replayed: int = 0
    ) -> None:
        self._lobby = lobby
        self._journal = journal
        self._ports = ports
        self._seq = seq
        self._is_ahead = False
        """True if the lobby holds decisions that the journal does not: then it must not be saved."""
        self._in_flight: InFlight | None = None
        """The untold changes of the batch whose commit runs, if any."""
        self._waiting = CommandQueue(work_s=trio.current_time)
        self._wake = trio.Event()
        self._ratings = RatingBook(journal.read_ratings())
        self._closed_ms: int | None = None
        self._writer = JournalThread()
        # Replayed rows go into a snapshot as soon as players are served, or the next start would replay them again.
        self._saving = Snapshotter(journal, self._in_the_journal, rows=SNAPSHOT_ROWS if rows_replayed else 0)
        self.metrics = ServerMetrics(queue_depth=lambda: len(self._waiting))
        self._released: Callable[[], None] = lambda: None

    def submit(self, command: Command | Query, stamp_ms: int, sender: Receiver | None = None) -> None:
        """Take a command in. After `close` none is taken: a command that was not decided did not happen."""
        if self._closed_ms is not None:
            return
        if self._in_flight is not None:
            *before, command = self._in_flight.adjust(self._lobby, command)
            for earlier in before:
                self._waiting.add(Submission(earlier, stamp_ms))
        self._waiting.add(Submission(command, stamp_ms, sender))
        self._wake.set()

    def match(self, number: int) -> Match | None:
        """A live match, read-only."""
        return self._lobby.matches.get(number)

    @property
    def live_matches(self) -> int:
        """Matches that are not over."""
        return len(self._lobby.matches)

    def settled(self) -> Lobby | None:
        """The lobby, to be read and not kept; None while it holds decisions that are not in the journal yet."""
        return None if self._is_ahead else self._lobby

    def after_release(self, released: Callable[[], None]) -> None:
        """Have this called after each batch's release."""
        self._released = released

    def to_pair(self, number: int) -> tuple[TournamentRow, frozenset[str]] | None:
        """A tournament that runs, and the players who are free for it; None if it does not run."""
        return to_pair(self._lobby, number, self._ports.clock.now_ms())

    def due_ms(self, timed: Timed) -> int | None:
        """The time at which a row's next thing is due; None if nothing is, or the row is gone."""
        return self._lobby.due_ms(timed)

    def awaited(self, timed: Timed) -> tuple[int, ...]:
        """The sessions of the players whom the row's next thing is about, such as the one to act."""
        return self._lobby.awaited(timed)

    def holder_of(self, command: Enter | Arrive) -> tuple[int | None, bool]:
        """The session whose end would let a newcomer in, if nothing else prevents it; True if they may wait for it."""
        session = session_in_the_way(self._lobby, command)
        return session, session is not None and may_wait(self._lobby, command)

    def has_seat_for(self, command: Command | Query) -> bool:
        """True if a seat in a match waits for the sender of this command, or a ticket of theirs is known."""
        if isinstance(command, Enter):
            is_away = command.name in self._lobby.seated and command.name not in self._lobby.players
            return is_away and not command.anonymous
        if not isinstance(command, Arrive | ShowTicket | Unbook):
            return False
        return bool(self._lobby.player_with(command.ticket, command.identity))

    def has_empty_seat(self) -> bool:
        """True if a seat or a ticket waits for its player."""
        lobby = self._lobby
        return bool(lobby.tickets) or any(name not in lobby.players for name in lobby.seated)

    def player_of(self, session: int) -> str | None:
        """The name of the player of a session; None before a login."""
        return self._lobby.sessions.get(session)

    def rating(self, game: str, player: str) -> int:
        """The rating of a player at a game, by the records of rated matches."""
        return round(self._ratings.rating(game, player).mean)

    def rated_players(self) -> Iterable[str]:
        """The names of the players who have rated matches on record."""
        return self._ratings.players()

    def seeding(self, number: int) -> dict[str, int]:
        """The ratings of all who may take part in a tournament and have played rated matches of its game."""
        row = self._lobby.tournaments.get(number)
        if row is None:
            return {}
        names = (*self._lobby.players, *(entrant.name for entrant in row.state.entrants))
        known = {name: self._ratings.rating(row.state.plan.game, name) for name in names}
        return {name: min(max(round(one.mean), 1), RATING_MAX) for name, one in known.items() if one.games}

    async def start(self, command: ServerStarted, lost_matches: Mapping[int, str]) -> None:
        """Carry out the first command, and void the matches that cannot go on, with the reason of each."""
        voids = [Void(match, why) for match, why in lost_matches.items()]
        now_ms = self._ports.clock.now_ms()
        await self._carry_out([Submission(command, now_ms), *(Submission(void, now_ms) for void in voids)])

    async def run(self) -> None:
        """Carry out what is submitted, for ever."""
        waiting, saving = self._waiting, self._saving
        while True:
            requests_wait_s, queries_wait_s = waiting.waits_s()
            if not (waiting.commands or saving.is_due) and requests_wait_s > 0 and queries_wait_s > 0:
                await self._something_to_do(min(requests_wait_s, queries_wait_s))
                requests_wait_s, queries_wait_s = waiting.waits_s()
            if waiting.commands or requests_wait_s <= 0:
                await self._carry_out(waiting.batch(match_requests_rest=requests_wait_s > 0))
                waiting.batch_done()
            if queries_wait_s <= 0:
                await self._answer(waiting.asked())
            if saving.is_due:
                await saving.go_on(self._lobby, self._seq, self._ports.clock.now_ms)
                await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """Take no more commands. The axis of time ends here: what the stop takes is charged to nobody."""
        if self._closed_ms is None:
            self._closed_ms = self._ports.clock.now_ms()
        self._waiting.clear()

    async def save_snapshot(self) -> None:
        """Keep the lobby as it stands, so that the next start need not replay what came before."""
        if not self._is_ahead:
            now_ms = self._ports.clock.now_ms() if self._closed_ms is None else self._closed_ms
            await self._saving.save(self._lobby, self._seq, now_ms)

    async def _in_the_journal(self, work: Callable[[], None]) -> None:
        """Work on the journal while players wait."""
        with self._ports.clock.held(), self._ports.input_held():
            await self._off_the_loop(work)

    async def _something_to_do(self, wait_s: float) -> None:
        """Wait until a command comes in, or the end of the rest."""
        self._wake = trio.Event()
        if wait_s == float("inf"):
            await self._wake.wait()
        else:
            with trio.move_on_after(wait_s):
                await self._wake.wait()

    async def _carry_out(self, inputs: Iterable[Submission]) -> None:
        batch = self._new_batch()
        for taken in inputs:
            _decide(batch, taken)
        await self._finish(batch)

    async def _answer(self, queries: Iterable[Submission]) -> None:
        """Answer queries one by one, for a slice; then they rest."""
        began_s = self._waiting.work_s()
        batch, said = self._new_batch(), 0
        for taken in queries:
            _decide(batch, taken)
            if batch.rows:
                break  # a game's bug has ended a match: commit that first
            release(batch.outputs[said:], self._ports.find)
            said = len(batch.outputs)
        self._waiting.answered(self._waiting.work_s() - began_s)
        await self._finish(batch, said)

    def _new_batch(self) -> Batch:
        ports = self._ports
        return Batch(self._lobby, self._seq, ports.clock.now_ms, ports.wall_ms, ports.watch, ports.judge)

    async def _finish(self, batch: Batch, said: int = 0) -> None:
        """Commit a batch and release its output, without the first `said` outputs, which are out already."""
        self._seq = batch.seq
        if batch.wake:
            self._ports.wake(batch.wake)
        if batch.rows:
            self._is_ahead = True
            self._in_flight = batch.in_flight
            began_s = perf_counter()
            await self._commit(batch.rows, [*self._completed(batch), *batch.tournaments])
            self.metrics.committed(perf_counter() - began_s)
            self._in_flight = None
            self._is_ahead = False
        else:
            # A client that asks again and again must not keep the loop from others: a commit lets them in, so does
            # this.
            await trio.lowlevel.checkpoint()
        release(batch.outputs[said:] if said else batch.outputs, self._ports.find)
        self.metrics.count(
            (output.answer for output in batch.outputs), (row.tag for row in batch.rows), len(batch.finished)
        )
        self._released()
        stop_by_ms = self._lobby.server[""].stop_by_ms
        if stop_by_ms is not None:
            self._ports.drains(stop_by_ms, len(self._lobby.matches))

    def _completed(self, batch: Batch) -> Sequence[MatchRecord]:
        """The records, with what only this process knows: its stalls, the players' round trips, their ratings."""
        ports = self._ports
        records = [
            with_evidence(record, match, ports.clock.stalls, ports.round_trip)
            for record, match in zip(batch.records, batch.finished, strict=True)
        ]
        return self._ratings.enter(records)

    async def _commit(self, rows: Sequence[JournalRow], records: Sequence[Record]) -> None:
        give_up_s = trio.current_time() + self._ports.commit_retry_s
        complained = False
        with self._ports.clock.held(), self._ports.input_held():
            while True:
                try:
                    await self._off_the_loop(lambda: self._journal.append(rows, records))
                    break
                except JournalError as error:
                    if trio.current_time() > give_up_s:
                        message = f"the journal has failed for {self._ports.commit_retry_s:g} s: {error}"
                        raise JournalStopped(message) from error
                    if not complained:
                        log.warning("the journal cannot be written; players wait until it can", why=str(error))
                        complained = True
                await trio.sleep(_RETRY_PAUSE_S)
        if complained:
            log.info("the journal can be written again")
        self._saving.rows += len(rows)

    async def _off_the_loop(self, work: Callable[[], None]) -> None:
        """Run journal work in its thread if it may block. A journal in memory does not: virtual time stays exact."""
        if self._journal.blocks:
            await self._writer.carry_out(work)
        else:
            work()


def _decide(batch: Batch, taken: Submission) -> None:
    began_s = perf_counter()
    batch.add(taken)
    took_s = perf_counter() - began_s
    if took_s > SLOW_DECISION_S:
        log.warning("slow decision", command=type(taken.command).__name__, took_ms=round(took_s * 1000))
