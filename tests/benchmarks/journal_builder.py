"""Writes a database as a server leaves it that is killed: the real core and the real journal, no sockets.

Run as a module with its address and two numbers. Commands are decided and committed in batches, as the
server does it, with a snapshot as often as the server takes one, and the last one at the moment that
leaves the most to replay. It ends by killing itself, so a file is left without being closed.

Of very many finished matches only the last are played, enough for several snapshots. The records of
those before them, of which the journal holds nothing any more, are copies of a few.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from itertools import cycle, islice, pairwise

from attrs import define, evolve, field

from gameserver import logs
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Command, Enter, Play, Seek, ServerStarted
from gameserver.core.messages.events import Rejected
from gameserver.core.state.lobby import Lobby
from gameserver.engine.batch import Batch, Submission
from gameserver.engine.command_priority import BATCH_COMMANDS_MAX
from gameserver.engine.snapshotter import SNAPSHOT_ROWS
from gameserver.journal.journal import Journal, JournalRow
from gameserver.journal.memory import MemoryJournal
from gameserver.journal.snapshot import write_snapshot
from gameserver.records.tournament_record import Record
from tests.benchmarks.players import scripts
from tests.benchmarks.stores import open_journal
from tests.support.own_plugins import OWN

GAME = "Tic-tac-toe"
PLAYED_MAX = 5_000
"""Of the finished matches, so many are played here."""
COPIED = 200
"""And so many are played to make the records of the others from."""
OPENING_MOVES = 4
"""Moves of a match that is not finished."""


@define
class Builder:
    """Decides and commits, batch by batch. Every command takes a millisecond."""

    journal: Journal
    rows_in_all: int
    lobby: Lobby = field(factory=lambda: Lobby(OWN.games))
    now_ms: int = 0
    _batch: Batch | None = None
    _snapshots_to_come: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._snapshots_to_come = self.rows_in_all // SNAPSHOT_ROWS

    def say(self, command: Command) -> None:
        """Decide one command."""
        if self._batch is None:
            self._batch = Batch(self.lobby, self.journal.last(), self._now_ms, self._wall_ms, lambda *_: None)
        self.now_ms += 1
        self._batch.add(Submission(command, self.now_ms))
        assert not isinstance(self._batch.outputs[-1].answer, Rejected), (command, self._batch.outputs[-1].answer)
        if len(self._batch.outputs) == BATCH_COMMANDS_MAX:
            self.commit()

    def commit(self) -> None:
        """Make durable what was decided."""
        if self._batch is None:
            return
        append(self.journal, self._batch.rows, self._batch.records)
        self._batch = None
        if (self.rows_in_all - self.journal.last()) // SNAPSHOT_ROWS < self._snapshots_to_come:
            self._snapshots_to_come -= 1
            self._save_snapshot()

    def _save_snapshot(self) -> None:
        before = self.journal.load_snapshot()
        self.journal.save_snapshot(write_snapshot(self.lobby, self.journal.last(), self.now_ms))
        if before is not None:
            self.journal.trim(before.seq + 1)

    def _now_ms(self) -> int:
        return self.now_ms

    def _wall_ms(self) -> int:
        return 1_700_000_000_000 + self.now_ms


def append(journal: Journal, rows: Sequence[JournalRow], records: Sequence[Record]) -> None:
    """Commit, and tidy up when it is due, as the server does."""
    journal.append(rows, records)
    if journal.checkpoint_is_due:
        journal.checkpoint()


def build(data: str, finished: int, unfinished: int) -> None:
    """Finished matches, played one after the other by pairs in turns, then unfinished ones, all at once."""
    pairs = max(1, unfinished)
    played = min(finished, PLAYED_MAX)
    matches = list(islice(cycle(scripts()), played))
    rows = 1 + 2 * pairs + sum(2 + len(script) for script in matches) + unfinished * (2 + OPENING_MOVES)
    journal = open_journal(data)
    _put_on_record(journal, finished - played)
    builder = Builder(journal, rows)
    _enter(builder, pairs)
    for script, pair in zip(matches, cycle(range(pairs))):
        _play(builder, pair, script)
    for script, pair in zip(islice(cycle(scripts()), unfinished), range(pairs), strict=False):
        _play(builder, pair, script[:OPENING_MOVES])
    builder.commit()


def _put_on_record(journal: Journal, finished: int) -> None:
    scratch = MemoryJournal()
    builder = Builder(scratch, 0)
    _enter(builder, COPIED)
    for pair, script in enumerate(islice(cycle(scripts()), COPIED)):
        _play(builder, pair, script)
    builder.commit()
    copies = (evolve(record, match=number) for number, record in enumerate(cycle(scratch.read_records()), start=1))
    for first, last in pairwise([*range(0, finished, BATCH_COMMANDS_MAX), finished]):
        append(journal, [], list(islice(copies, last - first)))


def _enter(builder: Builder, pairs: int) -> None:
    games = {game.name: game.version for game in builder.lobby.games.values()}
    builder.say(ServerStarted(1, "5" * 64, games=games, next_match_min=builder.journal.last_match() + 1))
    for session in range(1, 2 * pairs + 1):
        builder.say(Enter(session, f"p{session:05}", "strategic", "127.0.0.1", (Capability.CHAT, Capability.CHALLENGE)))


def _play(builder: Builder, pair: int, script: tuple[int, ...]) -> None:
    players = (2 * pair + 1, 2 * pair + 2)
    for session in players:
        builder.say(Seek(session, GAME))
    match = builder.lobby.matches[builder.lobby.seated[f"p{players[0]:05}"]]
    for session, cell in zip(_turns(match.seats[match.first].session, players), script, strict=False):
        builder.say(Play(session, str(cell)))


def _turns(first: int | None, players: tuple[int, int]) -> Iterator[int]:
    return cycle(players if first == players[0] else players[::-1])


if __name__ == "__main__":
    logs.configure("error", as_json=False)
    build(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    os.kill(os.getpid(), signal.SIGKILL)
