"""The log of a proxy: what people read of a conversation."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Close, Frame, Opcode

from gameserver.proxy.faults import Direction
from gameserver.proxy.lane import Piece
from gameserver.proxy.relay import Crossing, Incident, Kind
from gameserver.proxy.trace import Tally, WireTrace
from gameserver.proxy.units import framed
from protocols.strategic import PROTOCOL as STRATEGIC
from tests.proxy.test_units import CHUNKED, JOIN, SWITCHED, UPGRADE

CLIENT, SERVER = Direction.TO_CLIENT, Direction.TO_SERVER
MOVE = framed(b'{"do":"move"}', SERVER)
NAMED = {
    "JOIN": JOIN,
    "UPGRADE": UPGRADE,
    "CHUNKED": CHUNKED,
    "SWITCHED": SWITCHED,
    "MOVE": MOVE,
    "MOVE_BEGUN": MOVE[:7],
    "MOVE_ENDED": MOVE[7:],
    "TOKEN": framed(b'{"token":"abc"}', SERVER),
    "PING": Frame(Opcode.PING, b"").serialize(mask=False),
    "PAGE": b"<p>\n" * 22,
    "ZEROS": bytes(512),
    "GOING": Frame(Opcode.CLOSE, Close(1001, "going").serialize()).serialize(mask=False),
}
TEXT = (Path(__file__).parent / "trace.txt").read_text("utf-8")
CONVERSATIONS = {title: list(filter(None, lines)) for title, *lines in map(str.splitlines, TEXT.split("\n# ")[1:])}
LINE = re.compile(r"([\d.]+) (client>|server>|\w+) ?(.*?)( \(cut\))?(?: \(late (\d+)\))?")


def trace() -> WireTrace:
    return WireTrace(lambda at_us: f"{at_us / 1_000_000:.6f}", STRATEGIC.secrets)


def said(tested: WireTrace, towards: Direction, *sends: bytes, at_us: int = 0) -> list[str]:
    """The lines for these sends, a millisecond apart."""
    times = range(at_us, at_us + 1_000 * len(sends), 1_000)
    crossings = [Crossing(1, towards, at, Piece(data, at)) for at, data in zip(times, sends, strict=True)]
    return [line for crossing in crossings for line in tested.crossing(crossing)]


def happens(tested: WireTrace, line: str) -> list[str]:
    """The log's lines for a line of the conversation."""
    found = LINE.fullmatch(line)
    assert found is not None, line
    at_s, what, text, is_cut, late_us = found.groups()
    at_us = round(float(at_s) * 1_000_000)
    match what:
        case "passes":
            return tested.tick(at_us)
        case "closed" | "dropped":
            return tested.incident(Incident(int(what == "closed"), Kind(what), at_us, what))
    data = text.encode().decode("unicode_escape").encode()
    data = re.sub(rb"\{(\w+)\}", lambda name: NAMED[name[1].decode()], data)
    came_us = at_us - int(late_us or 0)
    towards = SERVER if what == "client>" else CLIENT
    return tested.crossing(Crossing(1, towards, at_us, Piece(data, came_us, is_cut=bool(is_cut))))


@pytest.mark.parametrize("title", CONVERSATIONS)
def test_conversation_is_shown_as_written(title: str) -> None:
    tested, shown = trace(), []
    for line in CONVERSATIONS[title]:
        if not line.startswith("= "):
            shown += [line, *(f"= {each}" for each in happens(tested, line))]
    assert shown == CONVERSATIONS[title]


def test_long_lines_are_cut() -> None:
    (line,) = said(trace(), CLIENT, b"x" * 3_000 + b"\n")
    assert line.endswith("xxx ... and 1,000 characters more")


@given(st.lists(st.binary(min_size=1, max_size=30), min_size=1), st.integers(0, 2_000))
def test_nothing_that_comes_can_do_anything_to_a_terminal(sends: list[bytes], at_us: int) -> None:
    tested = trace()
    lines = [line for direction in Direction for line in said(tested, direction, *sends, at_us=at_us)]
    lines += tested.tick(10_000_000)
    assert all(line.isprintable() for line in lines)


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


@pytest.mark.parametrize(
    ("crossings", "summary"),
    [
        ([], ["0 connections", "to the server: 0 bytes, 0 sends", "to the client: 0 bytes, 0 sends"]),
        (
            [
                Crossing(1, CLIENT, 300_000, Piece(b"OK", 100_000, is_cut=True)),
                Crossing(1, CLIENT, 400_000, Piece(b"\n", 100_000, joined=2)),
                Crossing(1, SERVER, 400_000, Piece(b"x\n", 400_000)),
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
