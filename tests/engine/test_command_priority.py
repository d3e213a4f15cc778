"""Commands of a batch: moves before match requests, queries between two batches, and rests after long work."""

from collections.abc import Callable
from itertools import pairwise
from time import perf_counter

import pytest
import trio
import trio.lowlevel
from attrs import define
from trio.testing import MockClock, wait_all_tasks_blocked

from gameserver.core.commands import Drain, ListPlayers, Play, Seek, Withdraw
from gameserver.core.events import Answer
from gameserver.engine.batch import Submission
from gameserver.engine.queue import BATCH_COMMANDS_MAX, CommandQueue
from gameserver.flow_control.fair_scheduler import MATCH_REQUESTS_PART, SHARES, Cooldown, Slice
from tests.support.serving import serving

BATCH, MATCH_REQUESTS, QUERIES = SHARES["batch"], SHARES["match requests"], SHARES["queries"]


async def test_queries_do_not_keep_what_plays_waiting(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is answered between two batches, and all of them in the end, in their order."""
    monkeypatch.setattr("gameserver.engine.queue.QUERIES_SLICE", Slice(-1.0, QUERIES.rest_s))
    answered: list[str] = []

    @define(eq=False)
    class Asker:
        what: str

        def deliver(self, answer: Answer | None, events: object) -> None:
            answered.append(self.what)

        def flush(self) -> None: ...

        def resume(self) -> None: ...

    async with serving() as running:
        sequencer = running.server._sequencer
        sequencer._waiting._now_s = lambda: 0.0  # on a busy machine each match request could be a batch
        for number in range(100):
            sequencer.submit(ListPlayers(number), 0, Asker(f"query {number}"))
        for number in range(3):
            sequencer.submit(Seek(1000 + number, "Reversi"), 0, Asker(f"command {number}"))
        assert sequencer.metrics.queue_depth() == 103
        await trio.sleep(100 * QUERIES.rest_s + 1)
    assert answered == [*(f"command {number}" for number in range(3)), *(f"query {number}" for number in range(100))]


@define(eq=False)
class Timed:
    """Notes when it is answered. To put that into words takes `takes_s` on the clock of the work."""

    name: str
    work_s: list[float]
    answered: dict[str, float]
    takes_s: float = 0.0
    then: Callable[[], None] = lambda: None

    def deliver(self, answer: Answer | None, events: object) -> None:
        self.work_s[0] += self.takes_s
        self.answered[self.name] = trio.current_time()

    def flush(self) -> None: ...

    def resume(self) -> None:
        self.then()


async def test_a_step_commits_and_answers_without_a_task_switch(autojump_clock: MockClock) -> None:
    """On a quick journal no task is woken for a lone command: that would take longer than the command."""
    answered = dict[str, float]()
    async with serving() as running:
        sequencer, rows = running.server._sequencer, running.journal.last()
        await wait_all_tasks_blocked()

        def read() -> None:
            sequencer.submit(Drain(1000, "a test", "the host"), 0)
            sequencer.submit(Withdraw(1000), 0, Timed("command", [0.0], answered))

        sequencer.step(read)
        assert "command" in answered
        assert running.journal.last() > rows


async def test_long_answers_rest_and_let_a_move_through(autojump_clock: MockClock) -> None:
    """To say a list of five hundred players takes longer than to find it: both count."""
    work_s, answered = [0.0], dict[str, float]()
    async with serving() as running:
        sequencer = running.server._sequencer
        sequencer._waiting._now_s = sequencer._waiting.work_s = lambda: work_s[0]

        def a_move_comes() -> None:
            sequencer.submit(Withdraw(1000), 0, Timed("move", work_s, answered))

        for number in range(5):
            then = a_move_comes if number == 0 else lambda: None
            sequencer.submit(ListPlayers(number), 0, Timed(f"query {number}", work_s, answered, 0.001, then))
        await trio.sleep(1)
    assert list(answered) == ["query 0", "move", *(f"query {number}" for number in range(1, 5))]
    assert answered["move"] == answered["query 0"]
    times = [answered[f"query {number}"] for number in range(5)]
    assert all(later - earlier >= QUERIES.rest_s * 0.999 for earlier, later in pairwise(times))


async def test_match_requests_rest_and_let_moves_through(autojump_clock: MockClock) -> None:
    """A match takes long to begin: most moves beside a flood of them are in a batch without any."""
    work_s, answered = [0.0], dict[str, float]()

    def now_s() -> float:
        work_s[0] += MATCH_REQUESTS.slice_s
        return work_s[0]

    async with serving() as running:
        sequencer = running.server._sequencer
        sequencer._waiting._now_s = sequencer._waiting.work_s = now_s
        for number in range(6):
            sequencer.submit(Seek(number, "Reversi"), 0, Timed(f"request {number}", work_s, answered))
        sequencer.submit(Withdraw(1000), 0, Timed("move 0", work_s, answered))
        while len(answered) < 2:
            await trio.lowlevel.checkpoint()
        began = len(answered)
        for number in range(1, 4):
            sequencer.submit(Withdraw(1000), 0, Timed(f"move {number}", work_s, answered))
            while f"move {number}" not in answered:
                await trio.lowlevel.checkpoint()
        assert len(answered) == began + 3  # moves only
        await trio.sleep(1)
    assert next(iter(answered)) == "move 0"
    times = sorted({answered[f"request {number}"] for number in range(6)})
    assert len(times) >= 3
    assert all(later - earlier >= MATCH_REQUESTS.rest_s * 0.999 for earlier, later in pairwise(times))


def test_match_requests_have_their_share_of_a_long_batch() -> None:
    """With many players few batches are decided a second; matches have to begin in them all the same."""
    now = [0.0]
    waiting = CommandQueue(lambda: now[0])
    for number in range(10):
        waiting.add(Submission(Play(number, "1"), 0))
    for number in range(200):
        waiting.add(Submission(Seek(number, "Reversi"), 0))
    requests = 0
    for taken in waiting.batch():
        now[0] += 0.001 if isinstance(taken.command, Play) else MATCH_REQUESTS.slice_s / 4
        requests += isinstance(taken.command, Seek)
    assert (
        0.010 * MATCH_REQUESTS_PART
        <= requests * MATCH_REQUESTS.slice_s / 4
        <= 0.010 * MATCH_REQUESTS_PART + MATCH_REQUESTS.slice_s
    )


def test_a_batch_ends_when_its_time_is_up() -> None:
    waiting = CommandQueue()
    for number in range(600):
        waiting.add(Submission(Withdraw(number), 0))
    assert [taken.command.session for taken in waiting.batch()] == list(range(BATCH_COMMANDS_MAX))
    slow = waiting.batch()
    assert next(slow).command.session == BATCH_COMMANDS_MAX
    end_s = perf_counter() + BATCH.slice_s
    while perf_counter() < end_s:
        pass
    assert list(slow) == []
    assert len(waiting) == 600 - BATCH_COMMANDS_MAX - 1


def test_time_taken_long_ago_brings_no_cooldown() -> None:
    """A lone player's third challenge of the day must not wait for the first two."""
    rest = Cooldown(MATCH_REQUESTS)
    for hour in range(1, 9):
        rest.count(MATCH_REQUESTS.slice_s * 0.9, hour * 3600.0)
    assert rest.over_s == 0
    rest.count(MATCH_REQUESTS.slice_s * 0.2, 8 * 3600.0 + MATCH_REQUESTS.rest_s / 2)
    assert rest.over_s > 8 * 3600


async def test_nothing_rests_in_virtual_time(autojump_clock: MockClock) -> None:
    """Work takes no time there. A test that waits for its answers need not have the clock moved."""
    answered = dict[str, float]()
    async with serving() as running:
        for number in range(20):
            asker = Timed(f"request {number}", [0.0], answered)
            running.server._sequencer.submit(Seek(number, "Reversi"), 0, asker)
            while asker.name not in answered:
                await trio.lowlevel.checkpoint()
