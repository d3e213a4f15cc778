"""The verdict of a check: what is told of a failure, what is advised, and which lines are shown."""

import pytest
from attrs import evolve

from gameserver.check.advice import CHANGES, advised, with_plain_first
from gameserver.check.report import WIRE_LINES_MAX, Failure, Heard, Level, ScenarioOutcome, ScenarioResult
from gameserver.check.verdict import Mistake, exception_in, faults_of, giving_up, mistake_of
from gameserver.check.wire import WireRecord
from gameserver.core.events import By, Code, EndReason
from gameserver.proxy.faults import Direction
from gameserver.proxy.lane import Piece
from gameserver.proxy.relay import Crossing
from gameserver.records.match_record import GameRecord, LapseRecord, MatchRecord, MoveRecord, SeatRecord, SeatResult
from tests.check.reports.samples import report_of
from tests.check.reports.samples import report_of as report

PYTHON = """\
connected
Traceback (most recent call last):
  File "bot.py", line 7, in <module>
    int("x")
ValueError: invalid literal for int() with base 10: 'x'
""".splitlines()
JAVA = """\
connected
java.lang.NumberFormatException: For input string: "x"
\tat java.base/java.lang.Integer.parseInt(Integer.java:668)
\tat Bot.main(Bot.java:7)
""".splitlines()
JAVASCRIPT = """\
/home/ann/bot.mjs:7
    throw new TypeError("no such key");
TypeError: no such key
    at file:///home/ann/bot.mjs:7:11
    at ModuleJob.run (node:internal/modules/esm/module_job:195:25)
""".splitlines()


def record(
    reason: EndReason, by: int | None, lapse: LapseRecord | None = None, moves: tuple[MoveRecord, ...] = ()
) -> MatchRecord:
    loser = by if by is not None else 0
    seats = tuple(
        SeatRecord(seat, name, "strategic", 0, SeatResult.LOSS if seat == loser else SeatResult.WIN)
        for seat, name in enumerate(("client", "opponent"))
    )
    game = GameRecord(1, "Reversi", 1, "{}", reason, "", "cell 9 is taken", (0, 0), (1 - loser,), by, lapse)
    times = ("2026-01-01T00:00:00.000+00:00", "2026-01-01T00:00:09.000+00:00")
    return MatchRecord(1, "Reversi", 1, "{}", *times, reason, "", "", seats, moves, games=(game,), clock="turn 10s")


NO_MOVE = LapseRecord(0, 10_000, 250, 10_250, None)
LATE_MOVE = LapseRecord(0, 10_000, 250, 11_200, 11_200)


@pytest.mark.parametrize(
    ("ended", "sentence"),
    [
        (record(EndReason.LATE, 0, NO_MOVE), "It made no move within 10 s of its turn, and lost the match by that."),
        (record(EndReason.LATE, 0, LATE_MOVE), "Its move came 1.2 s after the 10 s of its turn were over"),
        (
            evolve(record(EndReason.LATE, 0, evolve(LATE_MOVE, is_bank=True)), clock="3m+2s, turn 60s"),
            "It used up its bank of 3m+2s (its move came 1.2 s later), and lost the match by that.",
        ),
        (record(EndReason.ILLEGAL, 0), "It made an illegal move, and lost the match by it: cell 9 is taken."),
        (record(EndReason.DROPPED, 0), "Its connection ended in the middle of the match"),
    ],
)
def test_loss_by_own_fault_is_told(ended: MatchRecord, sentence: str) -> None:
    (told,) = faults_of(ended, "client")
    assert told.what.startswith(sentence)
    assert faults_of(ended, "opponent") == []
    assert faults_of(ended, "client", {EndReason(ended.reason)}) == []


def test_loss_by_play_is_nobodys_fault() -> None:
    assert faults_of(record(EndReason.PLAYED, None), "client") == []


def test_move_in_its_place_is_told() -> None:
    moves = (MoveRecord(1, 0, "a1", By.SERVER, 15_000, 15_000), MoveRecord(2, 1, "a2", By.PLAYER, 16_000, 1))
    ended = record(EndReason.PLAYED, None, moves=moves)
    (told,) = faults_of(ended, "client")
    assert told.what == "It made no move within 10 s of its turn, so the server made one in its place."
    assert faults_of(ended, "client", {EndReason.LATE}) == []
    assert faults_of(ended, "client", replaced_max=1) == []
    assert faults_of(ended, "opponent") == []


def test_giving_up_is_told_from_other_losses() -> None:
    said = "It gave up its match of Reversi against opponent by itself, before its first move, and lost it by that."
    assert giving_up(record(EndReason.RESIGNED, 0), "client") == said
    assert giving_up(record(EndReason.RESIGNED, 0), "opponent") is None
    assert giving_up(record(EndReason.LATE, 0), "client") is None


