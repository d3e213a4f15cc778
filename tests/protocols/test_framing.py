"""Bytes to lines that end in LF."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import BrokenInput
from protocols.framing import Lines

LIMIT = 16
LAST_WORDS = b"too long\n"
BOM = b"\xef\xbb\xbf"


def read(chunks, end=True):
    """Every line, then what came instead of a line too long, if it came."""
    lines = Lines(LIMIT, LAST_WORDS)
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
    else:
        assert lines.pending_bytes == 0
    return found


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a\n", [b"a"]),
        (b"a\r\nb\n", [b"a", b"b"]),
        (b"\n\r\n", [b"", b""]),
        (b"a\rb\r\r\n", [b"a\rb\r"]),
        (b"unfinished", [b"unfinished"]),
        (b"a\n\r", [b"a", b""]),
        (BOM + b"a\n" + BOM + b"b\n", [b"a", BOM + b"b"]),
        (BOM + BOM + b"a\n", [BOM + b"a"]),
        (BOM, []),
        (BOM[:2], [BOM[:2]]),
        (BOM[:2] + b"\n", [BOM[:2]]),
        (b"x" * LIMIT + b"\r\n", [b"x" * LIMIT]),
        (b"x" * LIMIT, [b"x" * LIMIT]),
        (BOM + b"x" * LIMIT, [b"x" * LIMIT]),
        (b"a\n" + b"x" * LIMIT + b"y\nb\n", [b"a", LAST_WORDS]),
        (b"x" * LIMIT + b"\r\r\n", [LAST_WORDS]),
    ],
)
def test_lines(data, expected):
    assert read([data]) == expected
    assert read([data[at : at + 1] for at in range(len(data))]) == expected


def test_an_unfinished_line_is_none_before_the_end():
    assert read([b"a\nb"], end=False) == [b"a"]


def test_a_line_too_long_is_refused_before_its_end_and_nothing_is_kept_behind_it():
    lines = Lines(LIMIT, LAST_WORDS)
    lines.feed(b"x" * (LIMIT + 1))
    lines.feed(b"get\n" * 1000)
    lines.end()
    assert (len(lines), bool(lines), lines.pending_bytes) == (0, True, 0)
    for _ in range(2):
        with pytest.raises(BrokenInput, match="more than 16 bytes") as caught:
            lines.take()
        assert caught.value.last_words == LAST_WORDS


def test_empty_lines_count_as_pending():
    lines = Lines(LIMIT, LAST_WORDS)
    lines.feed(b"\n" * 1000 + b"un")
    assert (len(lines), lines.pending_bytes) == (1000, 1000)
    lines.take()
    assert lines.pending_bytes == 999


PIECES = st.sampled_from([BOM, BOM[:1], b"\xbb\xbf", b"{}", b"\n", b"\r\n", b"\r", b"", b"x" * 9])


@given(st.lists(PIECES, max_size=20), st.data())
def test_every_chunking_gives_the_same_lines(pieces, data):
    whole = b"".join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=20)))
    chunks = [whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    assert read(chunks) == read([whole])
    assert read([whole[at : at + 1] for at in range(len(whole))]) == read([whole])
