"""Whatever the faults, a lane loses no byte, invents none and keeps their order."""

from random import Random

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from gameserver.proxy.faults import Faults, Split
from gameserver.proxy.lane import SPLIT_GAP_US, Lane, Piece

LINE = b'SVR GAME MATCH {PLAYERTOMOVE: "ann", GAMETYPE: "Reversi", OPPONENT: "bob"}\n'


def lane(faults: Faults = Faults(), seed: int = 1) -> Lane:  # noqa: B008 - a frozen value
    return Lane(faults, Random(seed))


def drain(lane: Lane) -> list[tuple[int, Piece]]:
    """Take everything, each piece at the time at which it is due."""
    taken = []
    while (due_us := lane.due()) is not None and not lane.is_over(due_us):
        pieces = lane.take(due_us)
        assert pieces, "something was due, and nothing could be taken"
        taken += [(due_us, piece) for piece in pieces]
    return taken


def sent(lane: Lane) -> list[tuple[int, bytes]]:
    return [(at_us, piece.data) for at_us, piece in drain(lane)]


ALL_FAULTS = st.builds(
    Faults,
    delay_us=st.integers(0, 500_000),
    jitter_us=st.integers(0, 500_000),
    split=st.sampled_from(Split),
    coalesce_us=st.sampled_from([0, 1, 20_000, 500_000]),
    slow_read_bytes_s=st.none() | st.integers(1, 5_000),
)


READS = st.lists(st.tuples(st.integers(0, 300_000), st.binary(min_size=1, max_size=80), st.none() | ALL_FAULTS))


def test_coalesced_reads_are_one_send() -> None:
    tested = lane(Faults(coalesce_us=20_000))
    for at_us, data in [(0, b"one "), (19_999, b"two "), (20_000, b"three "), (60_000, b"four")]:
        tested.feed(data, at_us)
    pieces = [(at_us, piece.data, piece.joined) for at_us, piece in drain(tested)]
    assert pieces == [(20_000, b"one two ", 1), (40_000, b"three ", 0), (80_000, b"four", 0)]


def test_what_was_coalesced_is_cut_where_the_seed_says() -> None:
    tested = lane(Faults(coalesce_us=20_000, split=Split.RANDOM))
    tested.feed(LINE, 0)
    tested.feed(LINE, 10_000)
    pieces = [data for _, data in sent(tested)]
    assert any(b"\n" in piece[:-1] for piece in pieces), "no piece holds the end of one line and the start of the next"


def test_end_waits_for_what_came_before() -> None:
    tested = lane(Faults(split=Split.EVERY_BYTE))
    tested.feed(b"ab", 0)
    tested.end(0)
    assert not tested.is_over(10_000)
    tested.take(0)
    tested.take(1_000)
    assert tested.is_over(1_000)


def test_a_piece_after_a_cut_waits_although_its_sender_is_late() -> None:
    tested = lane(Faults(split=Split.EVERY_BYTE))
    tested.feed(b"OK", 0)
    assert [piece.data for piece in tested.take(900_000)] == [b"O"]
    assert tested.due() == 900_000 + SPLIT_GAP_US[Split.EVERY_BYTE]


@given(faults=ALL_FAULTS, cuts=st.sets(st.integers(1, 10 * len(LINE) - 1)), seed=st.integers(0, 1000))
def test_a_seed_cuts_a_stream_in_the_same_places_however_it_was_read(faults: Faults, cuts: set[int], seed: int) -> None:
    stream = LINE * 10
    whole, pieces = (lane(evolve(faults, split=Split.RANDOM, slow_read_bytes_s=None), seed) for _ in range(2))
    whole.feed(stream, 0)
    for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(stream)], strict=True):
        pieces.feed(stream[start:end], 0)

    def places(of: Lane) -> set[int]:
        at, found = 0, set()
        for _, data in sent(of):
            at += len(data)
            found.add(at)
        return found

    assert places(pieces) - cuts == places(whole) - cuts


def test_jitter_varies_the_delay_and_keeps_the_order() -> None:
    tested = lane(Faults(delay_us=200_000, jitter_us=50_000))
    for number in range(200):
        tested.feed(b"%d\n" % number, number * 1_000_000)
    late_us = [at_us - number * 1_000_000 for number, (at_us, _) in enumerate(sent(tested))]
    assert 150_000 <= min(late_us) < 160_000
    assert 240_000 < max(late_us) <= 250_000
    tested = lane(Faults(jitter_us=50_000))
    for number in range(200):
        tested.feed(b"%d " % number, number)
    assert b"".join(data for _, data in sent(tested)).split() == [b"%d" % number for number in range(200)]


def test_every_byte_comes_alone_and_apart() -> None:
    tested = lane(Faults(split=Split.EVERY_BYTE))
    tested.feed(b"OK\n", 0)
    tested.feed(b"x", 0)
    gap_us = SPLIT_GAP_US[Split.EVERY_BYTE]
    assert sent(tested) == [(0, b"O"), (gap_us, b"K"), (2 * gap_us, b"\n"), (3 * gap_us, b"x")]


@given(faults=ALL_FAULTS, reads=READS, seed=st.integers(0, 1000), is_late=st.booleans())
def test_no_byte_is_lost_moved_or_invented(faults: Faults, reads: list, seed: int, is_late: bool) -> None:
    tested, now_us, out = lane(faults, seed), 0, []
    for pause_us, data, changed in reads:
        until_us = now_us + pause_us
        while (due_us := tested.due()) is not None and due_us <= until_us and not is_late:
            now_us = max(now_us, due_us)
            out += [piece.data for piece in tested.take(now_us)]
        now_us = until_us
        if changed is not None:
            tested.faults = changed
        tested.feed(data, now_us)
    tested.end(now_us)
    out += [data for _, data in sent(tested)]
    assert b"".join(out) == b"".join(data for _, data, _ in reads)
    assert all(out), "an empty piece was sent"
    assert tested.waiting_bytes == 0
    assert tested.is_over(tested.due() or 0)
