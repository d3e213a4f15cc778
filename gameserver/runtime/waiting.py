"""What waits to be decided: commands, apart from them what may begin a match, and the questions.

To begin a match takes many times as long as a move in it, and programs that do nothing else are many. So
a batch takes whatever plays first, and of those for a moment only. A connection has one thing under way at a
time, so nobody can tell that another's search was decided after a move that came later; the journal has
everything in the order in which it was decided. Who hangs up while their search waits is gone when it is
decided, and it is refused.

Questions change nothing, so they need not be decided in their turn, and are answered between two batches, for a
moment. So a hundred who ask for the list of players do not keep a move waiting, however many players there are. That
they are decided later than what came in after them shows to nobody: a connection has one thing under way at a
time, and is told how things stand when it is answered. After each batch they get that moment, so nobody asks in vain.
"""

from collections import deque
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import get_args

from gameserver.core.commands import Query
from gameserver.runtime.batch import Input
from gameserver.runtime.limits import OFFERS

BATCH_COMMANDS_MAX = 256
BATCH_S = 0.02
"""How long is decided in a row, where so many commands take longer: the first of them has to wait for the last."""
OFFERS_S = 0.002
"""How long is decided in a row what may begin a match."""
QUESTIONS_S = 0.0005
"""How long questions are decided in a row. To say the answers takes two or three times as long."""

_QUESTIONS = frozenset(get_args(Query))


class Waiting:
    """Three queues: each in the order in which it was filled. `now_s` is looked at after each command."""

    def __init__(self, now_s: Callable[[], float] = perf_counter) -> None:
        self._now_s = now_s
        self.commands: deque[Input] = deque()
        self.offers: deque[Input] = deque()
        self.questions: deque[Input] = deque()

    def __len__(self) -> int:
        """How much waits in all."""
        return len(self.commands) + len(self.offers) + len(self.questions)

    def add(self, taken: Input) -> None:
        """Have something wait."""
        kind = type(taken.command)
        queue = self.questions if kind in _QUESTIONS else self.offers if kind in OFFERS else self.commands
        queue.append(taken)

    def clear(self) -> None:
        """Forget everything."""
        self.commands.clear()
        self.offers.clear()
        self.questions.clear()

    def batch(self) -> Iterator[Input]:
        """Take the commands of a batch, one after the other, as long as there is time for another one."""
        yield from self._taken(self.commands, BATCH_S)
        yield from self._taken(self.offers, OFFERS_S)

    def asked(self) -> Iterator[Input]:
        """The same for questions."""
        return self._taken(self.questions, QUESTIONS_S)

    def _taken(self, queue: deque[Input], limit_s: float) -> Iterator[Input]:
        end_s = self._now_s() + limit_s
        for _ in range(min(len(queue), BATCH_COMMANDS_MAX)):
            yield queue.popleft()
            if self._now_s() > end_s:
                return
