"""Takes a connection of a trusted proxy to the acceptor, under the address of the player whom it carries.

The proxy says first whose connection it is (the PROXY protocol, version 2). Nothing is known of the player before: the
connection is counted, and limited, when the header has been read. The header is not encrypted; TLS begins behind it. A
server without trusted proxies has no gate.

The admin listener takes this machine's own connections without a header too: the commands connect to it directly, also
where a proxy of this machine is trusted. It counts nobody by address, and a request there proves itself by its token.

The header's layout is section 2.2 of HAProxy's `proxy-protocol.txt`: a signature of 12 bytes, version and command,
family and transport, the length of what follows, the addresses, and then extensions (TLVs), which are skipped. It is
read in exact steps, so that no byte behind the header is taken: `missing` says how many bytes are still to be read,
`parse` what they say. Both are functions of the bytes so far, and a header that cannot become a good one is refused at
the first byte that shows it, however it is cut into pieces.
"""

import socket
from collections.abc import Callable, Sequence
from contextlib import suppress

import structlog
import trio
from attrs import define, evolve, field

from gameserver.flow_control.limits import THIS_MACHINE, TrustedProxies
from gameserver.transport import tls
from gameserver.transport.acceptor import Acceptor, Forwarded
from gameserver.transport.listener import BACKLOG, Listening, spelled

log = structlog.get_logger()

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
_VERSION_1 = b"PROXY "
FIXED_BYTES = 16  # signature, command, family and length (section 2.2)
# The specification has a header fit into the smallest TCP segment, of 536 bytes (section 2).
HEADER_BYTES_MAX = 536
_LENGTH_AT = 14
_VERSION_2 = 2
_LOCAL, _PROXY = range(2)
_FAMILIES, _TRANSPORTS = range(4), range(3)
_STREAM = 1
# Bytes of the addresses, by family: IPv4, IPv6, Unix. Two addresses and two ports, and for Unix two paths of 108 bytes.
_ADDRESS_BYTES = {1: 12, 2: 36, 3: 216}
_IP = {1: (socket.AF_INET, 4), 2: (socket.AF_INET6, 16)}
# Seconds that a proxy may take for the header. Proxies send it as soon as they connect; the rest is patience with a
# segment that is lost, and comes again after a second (RFC 6298, 2.1).
HEADER_S = 3.0
# Connections that may wait for their header at once. They count against no limit of connections yet.
WAITING_MAX = BACKLOG
# Seconds between two log lines about one proxy and one reason: the health checks of docs/haproxy.cfg come twice a
# second.
LOG_EVERY_S = 60.0
_DISCARDED_BYTES = 65_536
_HINT = (
    "have it send version 2 of the PROXY protocol (HAProxy: send-proxy-v2), or take its address out of trusted_proxies"
)
TOLD = (
    "The proxy before this server does not say whose connection this is; tell the operator to look at the server's log"
)


class BadHeader(Exception):
    """The first bytes of a trusted proxy are no header of version 2; the text says what they are, for the log.

    Empty if the proxy closed the connection before its header was complete.
    """


def entrance(
    acceptor: Acceptor, start_soon: Callable[..., None], proxies: Sequence[str]
) -> Callable[[Listening, socket.socket, str], bool]:
    """Returns the function that takes accepted sockets: that of a proxy gate, or the acceptor's own.

    Where no proxy is trusted there is no gate, and nobody pays for one. `start_soon` runs a task of the server.
    """
    return _ProxyGate(TrustedProxies(proxies), acceptor, start_soon).accepted if proxies else acceptor.accepted


