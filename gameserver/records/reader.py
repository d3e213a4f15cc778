"""The records, to be read while the server runs: single matches and tournaments, and lists of them, page by page.

Reading goes past the journal, on a connection of its own that cannot write, so that nobody who looks
something up can hold up a move.

Where a database has several halls, `HallDirectory` tells what goes on in each, and has the records of each.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import date, timedelta

from gameserver.core.commands import RestoreTournament
from gameserver.database.connection import DatabaseConnection
from gameserver.ladder import LadderResult
from gameserver.records import ladder_records, store
from gameserver.records.match_record import (
    EpochRecord,
    MatchRecord,
    RestartRecord,
    SeatRecord,
    read_restarts,
    time_of_day,
    until,
)
from gameserver.records.player_stats import (
    Career,
    CareerParts,
    OwnMove,
    career_of,
    read_absences,
    read_career_parts,
    read_longest_moves,
    read_match_lengths,
    read_own_moves,
)
from gameserver.records.tournament_record import (
    NO_SHOWS_MAX,
    NoShowRecord,
    TournamentRecord,
    no_shows_in,
    read_attendance,
    restoring,
    row_of,
)
from gameserver.tournaments.knockout import match_title
from gameserver.tournaments.season import SeasonEvent, SeasonSettings, ladder_event
from gameserver.tournaments.view import TournamentSummary
from gameserver.values import evolved, value

# Judgement: a reader who wants more follows the pages, or exports.
PAGE_MATCHES_MAX = 200
# Judgement, as for matches; each line may have its final places worked out.
TOURNAMENTS_MAX = 100


@value
class MatchHead:
    """A finished match as the reader of records lists it, without its moves."""

    match: int
    game: str
    opened_at: str
    ended_at: str
    reason: str
    reason_text: str
    why: str
    seats: tuple[SeatRecord, ...]
    is_ladder: bool
    """True if the ladder of its game paired the players."""


@value
class RecordedTournament(TournamentSummary):
    """A tournament as the reader of records lists it, in a line, with its times of day (ISO 8601 in UTC)."""

    created_at: str
    started_at: str | None
    ended_at: str | None


@value
class Wanted:
    """The choice of matches for the reader of records: before a number, of a player, of a game, where these are given.

    The latest come first.
    """

    before: int | None = None
    player: str | None = None
    game: str | None = None
    count: int = 50
    ladder: str | None = None
    """The game whose ladder is meant: its latest matches alone."""


class RecordReader:
    """Reads the records of a database. Its calls may take long and are made off the event loop.

    Every call opens a connection of its own, so that threads share nothing.
    """

    def __init__(self, open_connection: Callable[[], AbstractContextManager[DatabaseConnection]]) -> None:
        self._open = open_connection

    def match(self, number: int) -> MatchRecord | None:
        """Looks up a match on record, with its moves and the restarts during it."""
        with self._open() as connection:
            record = store.read_match(connection, number)
            return record and with_restarts(record, read_restarts(connection, record.opened_ms))

    def heads(self, wanted: Wanted) -> tuple[MatchHead, ...]:
        """Looks up a page of matches on record without their moves, the latest first."""
        with self._open() as connection:
            count = min(wanted.count, PAGE_MATCHES_MAX)
            found = store.read_heads(connection, wanted.before, wanted.player, wanted.game, count, wanted.ladder)
            return tuple(MatchHead(*head) for head in found)

    def neighbours(self, number: int, players: Sequence[str]) -> tuple[tuple[int | None, int | None], ...]:
        """Looks up, for each player, the last finished match before this one and the first after it, by number."""
        with self._open() as connection:
            return tuple(store.read_neighbours(connection, number, player) for player in players)

    def move_counts(self, matches: Sequence[int]) -> Mapping[int, int]:
        """Looks up the number of moves of each of these matches that is on record; draws of chance do not count."""
        with self._open() as connection:
            return store.read_move_counts(connection, matches)

    def career_parts(self, player: str) -> CareerParts:
        """Looks up a player's results in the records, for statistics over several halls."""
        with self._open() as connection:
            return read_career_parts(connection, player)

    def career(self, player: str) -> Career:
        """Looks up a player's statistics in the records."""
        return career_of([self.career_parts(player)])

    def own_moves(self, player: str, before: int | None = None) -> tuple[OwnMove, ...]:
        """Looks up a player's latest moves on record, of matches before a number if one is given.

        The last match comes first.
        """
        with self._open() as connection:
            return read_own_moves(connection, player, before)

    def longest_moves(self, game: str) -> Mapping[str, int]:
        """Each recorded player's longest time for a move of their own at a game, in milliseconds, by name."""
        with self._open() as connection:
            return read_longest_moves(connection, game)

    def match_lengths(self, game: str) -> Sequence[tuple[str, str, int, bool]]:
        """Looks up the players of a game's latest matches on record, their lengths in ms, and True for drawn ones."""
        with self._open() as connection:
            return read_match_lengths(connection, game)

    def absences(self) -> Mapping[str, tuple[int, int]]:
        """Looks up how many tournaments on record each player entered, and in how many they missed a match."""
        with self._open() as connection:
            return read_absences(connection)

    def no_shows(self, player: str) -> tuple[NoShowRecord, ...]:
        """Looks up a player's latest no-shows on record, the last one first."""
        with self._open() as connection:
            return no_shows_in(read_attendance(connection, player=player))[:NO_SHOWS_MAX]

    def restarts(self, since_ms: int) -> tuple[RestartRecord, ...]:
        """Looks up the restarts on record since a point on the server's own clock, in their order."""
        with self._open() as connection:
            return read_restarts(connection, since_ms)

    def epochs(self) -> tuple[EpochRecord, ...]:
        """Looks up all epochs of the server on record, the latest first."""
        with self._open() as connection:
            return store.read_epochs(connection)

    def ladder(self, game: str, since_ms: int) -> tuple[list[LadderResult], dict[str, tuple[float, float]]]:
        """Looks up the results on record of a game's ladder since a time of day, by their ends, and all ratings."""
        with self._open() as connection:
            results = ladder_records.read_results(connection, game, time_of_day(since_ms))
            return results, ladder_records.read_ratings(connection, game)

    def ranking(
        self, game: str, night: str | None, count: int
    ) -> tuple[tuple[str, ...], list[tuple[str, float, float, int]]]:
        """Looks up the last nights whose rankings of a ladder are on record, and the ranking of one, else the last."""
        with self._open() as connection:
            nights = tuple(ladder_records.read_nights(connection, game, count))
            wanted = night or next(iter(nights), "")
            return nights, ladder_records.read_ranking(connection, game, wanted)

    def tournament(self, number: int) -> TournamentRecord | None:
        """Looks up the whole record of a tournament."""
        with self._open() as connection:
            return store.read_tournament(connection, number)

    def match_title(self, tournament: int, match: int) -> tuple[str, str]:
        """Looks up the names of a match's tournament and round; empty if they are not on record.

        The standings are not worked out for it: they take up to a second.
        """
        record = self.tournament(tournament)
        return ("", "") if record is None else match_title(row_of(record).state, match)

    def restoring(self, number: int) -> RestoreTournament | None:
        """Looks up a tournament on record as the command that takes it back into the lobby; None without one."""
        record = self.tournament(number)
        return None if record is None else restoring(record)

    def tournaments(
        self, before: int | None = None, count: int | None = None, player: str | None = None
    ) -> tuple[RecordedTournament, ...]:
        """Looks up a page of tournaments on record, or of a player's, the latest first.

        Without what is left of running ones.
        """
        most = min(count or TOURNAMENTS_MAX, TOURNAMENTS_MAX)
        with self._open() as connection:
            found = store.read_summaries(connection, before, player, most)
            return tuple(RecordedTournament(*one) for one in found)

    def season_events(self, season: SeasonSettings, today: str) -> tuple[SeasonEvent, ...]:
        """Looks up the events of a season: tournaments on record, without their places, and ladders with theirs.

        `today` is the day in UTC, such as 2026-09-01.
        """
        found: list[SeasonEvent] = []
        if season.ladders:
            with self._open() as connection:
                for game, day in season.ladders:
                    night = (date.fromisoformat(day) + timedelta(days=1)).isoformat()
                    lines = ladder_records.read_ranking(connection, game, night)
                    ranking = [(name, rating) for name, rating, *_ in lines]
                    found.append(ladder_event(game, day, night, ranking, is_over=today > day))
        before = None
        while page := self.tournaments(before):
            events = (one for one in page if season.has(one.number, one.name))
            found += [SeasonEvent(one.number, one.name, one.game, one.phase, one.started_at) for one in events]
            before = page[-1].number
        return tuple(found)


