"""The records, to be read while the server runs: single matches and tournaments, and lists of them, page by page.

Reading goes past the journal, on a connection of its own that cannot write, so that nobody who looks
something up can hold up a move.

Where a database has several halls, `HallDirectory` tells what goes on in each, and has the records of each.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager

import orjson
from attrs import asdict

from gameserver.core.commands import RestoreTournament
from gameserver.database.connection import Connection
from gameserver.records import store
from gameserver.records.match_record import MatchRecord, RatingRecord, RestartRecord, SeatRecord, read_restarts, until
from gameserver.records.player_stats import (
    Career,
    CareerParts,
    OwnMove,
    career_of,
    career_parts_in,
    own_moves_in,
    read_career_parts,
    read_own_moves,
)
from gameserver.records.tournament_record import (
    NO_SHOWS_MAX,
    AttendanceRecord,
    NoShow,
    TournamentRecord,
    no_shows_in,
    read_attendance,
    restoring,
    row_of,
)
from gameserver.tournaments.knockout import match_title
from gameserver.tournaments.view import TournamentSummary, tournament_summary
from gameserver.values import evolved, value

PAGE_MATCHES_MAX = 200
TOURNAMENTS_MAX = 100


@value
class MatchHead:
    """A finished match without its moves."""

    match: int
    game: str
    opened_at: str
    ended_at: str
    reason: str
    reason_text: str
    why: str
    seats: tuple[SeatRecord, ...]


@value
class RecordedTournament(TournamentSummary):
    """A tournament in a line, with its times of day (ISO 8601 in UTC)."""

    created_at: str
    started_at: str | None
    ended_at: str | None


@value
class Wanted:
    """Chooses matches: before a number, of a player, of a game, where these are given. The latest come first."""

    before: int | None = None
    player: str | None = None
    game: str | None = None
    count: int = 50


class RecordReader(ABC):
    """Reads finished matches. Its calls may take long and are made off the event loop."""

    @abstractmethod
    def match(self, number: int) -> MatchRecord | None:
        """A match with its moves and the restarts during it."""

    @abstractmethod
    def heads(self, wanted: Wanted) -> tuple[MatchHead, ...]:
        """Matches without their moves, the latest first."""

    @abstractmethod
    def neighbours(self, number: int, players: Sequence[str]) -> tuple[tuple[int | None, int | None], ...]:
        """For each player the numbers of the last finished match before this one and of the first after it."""

    @abstractmethod
    def move_counts(self, matches: Sequence[int]) -> Mapping[int, int]:
        """The number of moves of each of these matches that is on record; draws of chance do not count."""

    @abstractmethod
    def career_parts(self, player: str) -> CareerParts:
        """A player's results, for statistics over several halls."""

    def career(self, player: str) -> Career:
        """A player's statistics."""
        return career_of([self.career_parts(player)])

    @abstractmethod
    def own_moves(self, player: str, before: int | None = None) -> tuple[OwnMove, ...]:
        """A player's latest moves, of matches before a number if one is given; the last match comes first."""

    @abstractmethod
    def no_shows(self, player: str) -> tuple[NoShow, ...]:
        """A player's latest no-shows, the last one first."""

    @abstractmethod
    def restarts(self, since_ms: int) -> tuple[RestartRecord, ...]:
        """The restarts since a point on the server's own clock, in their order."""

    @abstractmethod
    def tournament(self, number: int) -> TournamentRecord | None:
        """The whole record of a tournament."""

    def match_title(self, tournament: int, match: int) -> tuple[str, str]:
        """The names of a match's tournament and round; empty if they are not on record.

        The standings are not worked out for it: they take up to a second.
        """
        record = self.tournament(tournament)
        return ("", "") if record is None else match_title(row_of(record).state, match)

    def restoring(self, number: int) -> RestoreTournament | None:
        """The command that takes a tournament back into the lobby; None if it is not on record."""
        record = self.tournament(number)
        return None if record is None else restoring(record)

    @abstractmethod
    def tournaments(
        self, before: int | None = None, count: int | None = None, player: str | None = None
    ) -> tuple[RecordedTournament, ...]:
        """Summaries of events, or of a player's, the latest first; without what is left of running ones."""


