"""Measures the cost and gain of a second process: `python -m tests.benchmarks.two_processes`.

The steps of `hot_path`, by the very code that serves, but in two processes with a socket between them:

    front     read, encode | decode, release      sockets, driver, connections, adapters
    back      decode, decide, commit, encode      lobby, journal, records, ratings

One batch is under way at a time, as in the server. There, (session, stamp, command) for each command;
back, (session, answer, deliveries, dismissed) for each decision. `encode` includes sending, `decode`
includes waiting and receiving. The ways to encode are in `crossing`.

The same server in one process and those in two take turns, round by round. The least of the rounds is
shown for each step, the median for the ratios to one process in the same round. CPU of the busier
process is what bounds the moves a second, where two cores are free and nothing else waits.
"""

import gc
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, cast

import attrs
import click
import trio
from attrs import Factory, define

from gameserver import logs
from gameserver.engine.batch import Receiver, Release, Submission
from gameserver.engine.clock import ServerClock
from gameserver.journal.sqlite import SqliteJournal
from tests.benchmarks.crossing import ENCODINGS, Encoding
from tests.benchmarks.generator import loop
from tests.benchmarks.hot_path import STEPS, Decider, Pairs, Server, Spent, least_of

Figures = Mapping[str, float]

FRONT = ("read", "encode", "decode", "release")
BACK = ("decode", "decide", "commit", "encode")
CROSSING = ("encode", "decode")
REPORT = b""


@define
class Crossing:
    """The front's end of the socket."""

    pipe: Pipe
    encoding: Encoding
    spent: Spent
    server: Server = attrs.field(init=False)

    def carry_out(self, taken: Sequence[Submission]) -> Sequence[Release]:
        """Have the back decide and commit a batch."""
        with self.spent.counted("encode"):
            asked = [(cast("Any", one.sender).session, one.stamp_ms, one.command) for one in taken]
            self.pipe.send_bytes(self.encoding.write_asked(asked))
        with self.spent.counted("decode"):
            find = self.server.connections.get
            told = self.encoding.read_told(self.pipe.recv_bytes())
            return [
                Release(None if session is None else find(session), answer, tuple(deliveries), tuple(dismissed))
                for session, answer, deliveries, dismissed in told
            ]


def decide_for(front: Pipe, pipe: Pipe, encoding: Encoding, file: Path, clock: ServerClock) -> None:
    """The back: decide and commit what is asked, until the front has closed its end, of which a fork made a copy."""
    front.close()
    gc.disable()  # as in the front, where the clients' loop does it
    journal, spent = SqliteJournal(file), Spent()

    async def serve() -> None:
        decider = Decider(journal, clock, spent)
        while True:
            with spent.counted("decode"):
                data = pipe.recv_bytes()
                # A batch never looks at the sender: here it is but a number.
                asked = encoding.read_asked(data) if data else ()
                taken = [Submission(command, stamp_ms, cast("Receiver", sender)) for sender, stamp_ms, command in asked]
            if data == REPORT:
                pipe.send(spent.taken())
                continue
            outputs = decider.carry_out(taken)
            with spent.counted("encode"):
                told = [(cast("int", out.sender), out.answer, out.deliveries, out.dismissed) for out in outputs]
                pipe.send_bytes(encoding.write_told(told))

    try:
        trio.run(serve)
    except EOFError:
        journal.close()


@define
class Subject:
    """A server that is measured, in one process or in two, and what each of its rounds took, by process."""

    name: str
    server: Server
    spent: Spent
    back: Pipe | None = None
    rounds: list[tuple[Figures, Figures]] = Factory(list)

    def taken(self) -> tuple[Figures, Figures]:
        """CPU time by step since it was last asked, of the first process and of the second."""
        if self.back is None:
            return self.spent.taken(), {}
        self.back.send_bytes(REPORT)
        return self.spent.taken(), self.back.recv()


def in_one(file: Path, clock: ServerClock, stack: ExitStack) -> Subject:
    """The server as it is."""
    journal, spent = SqliteJournal(file), Spent()
    stack.callback(journal.close)
    return Subject("one process", Server(clock, spent, Decider(journal, clock, spent).carry_out), spent)


def in_two(name: str, file: Path, clock: ServerClock, stack: ExitStack) -> Subject:
    """The server with a back of its own, which has the same axis of time."""
    encoding = ENCODINGS[name]()
    context = get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=decide_for, args=(ours, theirs, encoding, file, clock))
    process.start()
    theirs.close()
    stack.callback(process.join)
    stack.callback(ours.close)
    crossing = Crossing(ours, encoding, Spent())
    crossing.server = Server(clock, crossing.spent, crossing.carry_out)
    return Subject(name, crossing.server, crossing.spent, ours)


async def measure(subjects: Sequence[Subject], pairs: int, rounds: int, moves: int) -> None:
    """Have all of them play in turns."""
    with ExitStack() as stack:
        plays = [Pairs(subject.server, stack.enter_context(loop()), pairs) for subject in subjects]
        for number in range(rounds + 1):
            for subject, play in zip(subjects, plays, strict=True):
                subject.taken()
                played = play.go_on(moves)
                front, back = ({step: s / played * 1e6 for step, s in each.items()} for each in subject.taken())
                if number:
                    subject.rounds.append((front, back))


def show(subjects: Sequence[Subject], pairs: int) -> None:
    """Print microseconds of CPU a move, and the ratios to one process."""
    one = [sum(figures.values()) for figures, _ in subjects[0].rounds]
    _show_steps(f"{pairs} pairs, {subjects[0].name}:", STEPS, least_of([front for front, _ in subjects[0].rounds]))
    for subject in subjects[1:]:
        fronts, backs = zip(*subject.rounds, strict=True)
        front, back = least_of(fronts), least_of(backs)
        _show_steps(f"{subject.name}, front:", FRONT, front)
        _show_steps(f"{subject.name}, back:", BACK, back)
        sums = [(sum(front.values()), sum(back.values())) for front, back in subject.rounds]
        rate = median(alone / max(two) for alone, two in zip(one, sums, strict=True))
        costs = median(sum(two) / alone for alone, two in zip(one, sums, strict=True))
        crossing = sum(each[step] for each in (front, back) for step in CROSSING)
        adds = 100 * crossing / (sum(front.values()) + sum(back.values()) - crossing)
        print(f"    at most {rate:.2f} times the moves of one process, for {costs:.2f} times the CPU;")
        print(f"    encode and decode add {adds:.0f} % to the other steps")


def _show_steps(what: str, steps: Sequence[str], least: Figures) -> None:
    print(what, *(f"{step} {least[step]:.1f}" for step in steps), f"sum {sum(least.values()):.1f}")


@click.command()
@click.option("--pairs", default=50, show_default=True)
@click.option("--rounds", default=20, show_default=True)
@click.option("--moves", default=1_000, show_default=True, help="Moves of a round.")
def main(*, pairs: int, rounds: int, moves: int) -> None:
    """Measure the steps of a move in one process and in two, in microseconds of CPU."""
    logs.configure("error", as_json=False)
    clock = ServerClock(time.monotonic)
    with TemporaryDirectory() as directory, ExitStack() as stack:
        files = [Path(directory) / f"{name}.sqlite3" for name in ("one", *ENCODINGS)]
        # Backs first: SQLite's connections must not be carried over a fork.
        backs = [in_two(name, file, clock, stack) for name, file in zip(ENCODINGS, files[1:], strict=True)]
        subjects = [in_one(files[0], clock, stack), *backs]
        trio.run(measure, subjects, pairs, rounds, moves)
        show(subjects, pairs)


if __name__ == "__main__":
    main()
