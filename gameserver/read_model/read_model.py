"""The interface of the read model, by which a handler of the HTTP listener reads the lobby and the records.

        async def lobby_page(request: Request) -> Response:
            lobby_view = await read_model_of(request).latest()
            return HTMLResponse(page_of(lobby_view.players, lobby_view.matches))

Everything that it shows is in the journal, so a page shows nothing that a crash could take back.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from attrs import asdict, evolve, field, frozen

from gameserver.core.commands import EntryMode, HousePlayer
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.core.lobby import LadderRow, Lobby, OpenChallenge, Player, Room, Ticket, TournamentRow
from gameserver.core.match import Match
from gameserver.endpoints import LOBBY_KEY, HasScope
from gameserver.game import Game
from gameserver.halls import hall_title, hall_word
from gameserver.ladder import LadderHistory
from gameserver.policies import Rules
from gameserver.read_model import live
from gameserver.read_model.metrics import ServerMetrics
from gameserver.read_model.replay import MatchReplay
from gameserver.read_model.troubles import (
    EntrantPresence,
    Gathering,
    LobbyRows,
    Trouble,
    WaitingView,
    awaits_teacher,
    gathering,
    missing_players,
    presences,
    troubles,
    waiting_for,
)
from gameserver.read_model.views import (
    AdminLobbyView,
    AdminTournamentView,
    BoardView,
    GameCard,
    HousePlayerSummary,
    Invitation,
    ListenerSummary,
    MatchSummary,
    OfferSummary,
    Owner,
    OwnLog,
    PlayerSummary,
)
from gameserver.records.reader import HallNews, HallSeen, HallTournament, RecordReader
from gameserver.time_control import TimeControl
from gameserver.tournaments.files import FileOptions
from gameserver.tournaments.knockout import match_title
from gameserver.tournaments.model import CLOSED, Timing, Tournament, TournamentPhase
from gameserver.tournaments.plan import Format, Plan
from gameserver.tournaments.podium import Place
from gameserver.tournaments.progress import left_ms
from gameserver.tournaments.season import SeasonSettings, SeasonTable
from gameserver.tournaments.view import TournamentSummary, TournamentView
from gameserver.values import value

# Five words missed: a hall gives one every two seconds (`archive.EXCHANGE_EVERY_S`).
_AWAY_AFTER_S = 10.0
"""The silence after which a hall is taken to be away. It gives word every two seconds."""
RECORDS_AWAY = "The database with the records cannot be reached now. Please try again in a moment."
RETRY_AFTER_S = 5
RECORDS_AWAY_HEADERS = {"Retry-After": str(RETRY_AFTER_S)}
"""The headers of the response, whose status is 503."""
PUBLIC_AFTER_MOVES = 6
"""Moves after which anybody may see what a house player thought of a position: too late for the players to use it."""
_FEW_OPEN = 4
"""Open games down to which a page may say who is waited for, and so is made anew when a player comes or goes."""
ReadT = TypeVar("ReadT")


@value
class HallView(HallNews):
    """A hall in the read model's list of halls: its news, of which nothing is left once it is away."""

    is_here: bool = False
    """True for the hall of this server."""
    away_since: str | None = None
    """The time of day at which it last gave word; None while it does."""

    @property
    def title(self) -> str:
        """The name of a hall, as people read it."""
        return hall_title(self.name)

    @property
    def at(self) -> str:
        """The beginning of the addresses at which this server shows the records of a hall of the read model."""
        return "" if self.is_here else records_at(self.name)

    @property
    def pages(self) -> str:
        """The beginning of the addresses of the own pages of a hall of the read model, live ones among them.

        Empty here, and if nobody knows it.
        """
        return "" if self.is_here else self.url.rstrip("/")

    @property
    def json(self) -> Mapping[str, Any]:
        """The hall in terms of JSON."""
        return asdict(self)


class Halls(Protocol):
    """All halls of the database, in the read model."""

    own: str
    """The name of this server's hall."""
    url: str
    """The address of its pages; empty if it has none."""
    others: tuple[str, ...]
    """The names of the others, in order; none with a data file."""

    def view_of(self, name: str) -> HallView | None:
        """Another hall in the read model; None if there is none of this name."""

    def views(self, own: HallNews) -> tuple[HallView, ...]:
        """All halls in the order of their names; the news of this server's hall are the caller's."""


def records_at(name: str) -> str:
    """The read model's address prefix for the records of the hall of this name, the same in every hall."""
    return f"/halls/{hall_word(name)}"


