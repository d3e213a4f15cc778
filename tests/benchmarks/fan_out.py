"""Measures what the page of a running tournament costs: for each change, and for each viewer of each change.

A tournament at a human pace is held without viewers for a while, then with one, then with many. The first viewer
pays for what is made once for each change, every further one for being told. Beside it, `fan_out_server` only writes.
"""

import re
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import evolve

from gameserver.admin.client import AdminClient
from gameserver.admin.token_file import access_file, read_access
from tests.benchmarks.generator import Loop, connected, loop, now_s
from tests.benchmarks.load import medians
from tests.benchmarks.measuring import spent_s
from tests.benchmarks.pages import READ_BYTES, Viewer
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import HERE, BenchmarkError, Running, Subject, free_port, gameserver, running
from tests.benchmarks.report import Figures, Row
from tests.benchmarks.tournament_bots import Course, gathered_bots

GAME = "Reversi"
PAGE = "/tournaments/1"
TIMEOUT_S = 120.0
_NOTHING: Figures = {"CPU s": 0.0, "told": 0.0}
_LENGTH = re.compile(rb"(?i)\r\ncontent-length: (\d+)")
BARE = Subject("fan-out", (sys.executable, str(HERE / "fan_out_server.py"), "{port}"), b"hello\n")


class Visitor:
    """A browser that opens the page once."""

    def __init__(self, sock: socket.socket) -> None:
        self.is_served = False
        self._sock = sock
        self._received = b""
        sock.sendall(_request(PAGE))

    def on_readable(self) -> None:
        """Take what has come."""
        data = self._sock.recv(READ_BYTES)
        if not data:
            raise BenchmarkError("the server closed the connection of a visitor")
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        self.is_served = bool(end) and length is not None and len(body) == int(length[1])


def measure(plan: Plan) -> list[Row]:
    """The row of each number of viewers."""
    return [_row(plan, viewers) for viewers in plan.viewers]


def _row(plan: Plan, viewers: int) -> Row:
    what = f"tournament of {plan.shown_bots} bots at {GAME}, {viewers} viewers"
    server: list[Figures] = []
    bare: list[Figures] = []
    for number in range(plan.rounds):
        note(f"{what}, round {number + 1}")
        none, one, many = _held(plan, viewers)
        server.append(_per_viewer(many, one, viewers - 1) | _per_change(one, none) | _opening(many))
        bare.append(_per_viewer(_written(plan, viewers), _NOTHING, viewers))
    return Row("fan-out", what, medians(server), medians(bare), {"server": server, "bare": bare}, baseline="bare")


def _per_viewer(many: Figures, few: Figures, more: int) -> Figures:
    """The cost of every viewer but the first, for each change that it is told."""
    told = many["told"] - few["told"]
    return {
        "CPU us/viewer": 1e6 * (many["CPU s"] - few["CPU s"]) / told,
        "told/s each": told / more / many["s"],
        "KB/change": many["KB"] / many["told"],
        "CPU %": 100 * many["CPU s"] / many["s"],
        "generator CPU %": 100 * many["generator CPU s"] / many["s"],
        "others CPU %": 100 * many["others CPU s"] / many["s"],
    }


def _per_change(one: Figures, none: Figures) -> Figures:
    return {"CPU ms/change": 1e3 * (one["CPU s"] - none["CPU s"]) / one["told"]}


def _opening(many: Figures) -> Figures:
    return {"CPU ms/page": many["CPU ms/page"], "opened s": many["opened s"]}


def _held(plan: Plan, viewers: int) -> list[Figures]:
    """A tournament without viewers, with one and with many."""
    pages_port = free_port()
    with TemporaryDirectory() as directory:
        subject = gameserver(Path(directory))
        more = ("--listen", "admin=127.0.0.1:0", "--listen", f"http=127.0.0.1:{pages_port}")
        subject = evolve(subject, command=(*subject.command, *more))
        with running(subject, Path(directory), plan.cores) as process, loop() as working:
            note(f"process {process.popen.pid}")
            gathered_bots(process, plan.shown_bots, working, Course(), game=GAME, pause_s=plan.shown_pause_s)
            admin = AdminClient(read_access(access_file(str(Path(directory) / "data.sqlite3"))))
            admin.post("tournaments", preset="league", name="benchmark", game=GAME, changes={"pause_ms": 0})
            admin.post("tournaments", "1", "start")
            working.run_for(plan.warmup_s)
            watching: list[Viewer] = []
            counts = (0, 1, viewers)
            found = [_watched(process, working, pages_port, watching, count, plan) for count in counts]
            return [*found[:-1], found[-1] | _opened(process, working, pages_port, viewers)]


def _written(plan: Plan, viewers: int) -> Figures:
    """The bare server with many viewers."""
    with TemporaryDirectory() as directory, running(BARE, Path(directory), plan.cores) as process, loop() as working:
        return _watched(process, working, process.port, [], viewers, plan)


def _opened(process: Running, working: Loop, port: int, viewers: int) -> Figures:
    """Everybody opens the page at the same time, as after a link in a chat or when the last result is in."""
    visitors = []
    began_s, before_s = now_s(), process.cpu_s()
    for _ in range(viewers):
        sock = connected(port)
        visitor = Visitor(sock)
        working.add(sock, visitor.on_readable)
        visitors.append(visitor)
    working.run_until(lambda: all(one.is_served for one in visitors), TIMEOUT_S, "not everybody has the page")
    return {
        "CPU ms/page": 1e3 * (process.cpu_s() - before_s) / viewers,
        "opened s": now_s() - began_s,
    }


def _watched(process: Running, working: Loop, port: int, watching: list[Viewer], viewers: int, plan: Plan) -> Figures:
    """The page with so many viewers, of whom some have been watching before."""
    while len(watching) < viewers:
        viewer = Viewer(connected(port))
        viewer.sock.sendall(_request(f"{PAGE}/events"))
        working.add(viewer.sock, viewer.on_readable)
        watching.append(viewer)
    working.run_until(_all(watching), TIMEOUT_S, "not every viewer was told a change")
    for viewer in watching:
        viewer.changes = viewer.received_bytes = 0
    began_s, before = now_s(), spent_s(process)
    working.run_for(plan.shown_s)
    took_s = now_s() - began_s
    cpu_s, own_cpu_s, all_cpu_s = (after - then for after, then in zip(spent_s(process), before, strict=True))
    if not all(viewer.changes for viewer in watching):
        raise BenchmarkError(f"a viewer was told no change in {took_s:.0f} s")
    return {
        "s": took_s,
        "told": float(sum(viewer.changes for viewer in watching)),
        "KB": sum(viewer.received_bytes for viewer in watching) / 1024,
        "CPU s": cpu_s,
        "generator CPU s": own_cpu_s,
        "others CPU s": max(0.0, all_cpu_s - cpu_s - own_cpu_s),
    }


def _all(watching: Sequence[Viewer]) -> Callable[[], bool]:
    return lambda: all(viewer.changes for viewer in watching)


def _request(path: str) -> bytes:
    """A request, as a browser makes it. What is written for one viewer alone, such as an event's name, is readable in
    a compressed stream, too."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip, deflate\r\n\r\n".encode()
