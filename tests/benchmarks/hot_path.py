"""The way of a move through the server, step by step: `python -m tests.benchmarks.hot_path`.

Real sockets (pairs in this process), connections, adapters, core, codec and journal; no server
process, no scheduler and no thread. The steps of each batch follow each other, and each is measured by the CPU
time of this process, so the figures can be repeated on a busy machine to a few per cent and a change
of one step shows. Beside the sum are the reads and writes of bare sockets. What is missing is what trio, the
worker thread and the wake-ups cost: the sum is below the CPU per move of `load`.

    read      epoll, recv, lines, the command
    decide    the core, with the rows and records of the batch
    commit    SQLite, durable as by default; what the disk takes is not CPU time
    release   answers and events in the protocol's words, send, the next line
"""

import cProfile
import pstats
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import click
import trio
from attrs import Factory, define

from gameserver import logs
from gameserver.core.commands import Command, Query, ServerStarted
from gameserver.core.lobby import Lobby
from gameserver.engine.batch import Batch, Decided, Submission, release
from gameserver.engine.clock import Alarm, AlarmServices, ServerClock
from gameserver.engine.queue import BATCH_COMMANDS_MAX
from gameserver.flow_control.fair_scheduler import FairScheduler, Timers
from gameserver.flow_control.limits import Limits
from gameserver.flow_control.rates import AddressBuckets
from gameserver.http.host_context import HostContext
from gameserver.journal.journal import Journal
from gameserver.journal.sqlite import SqliteJournal
from gameserver.policies import Rules
from gameserver.protocol import Peer, Work
from gameserver.records.rating_book import RatingBook
from gameserver.server.house_players import house_players
from gameserver.time_control import TimeControl
from gameserver.transport.connection import Connection
from gameserver.transport.epoll_reactor import EpollReactor
from tests.benchmarks.players import Loop, Pace, Player, Tally, loop, now_s
from tests.benchmarks.processes import BenchmarkError
from tests.support.own_plugins import OWN

STEPS = ("read", "decide", "commit", "release")
RATE = 1e6
LIMITS = Limits(commands_per_s=RATE, offers_per_s=RATE)
"""More a second than can be played: timers do not run here, so a connection that is slowed down waits for ever."""
SILENCE_MAX_S = 30.0


@define
class Spent:
    """CPU time of this process, by step."""

    by_step_s: dict[str, float] = Factory(lambda: defaultdict(float))

    @contextmanager
    def counted(self, step: str) -> Iterator[None]:
        """Count what is done meanwhile."""
        began_s = time.process_time()
        yield
        self.by_step_s[step] += time.process_time() - began_s

    def taken(self) -> dict[str, float]:
        """The times so far; counting begins anew."""
        taken, self.by_step_s = dict(self.by_step_s), defaultdict(float)
        return taken


class Decider:
    """Lobby, journal and ratings of a server without its tasks: decides a batch and commits it."""

    def __init__(self, journal: Journal, clock: ServerClock, spent: Spent) -> None:
        self._journal = journal
        self._clock = clock
        self._spent = spent
        self._alarm = Alarm(clock, cast("AlarmServices", self))  # it is never run, so it asks nothing
        self._lobby = Lobby(OWN.games)
        self._ratings = RatingBook()
        games = {game.name: game.version for game in self._lobby.games.values()}
        # A turn may take long, because others may have theirs meanwhile.
        rules = Rules(clock=TimeControl(3_600_000), first_move_pause_ms=0)
        started = ServerStarted(1, "5" * 64, rules, house_players(self._lobby.games), games)
        self._seq = 0
        self.carry_out([Submission(started, 0)])

    def carry_out(self, taken: Sequence[Submission]) -> Sequence[Decided]:
        """Decide a batch and commit it; returns what may be said now."""
        with self._spent.counted("decide"):
            wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000  # noqa: E731 - as in `Setup`
            batch = Batch(self._lobby, self._seq, self._clock.now_ms, wall_ms, self._alarm.watch)
            for one in taken:
                batch.add(one)
            records = self._ratings.enter(batch.records) if batch.records else ()
            self._seq = batch.seq
        with self._spent.counted("commit"):
            self._journal.append(batch.rows, records)
        return batch.outputs


