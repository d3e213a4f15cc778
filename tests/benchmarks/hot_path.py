"""The way of a move through the server, step by step: `python -m tests.benchmarks.hot_path`.

Real sockets (pairs in this process), connections, adapters, core, codec and journal; no server
process, no scheduler and no thread. The steps of each batch follow each other, and each is measured by the CPU
time of this process, so the figures can be repeated on a busy machine to a few per cent and a change
of one step shows. What is missing is what trio, the worker thread and the wake-ups cost: the sum is
below the CPU per move of `load`.

    read      epoll, recv, lines, the command
    decide    the core, with the rows and records of the batch
    commit    SQLite, durable as by default; what the disk takes is not CPU time
    release   answers and events in the protocol's words, send, the next line
"""

import cProfile
import pstats
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import trio

from gameserver import logs, plugins
from gameserver.adapter import Context, Peer
from gameserver.core.commands import Command, Query, ServerStarted
from gameserver.core.lobby import Lobby
from gameserver.core.policies import Rules
from gameserver.journal.log import Journal
from gameserver.journal.memory import MemoryJournal
from gameserver.journal.sqlite import SqliteJournal
from gameserver.records.rated import RatingBook
from gameserver.runtime.alarm import Alarm
from gameserver.runtime.batch import Batch, Input
from gameserver.runtime.clock import ServerClock
from gameserver.runtime.connection import Connection
from gameserver.runtime.driver import EpollDriver
from gameserver.runtime.hold import Hold
from gameserver.runtime.limits import Limits
from gameserver.runtime.rate import AddressRates
from gameserver.runtime.sequencer import BATCH_COMMANDS_MAX, release
from gameserver.runtime.timers import Timers
from gameserver.runtime.turns import Turns
from tests.benchmarks.generator import Tally, loop
from tests.benchmarks.players import Pace, Player

STEPS = ("read", "decide", "commit", "release")


class Server:
    """What the connections of a server have around them, and its batches without its tasks."""

    def __init__(self, journal: Journal) -> None:
        self.limits = Limits(commands_per_s=1e6)
        self.timers = Timers()
        self.turns = Turns(Hold())
        self.offers = AddressRates(1e6)
        self.spent_s = dict.fromkeys(STEPS, 0.0)
        self._journal = journal
        self._clock = ServerClock(time.monotonic)
        self.now_ms = self._clock.now_ms
        self._driver = EpollDriver(self.now_ms, Hold())
        self._alarm = Alarm(self._clock, self)  # type: ignore[arg-type] - it is never run
        self._protocol = plugins.load().protocols["strategic"]
        self._lobby = Lobby(plugins.load().games)
        self._ratings = RatingBook()
        self._waiting: list[Input] = []
        self._connections: dict[int, Connection] = {}
        games = {game.name: game.version for game in self._lobby.games.values()}
        self._waiting.append(Input(ServerStarted(1, "5" * 64, Rules(first_move_pause_ms=0), games=games), 0))
        self._carry_out()

    def accept(self, sock: socket.socket) -> None:
        """Take a connection in."""
        session = len(self._connections) + 1
        names = tuple(sorted(game.name for game in self._lobby.games.values()))
        context = Context("document", self._protocol.options_type(), names)
        adapter = self._protocol.adapter(Peer(session, "127.0.0.1"), context)
        connection = self._connections[session] = Connection(sock, adapter, session, "127.0.0.1", self)
        self._driver.add(connection)
        connection.open()

    def serve(self) -> None:
        """Read what there is, and answer all of it."""
        with self._counted("read"):
            self._driver.read_pass(self.now_ms())
            self.turns.give_round()
        while self._waiting:
            self._carry_out()

    def _carry_out(self) -> None:
        taken, self._waiting = self._waiting[:BATCH_COMMANDS_MAX], self._waiting[BATCH_COMMANDS_MAX:]
        with self._counted("decide"):
            wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000  # noqa: E731 - as in `Setup`
            batch = Batch(self._lobby, self._journal.last(), self.now_ms, wall_ms, self._alarm.watch)
            for one in taken:
                batch.add(one)
            records = self._ratings.enter(batch.records)
        with self._counted("commit"):
            self._journal.append(batch.rows, records)
        with self._counted("release"):
            release(batch.outputs, self._connections.get)

    def submit(self, command: Command | Query, stamp_ms: int, sender: Connection) -> None:
        """Have a command wait for the next batch."""
        self._waiting.append(Input(command, stamp_ms, sender))

    def interest_changed(self, connection: Connection) -> None:
        """Watch for what a connection wants now."""
        self._driver.update(connection)

    def left(self, connection: Connection) -> None:
        """Nobody leaves."""
        raise AssertionError(connection.session)

    closed = left

    def start_soon(self, run: Callable[..., Any], *args: Any) -> None:
        """No connection has a task."""
        raise AssertionError(run)

    @contextmanager
    def _counted(self, step: str) -> Iterator[None]:
        began_s = time.process_time()
        yield
        self.spent_s[step] += time.process_time() - began_s


async def measure(journal: Journal, pairs: int, rounds: int, moves: int, profile: cProfile.Profile | None) -> None:
    """Print microseconds of CPU a move for each step: the least of the rounds, because others can only add to it."""
    server = Server(journal)
    tally = Tally()
    found: list[dict[str, float]] = []
    with loop() as clients:
        everybody: dict[bytes, Player] = {}
        for number in range(2 * pairs):
            ours, theirs = socket.socketpair()
            ours.setblocking(False)
            theirs.setblocking(False)
            player = Player(f"p{number:05}", theirs, tally, Pace(clients, 0), everybody)
            clients.add(theirs, player.on_readable)
            server.accept(ours)
        for number in range(rounds + 1):
            tally.reset()
            server.spent_s = dict.fromkeys(STEPS, 0.0)
            while tally.moves < moves:
                if profile is not None and number:
                    profile.runcall(server.serve)
                else:
                    server.serve()
                clients.run_for(0.000_1)
            if number:
                found.append({step: spent_s / tally.moves * 1e6 for step, spent_s in server.spent_s.items()})
    least = {step: min(figures[step] for figures in found) for step in STEPS}
    print(f"{pairs} pairs:", *(f"{step} {us:.1f}" for step, us in least.items()), f"sum {sum(least.values()):.1f}")


@click.command()
@click.option("--pairs", default=50, show_default=True)
@click.option("--rounds", default=20, show_default=True)
@click.option("--moves", default=1_000, show_default=True, help="Moves of a round.")
@click.option("--memory", is_flag=True, help="With a journal in memory.")
@click.option("--profile", is_flag=True, help="Show where the time goes; the figures are then far too high.")
def main(*, pairs: int, rounds: int, moves: int, memory: bool, profile: bool) -> None:
    """Measure the steps of a move, in microseconds of CPU."""
    logs.configure("error", as_json=False)
    profiler = cProfile.Profile() if profile else None
    with TemporaryDirectory() as directory:
        journal = MemoryJournal() if memory else SqliteJournal(Path(directory) / "data.sqlite3")
        trio.run(measure, journal, pairs, rounds, moves, profiler)
        journal.close()
    if profiler is not None:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(60)


if __name__ == "__main__":
    main()