def with_restarts(record: MatchRecord, since: Sequence[RestartRecord]) -> MatchRecord:
    """Adds to a match that was looked up the restarts during it, out of those since its opening."""
    return evolved(record, restarts=until(since, record.ended_at))


@value
class HallTournament:
    """A tournament that is not over, in a line of a hall's news."""

    number: int
    name: str
    game: str
    phase: str
    players: int


@value
class HallNews:
    """A hall as it describes itself to the other halls. `url` is the address of its pages; empty if it has none."""

    name: str
    url: str = ""
    players: int = 0
    matches: int = 0
    """Live ones."""
    tournaments: tuple[HallTournament, ...] = ()


@value
class HallSeen:
    """The last news of a hall, and when it came: the time of day, and how long ago by the clock of the database."""

    news: HallNews
    seen_at: str
    seen_ago_s: float


class HallDirectory(ABC):
    """The halls of one database, with a reader of the records of each, for the server of one of them.

    One thread at a time may call it.
    """

    @abstractmethod
    def exchange(self, news: HallNews) -> Sequence[HallSeen]:
        """Tell of this hall, and hear of all halls that ever were, in the order of their names, this one among them.

        Raises `DatabaseError`.
        """

    @abstractmethod
    def reader(self, hall: str) -> RecordReader:
        """The reader of another hall's records. Any thread may call it, and read them."""

    def close(self) -> None:  # noqa: B027 - not every directory holds anything
        """Let go of the database that has the halls."""
