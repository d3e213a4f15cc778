"""The alarm: never early, patient with what is in the works, and not for ever."""

import pytest
import trio
from attrs import define, field
from trio.testing import MockClock

from gameserver.runtime.alarm import PATIENCE_MS, Alarm


@define
class Axis:
    """A clock that follows the test's."""

    start_s: float
    watched: bool = False

    def now_ms(self) -> int:
        return round((trio.current_time() - self.start_s) * 1000)


@define
class Matches:
    """Matches and when they are due, and what the alarm did."""

    due: dict[int, int] = field(factory=dict)
    busy: set[int] = field(factory=set)
    done: list[tuple[str, int, float]] = field(factory=list)

    def due_ms(self, match: int) -> int | None:
        return self.due.get(match)

    def is_quiet(self, match: int) -> bool:
        return match not in self.busy

    def read_pass(self, stamp_ms: int) -> None:
        self.done.append(("read", stamp_ms, round(trio.current_time(), 3)))

    def time_up(self, match: int) -> None:
        self.due.pop(match, None)
        self.done.append(("up", match, round(trio.current_time(), 3)))


@pytest.fixture
async def matches(autojump_clock: MockClock, nursery: trio.Nursery) -> tuple[Matches, Alarm]:
    matches = Matches()
    alarm = Alarm(Axis(trio.current_time()), matches)
    nursery.start_soon(alarm.run)
    return matches, alarm


async def test_it_reads_first_and_then_tells(autojump_clock: MockClock, matches: tuple[Matches, Alarm]) -> None:
    watched, alarm = matches
    watched.due[1] = 1_000
    alarm.watch(1, 1_000)
    await trio.sleep(0.99)
    assert watched.done == []
    await trio.sleep(0.1)
    assert [what[:2] for what in watched.done] == [("read", 1_000), ("up", 1)]


async def test_a_match_that_moved_on_is_left_in_peace(
    autojump_clock: MockClock, matches: tuple[Matches, Alarm]
) -> None:
    watched, alarm = matches
    for turn in range(1, 30):
        watched.due[1] = turn * 500 + 1_000
        alarm.watch(1, watched.due[1])
        await trio.sleep(0.5)
    assert watched.done == []
    await trio.sleep(2)
    assert [what[:2] for what in watched.done] == [("read", 15_500), ("up", 1)]


async def test_an_earlier_time_counts(autojump_clock: MockClock, matches: tuple[Matches, Alarm]) -> None:
    watched, alarm = matches
    alarm.watch(1, 60_000)
    watched.due[1] = 2_000
    alarm.watch(1, 2_000)
    await trio.sleep(2.1)
    assert ("up", 1) in [what[:2] for what in watched.done]


async def test_it_waits_for_what_is_in_the_works_but_not_for_ever(
    autojump_clock: MockClock, matches: tuple[Matches, Alarm]
) -> None:
    watched, alarm = matches
    watched.due = {1: 1_000, 2: 1_000}
    watched.busy = {1, 2}
    for match in watched.due:
        alarm.watch(match, 1_000)
    await trio.sleep(1.5)
    watched.busy = {2}
    await trio.sleep(0.1)
    assert [what[1] for what in watched.done if what[0] == "up"] == [1]
    await trio.sleep(PATIENCE_MS / 1000)
    assert [what[1] for what in watched.done if what[0] == "up"] == [1, 2]


async def test_with_nothing_due_it_sleeps(autojump_clock: MockClock, matches: tuple[Matches, Alarm]) -> None:
    await trio.testing.wait_all_tasks_blocked()
    assert trio.lowlevel.current_statistics().seconds_to_next_deadline == float("inf")
