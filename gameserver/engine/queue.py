"""The commands that wait to be decided, in three queues: commands, match requests and queries.

Beginning a match takes many times as long as a move in it, and many programs do nothing else. So a batch takes moves
and the like first, and then one slice of match requests, which rest for some batches after that. A connection has one
command under way at a time, so no client can tell that another's search was decided after a move that came later; the
journal has everything in the order of decision. The search of a client that hung up while it waited is refused, because
the client is gone when it is decided.

Queries change nothing, so they need not keep their order: they are answered between two batches, for a slice, and then
rest. So a hundred clients that ask for the list of players do not delay a move, however many players there are.
Reordering them is invisible: a connection has one command under way at a time, and hears the state at the time of the
answer. They get a slice after every batch, so no query waits for ever.

The slices are in `SHARES`, but these are no shares of a `FairScheduler`. The queues are emptied between two commits, in
the middle of the sequencer's own step and without a task, so that no move passes through more than a deque. Fairness
among connections comes before: each has one thing in here.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from time import perf_counter
from typing import get_args

import trio

from gameserver.core.commands import Query
from gameserver.engine.batch import Submission
from gameserver.flow_control.fair_scheduler import MATCH_REQUESTS_PART, SHARES, Cooldown
from gameserver.flow_control.limits import MATCH_REQUESTS

# At 55 us a row, as in a replay, the first of a batch waits 14 ms for the last.
BATCH_COMMANDS_MAX = 256
_BATCH_SLICE = SHARES["batch"]
_MATCH_REQUESTS_SLICE = SHARES["match requests"]
QUERIES_SLICE = SHARES["queries"]

_FOR_EVER = (float("inf"), float("inf"))
_QUERIES = frozenset(get_args(Query))


class CommandQueue:
    """The commands that wait to be decided, in three queues, each first come first served.

    `now_s` is looked at after each command.

    `work_s` measures the work after which match requests and queries rest. The sequencer gives trio's clock, on which
    the rests end: in virtual time work takes no time, and nothing rests.
    """

    def __init__(self, now_s: Callable[[], float] = perf_counter, work_s: Callable[[], float] = perf_counter) -> None:
        self._now_s = now_s
        self.work_s = work_s
        self._match_requests_rest = Cooldown(_MATCH_REQUESTS_SLICE)
        self._queries_rest = Cooldown(QUERIES_SLICE)
        self.commands: deque[Submission] = deque()
        self.match_requests: deque[Submission] = deque()
        self.queries: deque[Submission] = deque()
        self.all_queues = (self.commands, self.match_requests, self.queries)
        # By the class: one look-up for each command.
        self._queues: dict[type, deque[Submission]] = dict.fromkeys(_QUERIES, self.queries)
        self._queues |= dict.fromkeys(MATCH_REQUESTS, self.match_requests)
        self.match_requests_took_s = 0.0
        """Seconds that the last batch has spent on match requests; `batch_done` counts them."""

    def __len__(self) -> int:
        """The number of commands and queries that wait."""
        return sum(map(len, self.all_queues))

    def add(self, taken: Submission) -> None:
        """Puts a command or query into the queue of its kind."""
        self._queues.get(type(taken.command), self.commands).append(taken)

    def clear(self) -> None:
        """Drops everything that waits in the queues: a command that was not decided did not happen."""
        for queue in self.all_queues:
            queue.clear()

    def batch(self, *, match_requests_rest: bool = False) -> Iterable[Submission]:
        """Takes a batch's commands out of the queue, one after the other, as long as there is time for one more."""
        commands = self.commands
        if len(commands) == 1 and not self.match_requests:  # as for nearly every move
            return (commands.popleft(),)
        return self._batch(match_requests_rest=match_requests_rest)

    def _batch(self, *, match_requests_rest: bool) -> Iterator[Submission]:
        began_s = self._now_s()
        yield from self._taken(self.commands, _BATCH_SLICE.slice_s)
        if self.match_requests and not match_requests_rest:
            # A part of what the moves of this batch took: where many play, many also look for matches.
            part_s = MATCH_REQUESTS_PART * (self._now_s() - began_s)
            requests_began_s = self.work_s()
            yield from self._taken(self.match_requests, max(_MATCH_REQUESTS_SLICE.slice_s, part_s))
            self.match_requests_took_s = self.work_s() - requests_began_s

    def waits_s(self) -> tuple[float, float]:
        """Seconds that the queues of match requests and of queries still rest; infinite for an empty one."""
        if not (self.match_requests or self.queries):
            return _FOR_EVER  # as after nearly every move: looking at trio's clock takes 0.8 us
        now_s = trio.current_time()
        return (
            self._match_requests_rest.over_s - now_s if self.match_requests else float("inf"),
            self._queries_rest.over_s - now_s if self.queries else float("inf"),
        )

    def batch_done(self) -> None:
        """Counts the match requests of the last batch, after which their queue rests."""
        self._match_requests_rest.count(self.match_requests_took_s, trio.current_time())
        self.match_requests_took_s = 0.0

    def asked(self) -> Iterator[Submission]:
        """Takes queries out of their queue, one after the other, as long as there is time for another one."""
        return self._taken(self.queries, QUERIES_SLICE.slice_s)

    def answered(self, took_s: float) -> None:
        """Counts the queries that were just answered, after which their queue rests."""
        self._queries_rest.count(took_s, trio.current_time())

    def _taken(self, queue: deque[Submission], limit_s: float) -> Iterator[Submission]:
        end_s = self._now_s() + limit_s
        for _ in range(min(len(queue), BATCH_COMMANDS_MAX)):
            yield queue.popleft()
            # After a command, never before: a slice is always long enough for one, so nothing waits for ever.
            if self._now_s() > end_s:
                return
