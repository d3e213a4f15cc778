"""The director of the ladders: works out who plays whom beside the lobby, and submits the pairs as commands.

Decisions of the lobby name the ladders on which a player waits now (`Decision.wake`). The director looks at those, and
again when somebody has become patient enough, by the pure `gameserver.ladder`. The history is what the records hold, so
it knows of no match that a kill could take back; it keeps nothing else but since when each player waits. At the
beginning of each day in UTC the ranking goes on record.
"""

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractAsyncContextManager

import structlog
import trio

from gameserver.core.commands import Command, KeepRanking, PairOnLadder
from gameserver.core.ladders import to_pair
from gameserver.core.lobby import LadderRow, Lobby
from gameserver.database.connection import DatabaseError
from gameserver.ladder import LadderHistory, Pair, next_pairings
from gameserver.ratings.rating import MEAN
from gameserver.records.house_strengths import fixed_rating
from gameserver.records.match_record import time_of_day

_UNSETTLED_S = 0.05
"""The pause before another look at a lobby that is ahead of the journal."""
_AWAY_S = 5.0
_LOOKS_APART_S = 1.0
"""Seconds between two looks at a ladder: with two hundred who wait a look takes some 40 ms of the loop, in steps."""
_LOOK_EVERY_S = 600.0
"""Seconds after which a ladder is looked at though nothing happened there: a day may have begun."""

log = structlog.get_logger()


class LadderDirector:
    """The director, who pairs the players on all ladders of one server.

    `settled` lends the lobby, None while it is ahead of the journal; `history` what a ladder has on record.
    """

    def __init__(
        self,
        settled: Callable[[], Lobby | None],
        history: Callable[[str], AbstractAsyncContextManager[LadderHistory]],
        submit: Callable[[Command], None],
        wall_ms: Callable[[], int],
    ) -> None:
        self._settled = settled
        self._history = history
        self._submit = submit
        self._wall_ms = wall_ms
        self._due_s: dict[str, float] = {}
        """The time of the next look at each open ladder."""
        self._looked_s: dict[str, float] = {}
        """The time of the last look at each open ladder."""
        self._since_s: dict[str, dict[str, float]] = {}
        """The time since which each player waits, by game; not of the day, which may be set otherwise."""
        self._wake = trio.Event()

    def wake(self, games: Iterable[str]) -> None:
        """Wake the director of ladders: there may be somebody to pair."""
        for game in games:
            self._due_s[game] = self._looked_s.get(game, 0.0) + _LOOKS_APART_S
            self._wake.set()

    async def run(self) -> None:
        """Pair the players on ladders whenever some can be paired, for ever."""
        while True:
            with trio.move_on_at(min(self._due_s.values(), default=float("inf"))):
                await self._wake.wait()
            self._wake = trio.Event()
            # The changes of one batch are looked at once: the batch has been decided by the next pass of the loop.
            await trio.lowlevel.checkpoint()
            now_s = trio.current_time()
            for game in [game for game, due_s in self._due_s.items() if due_s <= now_s]:
                self._looked_s[game] = trio.current_time()
                self._due_s[game] = self._looked_s[game] + _LOOK_EVERY_S
                try:
                    await self._look(game)
                except DatabaseError as error:
                    log.warning("the ladder pairs nobody until the records can be read", game=game, why=str(error))
                    self._look_in(game, _AWAY_S)
                # A bug in the pairing must not end the server with everybody else's matches.
                except Exception:
                    log.exception("a ladder paired nobody", game=game)

    def _look_in(self, game: str, wait_s: float) -> None:
        # Somebody may have come meanwhile: then the ladder is due already.
        self._due_s[game] = min(self._due_s[game], trio.current_time() + wait_s)

    async def _look(self, game: str) -> None:
        lobby = self._settled()
        if lobby is None:
            self._look_in(game, _UNSETTLED_S)
            return
        found = to_pair(lobby, game)
        if found is None:
            del self._due_s[game], self._looked_s[game]
            self._since_s.pop(game, None)
            return
        (row, names), house = found, lobby.server[""].house
        fixed = {one.name: fixed_rating(game, one.name) for one in house if game in one.games}
        anchors = {name: rating.mean for name, rating in fixed.items() if rating is not None}
        # After the look: whatever those who wait in a settled lobby have played is on record by now.
        async with self._history(game) as history:
            now_ms, now_s = self._wall_ms(), trio.current_time()
            before = self._since_s.get(game, {})
            since_s = {name: before.get(name, now_s) for name in names}
            waiting = {name: now_ms - round((now_s - one_s) * 1000) for name, one_s in since_s.items()}
            self._keep_ranking(row, history, now_ms)
            ratings = {name: history.ratings.get(name, (MEAN,))[0] for name in names}
            # The lobby goes on meanwhile: it refuses pairs that do not wait any more, and wakes us again.
            pairs, later_ms = await _in_turns(next_pairings(history, waiting, ratings, anchors, now_ms))
        for first, second in pairs:
            self._submit(PairOnLadder(game, first, second))
        paired = {name for pair in pairs for name in pair}
        self._since_s[game] = {name: one_s for name, one_s in since_s.items() if name not in paired}
        if later_ms is not None:
            self._look_in(game, (later_ms - now_ms) / 1000)

    def _keep_ranking(self, row: LadderRow, history: LadderHistory, now_ms: int) -> None:
        night = time_of_day(now_ms)[:10]
        # On the day of the opening the night is over: a ranking of now would stand for it, or be mixed with one that a
        # ladder kept which was closed since.
        if max(row.night, time_of_day(row.since_wall_ms)[:10]) < night:
            self._submit(KeepRanking(row.game, night, tuple(history.ranking)))


async def _in_turns(steps: Generator[None, None, tuple[list[Pair], int | None]]) -> tuple[list[Pair], int | None]:
    """The result of a generator, between whose steps everybody else has a turn.

    A thread was tried: the loop then waits 5 ms for the interpreter in each pass, as long as the thread computes.
    """
    while True:
        try:
            next(steps)
        except StopIteration as done:
            found: tuple[list[Pair], int | None] = done.value
            return found
        await trio.lowlevel.checkpoint()
