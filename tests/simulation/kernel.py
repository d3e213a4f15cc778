"""The kernel of the simulated machine: sockets, listeners, epoll, and how trio waits for them.

The server's own reactors, acceptor and connections run over these. A socket is the server's end of a `Wire`: it may
take a part of what is sent, or nothing from a peer that is deaf; it reports a reset as Linux does. Sockets that are
ready at the same moment come out of epoll in any order. A machine without power has sockets that do nothing.
"""

import errno
import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self
from unittest.mock import patch

import trio
from attrs import define, field

from gameserver.transport import epoll_reactor
from gameserver.transport.tcp_info import LastContact
from tests.simulation.wire import Wire

if TYPE_CHECKING:
    from tests.simulation.power import Machine

EPOLLIN, EPOLLOUT, EPOLLERR, EPOLLHUP = 1, 4, 8, 16
FIRST_DESCRIPTOR = 1_000_000
"""Far above the descriptors of the process, so that a call to the real kernel fails."""
HERE = ("10.9.9.9", 7789)


@define(eq=False)
class _Waiter:
    """A condition that a task can wait for."""

    is_ready: Callable[[], bool]
    _event: trio.Event | None = None

    async def wait(self) -> None:
        if self.is_ready():
            await trio.lowlevel.checkpoint()
            return
        if self._event is None:
            self._event = trio.Event()
        await self._event.wait()

    def look(self) -> None:
        if self._event is not None and self.is_ready():
            self.wake()

    def wake(self) -> None:
        if self._event is not None:
            event, self._event = self._event, None
            event.set()


@define(eq=False)
class Listener:
    """A listening socket with its backlog."""

    _machine: "Machine"
    _backlog: deque[tuple[Wire, str]] = field(factory=deque)
    waiter: _Waiter = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.waiter = _Waiter(lambda: bool(self._backlog) and self._machine.has_power)

    def connect(self, wire: Wire, address: str) -> None:
        self._backlog.append((wire, address))
        self.waiter.look()

    def accept(self) -> tuple["Socket", tuple[str, int]]:
        if not self.waiter.is_ready():
            raise BlockingIOError
        wire, address = self._backlog.popleft()
        return self._machine.kernel.socket(wire), (address, 40_000)

    def getsockname(self) -> tuple[str, int]:
        return HERE

    @property
    def unaccepted(self) -> list[Wire]:
        return [wire for wire, _ in self._backlog]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...


@define(eq=False)
class Socket:
    """The server's end of a connection."""

    wire: Wire
    kernel: "Kernel"
    descriptor: int
    _waiters: dict[int, _Waiter] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._waiters = {mask: _Waiter(self._ready_for(mask)) for mask in (EPOLLIN, EPOLLOUT)}

    def _ready_for(self, mask: int) -> Callable[[], bool]:
        return lambda: self.descriptor == -1 or (self.kernel.machine.has_power and bool(self.events(mask)))

    def events(self, mask: int) -> int:
        """Give what epoll would report of those events that are asked for."""
        wire = self.wire
        found = (EPOLLIN if wire.readable else 0) | (EPOLLOUT if wire.broken or wire.has_room else 0)
        return (found & mask) | (EPOLLERR | EPOLLHUP if wire.broken else 0)

    def recv(self, size: int, flags: int = 0) -> bytes:
        if not self.kernel.machine.has_power:
            raise BlockingIOError
        wire = self.wire
        if wire.broken:
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")
        if flags & socket.MSG_PEEK:
            data: bytes | None = wire.peek(size)
        else:
            data = wire.read(size)
        if data is None:
            raise BlockingIOError
        if data and not flags & socket.MSG_PEEK:
            self.kernel.machine.read(wire, data)
        return data

    def send(self, data: bytes | bytearray | memoryview) -> int:
        """Send as much as there is room for, or a part of it."""
        machine, wire = self.kernel.machine, self.wire
        if not machine.has_power:
            return len(data)
        if wire.broken:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")
        if not wire.has_room:
            raise BlockingIOError
        taken = bytes(data[: self.kernel.part(len(data))])
        taken = taken[: wire.push(taken)]
        machine.sent(wire, taken)
        return len(taken)

    def shutdown(self, _how: int) -> None:
        if self.kernel.machine.has_power:
            self.wire.server_done = True

    def close(self) -> None:
        """Close; unread bytes reset the connection."""
        if self.descriptor == -1:
            return
        self.kernel.forget(self)
        if self.kernel.machine.has_power:
            if self.wire.arrived:
                self.wire.cut()
            self.wire.server_done = self.wire.server_closed = True

    def fileno(self) -> int:
        return self.descriptor

    def settimeout(self, _seconds: float) -> None: ...

    def setsockopt(self, _level: int, option: int, setting: int) -> None:
        """Take note of the keep-alive alone: after one idle second the kernel probes the peer."""
        if option == getattr(socket, "TCP_KEEPIDLE", None):
            self.wire.probed_ms = self.kernel.machine.world.real_ms if setting == 1 else None

    def getsockopt(self, *_: object) -> bytes:
        """Know nothing of the round trip."""
        raise OSError(errno.ENOPROTOOPT, "not here")

    def getsockname(self) -> tuple[str, int]:
        return HERE

    def wait_for(self, mask: int) -> _Waiter:
        return self._waiters[mask]

    def look(self) -> None:
        for waiter in self._waiters.values():
            waiter.look()

    def wake(self) -> None:
        for waiter in self._waiters.values():
            waiter.wake()


