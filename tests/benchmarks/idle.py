"""Measures the cost of idle connections: memory for each connection, CPU for all of them."""

import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.plan import Plan, note
from tests.benchmarks.players import ECHO_LINE, SUBSCRIBE
from tests.benchmarks.processes import ECHO, BenchmarkError, Running, Subject, gameserver, running
from tests.benchmarks.report import Figures, Row

ANSWER_TIMEOUT_S = 60.0
TURN_TIME_S = 3600.0
"""Nobody moves, and no match shall end by that."""


def measure_memory(plan: Plan) -> list[Row]:
    """Memory for each connection, and the CPU time it takes to let it in."""
    count = plan.connections
    echo, _ = _memory(plan, ECHO)
    with TemporaryDirectory() as directory:
        connected, entered = _memory(plan, gameserver(Path(directory)))
    return [
        Row("memory", f"{count} connections", connected, echo),
        Row("memory", f"{count} connections, logged in", entered, echo),
    ]


def _memory(plan: Plan, subject: Subject) -> tuple[Figures, Figures]:
    count = plan.connections
    note(f"memory of {count} connections: {subject.name}")
    with TemporaryDirectory() as directory, running(subject, Path(directory), plan.cores) as process:
        time.sleep(plan.settle_s)
        before = (process.rss_bytes(), process.cpu_s())
        with ExitStack() as stack:
            sockets = connected(process, subject, count, stack)
            greeted = _since(before, process, plan)
            if subject is ECHO:
                return greeted, greeted
            arrived = process.cpu_s()
            _tell(sockets, [b"login p%05d\n" % number for number in range(count)], b"OK\r\n")
            entered = _since(before, process, plan)
            entered["CPU us each"] = (process.cpu_s() - arrived) / count * 1e6
            return greeted, entered


def _since(before: tuple[int, float], process: Running, plan: Plan) -> Figures:
    time.sleep(plan.settle_s)
    (rss_bytes, cpu_s), count = before, plan.connections
    return {
        "KB each": (process.rss_bytes() - rss_bytes) / count / 1024,
        "CPU us each": (process.cpu_s() - cpu_s) / count * 1e6,
    }


def measure_cpu(plan: Plan) -> list[Row]:
    """CPU of a server on which nobody does anything."""
    count = plan.idle_connections
    echo = _cpu(plan, ECHO, b"", b"")
    rows = []
    for what, words, ending in (
        (f"{count} connections, logged in", b"login p%05d\n", b"OK\r\n"),
        (f"{count} connections, in {count // 2} matches", b"login p%05d\n" + SUBSCRIBE, b'"}\r\n'),
    ):
        with TemporaryDirectory() as directory:
            subject = gameserver(Path(directory), turn_time_s=TURN_TIME_S)
            rows.append(Row("idle", what, _cpu(plan, subject, words, ending), echo))
    return rows


def _cpu(plan: Plan, subject: Subject, words: bytes, ending: bytes) -> Figures:
    count = plan.idle_connections
    note(f"CPU of {count} idle connections for {plan.idle_s:g} s: {subject.name}")
    with (
        TemporaryDirectory() as directory,
        running(subject, Path(directory), plan.cores) as process,
        ExitStack() as stack,
    ):
        sockets = connected(process, subject, count, stack)
        if words:
            _tell(sockets, [words % number for number in range(count)], ending)
        time.sleep(plan.settle_s)
        cpu_s, began_s = process.cpu_s(), time.perf_counter()
        time.sleep(plan.idle_s)
        return {"CPU %": 100 * (process.cpu_s() - cpu_s) / (time.perf_counter() - began_s)}


def connected(process: Running, subject: Subject, count: int, stack: ExitStack) -> list[socket.socket]:
    """Connections that have all been let in, one after the other."""
    sockets = []
    for _ in range(count):
        sock = stack.enter_context(socket.create_connection(("127.0.0.1", process.port), ANSWER_TIMEOUT_S))
        sockets.append(sock)
        if subject is ECHO:
            sock.sendall(ECHO_LINE)
        _await(sock, ECHO_LINE[-1:])
    return sockets


def _tell(sockets: Sequence[socket.socket], lines: Sequence[bytes], ending: bytes) -> None:
    """Everybody says a line, and all at once, as a class does; then everybody has been answered."""
    for sock, line in zip(sockets, lines, strict=True):
        sock.sendall(line)
    for sock in sockets:
        _await(sock, ending)


def _await(sock: socket.socket, ending: bytes) -> None:
    answer = b""
    while not answer.endswith(ending):
        try:
            data = sock.recv(4096)
        except TimeoutError:
            data = b""
        answer += data
        if not data or b"ERR" in answer:
            raise BenchmarkError(f"instead of {ending!r} came {answer!r}")
