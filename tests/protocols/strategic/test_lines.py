"""Bytes to lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import BrokenInput
from protocols.strategic.lines import Lines

LIMIT = 64

PIECES = st.sampled_from(
    [
        b"login ann",
        b"move 4",
        b" ",
        b"x" * 40,
        b"\xc3\xa9",
        b"\n",
        b"\r\n",
        b"\r",
        b"\r\0",
        b"\0",
        b"\xff\xfd\x01",
        b"\xff\xfb\xff",
        b"\xff\xf1",
        b"\xff\xff",
        b"\xff\xfa\x18\x00xterm\xff\xff\xff\xf0",
        b"\xff\xfa" + b"y" * 50,
        b"\xff",
    ]
)


def read(chunks, end=True, limit=LIMIT):
    """Every line, then what came instead of a line too long, if it came."""
    lines = Lines(limit)
    found = []
    for chunk in chunks:
        lines.feed(chunk)
    if end:
        lines.end()
    try:
        while (line := lines.take()) is not None:
            found.append(line)
    except BrokenInput as broken:
        found.append(broken.last_words)
    return found


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"move 4\n", [b"move 4"]),
        (b"move 4\r\n", [b"move 4"]),
        (b"move 4\r", [b"move 4"]),
        (b"move 4\r\0get\r\0", [b"move 4", b"get"]),
        (b"a\nb\r\nc\rd\r\0e\n", [b"a", b"b", b"c", b"d", b"e"]),
        (b"\n\r\n\r\r\0a\n\n", [b"a"]),
        (b"a\r\0\0b\n", [b"a", b"\0b"]),
        (b"a\0b\n", [b"a\0b"]),
        (b"   \n", [b"   "]),
        (b"unfinished", []),
    ],
)
def test_line_ends(data, expected):
    assert read([data], end=False) == expected
    assert read([data[at : at + 1] for at in range(len(data))], end=False) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff\xfb\x1f\xff\xfd\x01\xff\xfc\x22\xff\xfe\x03get\n", [b"get"]),
        (b"ge\xff\xf1t\n", [b"get"]),
        (b"\xff\xfa\x18\x00xterm\xff\xf0get\n", [b"get"]),
        (b"\xff\xfa\x18\xff\xff\xf0\n\xff\xf0get\n", [b"get"]),
        (b"\xff\xfd\xffget\n", [b"get"]),
        (b"a\xff\xffb\n", [b"a\xffb"]),
        (b"a\r\xff\xf1\0b\n", [b"a", b"b"]),
        (b"get\n\xff\xfa\x18", [b"get"]),
    ],
)
def test_telnet_is_swallowed(data, expected):
    assert read([data]) == expected
    assert read([data[at : at + 1] for at in range(len(data))]) == expected


@given(st.lists(PIECES, max_size=30), st.data())
def test_every_chunking_gives_the_same_lines(pieces, data):
    whole = b"".join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=20)))
    chunks = [whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert read(chunks) == read([whole])


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\r", b"\r\0"])
def test_a_line_over_the_limit(end):
    assert read([b"x" * LIMIT + end]) == [b"x" * LIMIT]
    assert read([b"get\n" + b"x" * (LIMIT + 1) + end + b"get\n"], end=False) == [b"get", b"ERR Payload too large\r\n"]


def test_a_negotiation_without_end_is_broken_off():
    negotiation = b"\xff\xfa" + b"x" * (LIMIT - 1)
    assert read([negotiation + b"\xff\xf0" + negotiation + b"\xff\xf0get"]) == [b"ERR Payload too large\r\n"]
    assert read([negotiation]) == []
    assert read([negotiation[:-1] + b"\xff\xf0" + negotiation[:-1] + b"\xff\xf0get"]) == [b"get"]
    assert read([negotiation + b"x"]) == [b"ERR Payload too large\r\n"]


def test_nothing_is_kept_behind_a_line_over_the_limit():
    lines = Lines(LIMIT)
    lines.feed(b"x" * (LIMIT + 1))
    lines.feed(b"get\n" * 1000)
    assert lines.pending_bytes == 0
    for _ in range(2):
        with pytest.raises(BrokenInput) as caught:
            lines.take()
        assert "64 bytes" in caught.value.why


def test_pending_bytes_are_those_of_finished_lines():
    lines = Lines(LIMIT)
    assert (bool(lines), lines.pending_bytes) == (False, 0)
    lines.feed(b"get\nmove 4\nlog")
    assert (bool(lines), lines.pending_bytes) == (True, 9)
    assert lines.take() == b"get"
    assert lines.pending_bytes == 6
    assert lines.take() == b"move 4"
    assert (lines.take(), bool(lines), lines.pending_bytes) == (None, False, 0)
    lines.end()
    assert (lines.take(), lines.take()) == (b"log", None)
