"""The records of the halls, for pages: read beside the event loop, and kept as long as they are asked for."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVarTuple

import structlog
import trio

from gameserver.core.lobby import TournamentRow
from gameserver.database.connection import DatabaseError
from gameserver.exports.matches import match_file
from gameserver.exports.tournament_report import view_of
from gameserver.game import Game
from gameserver.read_model.read_model import Halls, HallView, LobbyView, ReadModel, ReadT, RecordsModel, hall_view
from gameserver.read_model.replay import MatchReplay, recorded_replay
from gameserver.read_model.views import Invitation, ListenerSummary
from gameserver.records.reader import HallDirectory, HallNews, HallSeen, RecordReader
from gameserver.records.tournament_record import row_of
from gameserver.tournaments.model import CLOSED, Tournament, TournamentPhase
from gameserver.tournaments.podium import Place, places
from gameserver.tournaments.season import SeasonSettings
from gameserver.tournaments.view import TournamentSummary, TournamentView, tournament_summary
from gameserver.values import value

TALES_MAX = 128
"""Match replays that are kept for viewers."""
_PAST_MAX = 16
"""Tournaments on record that are kept for viewers."""

# Some names each; with 60 players they take 26 ms to work out.
PLACES_MAX = 500
"""Tournaments whose final places are kept: some names each."""
# Judgement: an estimate in minutes; with 60 players a summary takes 15 ms, most of it for the time that is left.
FRESH_MS = 10_000
"""The time after which what is left of a running tournament is worked out anew, though nothing has happened in it."""
# Judgement: what people notice on a page of all halls. However many look, the database is asked once.
EXCHANGE_EVERY_S = 2.0
# Judgement: pages queue for the records rather than take the threads that everything else runs in.
_AT_ONCE_MAX = 2
"""Threads that read the records of one hall."""

_ArgsT = TypeVarTuple("_ArgsT")
Summaries = tuple[TournamentSummary, ...]
_OffTheLoop = Callable[[Callable[[], None]], Awaitable[None]]

log = structlog.get_logger()


class Archive:
    """The read model of a hall's records: shows what is on record, in an empty lobby.

    It is all that a server shows of another hall, as what is live there is on that hall's own pages.
    """

    listeners: tuple[ListenerSummary, ...] = ()
    """Those of this server are not another hall's."""
    seasons: Mapping[str, SeasonSettings] = MappingProxyType({})
    """Likewise."""

    def __init__(
        self,
        reader: RecordReader,
        games: Mapping[str, Game[Any]],
        now_ms: Callable[[], int],
        halls: "LiveHalls",
        *,
        threads: bool,
    ) -> None:
        self.now_ms = now_ms
        self.halls: Halls = halls
        self.of_hall: Callable[[str], RecordsModel | None] = halls.of_hall
        self._reader = reader
        self._games = games
        self._limiter = trio.CapacityLimiter(_AT_ONCE_MAX) if threads else None
        self._over: dict[int, MatchReplay] = {}
        self._past: dict[int, TournamentView] = {}
        self._digests = TournamentDigests(reader, self._off_the_loop)
        self._empty = LobbyView(version=0, now_ms=0, games=tuple(game.name for game in games.values()))

    async def latest(self, *, exact: bool = False) -> LobbyView:
        """The empty lobby of the archive, which knows the installed games."""
        await trio.lowlevel.checkpoint()
        return self._empty

    async def _off_the_loop(self, work: Callable[[*_ArgsT], ReadT], *args: *_ArgsT) -> ReadT:
        """Run in a thread what may take long; at once where there are no threads, which keeps virtual time exact.

        Cancelled, it returns at once: a stop does not wait for a database that hangs, which takes up to 30 s. The
        thread goes on, and counts in the limit until it is done.
        """
        if self._limiter is None:
            return work(*args)
        return await trio.to_thread.run_sync(work, *args, abandon_on_cancel=True, limiter=self._limiter)

    async def read(self, look_up: Callable[[RecordReader], ReadT]) -> ReadT:
        """Look something up in the archive's records, in a thread."""
        return await self._off_the_loop(look_up, self._reader)

    async def match_replay(self, match: int) -> MatchReplay | None:
        """Replays a match in the archive, kept for the next viewers."""
        if match in self._over:
            return self._over[match]
        record = await self.read(lambda reader: reader.match(match))
        if record is None:
            return None
        match_replay = self._over[match] = recorded_replay(record, self._games)
        while len(self._over) > TALES_MAX:
            del self._over[next(iter(self._over))]
        return match_replay

    async def match_file(self, match: int, ending: str) -> str | None:
        """Writes a match in the archive as a file, in a thread."""
        return await self._off_the_loop(match_file, self._reader, self._games, match, ending)

    async def tournament(self, number: int, *, exact: bool = False) -> TournamentView | None:
        """A tournament in the archive. One that is not over is read anew each time: another hall plays it."""
        view = self._past.pop(number, None)
        if view is None:
            record = await self.read(lambda reader: reader.tournament(number))
            if record is None:
                return None
            view = await self._off_the_loop(lambda: view_of(row_of(record)))
        if view.phase in CLOSED:
            self._past[number] = view
        while len(self._past) > _PAST_MAX:
            del self._past[next(iter(self._past))]
        return view

    def invitation(self, number: int) -> Invitation | None:
        """The invitation to a tournament, of which an archive has none: players join on the other hall's pages."""
        return None

    async def current_tournaments(self) -> tuple[TournamentSummary, ...]:
        """The tournaments that are on now, of which an archive has none: the other hall keeps its own."""
        await trio.lowlevel.checkpoint()
        return ()

    async def places(self, numbers: Sequence[int]) -> Mapping[int, tuple[Place, ...]]:
        """The final places of tournaments in the archive that are over."""
        return {number: await self._digests.places((), number) for number in numbers}


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
    """The digests of one server's tournaments: a summary, or the final places.

    `off_the_loop` runs a function in a thread.

    A digest is a summary or the final places, made in a thread and kept until something happens in the tournament.

    Both are short, and shown on pages that many load: the lobby, the lists, players' pages. With 60 players the summary
    of a double round robin takes some 15 ms, most of it for the time that is left, and the places take 26 ms. So one is
    worked out at a time: a class that opens such a page at once waits for the same digests.
    """

    def __init__(self, reader: RecordReader, off_the_loop: _OffTheLoop) -> None:
        self._reader = reader
        self._off_the_loop = off_the_loop
        self._summaries: dict[int, _Summary] = {}
        self._places: dict[int, _Places] = {}
        self._working = trio.Lock()

    async def summaries(self, lobby_view: LobbyView, rows: Sequence[TournamentRow], now_ms: int) -> Summaries:
        """The digests of the lobby's tournaments as summaries, in their order."""
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
            # 15 ms for 60 players in a double round robin: too long for the event loop.
            await self._off_the_loop(work)
        self._summaries = known
        return tuple(known[row.number].summary for row in rows)

    async def places(self, rows: Sequence[TournamentRow], number: int) -> tuple[Place, ...]:
        """The digest of one tournament's final places, in the lobby or in the archive."""
        state = next((row.state for row in rows if row.number == number), None)
        # After a restart thirty viewers of a list had each tournament worked out thirty times: now the first one works.
        async with self._working:
            known = self._places.pop(number, None)
            if known is None or known.state is not state:
                found: list[tuple[Place, ...]] = []
                await self._off_the_loop(lambda: found.append(self._work_out(number, state)))
                known = _Places(state, found[0])
            self._places[number] = known
        while len(self._places) > PLACES_MAX:
            # The first key was asked for longest ago: each answer puts its key at the end.
            del self._places[next(iter(self._places))]
        return known.places

    def restored(self, numbers: Iterable[int]) -> None:
        """Drop the archived places of tournaments that the lobby has.

        One that came back from the records may change there.
        """
        for number in numbers:
            if number in self._places and self._places[number].state is None:
                del self._places[number]

    def _work_out(self, number: int, state: Tournament | None) -> tuple[Place, ...]:
        if state is None:
            record = self._reader.tournament(number)
            state = None if record is None else row_of(record).state
        return () if state is None else places(state)


