"""The load generator's loop: one process, one epoll, non-blocking sockets, no framework.

It has to be faster than what it measures. Where it is not, its own share of a core, printed beside
every row, says so: near 100 % the rate and the latency are the generator's, and only the server's
CPU per move means anything.
"""

import gc
import heapq
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

from attrs import Factory, define

from tests.benchmarks.processes import BenchmarkError

READY_MAX = 1024
now_s = time.perf_counter


@define
class Tally:
    """The totals of all clients of a run so far."""

    moves: int = 0
    latencies_s: list[float] = Factory(list)

    def reset(self) -> None:
        """Begin to count."""
        self.moves = 0
        self.latencies_s.clear()


class Loop:
    """Calls whoever has something to read, and whoever wanted to be called later."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._readers: dict[int, Callable[[], None]] = {}
        self._sockets: list[socket.socket] = []
        self._later: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()

    def add(self, sock: socket.socket, on_readable: Callable[[], None]) -> None:
        """Watch a socket, and close it at the end."""
        self._sockets.append(sock)
        self._readers[sock.fileno()] = on_readable
        self._epoll.register(sock.fileno(), select.EPOLLIN)

    def later(self, delay_s: float, call: Callable[[], None]) -> None:
        """Call back after this time."""
        heapq.heappush(self._later, (now_s() + delay_s, next(self._order), call))

    def run_for(self, seconds: float) -> None:
        """Work for this long."""
        end_s = now_s() + seconds
        while (left_s := end_s - now_s()) > 0:
            self._turn(left_s)

    def run_until(self, done: Callable[[], bool], timeout_s: float, what: str) -> None:
        """Work until something is true. Raises `BenchmarkError` if it never is."""
        end_s = now_s() + timeout_s
        while not done():
            if now_s() > end_s:
                raise BenchmarkError(f"after {timeout_s:g} s: {what}")
            self._turn(0.1)

    def close(self) -> None:
        """Close every socket."""
        self._epoll.close()
        for sock in self._sockets:
            sock.close()

    def _turn(self, timeout_s: float) -> None:
        later, readers = self._later, self._readers
        if later:
            timeout_s = min(timeout_s, max(0.0, later[0][0] - now_s()))
        for number, _ in self._epoll.poll(timeout_s, READY_MAX):
            readers[number]()
        while later and later[0][0] <= now_s():
            heapq.heappop(later)[2]()


@contextmanager
def loop() -> Iterator[Loop]:
    """A loop that is not interrupted by the collector of garbage, because it makes none."""
    made = Loop()
    gc.collect()
    gc.disable()
    try:
        yield made
    finally:
        made.close()
        gc.enable()


def connected(port: int) -> socket.socket:
    """A connection that does not block."""
    sock = socket.create_connection(("127.0.0.1", port))
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setblocking(False)
    return sock