@pytest.mark.parametrize(
    ("output", "said"),
    [
        (PYTHON, "ValueError: invalid literal for int() with base 10: 'x'"),
        (JAVA, 'java.lang.NumberFormatException: For input string: "x"'),
        (JAVASCRIPT, "TypeError: no such key"),
        (['Exception in thread "main" java.lang.Error', "\tat Bot.main(Bot.java:7)"], None),
        (["Unhandled exception. System.FormatException: x"], None),
        (["thread 'main' panicked at src/main.rs:4:5:"], None),
    ],
)
def test_exception_is_found_in_output(output: list[str], said: str | None) -> None:
    assert exception_in(output) == (said or output[0])


def test_ordinary_output_has_no_exception() -> None:
    assert exception_in(["match at 12:30:45", "    at last we won", "Exception handling is on"]) is None


def test_refusals_that_show_a_mistake_have_a_sentence() -> None:
    assert mistake_of(Code.NOT_YOUR_TURN) == Mistake("It made a move although it was not its turn.", Failure.EARLY)
    assert mistake_of(Code.UNKNOWN_PLAYER) is None
    assert mistake_of(None) is None


def failed(name: str, failure: Failure) -> ScenarioResult:
    return ScenarioResult(
        name=name,
        title=name,
        level=Level.REQUIRED,
        outcome=ScenarioOutcome.FAILED,
        failure=failure,
        document="document",
        source="source",
        change="Set the board up anew.",
    )


@pytest.mark.parametrize(
    ("failure", "often", "document"),
    [
        (Failure.SLOW, "", ""),
        (Failure.IDLE, "Set the board up anew.", "document"),
        (Failure.SILENT, "Set the board up anew.", "document"),
        (Failure.ILLEGAL, "Set the board up anew.", "document"),
    ],
)
def test_advice_is_that_of_the_failure(failure: Failure, often: str, document: str) -> None:
    """A bot that sleeps is told nothing about boards; one whose move was illegal, or that stands still, is."""
    told = advised(failed("ten_matches", failure))
    assert (told.change, told.often, told.document) == (CHANGES[failure], often, document)


def test_what_only_the_scenario_expects_has_its_own_advice() -> None:
    result = failed("challenge_accepted", Failure.UNEXPECTED)
    assert advised(result) == result


def test_failure_of_a_plain_match_is_mended_there() -> None:
    """Whatever else fails in the same way has the same cause."""
    plain, same, other = (
        failed("plays_first", Failure.SILENT),
        failed("ten_matches", Failure.SILENT),
        failed("chat", Failure.ENDED),
    )
    told = with_plain_first([plain, same, other])
    assert (told[0], told[2]) == (plain, other)
    assert told[1].change.startswith("It failed in the same way in `plays_first`")
    assert (told[1].often, told[1].document, told[1].source) == ("", "", "")
    report = report_of(*told)
    assert (report.blocking, report.first_to_mend) == (told, (plain, other))


def result(name: str, level: Level, outcome: ScenarioOutcome) -> ScenarioResult:
    return ScenarioResult(name=name, title=name, level=level, outcome=outcome, took_ms=10)


PASSED = result("split", Level.REQUIRED, ScenarioOutcome.PASSED)


@pytest.mark.parametrize("outcome", [ScenarioOutcome.FAILED, ScenarioOutcome.NOT_REACHED, ScenarioOutcome.NOT_PLAYABLE])
@pytest.mark.parametrize("level", list(Level))
def test_only_required_scenarios_keep_a_client_from_being_ready(level: Level, outcome: ScenarioOutcome) -> None:
    """And none of those that its own play can prevent."""
    other = result("other", level, outcome)
    checked = report(PASSED, other)
    blocks = level is Level.REQUIRED and outcome is not ScenarioOutcome.NOT_PLAYABLE
    assert checked.is_ready is not blocks
    assert checked.blocking == ((other,) if blocks else ())


def test_check_without_scenarios_shows_nothing() -> None:
    assert report(PASSED).is_ready
    assert not report().is_ready


def test_results_are_sorted_by_outcome_and_level() -> None:
    failed = result("fails", Level.ADVISED, ScenarioOutcome.FAILED)
    missed = result("never", Level.CURIOUS, ScenarioOutcome.NOT_REACHED)
    checked = report(PASSED, failed, missed)
    counted = (ScenarioOutcome.PASSED, ScenarioOutcome.FAILED, ScenarioOutcome.NOT_REACHED)
    assert tuple(map(checked.with_outcome, counted)) == ((PASSED,), (failed,), (missed,))
    assert [checked.of_level(level) for level in Level] == [(PASSED,), (failed,), (missed,)]
    assert checked.took_ms == 30


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