class SqlRecordReader(RecordReader):
    """The records of a database. Every call opens a connection of its own, so that threads share nothing."""

    def __init__(self, open_connection: Callable[[], AbstractContextManager[Connection]]) -> None:
        self._open = open_connection

    def match(self, number: int) -> MatchRecord | None:
        """A match with its moves and the restarts during it."""
        with self._open() as connection:
            record = store.read_match(connection, number)
            return record and with_restarts(record, read_restarts(connection, record.opened_ms))

    def heads(self, wanted: Wanted) -> tuple[MatchHead, ...]:
        """Matches without their moves, the latest first."""
        with self._open() as connection:
            count = min(wanted.count, PAGE_MATCHES_MAX)
            found = store.read_heads(connection, wanted.before, wanted.player, wanted.game, count)
            return tuple(MatchHead(*head) for head in found)

    def neighbours(self, number: int, players: Sequence[str]) -> tuple[tuple[int | None, int | None], ...]:
        """The matches of each player before and after one."""
        with self._open() as connection:
            return tuple(store.read_neighbours(connection, number, player) for player in players)

    def move_counts(self, matches: Sequence[int]) -> Mapping[int, int]:
        """The number of moves of each of these matches."""
        with self._open() as connection:
            return store.read_move_counts(connection, matches)

    def career_parts(self, player: str) -> CareerParts:
        """A player's results."""
        with self._open() as connection:
            return read_career_parts(connection, player)

    def own_moves(self, player: str, before: int | None = None) -> tuple[OwnMove, ...]:
        """A player's latest moves."""
        with self._open() as connection:
            return read_own_moves(connection, player, before)

    def no_shows(self, player: str) -> tuple[NoShow, ...]:
        """A player's latest no-shows, the last one first."""
        with self._open() as connection:
            return no_shows_in(read_attendance(connection, player=player))[:NO_SHOWS_MAX]

    def restarts(self, since_ms: int) -> tuple[RestartRecord, ...]:
        """The restarts since a point on the server's own clock, in their order."""
        with self._open() as connection:
            return read_restarts(connection, since_ms)

    def tournament(self, number: int) -> TournamentRecord | None:
        """The whole record of a tournament."""
        with self._open() as connection:
            return store.read_tournament(connection, number)

    def tournaments(
        self, before: int | None = None, count: int | None = None, player: str | None = None
    ) -> tuple[RecordedTournament, ...]:
        """Tournaments in a line each, the latest first."""
        most = min(count or TOURNAMENTS_MAX, TOURNAMENTS_MAX)
        with self._open() as connection:
            found = store.read_summaries(connection, before, player, most)
            return tuple(RecordedTournament(*one) for one in found)


