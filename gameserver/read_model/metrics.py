"""Counters since the server's start, updated once a batch, and gauges of its load: for monitoring only."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from attrs import define, field

from gameserver.core.events import Answer, Rejected

# From a quick disk, whose commit takes 0.1 ms, to one that makes players wait.
COMMIT_BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)


class _Answered(Protocol):
    @property
    def answer(self) -> Answer: ...


class _Tagged(Protocol):
    @property
    def tag(self) -> str: ...


@define
class ServerMetrics:
    """The server's metrics: counters since its start, and gauges.

    `commits` counts commits by the bounds of `COMMIT_BOUNDS_S`, and the slower ones last.
    """

    commands: int = 0
    refusals: int = 0
    rows: int = 0
    moves: int = 0
    matches: int = 0
    commits: list[int] = field(factory=lambda: [0] * (len(COMMIT_BOUNDS_S) + 1))
    commit_s: float = 0.0
    queue_depth: Callable[[], int] = lambda: 0
    """The number of commands and queries that wait for the sequencer now."""
    is_certain: Callable[[], bool] = lambda: True
    """True if the journal is certainly ours now; False while a database is away that other servers use, too."""
    connections: Callable[[], Mapping[str, int]] = dict
    """The number of open connections to the listeners of each protocol now."""

    def count(self, released: Iterable[tuple[object, _Answered]], rows: Iterable[_Tagged], matches: int) -> None:
        """Count a released batch in the metrics: its commands' answers, its rows, and the matches that it ended."""
        for _, decision in released:
            self.commands += 1
            self.refusals += isinstance(decision.answer, Rejected)
        for row in rows:
            self.rows += 1
            self.moves += row.tag == "play"
        self.matches += matches

    def committed(self, took_s: float) -> None:
        """Count a batch that is in the journal in the metrics, by the time that its commit took."""
        self.commits[bisect_left(COMMIT_BOUNDS_S, took_s)] += 1
        self.commit_s += took_s