def hall_view(seen: HallSeen, *, is_here: bool = False) -> HallView:
    """Turns the last news of a hall into what a handler gets of it through the read model's interface.

    Nothing goes on in a hall that is away.
    """
    if not is_here and seen.seen_ago_s > _AWAY_AFTER_S:
        return HallView(seen.news.name, seen.news.url, away_since=seen.seen_at)
    return HallView(**asdict(seen.news, recurse=False), is_here=is_here)


@frozen(eq=False)
class LobbyView:
    """The read model's view of the lobby at one moment.

    Its rows are the lobby's own and hold secrets: only this module reads them.
    """

    version: int
    """A number that rises with every change."""
    now_ms: int
    _games: tuple[str, ...] = ()
    _plugins: Mapping[str, Game[Any]] = field(factory=dict, repr=False)
    _players: tuple[Player, ...] = field(default=(), repr=False)
    _house: tuple[HousePlayer, ...] = field(default=(), repr=False)
    _matches: Mapping[int, Match] = field(factory=dict, repr=False)
    _queues: Mapping[str, tuple[str, ...]] = field(factory=dict, repr=False)
    _challenges: tuple[OpenChallenge, ...] = field(default=(), repr=False)
    _rooms: tuple[Room, ...] = field(default=(), repr=False)
    _tickets: tuple[Ticket, ...] = field(default=(), repr=False)
    _tournaments: tuple[TournamentRow, ...] = field(default=(), repr=False)
    ladders: Mapping[str, LadderRow] = field(factory=dict)
    """The open ladders in this view of the lobby, by game."""
    featured: Mapping[int, int] = field(factory=dict)
    """The match whose board is shown large, for each tournament of which any is played."""
    _rules: Rules = field(factory=Rules, repr=False)
    _drains: bool = False
    _tell: Callable[[Match], MatchReplay] = field(default=live.match_replay_of, repr=False)
    _opinions: Callable[[Match], Mapping[int, float]] | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        lobby: Lobby,
        version: int,
        now_ms: int,
        tell: Callable[[Match], MatchReplay] = live.match_replay_of,
        opinions: Callable[[Match], Mapping[int, float]] | None = None,
        featured: Mapping[int, int] = MappingProxyType({}),
    ) -> "LobbyView":
        """Take a view of the lobby as it is now for the read model.

        The lobby may change afterwards. `tell` plays a match again for its viewers, `opinions` has what a house player
        thinks of it, and `featured` are the matches that were shown large before.
        """
        server = lobby.server[""]
        events = ((row.number, row.state) for row in lobby.tournaments.values() if row.state.plan.event)
        shown = ((number, live.featured_match(state, lobby.matches, featured.get(number))) for number, state in events)
        return cls(
            version=version,
            now_ms=now_ms,
            games=tuple(game.name for game in lobby.games.values()),
            plugins=lobby.games,
            players=tuple(lobby.players.values()),
            house=server.house,
            # Copied, as the sequencer goes on changing the lobby's own.
            matches=dict(lobby.matches),
            queues=dict(lobby.queues),
            challenges=tuple(lobby.challenges.values()),
            rooms=tuple(lobby.rooms.values()),
            tickets=tuple(lobby.tickets.values()),
            # By number: one that was taken back from the records is the last of the lobby's own.
            tournaments=tuple(sorted(lobby.tournaments.values(), key=lambda row: row.number)),
            ladders=dict(lobby.ladders),
            featured={number: match for number, match in shown if match is not None},
            rules=server.rules,
            drains=server.drains,
            tell=tell,
            opinions=opinions,
        )

    @cached_property
    def games(self) -> tuple[str, ...]:
        """The names of all games in this view of the lobby, sorted."""
        return tuple(sorted(self._games))

    @cached_property
    def game_cards(self) -> tuple[GameCard, ...]:
        """The games as people choose them, by name."""
        return tuple(map(live.game_card, sorted(self._plugins.values(), key=lambda game: game.name)))

    @cached_property
    def players(self) -> tuple[PlayerSummary, ...]:
        """The players in the lobby, in the order in which they came."""
        return tuple(map(live.player_summary, self._players))

    @cached_property
    def house(self) -> tuple[HousePlayerSummary, ...]:
        """The house players of the lobby."""
        return tuple(map(live.house_player_summary, self._house))

    @cached_property
    def matches(self) -> tuple[MatchSummary, ...]:
        """The live matches, the latest first."""
        return tuple(live.match_summary(match) for match in reversed(tuple(self._matches.values())))

    @cached_property
    def offers(self) -> tuple[OfferSummary, ...]:
        """The open offers in this view of the lobby."""
        return live.offers(self._queues, self._challenges, self._rooms, self._tickets, self._rules.room_game)

    def news(self, hall: str, url: str) -> HallNews:
        """The news of this hall, as other halls are told."""
        states = ((row.number, row.state) for row in self._tournaments)
        tournaments = (
            HallTournament(number, state.plan.name, state.plan.game, state.phase.value, len(state.entrants))
            for number, state in states
            # A match of two for practice is no event: no list has it.
            if state.plan.event and state.phase not in CLOSED
        )
        return HallNews(hall, url, len(self._players), len(self._matches), tuple(tournaments))

    @property
    def tournament_phases(self) -> tuple[str, ...]:
        """The phases of all tournaments, matches of two for practice among them."""
        return tuple(row.state.phase.value for row in self._tournaments)

    @cached_property
    def admin(self) -> AdminLobbyView:
        """The part of the lobby that the teacher alone sees: addresses, queues, tickets, and if it drains."""
        return AdminLobbyView(
            players=tuple(map(live.player_view, self._players)),
            matches=tuple(map(live.match_view, self._matches.values())),
            rooms=tuple(map(live.room_view, self._rooms)),
            queues=live.queue_views(self._games, self._queues),
            tickets=live.ticket_views(self._tickets),
            house=tuple(house.name for house in self._house),
            drains=self._drains,
        )

    @cached_property
    def troubles(self) -> tuple[Trouble, ...]:
        """The troubles that a teacher is told of now."""
        # Made only where somebody may be missing, which hardly any look finds.
        return troubles(self._matches, self._tournaments, lambda: self._lobby_rows)

    @cached_property
    def _lobby_rows(self) -> LobbyRows:
        return LobbyRows(
            players={player.name: player for player in self._players},
            rooms={room.number: room for room in self._rooms},
            tickets=self._tickets,
            room_game=self._rules.room_game,
            now_ms=self.now_ms,
        )

    def presence(self, number: int) -> tuple[EntrantPresence, ...]:
        """The place of each player of a tournament; empty if there is no such tournament."""
        row = self._tournament(number)
        return () if row is None else presences(row, self._lobby_rows)

    def gathering(self, number: int) -> Gathering | None:
        """The players who are here for a tournament, and who are missing; None unless it gathers them."""
        row = self._tournament(number)
        is_gathering = row is not None and row.state.phase is TournamentPhase.GATHERING
        return gathering(row, self._lobby_rows) if row is not None and is_gathering else None

    def gathering_terms(self, number: int) -> tuple[Plan, EntryMode] | None:
        """The plan of a tournament and who takes part in it; None unless it gathers its players."""
        row = self._tournament(number)
        is_gathering = row is not None and row.state.phase is TournamentPhase.GATHERING
        return (row.state.plan, row.entry) if row is not None and is_gathering else None

    def running_course(self, number: int) -> tuple[Tournament, Timing] | None:
        """A tournament that runs, with its times; None if it does not run."""
        row = self._tournament(number)
        is_running = row is not None and row.state.phase is TournamentPhase.RUNNING
        return (row.state, self.timing(row, self.now_ms)) if row is not None and is_running else None

    def waiting(self, number: int) -> WaitingView | None:
        """The players for whom a whole tournament waits, if it does."""
        row = self._tournament(number)
        return None if row is None else waiting_for(row, self._matches, lambda: self._lobby_rows)

    def awaits_teacher(self, number: int) -> bool:
        """True if nothing goes on in a tournament until the teacher has decided a game."""
        row = self._tournament(number)
        return row is not None and awaits_teacher(row)

    def waiting_json(self, number: int, now_ms: int) -> dict[str, object]:
        """The players, or the teacher, whom a tournament waits for, in terms of JSON."""
        waiting = self.waiting(number)
        ages = None if waiting is None else waiting.ages(now_ms)
        return {"waiting": ages, "awaits_teacher": self.awaits_teacher(number)}

    def left_ms(self, number: int, now_ms: int) -> int | None:
        """The time that a tournament will still take if nothing happens until `now_ms`."""
        row = self._tournament(number)
        return None if row is None else left_ms(row.state, self.timing(row, now_ms))

    def timing(self, row: TournamentRow, now_ms: int) -> Timing:
        """The times of a tournament, and the players who are missing: for telling when it will end."""
        if row.state.phase is not TournamentPhase.RUNNING:
            return row.timing(now_ms)
        open_ms = {
            number: max(0, now_ms - until_ms + row.state.plan.no_show_ms) for number, until_ms in row.waits.items()
        }
        rest_max_ms = {}
        for pairing in row.state.keeping:
            match = self._matches.get(pairing.match or 0)
            if match is not None:
                open_ms[pairing.number] = max(0, now_ms - match.opened_ms)
                left_ms = live.rest_max_ms(match, now_ms)
                if left_ms is not None:
                    rest_max_ms[pairing.number] = left_ms
        missing = missing_players(row, self._lobby_rows)
        return evolve(row.timing(now_ms), open_ms=open_ms, missing=missing, rest_max_ms=rest_max_ms)

    def bank_warnings(self, number: int) -> tuple[str, ...]:
        """The warnings that some entrants of a tournament cannot see the bank of its clock; empty if all can."""
        row = self._tournament(number)
        return () if row is None else live.bank_warnings(row, self._players, self._rules)

    @property
    def clock(self) -> TimeControl:
        """The clock of a match of two players who looked for any opponent."""
        return self._rules.clock

    @property
    def has_own_clock(self) -> bool:
        """True if the teacher's settings change a clock from its default."""
        return self._rules.has_own_clock

    def has_tournament(self, number: int) -> bool:
        """True if there is a tournament with this number in this view of the lobby."""
        return any(row.number == number for row in self._tournaments)

    def tournament_mark(self, number: int) -> object:
        """A mark for watchers, which changes whenever a tournament or one of its matches changes.

        In an arena also when a player comes or goes: its page shows who waits. So do the others when little is left,
        and before the start.
        """
        row = self._tournament(number)
        matches = () if row is None else tuple(pairing.match or 0 for pairing in row.state.open)
        is_arena = row is not None and row.state.plan.format is Format.ARENA
        # With more open games a page would be made anew for every player who comes or goes, and nobody is waited for.
        shows_places = is_arena or 0 < len(matches) <= _FEW_OPEN
        places = self.presence(number) if shows_places else ()
        shown = self.featured.get(number)
        opinion = None if shown is None else self.opinion(shown, 0)
        return (row, tuple(map(self._matches.get, matches)), places, self.gathering(number), shown, opinion)

    def _tournament(self, number: int) -> TournamentRow | None:
        return next((row for row in self._tournaments if row.number == number), None)

    def event_at(self, game: str) -> str | None:
        """The name of the event for which the ladder of a game waits, if there is one."""
        return next((row.name for row in self._tournaments if row.is_event_at(game)), None)

    def match_title(self, tournament: int, match: int) -> tuple[str, str] | None:
        """The names of a match's tournament and round; None if the lobby has no such tournament."""
        row = self._tournament(tournament)
        return None if row is None else match_title(row.state, match)

    def match(self, number: int) -> MatchReplay | None:
        """A live match as spectators see it; None if there is none with this number."""
        row = self._matches.get(number)
        return None if row is None else self._tell(row)

    def board(self, number: int) -> BoardView | None:
        """The present board of a live match, without earlier ones, for lists of boards."""
        row = self._matches.get(number)
        return None if row is None else live.present_board(row)

    def opinion(self, number: int, moves_late: int) -> tuple[str, float, int] | None:
        """A house player's opinion of a live match, of so many moves ago at least, and how many moves ago it was.

        That is the name of the house player, and the chance to win that it gives the first seat; None without one. It
        is advice: show one of less than `PUBLIC_AFTER_MOVES` moves ago to nobody but the teacher, and of no match but a
        featured one. Asking has the present position thought about.
        """
        row = self._matches.get(number)
        known = {} if row is None or self._opinions is None else self._opinions(row)
        if row is None or not known:
            return None
        made = row.real_moves
        # An opinion of the game before says nothing of this one.
        began = made - sum(move.seat is not None for move in row.moves)
        at = max((moves for moves in known if began <= moves <= made - moves_late), default=None)
        return None if at is None else (f"{HOUSE_PREFIX}{next(iter(row.game.evaluators))}", known[at], made - at)

    def mark_of(self, number: int) -> object:
        """A mark for watchers, which changes whenever a live match changes; None if there is none."""
        return self._matches.get(number)


