"""The cost of idle connections: memory for each, CPU to let each in, CPU for all of them while nobody does anything."""

import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import evolve

from tests.benchmarks.load import MakeSubject, echo_in
from tests.benchmarks.players import ECHO_LINE, SUBSCRIBE
from tests.benchmarks.processes import BenchmarkError, Running, gameserver, running
from tests.benchmarks.report import Figures, Plan, Row, compared

ANSWER_TIMEOUT_S = 60.0
# Nobody moves, and no match shall end by that.
_ours = partial(gameserver, clock="turn 1h")
LOGIN, LOGGED_IN = b"login p%05d\n", b"OK\r\n"


def measure_memory(plan: Plan) -> list[Row]:
    """Memory for each connection, and the CPU time it takes to let it in, or to log it in."""
    plan, count = evolve(plan, rounds=1), plan.connections
    echo = partial(_memory, plan, echo_in)
    return [
        compared(plan, "memory", what, {"server": partial(_memory, plan, _ours, says), "echo": echo})
        for what, says in ((f"{count} connections", b""), (f"{count} connections, logged in", LOGIN))
    ]


def _memory(plan: Plan, subject: MakeSubject, says: bytes = b"") -> Figures:
    count = plan.connections
    with _started(plan, subject) as process, ExitStack() as stack:
        rss_bytes, cpu_s = process.rss_bytes(), process.cpu_s()
        sockets = _connected(process, subject, count, stack)
        if says:
            cpu_s = process.cpu_s()
            _say(sockets, says, LOGGED_IN)
        time.sleep(plan.settle_s)
        return {
            "KB each": (process.rss_bytes() - rss_bytes) / count / 1024,
            "CPU us each": (process.cpu_s() - cpu_s) / count * 1e6,
        }


def measure_cpu(plan: Plan) -> list[Row]:
    """CPU of a server on which nobody does anything."""
    plan, count = evolve(plan, rounds=1), plan.idle_connections
    echo = partial(_cpu, plan, echo_in, b"", b"")
    return [
        compared(plan, "idle", what, {"server": partial(_cpu, plan, _ours, says, ending), "echo": echo})
        for what, says, ending in (
            (f"{count} connections, logged in", LOGIN, LOGGED_IN),
            (f"{count} connections, in {count // 2} matches", LOGIN + SUBSCRIBE, b'"}\r\n'),
        )
    ]


def _cpu(plan: Plan, subject: MakeSubject, says: bytes, ending: bytes) -> Figures:
    with _started(plan, subject) as process, ExitStack() as stack:
        sockets = _connected(process, subject, plan.idle_connections, stack)
        if says:
            _say(sockets, says, ending)
        time.sleep(plan.settle_s)
        cpu_s, began_s = process.cpu_s(), time.perf_counter()
        time.sleep(plan.idle_s)
        return {"CPU %": 100 * (process.cpu_s() - cpu_s) / (time.perf_counter() - began_s)}


@contextmanager
def _started(plan: Plan, subject: MakeSubject) -> Iterator[Running]:
    with TemporaryDirectory() as name, running(subject(Path(name)), Path(name), plan.cores) as process:
        time.sleep(plan.settle_s)
        yield process


def _connected(process: Running, subject: MakeSubject, count: int, stack: ExitStack) -> list[socket.socket]:
    """Connections that have all been let in, one after the other."""
    sockets = []
    for _ in range(count):
        sock = stack.enter_context(socket.create_connection(("127.0.0.1", process.port), ANSWER_TIMEOUT_S))
        sockets.append(sock)
        if subject is echo_in:
            sock.sendall(ECHO_LINE)
        _await(sock, ECHO_LINE[-1:])
    return sockets


def _say(sockets: Sequence[socket.socket], says: bytes, ending: bytes) -> None:
    """Everybody says a line, and all at once, as a class does; then everybody has been answered."""
    for number, sock in enumerate(sockets):
        sock.sendall(says % number)
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
