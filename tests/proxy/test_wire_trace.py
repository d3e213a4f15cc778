"""The log of a proxy: what people read of a conversation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Close, Frame, Opcode

from gameserver.proxy.crossings import Crossing, Incident, Kind
from gameserver.proxy.faults import Direction
from gameserver.proxy.tally import Tally
from gameserver.proxy.units import framed
from gameserver.proxy.wire_trace import WireTrace
from protocols.strategic import PROTOCOL as STRATEGIC
from tests.proxy.test_units import CHUNKED, JOIN, JOINED, SWITCHED, UPGRADE

CLIENT, SERVER = Direction.TO_CLIENT, Direction.TO_SERVER


def trace() -> WireTrace:
    return WireTrace(lambda at_us: f"{at_us / 1_000_000:.6f}", STRATEGIC.secrets)


def said(tested: WireTrace, direction: Direction, *sends: bytes, at_us: int = 0, late_us: int = 0) -> list[str]:
    """The lines for these sends, a millisecond apart."""
    lines = []
    for number, data in enumerate(sends):
        now_us = at_us + 1_000 * number
        lines += tested.crossing(Crossing(1, direction, now_us, data, now_us - late_us))
    return lines


def test_lines_have_their_microsecond_and_what_was_done_to_them() -> None:
    tested = trace()
    assert said(tested, SERVER, b"login ann\n", at_us=1_234_567) == ["1.234567  1 client > login ann"]
    assert said(tested, CLIENT, b"O", b"K", b"\n", at_us=2_000_000, late_us=206_601) == [
        "2.002000  1 server > OK  [206.6 ms late, in 3 pieces over 2.0 ms]"
    ]
    assert said(tested, CLIENT, b"SVR A\nSVR B\nSV", b"R C\n") == [
        "0.000000  1 server > SVR A",
        "0.000000  1 server > SVR B  [same packet]",
        "0.001000  1 server > SVR C  [in 2 pieces over 1.0 ms]",
    ]


def test_line_ends_are_told_where_they_change() -> None:
    assert said(trace(), CLIENT, b"one\r\n", b"two\r\n", b"three\n", b"four\n") == [
        "0.000000  1 server > one  [CR LF]",
        "0.001000  1 server > two",
        "0.002000  1 server > three  [LF]",
        "0.003000  1 server > four",
    ]


def test_a_line_without_an_end_is_shown_after_a_while() -> None:
    tested = trace()
    assert said(tested, SERVER, b"move 4") == []
    assert tested.tick(999_999) == []
    assert tested.tick(1_000_000) == ["0.000000  1 client > move 4  [no line end yet]"]
    assert tested.tick(9_000_000) == []
    assert said(tested, SERVER, b"2\n", b"quit\n", at_us=9_000_000) == [
        "9.000000  1 client > 2  [goes on from above]",
        "9.001000  1 client > quit",
    ]


def test_the_end_of_a_connection_shows_what_was_left_unsaid() -> None:
    tested = trace()
    said(tested, SERVER, b"forf")
    assert tested.incident(Incident(1, Kind.CLOSED, 500, "closed")) == [
        "0.000000  1 client > forf  [the connection ended here]",
        "0.000500  1 proxy  * closed",
    ]
    assert tested.incident(Incident(0, Kind.DROPPED, 600, "all connections are dropped")) == [
        "0.000600  - proxy  * all connections are dropped"
    ]


def test_messages_and_http_are_read() -> None:
    tested = trace()
    assert said(tested, SERVER, JOIN, UPGRADE) == [
        "0.000000  1 client > POST /api/matches/join HTTP/1.1",
        "0.000000  1 client >   Content-Length: 7",
        '0.000000  1 client > {"a":1}',
        "0.001000  1 client > GET /play HTTP/1.1",
        "0.001000  1 client >   Host: x",
        "0.001000  1 client >   Upgrade: websocket",
        "0.001000  1 client >   Sec-WebSocket-Extensions: permessage-deflate",
    ]
    assert said(tested, CLIENT, CHUNKED)[-1] == "0.000000  1 server > hello"
    assert len(said(tested, CLIENT, JOINED, SWITCHED)) == 5
    move = framed(b'{"do":"move"}', SERVER)
    assert said(tested, SERVER, move[:7], move[7:] + move) == [
        '0.001000  1 client > {"do":"move"}  [in 2 pieces over 1.0 ms]',
        '0.001000  1 client > {"do":"move"}  [same packet]',
    ]
    assert said(tested, CLIENT, Frame(Opcode.PING, b"").serialize(mask=False)) == ["0.000000  1 server > (ping)"]
    close = Frame(Opcode.CLOSE, Close(1001, "going").serialize()).serialize(mask=False)
    assert said(tested, CLIENT, close) == ["0.000000  1 server > (close 1001 going)"]


def test_bytes_that_are_no_text_are_counted() -> None:
    hello = bytes([0x16, 3, 1, 2, 0]) + bytes(512)
    assert said(trace(), SERVER, hello) == [
        "0.000000  1 client > (517 bytes, no text: 16 03 01 02 00 00 00 00 00 00 00 00 00 00 00 00 ...)"
    ]


def test_cut_bytes_that_are_no_text_are_counted_together() -> None:
    tested, lines = trace(), []
    for at_us, data in enumerate([b"\x16", b"\x03", b"\x01\x02"]):
        lines += tested.crossing(Crossing(1, SERVER, at_us * 1_000, data, 0, is_cut=at_us < 2))
    assert lines == ["0.002000  1 client > (4 bytes, no text: 16 03 01 02)  [in 3 pieces over 2.0 ms]"]
    assert tested.crossing(Crossing(1, SERVER, 3_000, b"\x17\x03", 3_000, is_cut=True)) == []
    assert tested.incident(Incident(1, Kind.CLOSED, 4_000, "closed"))[0] == (
        "0.003000  1 client > (2 bytes, no text: 17 03)  [the connection ended here]"
    )


@given(st.lists(st.binary(min_size=1, max_size=30), min_size=1), st.integers(0, 2_000))
def test_nothing_that_comes_can_do_anything_to_a_terminal(sends: list[bytes], at_us: int) -> None:
    tested = trace()
    lines = [line for direction in Direction for line in said(tested, direction, *sends, at_us=at_us)]
    lines += tested.tick(10_000_000)
    assert all(line.isprintable() for line in lines)


def test_long_lines_and_pages_are_cut() -> None:
    (line,) = said(trace(), CLIENT, b"x" * 3_000 + b"\n")
    assert line.endswith("xxx ... and 1,000 characters more")
    page = b"<p>\n" * 30
    lines = said(trace(), CLIENT, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(page) + page)
    assert lines[2:] == [
        "0.000000  1 server > <p>",
        *["0.000000  1 server >   <p>"] * 19,
        "0.000000  1 server >   ... and 10 lines more",
    ]


@given(st.data())
def test_secrets_are_masked_however_they_come(data: st.DataObject) -> None:
    line = b"login ann s3cr3t-Xyz\n"
    cuts = sorted(data.draw(st.sets(st.integers(1, len(line) - 1))))
    tested, lines = trace(), []
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(line)], strict=True)):
        lines += said(tested, SERVER, line[start:end], at_us=number * 2_000_000)
        lines += tested.tick(number * 2_000_000 + 1_500_000)
    assert lines[0].startswith("0.000000  1 client > l")
    assert not any("s3c" in each or "r3t" in each or "Xyz" in each for each in lines)


def test_secrets_in_requests_and_messages_are_masked() -> None:
    tested = trace()
    shown = said(tested, SERVER, b"GET /hub?access_token=abc HTTP/1.1\r\nAuthorization: Bearer abc\r\n\r\n")
    shown += said(tested, SERVER, UPGRADE)
    said(tested, CLIENT, SWITCHED)
    shown += said(tested, SERVER, framed(b'{"token":"abc"}', SERVER))
    assert not any("abc" in line for line in shown)
    assert sum("***" in line for line in shown) == 3


@pytest.mark.parametrize(
    ("crossings", "summary"),
    [
        ([], ["0 connections", "to the server: 0 bytes, 0 sends", "to the client: 0 bytes, 0 sends"]),
        (
            [
                Crossing(1, CLIENT, 300_000, b"OK", 100_000, is_cut=True),
                Crossing(1, CLIENT, 400_000, b"\n", 100_000, joined=2),
                Crossing(1, SERVER, 400_000, b"x\n", 400_000),
            ],
            [
                "0 connections",
                "to the server: 2 bytes, 1 send",
                "to the client: 3 bytes, 2 sends",
                "delayed: 2 sends, by 250.0 ms on average and 300.0 ms at most",
                "cut: in 1 place",
                "joined: 2 reads to the one before",
            ],
        ),
    ],
)
def test_the_summary_counts(crossings: list[Crossing], summary: list[str]) -> None:
    tally = Tally()
    for crossing in crossings:
        tally.crossing(crossing)
    assert tally.lines() == summary


def test_the_summary_counts_connections_and_faults() -> None:
    tally = Tally()
    for kind in (Kind.OPENED, Kind.RESET, Kind.RESET, Kind.NOT_REACHED):
        tally.incident(Incident(1, kind, 0, ""))
    assert [tally.lines()[0], *tally.lines()[3:]] == [
        "1 connection",
        "connections that were reset: 2",
        "connections for which the server did not answer: 1",
    ]
