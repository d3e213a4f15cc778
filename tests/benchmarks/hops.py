"""The calls that a move makes, step by step: `python -m tests.benchmarks.hops`.

Times differ from run to run; the calls of a move do not. `sys.setprofile` sees every call of Python and C
functions, so what a change adds to the way of a move shows exactly, however busy the machine is.

    Python calls    functions and methods of Python that were entered
    C calls         functions and methods of C
    files           files whose functions were entered, the standard library's too
    hops            Python calls from one file into another: what a reader has to follow

The harness is that of `hot_path`: connections, adapters, core and journal over socket pairs, without a
scheduler. The same move is played in it alone and in a batch of sixteen, and the last move of a match with
the opening of the next one.
"""

import contextlib
import gc
import socket
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

import click
import trio
from attrs import Factory, define

from gameserver import logs
from gameserver.engine.clock import ServerClock
from gameserver.journal.sqlite import SqliteJournal
from tests.benchmarks import hot_path
from tests.benchmarks.hot_path import STEPS, Decider, Server, Spent

HARNESS = frozenset({__file__, hot_path.__file__, contextlib.__file__})
"""Files of the measurement itself. The server's own use of contextlib is not counted either."""
DRAWN_GAME = ("0", "4", "8", "1", "7", "6", "2", "5", "3")
"""Tic-tac-toe without a winner: nine moves, of which the third is in the middle of its match."""
MID_MATCH = 3


@define
class Calls:
    """Calls that were seen. A hop is a Python call whose caller is in another file."""

    python: int = 0
    c: int = 0
    hops: int = 0
    files: Counter[str] = Factory(Counter)

    def see(self, frame: FrameType, event: str, _argument: object) -> None:
        """Count an event of `sys.setprofile`."""
        file = frame.f_code.co_filename
        if file in HARNESS:
            return
        if event == "call":
            self.python += 1
            caller = frame.f_back.f_code.co_filename if frame.f_back is not None else file
            if not file.startswith("<"):  # an `__init__` that attrs wrote is part of the class that is called
                self.files[file] += 1
                self.hops += caller != file
        elif event == "c_call":
            self.c += 1

    def row(self, name: str, moves: int) -> str:
        """A line of the table; each figure is that of one move."""
        calls = (f"{count / moves:10.1f}" for count in (self.python, self.c, self.hops))
        return f"{name:34}" + "".join(calls) + f"{len(self.files):8}"


HEAD = f"{'':34}{'Python':>10}{'C':>10}{'hops':>10}{'files':>8}"


class Counted(Spent):
    """Counts calls, by step, where `hot_path` measures time."""

    def __init__(self) -> None:
        super().__init__()
        self.by_step = {step: Calls() for step in STEPS}

    @contextlib.contextmanager
    def counted(self, step: str) -> Iterator[None]:
        """Count what is called meanwhile."""
        sys.setprofile(self.by_step[step].see)
        try:
            yield
        finally:
            sys.setprofile(None)

    def take(self) -> dict[str, Calls]:
        """The counts so far; counting begins anew."""
        taken, self.by_step = self.by_step, {step: Calls() for step in STEPS}
        return taken