Select = Callable[[LobbyView], object]
"""Picks the watched part of the lobby, as a value that stays equal while that part is unchanged."""


class RecordsModel(Protocol):
    """The part of the read model that any hall has: matches and tournaments, of this server's hall live ones, too."""

    halls: Halls
    """All halls of the database."""
    listeners: tuple[ListenerSummary, ...]
    """The address of each protocol's listener."""
    seasons: Mapping[str, SeasonSettings]
    """The seasons of this server by the names in their addresses; none of another hall's."""

    def of_hall(self, name: str) -> "RecordsModel | None":
        """The read model of another hall's records; None if there is no such hall."""

    def now_ms(self) -> int:
        """The time on the server's axis."""

    async def latest(self, *, exact: bool = False) -> LobbyView:
        """The read model's view of the lobby with everything that was released before this call.

        Pages are begun one after the other. While a commit takes long, a page shows the lobby as it was before. An
        `exact` look, which is for the teacher, waits for the commit and does not queue with the pages: a person who
        acts and then looks sees the effect.
        """

    async def read(self, look_up: Callable[[RecordReader], ReadT]) -> ReadT:
        """Look something up in the records, off the event loop."""

    async def tournament(self, number: int, *, exact: bool = False) -> TournamentView | None:
        """The public view of a tournament, in the lobby or on record.

        It is made in a thread, as that takes a while, and cached, with its `eta_ms`, until something happens in the
        tournament. None if there is no such tournament. `exact` is as in `latest`.
        """

    def invitation(self, number: int) -> Invitation | None:
        """The invitation to a tournament of the lobby, as of the latest look; None unless it gathers its players."""

    async def current_tournaments(self) -> tuple[TournamentSummary, ...]:
        """The read model's summaries of the tournaments that the lobby keeps, the latest first.

        They are made in a thread, as with many players that takes a while.
        """

    async def places(self, numbers: Sequence[int]) -> Mapping[int, tuple[Place, ...]]:
        """The final places of tournaments that are over, worked out once, in a thread.

        They are as of the latest look, so that a page which has looked already does not wait for a second turn.
        """

    async def match_replay(self, match: int) -> MatchReplay | None:
        """The replay of a match, live or on record; None if there never was one."""

    async def match_file(self, match: int, ending: str) -> str | None:
        """A finished match in a format of `MatchView.files` or as text (`txt`); or None."""