class LiveHalls:
    """All halls of the database with their archives, as they were heard of last.

    `directory` is None where there is only this one.

    It tells of its own hall every two seconds, and hears of all.

    Pages read what was heard last, so however many look, the database is asked once. With a data file there is one
    hall, and nothing to ask.
    """

    def __init__(
        self,
        directory: HallDirectory | None,
        own: str,
        url: str,
        games: Mapping[str, Game[Any]],
        now_ms: Callable[[], int],
        *,
        threads: bool = True,
    ) -> None:
        self.own = own
        self.others: tuple[str, ...] = ()
        self.url = url
        self._directory = directory
        self._games = games
        self._now_ms = now_ms
        self._views: Mapping[str, HallView] = {}
        """The other halls by name."""
        self._records: dict[str, Archive] = {}
        self._is_cut_off = False
        self._threads = threads

    def view_of(self, name: str) -> HallView | None:
        """Another hall of the database, as it was heard of last."""
        return self._views.get(name)

    def views(self, own: HallNews) -> tuple[HallView, ...]:
        """All halls of the database in the order of their names."""
        views = {**self._views, self.own: hall_view(HallSeen(own, "", 0.0), is_here=True)}
        return tuple(views[name] for name in sorted(views))

    def of_hall(self, name: str) -> Archive | None:
        """The archive of another hall."""
        if self._directory is None or name not in self._views:
            return None
        if name not in self._records:
            found = self._directory.reader(name)
            self._records[name] = Archive(found, self._games, self._now_ms, self, threads=self._threads)
        return self._records[name]

    async def run(self, read_model: ReadModel, changed: Callable[[], None]) -> None:
        """Exchange news with the other halls for ever; `changed` is called when those of another hall have."""
        if self._directory is None:
            return
        while True:
            news = (await read_model.latest()).news(self.own, self.url)
            try:
                exchange = partial(self._directory.exchange, news)
                # A server that stops does not wait for a database that is away.
                threaded = partial(trio.to_thread.run_sync, exchange, abandon_on_cancel=True)
                heard = await threaded() if self._threads else exchange()
            except DatabaseError as error:
                # Pages go on with what was heard last; after 10 s they show the other halls as away (`hall_view`).
                self._cut_off(str(error))
            else:
                self._is_cut_off = False
                if self._hear(heard):
                    changed()
            await trio.sleep(EXCHANGE_EVERY_S)

    def close(self) -> None:
        """Let go of the database with the other halls' archives."""
        if self._directory is not None:
            self._directory.close()

    def _hear(self, heard: Sequence[HallSeen]) -> bool:
        """Take the news of all halls in; True if another hall's differ from before."""
        views = {one.news.name: hall_view(one) for one in heard if one.news.name != self.own}
        if views == self._views:
            return False
        self._views, self.others = views, tuple(sorted(views))
        return True

    def _cut_off(self, why: str) -> None:
        """Say once that the halls do not hear of each other."""
        if not self._is_cut_off:
            log.warning("the other halls cannot be heard of; pages show what was heard last", why=why)
        self._is_cut_off = True