class TextPairs:
    """Pairs of clients of the text protocol, all at the same move of the same game."""

    def __init__(self, server: Server, pairs: int) -> None:
        self._server = server
        self._pairs: list[list[socket.socket]] = []
        for number in range(pairs):
            pair = [self._seat(f"p{number}{side}") for side in "ab"]
            for seat in pair:
                self._seek(seat)
            self._pairs.append(pair)
        self._hear()

    def play(self, move: str) -> None:
        """Have everybody whose turn it is make this move."""
        for pair in self._pairs:
            pair[0].sendall(f"move {move}\n".encode())
        self._server.serve()
        self._hear()

    def seek_all(self) -> None:
        """Have everybody look for the next opponent while they still play."""
        for pair in self._pairs:
            for seat in pair:
                self._seek(seat)
                _heard(seat)

    def _hear(self) -> None:
        """Hear what was said, and put the player whose turn it is first in each pair."""
        for pair in self._pairs:
            said = {seat: _heard(seat) for seat in pair}
            assert not any(b"ERR" in words for words in said.values()), said
            pair.sort(key=lambda seat: b"YOURTURN" not in said[seat])

    def _seek(self, seat: socket.socket) -> None:
        seat.sendall(b"subscribe Tic-tac-toe\n")
        self._server.serve()

    def _seat(self, name: str) -> socket.socket:
        seat = hot_path.connected(self._server)
        seat.sendall(f"login {name}\n".encode())
        self._server.serve()
        return seat


def _heard(seat: socket.socket) -> bytes:
    try:
        return seat.recv(262_144)
    except BlockingIOError:
        return b""


def counts_of(size: int) -> dict[str, dict[str, Calls]]:
    """The calls of each play that is counted, by step, where so many make it in one batch."""
    # A millisecond for each look: a real clock would note the stalls of a busy machine, by calls of its own.
    looks = count()
    clock, spent = ServerClock(lambda: next(looks) / 1000), Counted()
    found = {}
    # The collector of garbage calls what weak references ask for, at another moment in every run.
    gc.collect()
    gc.disable()
    try:
        with TemporaryDirectory() as directory:
            journal = SqliteJournal(Path(directory) / "data.sqlite3")
            clients = TextPairs(Server(clock, spent, Decider(journal, clock, spent).carry_out), size)
            # A server has seen the boards before: the game keeps what it has found out about each.
            for move in DRAWN_GAME[:-1]:
                clients.play(move)
            clients.seek_all()
            clients.play(DRAWN_GAME[-1])
            for move in DRAWN_GAME[: MID_MATCH - 1]:
                clients.play(move)
            spent.take()
            clients.play(DRAWN_GAME[MID_MATCH - 1])
            found["in mid-match"] = spent.take()
            for move in DRAWN_GAME[MID_MATCH:-1]:
                clients.play(move)
            clients.seek_all()
            spent.take()
            clients.play(DRAWN_GAME[-1])
            found["the last, with the next opening"] = spent.take()
            journal.close()
    finally:
        gc.enable()
    return found


def in_all(by_step: dict[str, Calls]) -> Calls:
    """All steps together; a file that two of them enter counts once."""
    files: Counter[str] = sum((calls.files for calls in by_step.values()), Counter())
    figures = (sum(getattr(calls, name) for calls in by_step.values()) for name in ("python", "c", "hops"))
    return Calls(*figures, files)


def show(moves: int, plays: Mapping[str, dict[str, Calls]]) -> None:
    """Print the rows of one size: the first play step by step, and all of them as a whole."""
    print(f"\n{moves} {'move' if moves == 1 else 'moves in one batch'}\n{HEAD}")
    for step, calls in next(iter(plays.values())).items():
        print(calls.row(f"  {step}", moves))
    for play, by_step in plays.items():
        print(in_all(by_step).row(f"  {play}", moves))


async def harness(sizes: Sequence[int], list_files: bool) -> None:
    """Count in the harness, whose timers want trio."""
    for size in sizes:
        plays = counts_of(size)
        show(size, plays)
        if list_files:
            for file, calls in in_all(next(iter(plays.values()))).files.most_common():
                print(f"{calls:10}  {file}")


@click.command()
@click.option("--batches", default="1,16", show_default=True, help="How many moves are in a batch.")
@click.option("--list-files", is_flag=True, help="Name the files of a lone move, with the calls into each.")
def main(*, batches: str, list_files: bool) -> None:
    """Count the calls of a move."""
    logs.configure("error", as_json=False)
    trio.run(harness, [int(size) for size in batches.split(",")], list_files)


if __name__ == "__main__":
    main()
