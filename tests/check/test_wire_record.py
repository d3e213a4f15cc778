"""The wire as people read it."""

from gameserver.check.report import WIRE_LINES_MAX, Failure, Heard
from gameserver.check.wire import WireRecord
from gameserver.proxy.faults import Direction
from gameserver.proxy.lane import Piece
from gameserver.proxy.relay import Crossing


def crossing(at_us: int, data: bytes, direction: Direction = Direction.TO_CLIENT, connection: int = 1) -> Crossing:
    return Crossing(connection, direction, at_us, Piece(data, at_us))


def test_lines_are_put_together_from_pieces() -> None:
    wire = WireRecord(1_000)
    for at_us, data in ((2_000, b"SVR GA"), (3_000, b"ME\r\nOK\r"), (4_000, b"\n")):
        wire.note(crossing(at_us, data))
    wire.note(crossing(5_000, b"move 4\n", Direction.TO_SERVER))
    assert wire.lines == [Heard(2_000, True, "SVR GAME"), Heard(3_000, True, "OK"), Heard(4_000, False, "move 4")]
    assert wire.last_us == 5_000


def test_connections_are_not_mixed() -> None:
    wire = WireRecord(0)
    wire.note(crossing(1, b"on", connection=1))
    wire.note(crossing(2, b"two\n", connection=2))
    wire.note(crossing(3, b"e\n", connection=1))
    assert [heard.text for heard in wire.lines] == ["two", "one"]


def test_last_lines_and_those_of_the_client_are_told() -> None:
    wire = WireRecord(0)
    for number in range(WIRE_LINES_MAX + 5):
        wire.note(crossing(number, b"move %d\n" % number, Direction.TO_SERVER))
    assert len(wire.tail) == WIRE_LINES_MAX
    assert wire.tail[-1].text == f"move {WIRE_LINES_MAX + 4}"
    assert wire.sent_from(WIRE_LINES_MAX + 3) == [f"move {WIRE_LINES_MAX + 3}", f"move {WIRE_LINES_MAX + 4}"]


def test_line_that_had_to_be_answered_is_named() -> None:
    """It was asked for a move, made a wrong one or none, and heard of that."""
    wire = WireRecord(0)
    wire.note(crossing(1_000_000, b"YOURTURN\n"))
    assert wire.answered_by(Failure.ILLEGAL, 1_000_001) == ""
    wire.note(crossing(1_100_000, b"move 99\n", Direction.TO_SERVER))
    wire.note(crossing(9_000_000, b"LOSS\n"))
    assert wire.answered_by(Failure.ILLEGAL, 9_000_001) == "YOURTURN"
    assert wire.answered_by(Failure.SILENT, 9_000_001) == "YOURTURN"
    assert wire.answered_by(Failure.ENDED, 9_000_001) == "LOSS"
    assert WireRecord(0).answered_by(Failure.SILENT, 9) == ""