class ReadModel(RecordsModel, Protocol):
    """The read model of this server: the lobby, live matches and the records, for reading."""

    metrics: ServerMetrics
    """The server's counters since its start."""

    async def change(self, topic: Hashable, select: Select, seen: int) -> LobbyView:
        """Wait for a change, after the version `seen`, of what `select` picks from the read model; then for a turn.

        All viewers of the same `topic` share one `select`. Viewers are let in a few at a time, so that many
        of them do not slow a match down. Each sees the latest state, and may miss earlier ones.
        """

    async def ladder(self, game: str) -> LadderHistory:
        """The results of a game's ladder in the last days, as far as they are on record, and the ratings."""

    async def tournament_summaries(self) -> tuple[AdminTournamentView, ...]:
        """The read model's summaries of the events that the lobby keeps, for the teacher, the latest last.

        An exact look.
        """

    async def tournament_summary(self, number: int) -> AdminTournamentView | None:
        """The read model's summary of a tournament, in the lobby or on record, for the teacher; None if there is none.

        An exact look.
        """

    async def tournament_file(self, number: int, kind: str, options: FileOptions) -> str | None:
        """A tournament's file for the teacher, by its kind in `tournament_report.EXPORTS`; or None.

        An exact look, made in a thread.
        """

    async def season(self, name: str) -> SeasonTable:
        """The public table of one of the `seasons`, as of now, made in a thread.

        The roster's ids tell the players apart, and are not in it.
        """

    keeps_wire_logs: bool
    """True if the server keeps wire logs for players."""

    async def check_owner(self, player: str, secret: str, session: int, address: str) -> Owner:
        """Check that a request (of this session) comes from the player. Raises `NotShown`."""

    def owner_of(self, token: str) -> Owner:
        """The player who was given this link to the own page. Raises `NotShown`."""

    async def own_wire_log(self, owner: Owner) -> OwnLog:
        """A player's wire log, for the player alone. Raises `NotShown`."""


def read_model_of(request: HasScope) -> ReadModel:
    """Finds the read model, a handler's interface to the lobby and the records, in a Starlette request."""
    read_model: ReadModel = request.scope[LOBBY_KEY].read_model
    return read_model
