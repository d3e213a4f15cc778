"""Whatever the faults, a lane loses no byte, invents none and keeps their order."""

from random import Random

from gameserver.proxy.faults import Faults, Split
from gameserver.proxy.lane import Lane, Piece

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
