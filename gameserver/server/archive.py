"""The records of one hall, for pages: read beside the event loop, and kept as long as they are asked for."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVarTuple

import trio

from gameserver.exports.matches import match_file
from gameserver.exports.tournament_report import view_of
from gameserver.game import Game
from gameserver.read_model.recorded import recorded_replay
from gameserver.read_model.replay import MatchReplay
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import row_of
from gameserver.tournaments.model import CLOSED
from gameserver.tournaments.view import TournamentView

TALES_MAX = 128
"""Match replays that are kept for viewers."""
PAST_MAX = 16
"""Tournaments on record that are kept for viewers."""

ArgsT = TypeVarTuple("ArgsT")
from gameserver.read_model.lobby_view import ReadT


class Archive:
    """Finished matches and tournaments. Without a `limiter` nothing is read in a thread."""

    def __init__(
        self, reader: RecordReader, games: Mapping[str, Game[Any]], limiter: trio.CapacityLimiter | None
    ) -> None:
        self.reader = reader
        self._games = games
        self._limiter = limiter
        self._over: dict[int, MatchReplay] = {}
        self._past: dict[int, TournamentView] = {}

    async def off_the_loop(self, work: Callable[[*ArgsT], ReadT], *args: *ArgsT) -> ReadT:
        """Run in a thread what may take long; at once where there are no threads, which keeps virtual time exact.

        Cancelled, it returns at once: a stop does not wait for a database that hangs, which takes up to 30 s. The
        thread goes on, and counts in the limit until it is done.
        """
        if self._limiter is None:
            return work(*args)
        return await trio.to_thread.run_sync(work, *args, abandon_on_cancel=True, limiter=self._limiter)

    async def read(self, look_up: Callable[[RecordReader], ReadT]) -> ReadT:
        """Look something up in the records."""
        return await self.off_the_loop(look_up, self.reader)

    async def match_replay(self, match: int) -> MatchReplay | None:
        """A match on record."""
        if match in self._over:
            return self._over[match]
        if match < 1 or match >= 1 << 63:
            return None
        record = await self.read(lambda reader: reader.match(match))
        if record is None:
            return None
        match_replay = self._over[match] = recorded_replay(record, self._games)
        while len(self._over) > TALES_MAX:
            del self._over[next(iter(self._over))]
        return match_replay

    async def match_file(self, match: int, ending: str) -> str | None:
        """A finished match as a file, written in a thread."""
        return await self.off_the_loop(match_file, self.reader, self._games, match, ending)

    async def tournament(self, number: int) -> TournamentView | None:
        """A tournament on record. One that is not over is read anew each time: another hall plays it."""
        view = self._past.pop(number, None)
        if view is None:
            record = await self.read(lambda reader: reader.tournament(number))
            if record is None:
                return None
            view = await self.off_the_loop(lambda: view_of(row_of(record)))
        if view.phase in CLOSED:
            self._past[number] = view
        while len(self._past) > PAST_MAX:
            del self._past[next(iter(self._past))]
        return view

    def forget_tournament(self, number: int) -> None:
        """Read a tournament again, if it is asked for again: it may change."""
        self._past.pop(number, None)
