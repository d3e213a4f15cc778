"""The header of the PROXY protocol: read in any pieces, and refused whatever is wrong with it."""

import socket
import struct

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gameserver.transport.acceptor import Forwarded
from gameserver.transport.proxy_gate import FIXED_BYTES, HEADER_BYTES_MAX, SIGNATURE, BadHeader, missing, parse
from tests.support.proxies import header, local

V4 = header("192.0.2.7", "198.51.100.1")
V6 = header("2001:db8::7", "2001:db8::1")
UNIX = (
    SIGNATURE
    + b"\x21\x31"
    + struct.pack("!H", 216)
    + b"/run/client".ljust(108, b"\0")
    + b"/run/proxy".ljust(108, b"\0")
)
UNKNOWN = SIGNATURE + b"\x21\x00\x00\x00"
GOOD = [
    (V4, Forwarded("192.0.2.7", "198.51.100.1")),
    (V6, Forwarded("2001:db8::7", "2001:db8::1")),
    (header("192.0.2.7", "198.51.100.1", tlvs=b"\x04\x00\x03abc"), Forwarded("192.0.2.7", "198.51.100.1")),
    (header("192.0.2.7", "198.51.100.1", kind=0x12), Forwarded()),
    (UNIX, Forwarded()),
    (UNKNOWN, Forwarded()),
    (local(), Forwarded(is_local=True)),
    (SIGNATURE + b"\x20\xff\x00\x05hello", Forwarded(is_local=True)),
    (header("192.0.2.7", "198.51.100.1", tlvs=bytes(HEADER_BYTES_MAX - 28)), Forwarded("192.0.2.7", "198.51.100.1")),
]
BAD = [
    (b"PROXY TCP4 192.0.2.7 198.51.100.1 5 6\r\n", "version 1"),
    (b"PROXY UNKNOWN\r\n", "version 1"),
    (b"POST /api HTTP/1.1\r\n\r\n", "no header"),
    (b"login ann\r\n", "no header"),
    (b"\r\nlogin ann\r\n", "no header"),
    (SIGNATURE + b"\x11\x11\x00\x0c" + bytes(12), "version 1 and command 1"),
    (SIGNATURE + b"\x22\x11\x00\x0c" + bytes(12), "version 2 and command 2"),
    (SIGNATURE + b"\x21\x41\x00\x0c" + bytes(12), "family 4 and transport 1"),
    (SIGNATURE + b"\x21\x13\x00\x0c" + bytes(12), "family 1 and transport 3"),
    (SIGNATURE + b"\x21\x11\x00\x0b" + bytes(11), "too short"),
    (SIGNATURE + b"\x21\x21\x00\x0c" + bytes(12), "too short"),
    (SIGNATURE + b"\x21\x31\x00\xd7" + bytes(215), "too short"),
    (header("192.0.2.7", "198.51.100.1", tlvs=bytes(HEADER_BYTES_MAX - 27)), "longer than 536"),
    (SIGNATURE + b"\x20\x00\xff\xff", "longer than 536"),
]


def read(data: bytes, sizes: list[int]) -> tuple[Forwarded | str, bytes]:
    """The header out of bytes in pieces of these sizes, or the reason of its refusal; and the bytes behind it."""
    head = bytearray()
    while True:
        try:
            wanted = missing(head)
            if wanted == 0:
                return parse(head), data
        except BadHeader as refused:
            return str(refused), data
        if not data:
            return "incomplete", data
        size = min(wanted, sizes.pop() if sizes else wanted)
        head += data[:size]
        data = data[size:]


SIZES = st.lists(st.integers(1, 40), max_size=60)


@pytest.mark.parametrize(("data", "expected"), GOOD)
@given(sizes=SIZES, behind=st.binary(max_size=40))
def test_header_is_read_in_any_pieces_and_not_a_byte_more(
    data: bytes, expected: Forwarded, sizes: list[int], behind: bytes
) -> None:
    assert read(data + behind, sizes) == (expected, behind)


@pytest.mark.parametrize(("data", "why"), BAD)
@given(sizes=SIZES)
def test_bad_header_is_refused_for_the_same_reason_in_any_pieces(data: bytes, why: str, sizes: list[int]) -> None:
    said, _ = read(data, sizes)
    assert why in str(said)


@pytest.mark.parametrize("data", [data for data, _ in GOOD])
def test_truncated_header_is_never_taken(data: bytes) -> None:
    for length in range(len(data)):
        assert read(data[:length], [])[0] == "incomplete"
        with pytest.raises(BadHeader, match="incomplete"):
            parse(data[:length])


@given(data=st.binary(max_size=600) | st.binary(max_size=600).map(lambda rest: SIGNATURE + rest), sizes=SIZES)
@example(data=SIGNATURE + b"\x21\x11", sizes=[])
def test_garbage_gives_a_header_or_a_reason(data: bytes, sizes: list[int]) -> None:
    in_pieces, _ = read(data, sizes)
    at_once, left = read(data, [])
    assert in_pieces == at_once
    assert isinstance(at_once, str) or FIXED_BYTES <= len(data) - len(left) <= HEADER_BYTES_MAX


@given(source=st.ip_addresses(), reached=st.ip_addresses())
def test_addresses_are_read_as_they_were_meant(source, reached) -> None:
    if source.version != reached.version:
        reached = source
    said, _ = read(header(str(source), str(reached)), [])
    kind = socket.AF_INET if source.version == 4 else socket.AF_INET6
    assert socket.inet_pton(kind, said.source) == source.packed
    assert socket.inet_pton(kind, said.reached) == reached.packed