class MemoryRecordReader(RecordReader):
    """The records that a journal in memory keeps."""

    def __init__(
        self,
        records: Callable[[], Sequence[MatchRecord]],
        ratings: Callable[[], Sequence[RatingRecord]],
        tournaments: Callable[[], Mapping[int, TournamentRecord]],
        attendance: Callable[[], Sequence[AttendanceRecord]],
        restarts: Callable[[], Sequence[RestartRecord]],
    ) -> None:
        self._attendance = attendance
        self._restarts = restarts
        self._records = records
        self._ratings = ratings
        self._tournaments = tournaments

    def match(self, number: int) -> MatchRecord | None:
        """A match with its moves and the restarts during it."""
        record = next((record for record in self._records() if record.match == number), None)
        return record and with_restarts(record, self.restarts(record.opened_ms))

    def heads(self, wanted: Wanted) -> tuple[MatchHead, ...]:
        """Matches without their moves, the latest first."""
        fitting = [record for record in self._records() if _fits(record, wanted)]
        fitting.sort(key=lambda record: -record.match)
        return tuple(map(head_of, fitting[: min(wanted.count, PAGE_MATCHES_MAX)]))

    def neighbours(self, number: int, players: Sequence[str]) -> tuple[tuple[int | None, int | None], ...]:
        """The matches of each player before and after one."""
        return tuple(self._neighbours(number, player) for player in players)

    def _neighbours(self, number: int, player: str) -> tuple[int | None, int | None]:
        own = [record.match for record in self._records() if any(seat.player == player for seat in record.seats)]
        previous = max((match for match in own if match < number), default=None)
        return previous, min((match for match in own if match > number), default=None)

    def move_counts(self, matches: Sequence[int]) -> Mapping[int, int]:
        """The number of moves of each of these matches."""
        wanted = set(matches)
        return {
            record.match: sum(move.seat is not None for move in record.moves)
            for record in self._records()
            if record.match in wanted
        }

    def career_parts(self, player: str) -> CareerParts:
        """A player's results."""
        return career_parts_in(self._records(), self._ratings(), player)

    def own_moves(self, player: str, before: int | None = None) -> tuple[OwnMove, ...]:
        """A player's latest moves."""
        return own_moves_in(self._records(), player, before)

    def no_shows(self, player: str) -> tuple[NoShow, ...]:
        """A player's latest no-shows, the last one first."""
        return no_shows_in([one for one in self._attendance() if one.player == player])[:NO_SHOWS_MAX]

    def restarts(self, since_ms: int) -> tuple[RestartRecord, ...]:
        """The restarts since a point on the server's own clock, in their order."""
        return tuple(one for one in self._restarts() if one.at_ms >= since_ms)

    def tournament(self, number: int) -> TournamentRecord | None:
        """The whole record of a tournament."""
        return self._tournaments().get(number)

    def tournaments(
        self, before: int | None = None, count: int | None = None, player: str | None = None
    ) -> tuple[RecordedTournament, ...]:
        """Tournaments in a line each, the latest first."""
        found = sorted(self._tournaments().values(), key=lambda one: -one.tournament)
        fitting = [
            one
            for one in found
            if _is_event(one)
            and (before is None or one.tournament < before)
            and (player is None or any(entrant.name == player for entrant in one.entrants or ()))
        ]
        return tuple(map(_summary_of, fitting[: min(count or TOURNAMENTS_MAX, TOURNAMENTS_MAX)]))


def with_restarts(record: MatchRecord, since: Sequence[RestartRecord]) -> MatchRecord:
    """The record with the restarts during the match, out of those since its opening."""
    return evolved(record, restarts=until(since, record.ended_at))


def head_of(record: MatchRecord) -> MatchHead:
    """A record without its moves."""
    return MatchHead(
        match=record.match,
        game=record.game,
        opened_at=record.opened_at,
        ended_at=record.ended_at,
        reason=record.reason,
        reason_text=record.reason_text,
        why=record.why,
        seats=record.seats,
    )


def _summary_of(record: TournamentRecord) -> RecordedTournament:
    summary = tournament_summary(row_of(record).state, number=record.tournament)
    known = asdict(summary) | {"left": None, "eta_ms": None, "least_done": 0}
    return RecordedTournament(
        **known, created_at=record.created_at, started_at=record.started_at, ended_at=record.ended_at
    )


def _is_event(record: TournamentRecord) -> bool:
    is_event: bool = orjson.loads(record.plan)["event"]
    return is_event


def _fits(record: MatchRecord, wanted: Wanted) -> bool:
    return (
        (wanted.before is None or record.match < wanted.before)
        and (wanted.game is None or record.game == wanted.game)
        and (wanted.player is None or any(seat.player == wanted.player for seat in record.seats))
    )


class DirectoryError(Exception):
    """The database cannot be asked for its halls now; one line says why."""


@value
class HallTournament:
    """A tournament that is not over, in a line."""

    number: int
    name: str
    game: str
    phase: str
    players: int


@value
class HallNews:
    """A hall as it describes itself. `url` is the address of its pages; empty if it has none."""

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
    """The halls of one database, for the server of one of them. One thread at a time may call it."""

    @abstractmethod
    def exchange(self, news: HallNews) -> Sequence[HallSeen]:
        """Tell of this hall, and hear of all halls that ever were, in the order of their names, this one among them.

        Raises `DirectoryError`.
        """

    @abstractmethod
    def reader(self, hall: str) -> RecordReader:
        """The records of a hall. Any thread may call it, and read them."""

    def close(self) -> None:  # noqa: B027 - not every directory holds anything
        """Let go of the database."""