class Server:
    """The server around its connections; `carry_out` decides and commits each batch of theirs."""

    def __init__(
        self, clock: ServerClock, spent: Spent, carry_out: Callable[[Sequence[Submission]], Sequence[Decided]]
    ) -> None:
        self.limits = LIMITS
        self.timers = Timers()
        fair_scheduler = FairScheduler(time.perf_counter)
        self.turns = fair_scheduler.share("connections")
        self.match_requests = AddressBuckets(RATE)
        self.now_ms = clock.now_ms
        self.connections: dict[int, Connection] = {}
        self._spent = spent
        self._carry_out = carry_out
        self._driver = EpollReactor(self.now_ms, fair_scheduler)
        protocol = self._protocol = OWN.protocols["strategic"]
        games = tuple(sorted(game.name for game in OWN.games.values()))
        ids = count()
        self._context = HostContext(
            protocol.profiles[0], protocol.options_type(), games, new_id=lambda: f"id {next(ids)}"
        )
        self._waiting: list[Submission] = []

    def accept(self, sock: socket.socket) -> None:
        """Take a connection in."""
        session = len(self.connections) + 1
        adapter = self._protocol.adapter(Peer(session, "127.0.0.1"), self._context)
        connection = self.connections[session] = Connection(sock, adapter, session, "127.0.0.1", self)
        self._driver.add(connection)
        connection.open()

    def serve(self) -> None:
        """Read what there is, and answer all of it."""
        with self._spent.counted("read"):
            self._driver.read_ready()
        self.turns.give_round()  # not counted: in a server a task of its own does it, where somebody waits
        while self._waiting:
            taken, self._waiting = self._waiting[:BATCH_COMMANDS_MAX], self._waiting[BATCH_COMMANDS_MAX:]
            outputs = self._carry_out(taken)
            with self._spent.counted("release"):
                release(outputs, self.connections.get)

    def submit(self, command: Command | Query, stamp_ms: int, sender: Connection | None = None) -> None:
        """Have a command wait for the next batch."""
        self._waiting.append(Submission(command, stamp_ms, sender))

    def may_begin(self, work: Work, sender: Connection) -> bool:
        return True

    def interest_changed(self, connection: Connection) -> None:
        """Watch for what a connection wants now."""
        self._driver.update(connection)

    def left(self, connection: Connection, why: str, fault: str = "") -> None:
        """Nobody leaves."""
        raise AssertionError(connection.session, why, fault)

    def closed(self, connection: Connection) -> None:
        """Nobody's socket is closed."""
        raise AssertionError(connection.session)

    def start_soon(self, run: Callable[..., Any], *args: Any) -> None:
        """No connection has a task."""
        raise AssertionError(run)


def connected(server: Server) -> socket.socket:
    """The client's end of a new connection."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    theirs.setblocking(False)
    server.accept(ours)
    return theirs


def bare_us(moves: int) -> float:
    """CPU of the sockets alone, of one move: the reading of a line, and a line to each of two players."""
    ends = [socket.socketpair() for _ in range(2)]
    spent_s = 0.0
    for number in range(moves):
        ends[number % 2][1].sendall(b"move 4\n")
        began_s = time.process_time()
        ends[number % 2][0].recv(65_536)
        for ours, _ in ends:
            ours.send(b"SVR GAME MOVE\r\n")
        spent_s += time.process_time() - began_s
        for _, theirs in ends:
            theirs.recv(65_536)
    for end in (end for pair in ends for end in pair):
        end.close()
    return spent_s / moves * 1e6


class Pairs:
    """A server and its clients, in pairs, in this process."""

    def __init__(self, server: Server, clients: Loop, count: int) -> None:
        self._server = server
        self._clients = clients
        self._tally = Tally()
        everybody: dict[bytes, Player] = {}
        for number in range(2 * count):
            player = Player(f"p{number:05}", connected(server), self._tally, Pace(clients, 0), everybody)
            clients.add(player.sock, player.on_readable)
        # Nobody moves before all have an opponent: who still looks for one would get somebody out of another pair.
        while not all(player.is_paired for player in everybody.values()):
            server.serve()

    def go_on(self, moves: int, run: Callable[[Callable[[], None]], object] = lambda serve: serve()) -> int:
        """Play so many moves or a few more, and say how many. Raises `BenchmarkError` if nobody moves any more."""
        self._tally.reset()
        seen, seen_s = 0, now_s()
        while self._tally.moves < moves:
            run(self._server.serve)
            self._clients.run_for(0.000_1)
            if self._tally.moves > seen:
                seen, seen_s = self._tally.moves, now_s()
            elif now_s() > seen_s + SILENCE_MAX_S:
                raise BenchmarkError(f"after {seen} moves nobody moved for {SILENCE_MAX_S:g} s")
        return self._tally.moves


async def measure(journal: Journal, pairs: int, rounds: int, moves: int, profile: cProfile.Profile | None) -> None:
    """Print microseconds of CPU a move for each step: the least of the rounds, because others can only add to it."""
    clock, spent = ServerClock(time.monotonic), Spent()
    found: list[dict[str, float]] = []
    bare: list[float] = []
    with loop() as clients:
        play = Pairs(Server(clock, spent, Decider(journal, clock, spent).carry_out), clients, pairs)
        play.go_on(moves)
        for _ in range(rounds):
            bare.append(bare_us(moves))
            spent.taken()
            played = play.go_on(moves) if profile is None else play.go_on(moves, profile.runcall)
            found.append({step: spent_s / played * 1e6 for step, spent_s in spent.taken().items()})
    least = {step: min(figures[step] for figures in found) for step in STEPS}
    in_all_us, bare_least_us = sum(least.values()), min(bare)
    print(f"{pairs} pairs:", *(f"{step} {least[step]:.1f}" for step in STEPS), f"sum {in_all_us:.1f}")
    print(f"bare sockets {bare_least_us:.1f}, the sum by that {in_all_us / bare_least_us:.1f}")


@click.command()
@click.option("--pairs", default=50, show_default=True)
@click.option("--rounds", default=20, show_default=True)
@click.option("--moves", default=1_000, show_default=True, help="Moves of a round.")
@click.option("--profile", is_flag=True, help="Show where the time goes; the figures are then far too high.")
def main(*, pairs: int, rounds: int, moves: int, profile: bool) -> None:
    """Measure the steps of a move, in microseconds of CPU."""
    logs.configure("error", as_json=False)
    profiler = cProfile.Profile() if profile else None
    with TemporaryDirectory() as directory:
        journal = SqliteJournal(Path(directory) / "data.sqlite3")
        trio.run(measure, journal, pairs, rounds, moves, profiler)
        journal.close()
    if profiler is not None:
        pstats.Stats(profiler).sort_stats("tottime").print_stats(60)


if __name__ == "__main__":
    main()
