"""Reads the header in which a proxy says whose connection it passes on: the PROXY protocol, version 2.

The layout is section 2.2 of HAProxy's `proxy-protocol.txt`: a signature of 12 bytes, version and command, family and
transport, the length of what follows, the addresses, and then extensions (TLVs), which are skipped. It is read in exact
steps, so that no byte behind the header is taken: `missing` says how many bytes are still to be read, `parse` what they
say. Both are functions of the bytes so far, and a header that cannot become a good one is refused at the first byte
that shows it, however it is cut into pieces.
"""

import socket

from gameserver.values import value

SIGNATURE = b"\r\n\r\n\0\r\nQUIT\n"
VERSION_1 = b"PROXY "
FIXED_BYTES = 16
"""Bytes before the addresses."""
HEADER_BYTES_MAX = 536
"""The longest header that is read. The specification has them fit into the smallest TCP segment, of 536 bytes."""
_LENGTH_AT = 14
_VERSION_2 = 2
_LOCAL, _PROXY = range(2)
_FAMILIES, _TRANSPORTS = range(4), range(3)
_STREAM = 1
_ADDRESS_BYTES = {1: 12, 2: 36, 3: 216}
"""Bytes of the addresses, by family: IPv4, IPv6, Unix."""
_IP = {1: (socket.AF_INET, 4), 2: (socket.AF_INET6, 16)}


class BadHeader(Exception):
    """The first bytes of a proxy are no header of version 2; the text says what they are, for the log."""


@value
class ProxyHeader:
    """The proxy's word on a connection that it passes on."""

    source: str = ""
    """The address of the player; empty if the proxy does not say, or says one that is no IP address."""
    reached: str = ""
    """The address of the proxy that the player connected to; empty likewise."""
    is_local: bool = False
    """True for a connection of the proxy's own, such as a health check."""


def missing(head: bytes | bytearray) -> int:
    """The bytes that have to follow these before the header is complete. Raises `BadHeader`."""
    start = bytes(head[: len(SIGNATURE)])
    if not SIGNATURE.startswith(start):
        if VERSION_1.startswith(start[: len(VERSION_1)]):
            if len(start) < len(VERSION_1):
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


def parse(head: bytes | bytearray) -> ProxyHeader:
    """Read a complete header. Raises `BadHeader`.

    Unix sockets and datagrams are treated like an unknown family, as the specification permits.
    """
    if missing(head):
        raise BadHeader("its header is incomplete")
    if head[12] & 15 == _LOCAL:
        return ProxyHeader(is_local=True)
    family, transport = divmod(head[13], 16)
    if family not in _IP or transport != _STREAM:
        return ProxyHeader()
    kind, size = _IP[family]
    source, reached = (bytes(head[start : start + size]) for start in (FIXED_BYTES, FIXED_BYTES + size))
    return ProxyHeader(socket.inet_ntop(kind, source), socket.inet_ntop(kind, reached))


def _check_kind(family: int, transport: int) -> None:
    if family not in _FAMILIES or transport not in _TRANSPORTS:
        raise BadHeader(f"its header has family {family} and transport {transport}")
