"""Headers of the PROXY protocol, as a proxy writes them."""

import struct
from ipaddress import ip_address

SIGNATURE = bytes.fromhex("0d0a0d0a000d0a515549540a")


def header(source: str, reached: str = "", *, tlvs: bytes = b"", kind: int | None = None) -> bytes:
    """The header of a connection over TCP from one address to another of the same family."""
    reached = reached or ("2001:db8::1" if ":" in source else "198.51.100.1")
    addresses = ip_address(source).packed + ip_address(reached).packed
    if kind is None:
        kind = 0x11 if len(addresses) == 8 else 0x21
    block = addresses + struct.pack("!HH", 40_000, 7789) + tlvs
    return SIGNATURE + bytes((0x21, kind)) + struct.pack("!H", len(block)) + block


def local() -> bytes:
    """The header of a connection of the proxy's own."""
    return SIGNATURE + b"\x20\x00\x00\x00"
