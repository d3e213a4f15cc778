"""Serves every socket from one task, by one epoll. On Linux only.

The task waits until its own epoll has something, takes up to `_PASS_EVENTS` ready sockets at once, and calls their
connections in a loop. Measured on a bare line echo with a hundred connections, this costs 5 to 6 microseconds of CPU a
message, where a trio task for each socket costs 10 to 11 and trio's own streams 15 to 17; memory per idle connection is
a twentieth. No call waits, so one peer cannot delay a pass.

While a commit runs, nothing that is read can be decided, and waking up for each socket by itself costs several times as
much as reading it. So the task leaves the sockets alone meanwhile (`commit_gate`), and reads them all in one pass when
the batch has been released.

A peer that has sent as much as is read at once has a backlog: many lines, or one without an end. Backlogs are read in
turns, round robin by address (the share `backlogs`). Reading and parsing everything that a hundred such peers send
would take all of the time.
"""

import select
import sys
from collections.abc import Callable, Mapping
from functools import partial

import trio

from gameserver.flow_control.fair_scheduler import FairScheduler, Timer
from gameserver.transport.connection import Connection
from gameserver.transport.reactors import NOBODY, Reactor, Step, only_read

assert sys.platform == "linux", "no other system has epoll"

# Sockets that are served before trio's other tasks get their turn; so many lines of a bare echo take 1.5 ms.
_PASS_EVENTS = 256


class EpollReactor(Reactor):
    """The reactor for Linux: one task, one epoll, every socket."""

    def __init__(self, now_ms: Callable[[], int], fair_scheduler: FairScheduler, step: Step = only_read) -> None:
        super().__init__(now_ms, fair_scheduler, step)
        self._epoll = select.epoll()
        self._connections: dict[int, Connection] = {}
        self._masks: dict[int, int] = {}
        self._turns = fair_scheduler.share("backlogs")
        self._backlogs: dict[int, Timer] = {}
        """The turns of the sockets that have more input than was read; they are not watched for input meanwhile."""

    def add(self, connection: Connection) -> None:
        """Register a new connection with the epoll."""
        number = connection.sock.fileno()
        self._connections[number] = connection
        self._masks[number] = _mask_of(connection)
        self._epoll.register(number, self._masks[number])

    def update(self, connection: Connection) -> None:
        """Change the epoll's mask of a connection to what it wants now."""
        number = connection.sock.fileno()
        mask = _mask_of(connection) & (~select.EPOLLIN if number in self._backlogs else -1)
        # A system call saved: after most commands a connection wants what it wanted before.
        if self._masks.get(number, mask) != mask:
            self._masks[number] = mask
            self._epoll.modify(number, mask)

    def remove(self, connection: Connection) -> None:
        """Take a connection out of the epoll, while its socket is still open."""
        number = connection.sock.fileno()
        if self._connections.pop(number, None) is not None:
            del self._masks[number]
            turn = self._backlogs.pop(number, None)
            if turn is not None:
                turn.cancel()
            self._epoll.unregister(number)

    def read_pass(self, stamp_ms: int, due_ms: Mapping[int, int] = NOBODY) -> None:
        """Read everything that has arrived on any socket by now, the backlogs included, for the alarm."""
        for _ in range(1 + len(self._connections) // _PASS_EVENTS):
            self.read_ready(stamp_ms, due_ms)
        for number, turn in list(self._backlogs.items()):
            connection = self._connections.get(number)
            if connection is not None:  # else a connection earlier in this pass has closed it
                turn.cancel()
                self._read_on(number, connection, due_ms.get(connection.session, stamp_ms))

    async def run(self) -> None:
        """Serve every socket of the epoll, for ever."""
        while True:
            await trio.lowlevel.wait_readable(self._epoll.fileno())
            if self._commit_gate.is_closed:  # looked at rather than awaited: an open gate costs a move no call
                await self._commit_gate.passed()
            self._step(self.read_ready)

    def close(self) -> None:
        """Close the epoll, from which every connection has been removed."""
        self._epoll.close()

    def read_ready(self, stamp_ms: int | None = None, due_ms: Mapping[int, int] = NOBODY) -> None:
        """Serve the sockets that the epoll reports; what is read is stamped with the time now, or `stamp_ms`."""
        if stamp_ms is None:
            stamp_ms = self._now_ms()
        for number, mask in self._epoll.poll(0, _PASS_EVENTS):
            connection = self._connections.get(number)
            if connection is None:
                continue  # a connection earlier in this pass has closed it
            try:
                # Input before an end: the last line of a peer that sends and closes still counts.
                if mask & select.EPOLLIN:
                    if connection.on_readable(due_ms.get(connection.session, stamp_ms) if due_ms else stamp_ms):
                        self._put_off(number, connection)
                elif mask & (select.EPOLLHUP | select.EPOLLERR):
                    connection.on_hangup()
                if mask & select.EPOLLOUT:
                    connection.on_writable()
            except Exception as error:  # noqa: BLE001 - it is logged there
                connection.crash(error)

    def _put_off(self, number: int, connection: Connection) -> None:
        """Go on reading later, in turns with all other backlogs."""
        if number in self._connections:
            read_on = partial(self._read_on, number, connection)
            self._backlogs[number] = self._turns.ask(connection.address, read_on)
            self.update(connection)

    def _read_on(self, number: int, connection: Connection, stamp_ms: int | None = None) -> None:
        """Read once, up to the limit of one read; stamped with the time now unless `stamp_ms` is given."""
        self._backlogs.pop(number, None)
        try:
            stamp_ms = self._now_ms() if stamp_ms is None else stamp_ms
            if connection.wants_read and connection.on_readable(stamp_ms):
                self._put_off(number, connection)
            elif number in self._connections:
                self.update(connection)
        except Exception as error:  # noqa: BLE001 - it is logged there
            connection.crash(error)


def _mask_of(connection: Connection) -> int:
    # A connection reports only changes of its interest, so that is watched, not what it could take at this moment.
    for_input, for_room = connection.interest
    return (select.EPOLLIN if for_input else 0) | (select.EPOLLOUT if for_room else 0)
