"""Clocks of matches as people write them, and the arithmetic of a bank beside one that walks through its time."""

import pytest
from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from gameserver.time_control import DAY_MS, NO_TIME_LIMIT, TimeControl
from tests.support.tables import table

DURATIONS_MS = st.one_of(st.integers(1, 3_000), st.integers(1, DAY_MS // 1_000).map(lambda time_s: time_s * 1_000))


@st.composite
def controls(draw: st.DrawFn, duration_ms: st.SearchStrategy[int] = DURATIONS_MS) -> TimeControl:
    turn_time_ms, bank_ms = draw(st.none() | duration_ms), draw(st.none() | duration_ms)
    if bank_ms is None:
        return TimeControl(turn_time_ms)
    if draw(st.booleans()):
        return TimeControl(turn_time_ms, bank_ms, increment_ms=draw(st.just(0) | duration_ms))
    periods = draw(st.integers(0, 5))
    return TimeControl(turn_time_ms, bank_ms, periods=periods, period_ms=draw(duration_ms) if periods else 0)


@given(controls())
def test_every_clock_reads_back_or_is_longer_than_a_day(control: TimeControl) -> None:
    if control.has_bank and control.full_bank_ms > DAY_MS:
        with pytest.raises(ValueError, match="longer than a day"):
            TimeControl.read(str(control))
        return
    # Journals and snapshots hold these, too.
    for clock in (control, control.without_bank(), control.with_turn_limit()):
        assert TimeControl.read(str(clock)) == clock
    assert TimeControl.read(control) is control


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("turn 10s", TimeControl(10_000)),
        ("5m", TimeControl(None, 300_000)),
        ("3m+2s", TimeControl(None, 180_000, 2_000)),
        ("2m, 3 x 10s", TimeControl(None, 120_000, 0, 3, 10_000)),
        ("5m, turn 60s", TimeControl(60_000, 300_000)),
        ("TURN 1.5S ,90 m + 250ms", TimeControl(1_500, 5_400_000, 250)),
        ("none", NO_TIME_LIMIT),
    ],
)
def test_clock_is_read(text: str, control: TimeControl) -> None:
    assert TimeControl.read(text) == control


@pytest.mark.parametrize(
    ("text", "why"), [*table(__file__, "clocks that cannot be read"), ("9" * 5_000 + "h", "it is too long")]
)
def test_unreadable_clock_is_told_why_in_one_sentence_with_three_examples(text: str, why: str) -> None:
    with pytest.raises(ValueError, match="is no clock") as refused:
        TimeControl.read(text)
    assert why in str(refused.value)


PIECES = ("turn ", "3", "0", ".5", "٣", "s", "ms", "h", "m", " x ", "+", ", ", "9999999999", "\n", "5m")


@given(st.text() | st.lists(st.sampled_from(PIECES)).map("".join))
@example("5m,\x1b[2J\n")
def test_whatever_is_written_is_a_clock_or_refused_in_one_sentence(text: str) -> None:
    try:
        control = TimeControl.read(text)
    except ValueError as refused:
        said = str(refused)
        *_, examples = said.split("; write for example ")
        assert said.isprintable()
        assert len(said) < 900, "each of sixty characters may take ten, and stands there twice"
        assert [str(TimeControl.read(one)) for one in examples.split('"')[1::2]] == ["turn 10s", "3m+2s", "2m, 3 x 10s"]
    else:
        assert TimeControl.read(str(control)) == control


def walked(control: TimeControl, left_ms: int, elapsed_ms: int) -> int:
    """The time left of a bank after a turn, which takes its milliseconds one after the other."""
    periods = min(control.periods, left_ms // control.period_ms) if control.periods else 0
    before_periods_ms, of_period_ms = left_ms - periods * control.period_ms, 0
    for _ in range(elapsed_ms):
        if before_periods_ms > 0:
            before_periods_ms -= 1
        else:
            if of_period_ms == control.period_ms:
                periods, of_period_ms = periods - 1, 0
            of_period_ms += 1
    return before_periods_ms + periods * control.period_ms


@given(controls(st.integers(1, 60)).filter(lambda control: control.has_bank), st.lists(st.integers(0, 150)))
def test_bank_is_spent_as_if_it_was_walked_through(control: TimeControl, turns_ms: list[int]) -> None:
    left_ms, taken_ms = control.full_bank_ms, 0
    for number, wanted_ms in enumerate(turns_ms, start=1):
        assert control.spent(left_ms, left_ms + 1) == 0
        turn_ms = min(wanted_ms, left_ms)
        expected_ms = walked(control, left_ms, turn_ms)
        left_ms = control.spent(left_ms, turn_ms)
        assert left_ms == expected_ms
        before_periods_ms, periods = control.stages(left_ms)
        assert before_periods_ms + periods * control.period_ms == left_ms
        assert not before_periods_ms or periods == control.periods, "no period begins before the rest is used up"
        left_ms, taken_ms = left_ms + control.increment_ms, taken_ms + turn_ms
        most_ms = evolve(control, turn_time_ms=None).longest_ms(number)
        assert most_ms is not None
        assert taken_ms <= most_ms


@pytest.mark.parametrize(
    ("clock", "told"), table(__file__, "clocks, and the limit that a client is told of that sees no bank")
)
def test_a_client_that_sees_no_bank_is_told_the_shorter_limit(clock: str, told: str) -> None:
    control = TimeControl.read(clock)
    assert str(control.without_bank()) == told
    assert control.with_turn_limit().turn_time_ms == TimeControl.read(told).turn_time_ms
