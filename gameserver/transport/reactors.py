"""Calls a connection when its socket is ready: what every reactor offers, and one that works wherever trio does.

`TaskReactor` has two tasks for each socket. Where there is epoll, `epoll_reactor` serves all of them from one task. The
system decides which (`reactor_choice`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial

import trio

from gameserver.flow_control.fair_scheduler import FairScheduler
from gameserver.transport.connection import Connection, ConnectionState

NOBODY: Mapping[int, int] = {}

# Called with the function that reads the ready sockets; carries out what was read (`Sequencer.step`).
Step = Callable[[Callable[[], None]], None]


def only_read(read: Callable[[], None]) -> None:
    """Reads the sockets that are ready, and carries nothing out: the reactors' step in tests without a sequencer."""
    read()


class Reactor(ABC):
    """Calls connections when their sockets are ready. An exception in one connection ends that one only."""

    def __init__(self, now_ms: Callable[[], int], fair_scheduler: FairScheduler, step: Step = only_read) -> None:
        self._now_ms = now_ms
        self._commit_gate = fair_scheduler.commit_gate
        self._step = step

    @abstractmethod
    def add(self, connection: Connection) -> None:
        """Watch a new connection's socket."""

    @abstractmethod
    def update(self, connection: Connection) -> None:
        """Watch a connection's socket for what it wants now: input, room to send, or neither."""

    @abstractmethod
    def remove(self, connection: Connection) -> None:
        """Stop watching a connection whose socket is about to be closed."""

    @abstractmethod
    def read_pass(self, stamp_ms: int, due_ms: Mapping[int, int] = NOBODY) -> None:
        """Read all input that sockets have by now, stamped `stamp_ms`, or as `due_ms` says for its sessions."""

    @abstractmethod
    async def run(self) -> None:
        """Call connections as their sockets become ready, for ever."""

    @abstractmethod
    def close(self) -> None:
        """Release the reactor's own resources; every connection has been removed."""


class TaskReactor(Reactor):
    """The reactor for Windows and macOS: two tasks for each socket, one waits for input, one for room to send."""

    def __init__(self, now_ms: Callable[[], int], fair_scheduler: FairScheduler, step: Step = only_read) -> None:
        super().__init__(now_ms, fair_scheduler, step)
        self._wanted: dict[Connection, trio.Event] = {}
        self._new_send, self._new_receive = trio.open_memory_channel[Connection](float("inf"))

    def add(self, connection: Connection) -> None:
        """Start the two tasks of a new connection."""
        self._wanted[connection] = trio.Event()
        self._new_send.send_nowait(connection)

    def update(self, connection: Connection) -> None:
        """Wake a connection's two tasks, which look at what it wants now."""
        if connection in self._wanted:
            self._wanted[connection].set()
            self._wanted[connection] = trio.Event()

    def remove(self, connection: Connection) -> None:
        """End the two tasks of a connection."""
        event = self._wanted.pop(connection, None)
        if event is not None:
            event.set()
            trio.lowlevel.notify_closing(connection.sock)  # wakes a task that waits for the socket, by an error

    def read_pass(self, stamp_ms: int, due_ms: Mapping[int, int] = NOBODY) -> None:
        """Read every socket from which a connection may take input now, for the alarm."""
        for connection in list(self._wanted):
            if connection.wants_read:
                at_ms = due_ms.get(connection.session, stamp_ms)
                self._call(connection, partial(connection.on_readable, at_ms))

    async def run(self) -> None:
        """Run the two tasks of each connection, for ever."""
        async with trio.open_nursery() as nursery:
            async for connection in self._new_receive:
                nursery.start_soon(self._read, connection)
                nursery.start_soon(self._write, connection)

    def close(self) -> None:
        """Release nothing: the reactor with tasks has no resources of its own."""

    async def _read(self, connection: Connection) -> None:
        while (wanted := self._wanted.get(connection)) is not None:
            for_input, _ = connection.interest
            if not for_input:
                await wanted.wait()
                continue
            try:
                await trio.lowlevel.wait_readable(connection.sock)
            except trio.ClosedResourceError:
                return
            now_ms = self._now_ms()  # before anything else: it is the stamp of the input
            if not connection.interest[0]:
                continue  # `read_pass` has read as much meanwhile as may wait
            self._step(partial(self._call, connection, partial(connection.on_readable, now_ms)))

    async def _write(self, connection: Connection) -> None:
        while (wanted := self._wanted.get(connection)) is not None:
            _, for_room = connection.interest
            if not for_room:
                await wanted.wait()
                continue
            try:
                await trio.lowlevel.wait_writable(connection.sock)
            except trio.ClosedResourceError:
                return
            self._call(connection, connection.on_writable)

    def _call(self, connection: Connection, work: Callable[[], object]) -> None:
        if connection.stage is ConnectionState.CLOSED:
            return
        try:
            work()
        except Exception as error:  # noqa: BLE001 - it is logged there
            connection.crash(error)
