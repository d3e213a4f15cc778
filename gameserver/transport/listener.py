"""Accepts connections on listening sockets: binds their addresses, accepts, and tunes what was accepted."""

import errno
import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any

import psutil
import structlog
import trio

from gameserver.flow_control.fair_scheduler import SHARES, CommitGate
from gameserver.protocol import WireProtocol
from gameserver.transport import liveness
from gameserver.values import value

# Connections that wait in the kernel, such as while a server reads its journal. Judgement; the kernel caps it at
# net.core.somaxconn, 4096 since Linux 5.4.
BACKLOG = 1024
_NEWCOMERS = SHARES["newcomers"]
# Without a socket to spare, wait_readable returns at once: this pause keeps the loop from spinning.
_EXHAUSTED_PAUSE_S = 0.1
_EXHAUSTED_LOG_EVERY_S = 60.0
# Out of descriptors, for the process or the system, or out of memory; Windows has names of its own.
_NAMES = ("EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "WSAEMFILE", "WSAENOBUFS")
_EXHAUSTED = frozenset(number for name in _NAMES if (number := getattr(errno, name, None)) is not None)

log = structlog.get_logger()


class ListenError(Exception):
    """An address cannot be listened on; the text names it and the reason."""

    is_in_use = False
    """True if another program listens there, which may stop to."""


@value
class Address:
    """An address to listen on, as a setting has it. The host `*` means every address of the machine, IPv4 and IPv6."""

    host: str
    port: int
    tls: bool = False

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'tls://' if self.tls else ''}{host}:{self.port}"


@value
class Listening:
    """A protocol on its listening sockets, with its profile and options."""

    protocol: WireProtocol
    sockets: tuple[socket.socket, ...]
    profile: str
    options: Any
    tls: ssl.SSLContext | None = None
    """Set where its connections are encrypted."""

    @property
    def needs_time(self) -> bool:
        """True if the protocol of these listening sockets has something to prepare."""
        return type(self.protocol).prepare is not WireProtocol.prepare


def network_address() -> str:
    """The address at which others in its network find this machine, for one that listens everywhere; else 127.0.0.1."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        # Sends nothing: the system only chooses the interface, as for any network but its own (RFC 5737).
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    # A classroom may have a network of its own, without a way out.
    up = {name for name, one in psutil.net_if_stats().items() if one.isup}
    of_interfaces = (each for name, each in psutil.net_if_addrs().items() if name in up)
    addresses = [one.address for each in of_interfaces for one in each if one.family == socket.AF_INET]
    return next((one for one in addresses if not one.startswith("127.")), "127.0.0.1")


def open_listeners(address: Address, *, listens: bool = True) -> list[socket.socket]:
    """Open the listening sockets of an address, without blocking. Raises `ListenError`.

    A socket that does not listen finds out whether that could be: no client can connect to it.
    """
    if address.host == "*":
        return _open_everywhere(address.port, listens=listens)
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        message = f"{address.host!r} is not an address of this machine ({error.strerror or error})"
        raise ListenError(message) from error
    families = {family: sockaddr for family, _, _, _, sockaddr in found}
    return [_bound(family, sockaddr, listens=listens) for family, sockaddr in families.items()]


def _open_everywhere(port: int, *, listens: bool) -> list[socket.socket]:
    """One socket for both families where the machine has IPv6, else one for IPv4."""
    try:
        # A socket can be made where IPv6 is switched off by sysctl, too; only binding tells.
        probe = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        with probe:
            probe.bind(("::1", 0))
    except OSError:
        everywhere = ("0.0.0.0", port)  # noqa: S104 - a class connects from other machines
        return [_bound(socket.AF_INET, everywhere, listens=listens)]
    return [_bound(socket.AF_INET6, ("::", port), listens=listens)]


def _bound(family: socket.AddressFamily, sockaddr: tuple[object, ...], *, listens: bool) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            # SO_REUSEADDR would let a second server have the same port there, and either of them the connections.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            # Else a restart would wait for the TIME_WAIT of the old connections, a minute on Linux.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            only_v6 = sockaddr[0] != "::"  # the system's default differs: Windows has it on, Linux off
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, only_v6)
        sock.settimeout(0)
        sock.bind(sockaddr)
        if listens:
            sock.listen(BACKLOG)
    except OSError as error:
        sock.close()
        refused = ListenError(error.strerror or str(error))
        refused.is_in_use = error.errno == errno.EADDRINUSE
        raise refused from error
    return sock


async def accept_forever(
    listener: socket.socket,
    accepted: Callable[[socket.socket, str], bool],
    commit_gate: CommitGate | None = None,
    free_a_socket: Callable[[], bool] = lambda: False,
    work_s: Callable[[], float] = perf_counter,
) -> None:
    """Waits at a bound, listening socket for ever; hands each connection to `accepted`, with the peer's host.

    `accepted` returns False where connections come too fast; then accepting rests.

    Nothing is accepted while a commit runs (`commit_gate`). Where the process is out of sockets, `free_a_socket` closes
    one that can be spared, if there is one.
    """
    logged_s = float("-inf")
    with listener:
        while True:
            await trio.lowlevel.wait_readable(listener)
            if commit_gate is not None:
                await commit_gate.passed()
            hurried, error = _accept_some(listener, accepted, work_s)
            if error is not None:
                if trio.current_time() - logged_s > _EXHAUSTED_LOG_EVERY_S:
                    log.error("cannot accept connections", why=error.strerror, hint="raise the limit of open files")
                    logged_s = trio.current_time()
                await trio.sleep(_NEWCOMERS.rest_s if free_a_socket() else _EXHAUSTED_PAUSE_S)
            elif hurried:
                await trio.sleep(_NEWCOMERS.rest_s)


def _accept_some(
    listener: socket.socket, accepted: Callable[[socket.socket, str], bool], work_s: Callable[[], float]
) -> tuple[int, OSError | None]:
    """Accept what waits in the kernel, for one slice of time.

    Returns how many came too fast, and the error if the process ran out of a resource.
    """
    hurried = 0
    end_s = work_s() + _NEWCOMERS.slice_s
    while work_s() < end_s:
        try:
            sock, sockaddr = listener.accept()
        except (BlockingIOError, InterruptedError):
            break
        except OSError as error:
            if error.errno in _EXHAUSTED:
                return hurried, error
            continue  # the peer gave up before it was accepted
        _tune(sock)
        hurried += not accepted(sock, _host(sockaddr))
    return hurried, None


def _tune(sock: socket.socket) -> None:
    sock.settimeout(0)
    with suppress(OSError):
        # Answers are written whole, and Nagle's algorithm would hold the second of two until the first is acknowledged,
        # which a delayed acknowledgement puts off by 40 ms on Linux.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    liveness.watch(sock)


def _host(sockaddr: tuple[object, ...]) -> str:
    """The peer's host, an IPv4 one always in its own notation, this machine always as 127.0.0.1."""
    return spelled(str(sockaddr[0]))


def spelled(host: str) -> str:
    """Spells a peer's IP address, as a listening socket tells it, in the one way by which limits count it."""
    if host == "::1":
        return "127.0.0.1"
    # A socket for both families tells IPv4 peers as IPv4-mapped addresses (RFC 4291, 2.5.5.2).
    return host.removeprefix("::ffff:") if host.startswith("::ffff:") and "." in host else host
