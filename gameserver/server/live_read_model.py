"""The read model of a running server: shows the lobby to pages at no cost to players.

    sequencer --released()--> is a look due? --yes--> copy the tables, once for everybody
                                                         |
    viewers <--a few at a time-- whose topic has changed <

The lobby belongs to the sequencer. It is copied (a few dictionaries of frozen rows, whatever is in them) right after a
batch has been released, so everything that is shown is in the journal. A copy is made at most every `LOOK_EVERY_S`, and
only while there are viewers; otherwise a batch costs one assignment. Whatever is derived from the copy is made on
demand, once, and shared.

Hundreds of viewers that are all woken at once would block the loop for as long as it takes to write to all of them. So
they wait for turns in a share of their own, round robin by topic; moves are read and answered in between. Each viewer
sees the latest state when its turn comes, and nothing is queued for it. More viewers mean fewer updates a second for
each of them, and the same work for the server. Requests for pages have turns as well, in another share.

While the server is not certain that it leads, nothing is shown, not even an older copy: another server may be showing
what came after it.
"""

from collections.abc import AsyncIterator, Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import structlog
import trio
from attrs import define, evolve, field

from gameserver.core.lobby import Lobby, TournamentRow
from gameserver.core.match import Match
from gameserver.database.connection import DatabaseError
from gameserver.exports.tournament_report import EXPORTS, view_of
from gameserver.flow_control.fair_scheduler import LOOK_S, VIEWER_S, FairScheduler
from gameserver.game import Game
from gameserver.ladder import WINDOW_MS, LadderHistory
from gameserver.read_model import live
from gameserver.read_model.live import match_replay_of
from gameserver.read_model.metrics import ServerMetrics
from gameserver.read_model.read_model import LobbyView, Select
from gameserver.read_model.replay import MatchReplay
from gameserver.read_model.views import AdminTournamentView, Invitation, ListenerSummary, Owner, OwnLog
from gameserver.records.match_record import RestartRecord, time_of_day
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import row_of
from gameserver.server.archive import TALES_MAX, Archive, LiveHalls
from gameserver.server.invitation import Invite
from gameserver.tournaments.files import FileOptions
from gameserver.tournaments.model import TournamentPhase
from gameserver.tournaments.podium import Place
from gameserver.tournaments.season import SeasonSettings, SeasonTable, Students, season_table
from gameserver.tournaments.view import TournamentSummary, TournamentView
from gameserver.values import value
from gameserver.wire_log.owner_access import NotShown, OwnerAccess

# Judgement: five times a second looks live to a viewer, and a copy is cheap: some dictionaries.
LOOK_EVERY_S = 0.2
# Judgement. After a failover the database may be out of connections for some seconds.
RESTARTS_PAUSE_S = 1.0
"""The pause before a failed lookup of restarts is tried again."""
# Judgement: a page of a moment ago is better than none while the disk hangs. The teacher's look waits.
PATIENCE_S = 2.0
"""Seconds that a request waits for a commit before it is shown the state before it."""

_SET_BACK_MAX_MS = 3_600_000

log = structlog.get_logger()


@define(eq=False)
class _Topic:
    """The viewers of one subject."""

    select: Select
    value: object
    changed: int
    """The version in which it last changed."""
    waiting: dict[trio.Event, None] = field(factory=dict)


@value
class _View:
    """A tournament as it is shown at one version of the lobby."""

    version: int
    row: TournamentRow
    view: TournamentView


def _first_history(game: str, now_ms: int, reader: RecordReader) -> LadderHistory:
    """Reads the whole of a ladder's last days, off the loop: some ten thousand results."""
    history = LadderHistory()
    results, history.ratings = reader.ladder(game, now_ms - WINDOW_MS)
    history.add(results, now_ms)
    return history


