"""The sentences about what went wrong."""

import pytest
from attrs import evolve

from gameserver.check.report import Failure
from gameserver.check.verdict import Mistake, exception_in, faults_of, giving_up, mistake_of
from gameserver.core.events import By, Code, EndReason
from gameserver.records.match_record import GameRecord, LapseRecord, MatchRecord, MoveRecord, SeatRecord, SeatResult

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
