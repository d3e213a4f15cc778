"""The director: works out the pairings of tournaments beside the lobby, and submits them as commands.

Decisions of the lobby name the tournaments that have changed, or whose players may have become free; a start names all
of them (`Decision.wake`). The director looks at those, plans with the pure planner, off the event loop where that may
take long, and submits `Pair`. If something has happened meanwhile that forbids those pairings, the lobby refuses them,
and that change has woken the director again. The director keeps nothing that a restart could lose: only, for each
running tournament, a planner's index of the pairings so far.
"""

from collections.abc import Callable, Iterable

import structlog
import trio

from gameserver.core.commands import Command, Conduct
from gameserver.core.lobby import TournamentRow
from gameserver.tournaments.plan import Format
from gameserver.tournaments.planner import Planner

_PAIRINGS_ON_THE_LOOP_MAX = 40
"""Pairings up to which planning takes a millisecond or two, so a thread would only cost time."""
_HEAVY = frozenset({Format.SWISS, Format.ARENA})
"""Formats that load a library and weigh every pair of players."""

log = structlog.get_logger()


class TournamentDirector:
    """The director, who pairs the players of all tournaments of one server. `threads` is off where time is virtual.

    `to_pair` gives a tournament that runs, and the players who are free for it; None if it does not run.
    """

    def __init__(
        self,
        to_pair: Callable[[int], tuple[TournamentRow, frozenset[str]] | None],
        submit: Callable[[Command], None],
        now_ms: Callable[[], int],
        *,
        threads: bool = True,
    ) -> None:
        self._to_pair = to_pair
        self._submit = submit
        self._now_ms = now_ms
        self._threads = threads
        self._wanted: dict[int, None] = {}
        self._planners: dict[int, Planner] = {}
        self._wake = trio.Event()

    def wake(self, tournaments: Iterable[int]) -> None:
        """Wake the director of tournaments: there may be something to pair."""
        self._wanted.update(dict.fromkeys(tournaments))
        self._wake.set()

    async def run(self) -> None:
        """Pair the players of tournaments whenever there is something to pair, for ever."""
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            # The changes of one batch are looked at once: the batch has been decided by the next pass of the loop.
            await trio.lowlevel.checkpoint()
            wanted, self._wanted = self._wanted, {}
            for number in wanted:
                await self._pair(number)

    async def _pair(self, number: int) -> None:
        found = self._to_pair(number)
        if found is None:
            self._planners.pop(number, None)
            return
        # The lobby may go on while the plan is made: it refuses pairings that do not fit any more, and wakes us again.
        row, free = found
        now_ms = self._now_ms()
        state = row.state
        plan = self._planners.setdefault(number, Planner()).next_pairings
        try:
            if self._threads and (len(state.pairings) > _PAIRINGS_ON_THE_LOOP_MAX or state.plan.format in _HEAVY):
                act = await trio.to_thread.run_sync(plan, state, free, now_ms)
            else:
                act = plan(state, free, now_ms)
        # A bug in a format must not end the server with everybody else's matches; the teacher can go on by hand.
        except Exception:
            log.exception("pairing failed; void or correct results, or finish the tournament", tournament=row.name)
            return
        if act is not None:
            self._submit(Conduct(number, act))
