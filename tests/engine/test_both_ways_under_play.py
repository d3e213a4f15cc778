"""The sequencer's step and its task under play, on a disk that is quick, slow, locked, full and broken by turns.

In real time, because the journal's thread works in it.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence

import pytest
import trio

from gameserver.engine import committer, sequencer
from gameserver.engine.batch import Decided, Receiver, release
from gameserver.journal.journal import JournalError, JournalRow, Snapshot
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.records.tournament_record import Record
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.reactors import TaskReactor
from tests.support.serving import Running, serving

ASKED = ("subscribe Reversi", "unsubscribe", "get playerlist", "get gamelist", "move 4", "forfeit")
CLIENTS = 8
ROUNDS = 25


class Moody(MemoryJournal):
    """A journal as on a local disk that has its moods, and has one thing done at a time."""

    blocks = True
    is_local = True

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.on_the_loop = self.in_the_thread = self.folds = 0
        self._chance = chance
        self._in_use = threading.Lock()
        self._unfolded = 0

    def append_at_once(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        with self._alone():
            if self._chance.random() < 0.1:
                raise JournalError("database is locked")
            super().append(rows, records)
        self.on_the_loop += 1

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        with self._alone():
            time.sleep(0.002 * self._chance.random())
            if self._chance.random() < 0.2:
                raise JournalError("database or disk is full")
            super().append(rows, records)
        self.in_the_thread += 1
        self._unfolded += 1

    def save_snapshot(self, snapshot: Snapshot) -> None:
        with self._alone():
            super().save_snapshot(snapshot)

    @property
    def checkpoint_is_due(self) -> bool:
        return self._unfolded >= 5

    def checkpoint(self) -> None:
        with self._alone():
            time.sleep(0.001)
            self._unfolded = 0
        self.folds += 1

    def _alone(self) -> threading.Lock:
        assert not self._in_use.locked(), "the journal is used by one thread at a time"
        return self._in_use


async def play(running: Running, name: str, chance: random.Random) -> None:
    """Send commands, several at once, and hear an answer to each; drop the connection now and then."""
    client = None
    for number in range(ROUNDS):
        if client is None:
            (client,) = await running.enter(f"{name}-{number}")
        asked = chance.choices(ASKED, k=chance.randint(1, 4))
        await client.send(*asked)
        if chance.random() < 0.1:
            await client.stream.aclose()
            client = None
            continue
        answers = 0
        while answers < len(asked):
            answers += not (await client.line()).startswith("SVR")


async def everybody(running: Running) -> None:
    async with trio.open_nursery() as clients:
        for number in range(CLIENTS):
            clients.start_soon(play, running, f"player{number}", random.Random(number))


@pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
async def test_every_command_is_answered_and_nothing_before_it_is_durable(
    reactor: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module, name, figure in (
        (committer, "QUICK_S", 0.5),
        (committer, "QUICK_COMMITS", 2),
        (committer, "_RETRY_PAUSE_S", 0.001),
        (committer, "SNAPSHOT_ROWS", 50),
        (committer, "FORGOTTEN_ROWS", 7),
    ):
        monkeypatch.setattr(module, name, figure)
    journal = Moody(random.Random(1))
    async with serving(journal=journal, reactor=reactor) as running:

        def watched(outputs: Sequence[Decided], find: Callable[[int], Receiver | None]) -> None:
            assert journal.last() == running.server._sequencer._seq, "what is decided is durable before it is told"
            release(outputs, find)

        monkeypatch.setattr(sequencer, "release", watched)
        with trio.fail_after(30):
            await everybody(running)
    assert min(journal.on_the_loop, journal.in_the_thread, journal.folds) > 0
    assert journal.load_snapshot() is not None