@define(eq=False)
class Epoll:
    """Stands for `select.epoll`."""

    _kernel: "Kernel"
    descriptor: int
    _masks: dict[int, int] = field(factory=dict)
    waiter: _Waiter = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.waiter = _Waiter(lambda: bool(self._ready()))

    def fileno(self) -> int:
        return self.descriptor

    def register(self, descriptor: int, mask: int) -> None:
        self._masks[descriptor] = mask
        self.waiter.look()

    modify = register

    def unregister(self, descriptor: int) -> None:
        del self._masks[descriptor]

    def close(self) -> None: ...

    def poll(self, _timeout: float, events_max: int) -> list[tuple[int, int]]:
        ready = self._ready()
        if len(ready) > 1:
            self._kernel.chance.shuffle(ready)
        return ready[:events_max]

    def _ready(self) -> list[tuple[int, int]]:
        if not self._kernel.machine.has_power:
            return []
        sockets = self._kernel.sockets
        found = ((number, sockets[number].events(mask)) for number, mask in self._masks.items())
        return [(number, events) for number, events in found if events]


class Kernel:
    """The sockets of one machine, from its start to its end."""

    def __init__(self, machine: "Machine") -> None:
        self.machine = machine
        self.chance = machine.world.plan.stream(f"kernel {machine.number}")
        self.sockets: dict[int, Socket] = {}
        self._epolls: list[Epoll] = []
        self._descriptor = FIRST_DESCRIPTOR
        self._partial_share = machine.world.plan.partial_share()

    def socket(self, wire: Wire) -> Socket:
        made = Socket(wire, self, self._next_descriptor())
        self.sockets[made.descriptor] = made
        self.machine.accepted(wire)
        return made

    def epoll(self) -> Epoll:
        made = Epoll(self, self._next_descriptor())
        self._epolls.append(made)
        return made

    def forget(self, closed: Socket) -> None:
        self.sockets.pop(closed.descriptor, None)
        closed.descriptor = -1

    def part(self, size: int) -> int:
        """Draw how many of these bytes the kernel takes at once."""
        is_partial = size > 1 and self.chance.random() < self._partial_share
        return self.chance.randint(1, size - 1) if is_partial else size

    def look(self) -> None:
        for epoll in self._epolls:
            epoll.waiter.look()
        if not self._epolls:  # the other reactor has tasks for each socket
            for each in list(self.sockets.values()):
                each.look()
        for listener in self.machine.listeners.values():
            listener.waiter.look()

    def waiter_of(self, thing: object) -> _Waiter:
        """Find the condition of a task that waits for this to be readable."""
        if isinstance(thing, Listener):
            return thing.waiter
        if isinstance(thing, Socket):
            return thing.wait_for(EPOLLIN)
        return next(epoll.waiter for epoll in self._epolls if epoll.descriptor == thing)

    def _next_descriptor(self) -> int:
        self._descriptor += 1
        return self._descriptor


def last_contact_of(world_ms: Callable[[], int]) -> Callable[[Any], LastContact | None]:
    """Stand in for `TCP_INFO`: a peer that the network swallows was last there when that began."""

    def last_contact(sock: Socket) -> LastContact:
        wire = sock.wire
        heard_s = (world_ms() - wire.heard_ms) / 1000
        if not wire.silent or wire.silent_since_ms is None:
            return LastContact(heard_s, 0.0, 0, 0)
        gone_s = (world_ms() - wire.silent_since_ms) / 1000
        probes = 0 if wire.probed_ms is None else (world_ms() - wire.probed_ms) // 1_000
        return LastContact(max(heard_s, gone_s), gone_s, int(bool(wire.coming)), probes)

    return last_contact


@contextmanager
def simulated(kernel_of: Callable[[], Kernel]) -> Iterator[None]:
    """Have trio and the reactors work on these kernels while this lasts."""

    async def wait_readable(thing: object) -> None:
        await kernel_of().waiter_of(thing).wait()
        if isinstance(thing, Socket) and thing.fileno() == -1:
            raise trio.ClosedResourceError

    async def wait_writable(thing: Socket) -> None:
        await thing.wait_for(EPOLLOUT).wait()
        if thing.fileno() == -1:
            raise trio.ClosedResourceError

    def notify_closing(thing: Socket) -> None:
        thing.wake()

    masks = {"EPOLLIN": EPOLLIN, "EPOLLOUT": EPOLLOUT, "EPOLLERR": EPOLLERR, "EPOLLHUP": EPOLLHUP}
    epolls = SimpleNamespace(epoll=lambda: kernel_of().epoll(), **masks)
    with ExitStack() as stack:
        for owner, name, instead in (
            (trio.lowlevel, "wait_readable", wait_readable),
            (trio.lowlevel, "wait_writable", wait_writable),
            (trio.lowlevel, "notify_closing", notify_closing),
            (epoll_reactor, "select", epolls),
        ):
            stack.enter_context(patch.object(owner, name, instead))
        yield
