"""Measures the cost of viewers to the players: the same matches at a human pace, with nobody watching and with many."""

import socket
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import define, evolve

from tests.benchmarks.generator import Loop, connected
from tests.benchmarks.load import gathered_pairs, medians, one_round
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import Running, free_port, gameserver, running
from tests.benchmarks.report import Figures, Row

REQUEST = b"GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
READ_BYTES = 1 << 18


@define
class Viewer:
    """A browser that looks at the lobby, the page that changes with every move."""

    sock: socket.socket
    changes: int = 0
    received_bytes: int = 0

    def on_readable(self) -> None:
        """Take what has come."""
        data = self.sock.recv(READ_BYTES)
        self.received_bytes += len(data)
        self.changes += data.count(b"event: change")


def measure(plan: Plan) -> list[Row]:
    """The row of each number of viewers; what is beside it are the same matches without any."""
    return [_row(plan, viewers) for viewers in plan.viewers]


def _row(plan: Plan, viewers: int) -> Row:
    what = f"{plan.watched_pairs} matches, a move every {plan.watched_pause_s:g} s, {viewers} viewers"
    watched: list[Figures] = []
    alone: list[Figures] = []
    for number in range(plan.rounds):
        for count, rounds in ((viewers, watched), (0, alone)):
            note(f"{what}, round {number + 1}: {count} viewers")
            rounds.append(_round(plan, count))
    return Row("pages", what, medians(watched), medians(alone), {"watched": watched, "alone": alone})


def _round(plan: Plan, viewers: int) -> Figures:
    pages_port = free_port()
    with TemporaryDirectory() as directory:
        subject = gameserver(Path(directory))
        subject = evolve(subject, command=(*subject.command, "--listen", f"http=127.0.0.1:{pages_port}"))
        with running(subject, Path(directory), plan.cores) as process:
            watching: list[Viewer] = []

            def gather(process: Running, pairs: int, working: Loop, *more: object) -> Sequence[object]:
                players = gathered_pairs(process, pairs, working, *more)
                for _ in range(viewers):
                    viewer = Viewer(connected(pages_port))
                    viewer.sock.sendall(REQUEST)
                    working.add(viewer.sock, viewer.on_readable)
                    watching.append(viewer)
                return players

            began_s = time.monotonic()
            figures = one_round(process, gather, plan, plan.watched_pairs, plan.watched_pause_s)
            took_s = time.monotonic() - began_s
    if watching:
        figures["changes/s each"] = sum(viewer.changes for viewer in watching) / len(watching) / took_s
        figures["KB/s each"] = sum(viewer.received_bytes for viewer in watching) / len(watching) / took_s / 1024
        figures["least changes"] = float(min(viewer.changes for viewer in watching))
    return figures
