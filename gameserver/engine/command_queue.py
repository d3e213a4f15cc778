"""What waits to be decided: commands, apart from them what may begin a match, and the questions.

To begin a match takes many times as long as a move in it, and programs that do nothing else are many. So
a batch takes whatever plays first, and of those for a moment only, after which they rest for some batches. A
connection has one thing under way at a time, so nobody can tell that another's search was decided after a move that
came later; the journal has everything in the order in which it was decided. A client that hangs up while its search
waits is gone when that is decided, and it is refused.

Questions change nothing, so they need not be decided in their turn, and are answered between two batches, for a
moment, after which they rest. So a hundred clients that ask for the list of players do not keep a move waiting, however
many players there are. Reordering them is invisible: a connection has one thing under way at a time, and is told how
things stand when it is answered. They get their moment after a batch too, so nobody asks in vain.
"""

from collections import deque
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import get_args

import trio

from gameserver.core.messages.commands import Query
from gameserver.engine.batch import Submission
from gameserver.flow_control.limits import OFFERS

BATCH_COMMANDS_MAX = 256
BATCH_S = 0.02
"""How long is decided in a row, where so many commands take longer: the first of them has to wait for the last."""
OFFERS_S = 0.001
"""Seconds in a row for commands that may begin a match: two or three games of Mastermind."""
OFFERS_SHARE = 0.25
"""Or this part of the time that the moves of the batch took, if that is more: they wait for it as well."""
OFFERS_REST_S = 0.002
"""Seconds that offers rest after that, so that most moves beside a flood are in batches without any."""
QUESTIONS_S = 0.0005
"""Seconds in a row for deciding and answering questions."""
QUESTIONS_REST_S = 0.002
"""Seconds that questions rest after that: answers take a fifth of the time at most, some thousands a second. A process
that uses up its processor is made to wait by the system, and with it every player."""

_FOR_EVER = (float("inf"), float("inf"))
_QUESTIONS = frozenset(get_args(Query))


class Cooldown:
    """Has something rest for `rest_s` whenever it has taken `moment_s` with shorter gaps than that in between."""

    __slots__ = ("_counted_s", "_moment_s", "_rest_s", "_taken_s", "over_s")

    def __init__(self, moment_s: float, rest_s: float) -> None:
        self._moment_s, self._rest_s = moment_s, rest_s
        self._taken_s = self._counted_s = 0.0
        self.over_s = 0.0
        """When the last rest is over."""

    def count(self, taken_s: float, now_s: float) -> None:
        """Count what was taken until now. `now_s` is on the clock of the rests."""
        if now_s - taken_s - self._counted_s > self._rest_s:
            self._taken_s = 0.0
        self._counted_s = now_s
        self._taken_s += taken_s
        if self._taken_s >= self._moment_s:
            self._taken_s = 0.0
            self.over_s = now_s + self._rest_s


class CommandQueue:
    """Three queues: each in the order in which it was filled. `now_s` is looked at after each command.

    `work_s` measures what makes offers and questions rest. The sequencer gives trio's clock, on which the rests end:
    in virtual time work takes no time, and nothing rests.
    """

    def __init__(self, now_s: Callable[[], float] = perf_counter, work_s: Callable[[], float] = perf_counter) -> None:
        self._now_s = now_s
        self.work_s = work_s
        self._offers_rest = Cooldown(OFFERS_S, OFFERS_REST_S)
        self._questions_rest = Cooldown(QUESTIONS_S, QUESTIONS_REST_S)
        self.commands: deque[Submission] = deque()
        self.offers: deque[Submission] = deque()
        self.questions: deque[Submission] = deque()
        self._offers_took_s = 0.0
        """How long this batch has decided what may begin a match."""

    def __len__(self) -> int:
        """How much waits in all."""
        return len(self.commands) + len(self.offers) + len(self.questions)

    def add(self, taken: Submission) -> None:
        """Have something wait."""
        kind = type(taken.command)
        queue = self.questions if kind in _QUESTIONS else self.offers if kind in OFFERS else self.commands
        queue.append(taken)

    def clear(self) -> None:
        """Forget everything."""
        self.commands.clear()
        self.offers.clear()
        self.questions.clear()

    def batch(self, *, offers_rest: bool = False) -> Iterator[Submission]:
        """Take the commands of a batch, one after the other, as long as there is time for another one."""
        began_s = self._now_s()
        yield from self._taken(self.commands, BATCH_S)
        if self.offers and not offers_rest:
            offers_began_s = self.work_s()
            yield from self._taken(self.offers, max(OFFERS_S, OFFERS_SHARE * (self._now_s() - began_s)))
            self._offers_took_s = self.work_s() - offers_began_s

    def waits_s(self) -> tuple[float, float]:
        """How long offers and questions are not to be looked at: while they rest, or for ever while there are none."""
        if not (self.offers or self.questions):
            return _FOR_EVER  # as after nearly every move: to look at trio's clock takes 0.8 us
        now_s = trio.current_time()
        return (
            self._offers_rest.over_s - now_s if self.offers else float("inf"),
            self._questions_rest.over_s - now_s if self.questions else float("inf"),
        )

    def batch_done(self) -> None:
        """Count the offers of the last batch."""
        if self._offers_took_s:
            self._offers_rest.count(self._offers_took_s, trio.current_time())
            self._offers_took_s = 0.0

    def answered(self, took_s: float) -> None:
        """Count the questions that were just answered."""
        self._questions_rest.count(took_s, trio.current_time())

    def asked(self) -> Iterator[Submission]:
        """The same for questions."""
        return self._taken(self.questions, QUESTIONS_S)

    def _taken(self, queue: deque[Submission], limit_s: float) -> Iterator[Submission]:
        end_s = self._now_s() + limit_s
        for _ in range(min(len(queue), BATCH_COMMANDS_MAX)):
            yield queue.popleft()
            if self._now_s() > end_s:
                return
