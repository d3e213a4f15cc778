"""Summaries and final places of tournaments, made in a thread and kept until something happens in the tournament.

Both are short, and shown on pages that many load: the lobby, the lists, players' pages. With 60 players the summary of
a double round robin takes some 15 ms, most of it for the time that is left, and the places take 26 ms. So one is worked
out at a time: a class that opens such a page at once waits for the same digests.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence

import trio

from gameserver.core.lobby import TournamentRow
from gameserver.read_model.lobby_view import LobbyView
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import row_of
from gameserver.tournaments.model import Tournament, TournamentPhase
from gameserver.tournaments.podium import Place, places
from gameserver.tournaments.view import TournamentSummary, tournament_summary
from gameserver.values import value

PLACES_MAX = 500
"""Tournaments whose final places are kept: some names each."""
FRESH_MS = 10_000
"""The time after which what is left of a running tournament is worked out anew, though nothing has happened in it."""

Summaries = tuple[TournamentSummary, ...]
OffTheLoop = Callable[[Callable[[], None]], Awaitable[None]]


@value
class _Summary:
    row: TournamentRow
    made_ms: int
    summary: TournamentSummary

    def is_of(self, row: TournamentRow, now_ms: int) -> bool:
        """True if it can still be shown for this row."""
        is_fresh = now_ms - self.made_ms < FRESH_MS or row.state.phase is not TournamentPhase.RUNNING
        return self.row is row and is_fresh


@value
class _Places:
    """The places of a tournament in a state of the lobby; without a state they are from the records."""

    state: Tournament | None
    places: tuple[Place, ...]


class TournamentDigests:
    """The digests of one server. `off_the_loop` runs a function in a thread."""

    def __init__(self, reader: RecordReader, off_the_loop: OffTheLoop) -> None:
        self._reader = reader
        self._off_the_loop = off_the_loop
        self._summaries: dict[int, _Summary] = {}
        self._places: dict[int, _Places] = {}
        self._working = trio.Lock()

    async def summaries(self, lobby_view: LobbyView, rows: Sequence[TournamentRow], now_ms: int) -> Summaries:
        """The summaries of the lobby's tournaments, in their order."""
        async with self._working:
            return await self._summaries_of(lobby_view, rows, now_ms)

    async def _summaries_of(self, lobby_view: LobbyView, rows: Sequence[TournamentRow], now_ms: int) -> Summaries:
        known = {number: one for number, one in self._summaries.items() if any(row.number == number for row in rows)}
        changed = [row for row in rows if row.number not in known or not known[row.number].is_of(row, now_ms)]

        def work() -> None:
            for row in changed:
                timing = lobby_view.timing(row, now_ms)
                summary = tournament_summary(row.state, number=row.number, timing=timing)
                known[row.number] = _Summary(row, now_ms, summary)

        if changed:
            await self._off_the_loop(work)
        self._summaries = known
        return tuple(known[row.number].summary for row in rows)

    async def places(self, rows: Sequence[TournamentRow], number: int) -> tuple[Place, ...]:
        """The final places of a tournament, in the lobby or on record."""
        state = next((row.state for row in rows if row.number == number), None)
        async with self._working:
            known = self._places.pop(number, None)
            if known is None or known.state is not state:
                found: list[tuple[Place, ...]] = []
                await self._off_the_loop(lambda: found.append(self._work_out(number, state)))
                known = _Places(state, found[0])
            self._places[number] = known
        while len(self._places) > PLACES_MAX:
            del self._places[next(iter(self._places))]
        return known.places

    def restored(self, numbers: Iterable[int]) -> None:
        """Note that the lobby has these. A tournament that came back from the records may change there."""
        for number in numbers:
            if number in self._places and self._places[number].state is None:
                del self._places[number]

    def _work_out(self, number: int, state: Tournament | None) -> tuple[Place, ...]:
        if state is None:
            record = self._reader.tournament(number)
            state = None if record is None else row_of(record).state
        return () if state is None else places(state)
