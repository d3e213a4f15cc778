"""Bytes to lines, with every parameter: what ends a line, telnet, the byte order mark, the limit."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import BrokenInput
from protocols.lines import LineEnds, LineReader
from tests.support.tables import table

LIMIT = 64

LAST_WORDS = b"too long\n"

BOM = b"\xef\xbb\xbf"

LONGEST = b"x" * LIMIT

lf_reader = partial(LineReader, LIMIT, skip_bom=True, too_long=LAST_WORDS)
"""As for protocols of programs."""

telnet_reader = partial(LineReader, LIMIT, ends=LineEnds.ANY, telnet=True, too_long=LAST_WORDS)
"""As for protocols that people type."""


def read(reader, chunks, end=True):
    """Every line, then what came instead of a line too long, if it came."""
    found = []
    told = sum(reader.feed(chunk) for chunk in chunks)
    if end:
        told += reader.end()
    assert told == len(reader)
    try:
        while (line := reader.take()) is not None:
            found.append(line)
    except BrokenInput as broken:
        found.append(broken.last_words)
    assert bool(reader) is reader.is_broken is (found[-1:] == [LAST_WORDS])
    assert (len(reader), reader.pending_bytes) == (0, 0)
    return found


def byte_by_byte(data):
    return [data[at : at + 1] for at in range(len(data))]


def bytes_of(text):
    return text.encode("latin-1").replace(b"LONGEST", LONGEST).replace(b"BOM", BOM)


@pytest.mark.parametrize(("kind", "data", "expected"), table(__file__, "line ends, bytes, and the lines that are read"))
def test_lines_are_read_whole_or_byte_by_byte(kind, data, expected):
    reader, end = lf_reader if kind == "lf" else telnet_reader, kind != "any, unended"
    for chunks in ([bytes_of(data)], byte_by_byte(bytes_of(data))):
        found = (b"too long" if line == LAST_WORDS else line for line in read(reader(), chunks, end=end))
        assert b"".join(b"<%s>" % line for line in found) == bytes_of(expected)


def test_telnet_bytes_and_byte_order_mark_are_text_unless_filtered():
    data = BOM + b"a\xff\xf1b"
    assert read(LineReader(LIMIT), [data]) == [data]


PIECES = st.sampled_from(
    [
        *(b"login ann", b"move 4", b"{}", b"x" * 40, b"\xc3\xa9", b" ", b""),
        *(b"\n", b"\r\n", b"\r", b"\r\0", b"\0"),
        *(BOM, BOM[:1], BOM[1:]),
        *(b"\xff\xfd\x01", b"\xff\xfb\xff", b"\xff\xf1", b"\xff\xff", b"\xff"),
        *(b"\xff\xfa\x18\x00xterm\xff\xff\xff\xf0", b"\xff\xfa" + b"y" * 50),
    ]
)

PARAMETERS = st.fixed_dictionaries(
    {"ends": st.sampled_from(LineEnds), "telnet": st.booleans(), "skip_bom": st.booleans()}
)


@given(PARAMETERS, st.lists(PIECES, max_size=30), st.data())
def test_every_chunking_gives_the_same_lines(parameters, pieces, data):
    whole = b"".join(pieces)
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=20)))
    chunks = [whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]

    def lines(chunks, end):
        return read(LineReader(LIMIT, too_long=LAST_WORDS, **parameters), chunks, end)

    for end in (True, False):
        assert lines(chunks, end) == lines([whole], end)
        assert lines(byte_by_byte(whole), end) == lines([whole], end)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\r", b"\r\0"])
def test_a_line_over_the_limit(end):
    assert read(telnet_reader(), [LONGEST + end]) == [LONGEST]
    assert read(telnet_reader(), [b"get\n" + LONGEST + b"x" + end + b"get\n"], end=False) == [b"get", LAST_WORDS]


def test_a_negotiation_without_end_is_broken_off():
    negotiation = b"\xff\xfa" + b"x" * (LIMIT - 1)
    end = b"\xff\xf0"
    assert read(telnet_reader(), [negotiation + end + negotiation + end + b"get"]) == [LAST_WORDS]
    assert read(telnet_reader(), [negotiation]) == []
    assert read(telnet_reader(), [negotiation[:-1] + end + negotiation[:-1] + end + b"get"]) == [b"get"]
    assert read(telnet_reader(), [negotiation + b"x"]) == [LAST_WORDS]


@pytest.mark.parametrize("make_reader", [lf_reader, telnet_reader])
def test_overlong_line_is_refused_before_its_end_and_the_rest_is_dropped(make_reader):
    reader = make_reader()
    reader.feed(LONGEST + b"x")
    reader.feed(b"get\n" * 1000)
    reader.end()
    assert (len(reader), bool(reader), reader.pending_bytes) == (0, True, 0)
    for _ in range(2):
        with pytest.raises(BrokenInput, match="more than 64 bytes") as caught:
            reader.take()
        assert caught.value.last_words == LAST_WORDS


def test_pending_bytes_are_those_of_finished_lines():
    reader = telnet_reader()
    assert (bool(reader), reader.pending_bytes) == (False, 0)
    reader.feed(b"get\nmove 4\r\nlog")
    assert (bool(reader), reader.pending_bytes) == (True, 9)
    assert reader.take() == b"get"
    assert reader.pending_bytes == 6
    assert reader.take() == b"move 4"
    assert (reader.take(), bool(reader), reader.pending_bytes) == (None, False, 0)
    reader.end()
    assert (reader.take(), reader.take()) == (b"log", None)