@define(eq=False)
class _ProxyGate:
    """Stands in front of an acceptor. Connections that no trusted proxy makes go straight to it, whatever they send."""

    _proxies: TrustedProxies
    _acceptor: Acceptor
    _start_soon: Callable[..., None]
    _waiting: int = field(default=0, init=False)
    _is_hurried: bool = field(default=False, init=False)
    """True if an address was found to connect too fast after its connection had been accepted."""
    _told: dict[tuple[str, str], tuple[int, float]] = field(factory=dict, init=False)
    """The number of refusals since the last log line, and its time, by proxy and reason."""

    def accepted(self, listening: Listening, sock: socket.socket, address: str) -> bool:
        """Admit a connection, as `Acceptor.accepted`. A proxy's is admitted when its header has come."""
        if address not in self._proxies:
            return self._acceptor.accepted(listening, sock, address)
        head = bytearray()
        try:
            header = None if _may_be_direct(listening, address) else _read(sock, head)
        except BadHeader as refused:
            self._refuse(listening, sock, address, refused)
            return True
        if header is not None:
            return self._admit(listening, sock, address, header)
        if self._waiting >= WAITING_MAX:
            self._refuse(listening, sock, address, BadHeader(f"{WAITING_MAX} of its connections wait for a header"))
            return True
        self._waiting += 1
        self._start_soon(self._wait, listening, sock, address, head)
        # Those that come too fast are known only after their turn in `accept_forever`, which rests at the next one.
        was_hurried, self._is_hurried = self._is_hurried, False
        return not was_hurried

    async def _wait(self, listening: Listening, sock: socket.socket, address: str, head: bytearray) -> None:
        try:
            with trio.move_on_after(HEADER_S):
                header = await _awaited(listening, sock, address, head)
                self._is_hurried |= not self._admit(listening, sock, address, header)
                return
            if _may_be_direct(listening, address) and not head:
                self._acceptor.accepted(listening, sock, address)
            else:
                self._refuse(listening, sock, address, BadHeader(f"it sends no header within {HEADER_S:g} seconds"))
        except BadHeader as refused:
            self._refuse(listening, sock, address, refused)
        except trio.Cancelled:
            sock.close()
            raise
        finally:
            self._waiting -= 1

    def _admit(self, listening: Listening, sock: socket.socket, address: str, header: Forwarded | None) -> bool:
        if header is None:
            return self._acceptor.accepted(listening, sock, address)
        forwarded = evolve(header, reached=spelled(header.reached))
        return self._acceptor.accepted(listening, sock, spelled(header.source) or address, forwarded)

    def _refuse(self, listening: Listening, sock: socket.socket, address: str, refused: BadHeader) -> None:
        """Close it. A peer that can still read is told why, and the log what to configure."""
        why = str(refused)
        if not why:  # a health check that only connects
            log.debug("a proxy's connection ends before its header", address=address)
            sock.close()
            return
        self._log(address, why)
        with suppress(OSError):
            sock.recv(_DISCARDED_BYTES)  # closing with unread input would destroy the reason
        if listening.tls is not None:
            tls.refuse(sock)
        else:
            self._acceptor.turn_away(listening, sock, address, TOLD)

    def _log(self, address: str, why: str) -> None:
        now_s = trio.current_time()
        count, logged_s = self._told.get((address, why), (0, float("-inf")))
        if now_s - logged_s >= LOG_EVERY_S:
            log.warning("proxy refused", address=address, why=why, count=count + 1, hint=_HINT)
            count, logged_s = -1, now_s
        self._told[address, why] = count + 1, logged_s


def _may_be_direct(listening: Listening, address: str) -> bool:
    return address == THIS_MACHINE and not listening.protocol.is_limited


async def _awaited(listening: Listening, sock: socket.socket, address: str, head: bytearray) -> Forwarded | None:
    """The header, None if a connection of this machine has none. Raises `BadHeader`."""
    if _may_be_direct(listening, address):
        await trio.lowlevel.wait_readable(sock)
        with suppress(OSError):  # the next read meets it too
            if not SIGNATURE.startswith(sock.recv(1, socket.MSG_PEEK)):  # neither HTTP nor TLS begins like a header
                return None
    while (header := _read(sock, head)) is None:
        await trio.lowlevel.wait_readable(sock)
    return header


def _read(sock: socket.socket, head: bytearray) -> Forwarded | None:
    """Read what there is of a header, and not a byte more; None while there is not all of it."""
    while wanted := missing(head):
        try:
            data = sock.recv(wanted)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            raise BadHeader("") from None
        if not data:
            raise BadHeader("")
        head += data
    return parse(head)


def missing(head: bytes | bytearray) -> int:
    """The number of bytes that a trusted proxy's header still lacks before the gate knows whom it carries.

    Raises `BadHeader`.
    """
    start = bytes(head[: len(SIGNATURE)])
    if not SIGNATURE.startswith(start):
        if _VERSION_1.startswith(start[: len(_VERSION_1)]):
            if len(start) < len(_VERSION_1):
                return FIXED_BYTES - len(head)
            raise BadHeader("it sends version 1 of the PROXY protocol")
        raise BadHeader("it sends no header of the PROXY protocol")
    if len(head) > len(SIGNATURE):
        version, command = divmod(head[12], 16)
        if version != _VERSION_2 or command not in (_LOCAL, _PROXY):
            raise BadHeader(f"its header has version {version} and command {command}")
        if command == _PROXY and len(head) > len(SIGNATURE) + 1:
            _check_kind(*divmod(head[13], 16))
    if len(head) < FIXED_BYTES:
        return FIXED_BYTES - len(head)
    length = int.from_bytes(head[_LENGTH_AT:FIXED_BYTES])
    if FIXED_BYTES + length > HEADER_BYTES_MAX:
        raise BadHeader(f"its header is longer than {HEADER_BYTES_MAX} bytes")
    if head[12] & 15 == _PROXY and length < _ADDRESS_BYTES.get(head[13] >> 4, 0):
        raise BadHeader("its header is too short for the addresses in it")
    return max(0, FIXED_BYTES + length - len(head))


def parse(head: bytes | bytearray) -> Forwarded:
    """Read a proxy's complete header. Raises `BadHeader`.

    Unix sockets and datagrams are treated like an unknown family, as the specification permits.
    """
    if missing(head):
        raise BadHeader("its header is incomplete")
    if head[12] & 15 == _LOCAL:  # its addresses say nothing (section 2.2)
        return Forwarded(is_local=True)
    family, transport = divmod(head[13], 16)
    if family not in _IP or transport != _STREAM:
        return Forwarded()
    kind, size = _IP[family]
    source, reached = (bytes(head[start : start + size]) for start in (FIXED_BYTES, FIXED_BYTES + size))
    return Forwarded(socket.inet_ntop(kind, source), socket.inet_ntop(kind, reached))


def _check_kind(family: int, transport: int) -> None:
    if family not in _FAMILIES or transport not in _TRANSPORTS:
        raise BadHeader(f"its header has family {family} and transport {transport}")