class LiveReadModel(Archive):
    """The read model of a running server, over its live lobby.

    `settled` gives that, or None while it is ahead of the journal.
    """

    def __init__(
        self,
        settled: Callable[[], Lobby | None],
        now_ms: Callable[[], int],
        fair_scheduler: FairScheduler,
        games: Mapping[str, Game[Any]],
        reader: RecordReader,
        metrics: ServerMetrics,
        listeners: tuple[ListenerSummary, ...],
        invite: Invite,
        owner_access: OwnerAccess,
        halls: LiveHalls,
        *,
        threads: bool = True,
        wall_ms: Callable[[], int] = lambda: 0,
        seasons: Mapping[str, SeasonSettings] | None = None,
        students: Callable[[], Students] = dict,
        opinions: Callable[[Match], Mapping[int, float]] | None = None,
    ) -> None:
        super().__init__(reader, games, now_ms, halls, threads=threads)
        self._wall_ms = wall_ms
        self._ladders: dict[str, LadderHistory] = {}
        self._ladder_lock = trio.Lock()
        self.seasons, self._students = seasons or {}, students
        self._opinions = opinions
        self.metrics = metrics
        self.listeners = listeners
        self._invite = invite
        self.keeps_wire_logs = owner_access.logs_are_kept
        self._owner_access = owner_access
        self._restarts: Sequence[RestartRecord] = ()
        """The restarts since the oldest live match was opened. They happen only between two runs of a server."""
        self._is_certain = metrics.is_certain
        self._settled = settled
        self._looks = fair_scheduler.share("looks")
        # Apart from pages: hundreds of viewers that are woken at once would hold requests up.
        self._viewers = fair_scheduler.share("viewers")
        self._lobby_view: LobbyView | None = None
        self._is_changed = True
        self._is_due = False
        self._taken = trio.Event()
        self._taken_s = float("-inf")
        self._topics: dict[Hashable, _Topic] = {}
        self._called = -1
        """The version for which viewers have been called."""
        self._wanted = trio.Event()
        self._live: dict[int, tuple[Match, MatchReplay]] = {}
        self._tournaments: tuple[TournamentRow, ...] = ()
        self._views: dict[int, _View] = {}
        self._being_viewed: dict[int, trio.Event] = {}
        """The tournaments whose views are being worked out; other requests wait for them."""

    async def read_restarts(self, matches: Iterable[Match]) -> None:
        """Look up which restarts these matches have been through.

        Pages alone show them. So a server that has just taken over plays on meanwhile, and a lookup that fails is
        tried again.
        """
        since_ms = min((match.opened_ms for match in matches), default=None)
        if since_ms is None:
            return
        complained = False
        while True:
            try:
                self._restarts = await self.read(lambda reader: reader.restarts(since_ms))
                break
            except DatabaseError as error:
                if not complained:
                    log.warning("pages of live matches do not tell of restarts until they are read", why=str(error))
                complained = True
            await trio.sleep(RESTARTS_PAUSE_S)
        # Replays that were told without the restarts.
        self._live.clear()
        self.released()

    def released(self) -> None:
        """Note for the live pages that a batch is out, or that something else that is shown has changed."""
        self._is_changed = True
        if self._is_due:
            self._take()

    def confirmed(self) -> None:
        """Show on live pages what was held back because the server was not certain that it leads."""
        if self._is_due:
            self._take()

    async def run(self) -> None:
        """Show changes of the lobby to the viewers of live pages that wait for them, for ever."""
        while True:
            await self._wanted.wait()
            if self._lobby_view is None or self._lobby_view.version == self._called:
                await self._next_look()
            self._call_viewers()
            await trio.sleep(LOOK_EVERY_S)

    async def latest(self, *, exact: bool = False) -> LobbyView:
        """The live lobby as it stands; if a commit takes long, as it stood before, unless `exact`."""
        asked_s = trio.current_time()
        await self._looks.turn("the teacher" if exact else "everybody", LOOK_S)
        # A copy that was made after the request came in is new enough.
        if self._lobby_view is None or (self._is_changed and self._taken_s <= asked_s):
            with trio.move_on_after(PATIENCE_S if self._lobby_view and not exact else float("inf")):
                await self._next_look()
        await self._certainty()
        assert self._lobby_view is not None, "the first look was waited for"
        return self._lobby_view

    async def change(self, topic: Hashable, select: Select, seen: int) -> LobbyView:
        """Wait until what a live topic shows to its viewers has changed since a version."""
        lobby_view = self._lobby_view or await self.latest()
        turn = trio.Event()
        watched = self._topics.get(topic)
        if watched is None:
            watched = self._topics[topic] = _Topic(select, select(lobby_view), lobby_view.version)
        if watched.changed > seen:
            self._viewers.ask(topic, turn.set, VIEWER_S)
        else:
            watched.waiting[turn] = None
            self._wanted.set()
        try:
            await turn.wait()
        finally:
            watched.waiting.pop(turn, None)
            if not watched.waiting and self._topics.get(topic) is watched:
                del self._topics[topic]
        await self._certainty()
        return self._lobby_view or lobby_view

    async def tournament(self, number: int, *, exact: bool = False) -> TournamentView | None:
        """A tournament as everybody may see it live, worked out once for all simultaneous requests."""
        asked = (await self.latest(exact=exact)).version
        while (row := next((row for row in self._tournaments if row.number == number), None)) is not None:
            known = self._views.get(number)
            # Good enough if nothing has happened since, or if it was made after this request came in.
            if known is not None and (known.row is row or known.version >= asked):
                return known.view
            if number in self._being_viewed:
                await self._being_viewed[number].wait()
            else:
                await self._view(row)
        return await super().tournament(number)

    async def ladder(self, game: str) -> LadderHistory:
        """The results of a game's ladder that are on record by now. Each time only the latest are read."""
        async with self.ladder_at_rest(game) as history:
            return history

    @asynccontextmanager
    async def ladder_at_rest(self, game: str) -> AsyncIterator[LadderHistory]:
        """Lends the results of a game's ladder: nobody brings them up to date meanwhile."""
        async with self._ladder_lock:
            known, now_ms = self._ladders.get(game), self._wall_ms()
            if known is None:
                known = self._ladders[game] = await self.read(partial(_first_history, game, now_ms))
            else:
                # The clock of the machine may have been set back meanwhile.
                since_ms = max(now_ms - WINDOW_MS, known.latest_ms - _SET_BACK_MAX_MS)
                results, known.ratings = await self.read(lambda reader: reader.ladder(game, since_ms))
                known.add(results, now_ms)
            yield known

    @property
    def _events(self) -> tuple[TournamentRow, ...]:
        """The tournaments of the lobby that lists have."""
        return tuple(row for row in self._tournaments if row.state.plan.event)

    async def current_tournaments(self) -> tuple[TournamentSummary, ...]:
        """The tournaments that the live lobby keeps, the latest first."""
        lobby_view = await self.latest()
        return await self._digests.summaries(lobby_view, self._events[::-1], self.now_ms())

    async def places(self, numbers: Sequence[int]) -> Mapping[int, tuple[Place, ...]]:
        """The final places of tournaments, as of the latest look at the live lobby."""
        if self._lobby_view is None:
            # Only without any: a page has looked already, and a second look would wait for another turn.
            await self.latest()
        return {number: await self._digests.places(self._tournaments, number) for number in numbers}

    async def tournament_summaries(self) -> tuple[AdminTournamentView, ...]:
        """The events that the live lobby keeps, as they stand now, for the teacher."""
        lobby_view = await self.latest(exact=True)
        rows, now_ms = self._events, self.now_ms()
        return await self._off_the_loop(
            lambda: tuple(live.tournament_view(row, lobby_view.timing(row, now_ms)) for row in rows)
        )

    async def tournament_summary(self, number: int) -> AdminTournamentView | None:
        """A tournament as it stands now, of the live lobby or on record, for the teacher."""
        row = await self._tournament_row(number)
        if row is None or self._lobby_view is None:
            return None
        timing = self._lobby_view.timing(row, self.now_ms())
        return await self._off_the_loop(live.tournament_view, row, timing, self._lobby_view.bank_warnings(number))

    async def tournament_file(self, number: int, kind: str, options: FileOptions) -> str | None:
        """Makes a file of a tournament as it stands now, of the live lobby or on record."""
        row = await self._tournament_row(number)
        if row is None:
            return None
        if kind == "json":  # it tells the longest match, too
            matches = [one.match for one in row.state.pairings if one.match is not None]
            counts = await self.read(lambda reader: reader.move_counts(matches))
            options = evolve(options, move_counts=counts)
        return await self._off_the_loop(EXPORTS[kind].make, row, self.now_ms(), options)

    def invitation(self, number: int) -> Invitation | None:
        """The invitation to a tournament of the live lobby that gathers its players, as of the latest look."""
        gathering = (row for row in self._tournaments if row.state.phase is TournamentPhase.GATHERING)
        row = next((one for one in gathering if one.number == number), None)
        if row is None:
            return None
        plan = row.state.plan
        found = self._invite(number, plan.game, row.entry)
        if not plan.starts_at_ms:
            return found
        # To the second: both clocks are read, and a millisecond between them would send the page anew.
        left_ms = round(plan.starts_at_ms - self._wall_ms() + self.now_ms(), -3)
        return evolve(found, starts_at=time_of_day(plan.starts_at_ms), starts_ms=left_ms)

    async def season(self, name: str) -> SeasonTable:
        """The public table of a season, out of the records and the running server's roster as they are now."""
        settings = self.seasons[name]
        today = time_of_day(self._wall_ms())[:10]
        found = await self.read(lambda reader: reader.season_events(settings, today))
        await self.latest()  # after the records: what is over there is over in the lobby, too
        places = await self.places([one.number for one in found if one.number and one.phase == TournamentPhase.OVER])
        events = [one if one.number is None else evolve(one, places=places.get(one.number, ())) for one in found]
        return (await self._off_the_loop(season_table, name, settings, events, self._students())).public

    async def _tournament_row(self, number: int) -> TournamentRow | None:
        await self.latest(exact=True)
        row = next((row for row in self._tournaments if row.number == number), None)
        if row is None:
            record = await self.read(lambda reader: reader.tournament(number))
            row = None if record is None else row_of(record)
        return row

    async def _view(self, row: TournamentRow) -> None:
        """Work out the public view of a tournament."""
        assert self._lobby_view is not None, "the row was looked at"
        version, done = self._lobby_view.version, trio.Event()
        self._being_viewed[row.number] = done
        try:
            view = await self._off_the_loop(view_of, row, self._lobby_view.timing(row, self.now_ms()))
            self._views[row.number] = _View(version, row, view)
        finally:
            del self._being_viewed[row.number]
            done.set()
        here = {row.number for row in self._tournaments}
        self._views = {number: known for number, known in self._views.items() if number in here}

    def token_of(self, player: str, session: int) -> str:
        """The secret part of a link to the own page of the player of this session."""
        return self._owner_access.token_of(player, session)

    async def check_owner(self, player: str, secret: str, session: int, address: str) -> Owner:
        """Check that the person at an own page is the player. Raises `NotShown`."""
        try:
            return await self._owner_access.check(player, secret, session, address)
        except NotShown:
            self.released()  # the teacher is shown wrong secrets
            raise

    def owner_of(self, token: str) -> Owner:
        """The player whom the running server gave a link to the own page. Raises `NotShown`."""
        return self._owner_access.owner_of(token)

    async def own_wire_log(self, owner: Owner) -> OwnLog:
        """The wire log that the running server keeps of a player, for its owner. Raises `NotShown`."""
        return await self._off_the_loop(self._owner_access.log_of, owner)

    async def match_replay(self, match: int) -> MatchReplay | None:
        """Replays a match, live or on record."""
        lobby_view = await self.latest()
        live = lobby_view.match(match)
        if live is None:
            self._live.pop(match, None)
        return live or await super().match_replay(match)

    async def _certainty(self) -> None:
        """Wait until the server is certain that it leads."""
        while not self._is_certain():
            self._is_due = True
            await self._taken.wait()

    async def _next_look(self) -> None:
        """Wait for the next copy of the lobby: made at once if it has changed, else after a change or a commit."""
        if not (self._is_changed and self._take()):
            self._is_due = True
            await self._taken.wait()

    def _take(self) -> bool:
        """Copy the lobby; False if it cannot be shown now."""
        lobby = self._settled()  # asked for once: a server's certainty that it leads may end between two lines
        if lobby is None:
            return False
        version = 0 if self._lobby_view is None else self._lobby_view.version + 1
        self._tournaments = tuple(sorted(lobby.tournaments.values(), key=lambda row: row.number))
        self._digests.restored(lobby.tournaments)
        for number in lobby.tournaments:
            self._past.pop(number, None)  # restored from the records, it may change
        featured = {} if self._lobby_view is None else self._lobby_view.featured
        self._lobby_view = LobbyView.of(lobby, version, self.now_ms(), self._tell, self._opinions, featured)
        self._taken_s = trio.current_time()
        self._is_changed = self._is_due = False
        self._taken.set()
        self._taken = trio.Event()
        return True

    def _call_viewers(self) -> None:
        """Ask for turns for the viewers whose topics have changed."""
        lobby_view = self._lobby_view
        assert lobby_view is not None, "somebody has looked before waiting"
        self._called = lobby_view.version
        for key, topic in self._topics.items():
            value = topic.select(lobby_view)
            if value != topic.value:
                topic.value, topic.changed = value, lobby_view.version
                for turn in topic.waiting:
                    self._viewers.ask(key, turn.set, VIEWER_S)
                topic.waiting.clear()
        if not any(topic.waiting for topic in self._topics.values()):
            self._wanted = trio.Event()

    def _tell(self, match: Match) -> MatchReplay:
        """The replay of a live match, continued from where it stood before."""
        known = self._live.pop(match.id, None)
        # Rows are frozen: the same object is a match in which nothing has happened.
        if known is not None and known[0] is match:
            match_replay = known[1]
        else:
            match_replay = match_replay_of(match, None if known is None else known[1], self._restarts)
        self._live[match.id] = (match, match_replay)
        while len(self._live) > TALES_MAX:
            del self._live[next(iter(self._live))]
        return match_replay
