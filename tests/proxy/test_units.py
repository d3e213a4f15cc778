"""Bytes are read as lines, messages and HTTP, however they are cut, and none is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from gameserver.proxy.faults import Direction
from gameserver.proxy.units import Conversation, Unit, UnitForm, framed, without_extensions

CLIENT, SERVER = Direction.TO_CLIENT, Direction.TO_SERVER
UPGRADE = b"GET /play HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"
JOIN = b'POST /api/matches/join HTTP/1.1\r\nContent-Length: 7\r\n\r\n{"a":1}'
JOINED = b'HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{"id":1}'
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"


def forms(units: list[Unit]) -> list[tuple[UnitForm, bytes]]:
    return [(unit.form, unit.content) for unit in units]


@given(st.data())
def test_units_do_not_depend_on_how_bytes_are_cut(data: st.DataObject) -> None:
    said = {
        SERVER: JOIN + UPGRADE + framed(b"hello", SERVER) + framed(b"again " * 30, SERVER),
        CLIENT: JOINED + SWITCHED + framed(b"{}", CLIENT) + Frame(Opcode.PING, b"p").serialize(mask=False),
    }
    handshake = {SERVER: len(JOIN + UPGRADE), CLIENT: len(JOINED + SWITCHED)}
    whole, cut = Conversation(), Conversation()
    expected: dict[Direction, list[Unit]] = {SERVER: [], CLIENT: []}
    found: dict[Direction, list[Unit]] = {SERVER: [], CLIENT: []}
    for first in (True, False):
        for direction in (SERVER, CLIENT):
            at = handshake[direction]
            part = said[direction][:at] if first else said[direction][at:]
            expected[direction] += whole.read(direction, part)
            cuts = sorted(data.draw(st.sets(st.integers(0, len(part)), max_size=8)))
            for start, end in zip([0, *cuts], [*cuts, len(part)], strict=True):
                found[direction] += cut.read(direction, part[start:end])
    assert found == expected
    assert {d: b"".join(unit.raw for unit in units) for d, units in found.items()} == said
    assert forms(found[SERVER])[-2:] == [(UnitForm.MESSAGE, b"hello"), (UnitForm.MESSAGE, b"again " * 30)]
    assert forms(found[CLIENT])[-2:] == [(UnitForm.MESSAGE, b"{}"), (UnitForm.CONTROL, b"p")]


@given(st.lists(st.binary(max_size=40)))
def test_no_byte_of_anything_is_lost(reads: list[bytes]) -> None:
    for direction in Direction:
        conversation = Conversation()
        units = [unit for data in reads for unit in conversation.read(direction, data)]
        assert b"".join(unit.raw for unit in units) + conversation.rest(direction) == b"".join(reads)


def test_lines_have_their_ends() -> None:
    conversation = Conversation()
    assert forms(conversation.read(CLIENT, b"OK\r\nSVR GA")) == [(UnitForm.LINE, b"OK\r\n")]
    assert conversation.unfinished(CLIENT) == b"SVR GA"
    assert forms(conversation.read(CLIENT, b"ME\n")) == [(UnitForm.LINE, b"SVR GAME\n")]
    assert conversation.has_units


def test_an_injected_line_ends_as_the_others_do() -> None:
    conversation = Conversation()
    assert conversation.framed(CLIENT, b"SVR X") == b"SVR X\n"
    conversation.read(CLIENT, b"OK\r\n")
    assert conversation.framed(CLIENT, b"SVR X") == b"SVR X\r\n"
    assert conversation.framed(CLIENT, b"SVR X\n") == b"SVR X\n"


def test_fragments_are_one_message_and_control_frames_pass_between_them() -> None:
    conversation = Conversation()
    conversation.read(CLIENT, SWITCHED)
    parts = [Frame(Opcode.TEXT, b"one ", fin=False), Frame(Opcode.PING, b""), Frame(Opcode.CONT, b"two")]
    units = conversation.read(CLIENT, b"".join(part.serialize(mask=False) for part in parts))
    assert forms(units) == [(UnitForm.CONTROL, b""), (UnitForm.MESSAGE, b"one two")]
    assert conversation.framed(CLIENT, b"x") == Frame(Opcode.TEXT, b"x").serialize(mask=False)


def test_compressed_messages_and_tls_are_bytes() -> None:
    conversation = Conversation()
    conversation.read(CLIENT, SWITCHED)
    compressed = bytes([0xC1, 3]) + b"abc"
    assert forms(conversation.read(CLIENT, compressed)) == [(UnitForm.BYTES, b"abc")]
    hello = bytes([0x16, 3, 1, 0, 2, 1, 0])
    assert forms(Conversation().read(SERVER, hello)) == [(UnitForm.BYTES, hello)]


def test_bodies_of_chunks_are_read() -> None:
    units = Conversation().read(CLIENT, CHUNKED + JOINED)
    assert [content for form, content in forms(units) if form is UnitForm.BODY] == [b"hello", b"", b'{"id":1}']


def test_refused_upgrade_goes_on_with_http() -> None:
    conversation = Conversation()
    conversation.read(SERVER, UPGRADE)
    conversation.read(CLIENT, b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n")
    assert [form for form, _ in forms(conversation.read(SERVER, JOIN))] == [UnitForm.HEAD, UnitForm.BODY]
    assert not conversation.has_units


@pytest.mark.parametrize("name", [b"Sec-WebSocket-Extensions", b"sec-websocket-extensions"])
def test_offer_of_compression_is_removed(name: bytes) -> None:
    head = UPGRADE.replace(b"Sec-WebSocket-Extensions", name)
    assert without_extensions(head) == b"GET /play HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n"
