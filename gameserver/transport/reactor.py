"""Calls a connection when its socket is ready: what every reactor offers.

`EpollReactor` serves every socket from one task, where there is epoll. `TaskReactor` has two tasks for each socket, and
works wherever trio does. The setting `sockets.reactor` chooses (`reactor_choice`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from gameserver.flow_control.fair_scheduler import FairScheduler
from gameserver.transport.connection import Connection

NOBODY: Mapping[int, int] = {}

Step = Callable[[Callable[[], None]], None]
"""Called with what reads the sockets that are ready; what was read is carried out then (`Sequencer.step`)."""


def only_read(read: Callable[[], None]) -> None:
    """Read, and carry nothing out by it: for tests without a sequencer."""
    read()


class Reactor(ABC):
    """Calls connections when their sockets are ready. An exception in one connection ends that one only."""

    def __init__(self, now_ms: Callable[[], int], fair_scheduler: FairScheduler, step: Step = only_read) -> None:
        self._now_ms = now_ms
        self._commit_gate = fair_scheduler.commit_gate
        self._step = step

    @abstractmethod
    def add(self, connection: Connection) -> None:
        """Watch a new connection."""

    @abstractmethod
    def update(self, connection: Connection) -> None:
        """Watch for what the connection wants now."""

    @abstractmethod
    def remove(self, connection: Connection) -> None:
        """Stop watching it; its socket is about to be closed."""

    @abstractmethod
    def read_pass(self, stamp_ms: int, due_ms: Mapping[int, int] = NOBODY) -> None:
        """Read everything that has arrived by now, stamped `stamp_ms`, or as `due_ms` says for its sessions."""

    @abstractmethod
    async def run(self) -> None:
        """Serve, for ever."""

    @abstractmethod
    def close(self) -> None:
        """Release the reactor's own resources; every connection has been removed."""
