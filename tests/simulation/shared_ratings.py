"""The ratings that all halls share: a table of the simulated database, and the answers to statements upon it.

The statements and what is made of their answers are those that ship (`journal/postgresql.py`). A transaction is
rated when it becomes visible, so the locks on rows are not needed here.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from struct import iter_unpack, unpack_from
from typing import TYPE_CHECKING, Any, cast

from attrs import define, evolve, field

from gameserver.database.postgresql import PostgresqlConnection
from gameserver.database.postgresql_writing import Array, Integers, Numbers
from gameserver.journal import postgresql as statements
from gameserver.records.match_record import MatchRecord, RatingRecord
from gameserver.records.rating_book import RatingBook
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.database_session import Transaction

Row = tuple[RatingRecord, int, str | None]
"""A rating, when it was changed, and by which hall."""


@define(eq=False)
class RatingTable:
    """The table. A book of all matches in the order of their commits says what must be in it."""

    rows: dict[tuple[str, str], Row] = field(factory=dict)
    _book: RatingBook = field(factory=RatingBook)

    def records(self) -> list[RatingRecord]:
        """All ratings."""
        return [rating for rating, _, _ in self.rows.values()]

    def matches(self) -> dict[tuple[str, str], int]:
        """By game and player: how many rated matches there were."""
        return {key: rating.matches for key, (rating, _, _) in self.rows.items()}

    def rated(self, transaction: "Transaction") -> "Transaction":
        """A transaction with the ratings of its matches, which are in the table from now on."""
        matches = [one for one in transaction.records if isinstance(one, MatchRecord)]
        journal = transaction.writer.journal
        assert journal is not None
        hall = transaction.writer.world.hall.name
        connection = RatingConnection(self, hall, lambda: transaction.sent_ms, lambda ask: ask())
        rated = journal.ratings.write(cast("PostgresqlConnection", connection), matches)
        if connection.is_of_several:
            transaction.writer.world.count("rating of several halls")
        if list(rated) != list(self._book.enter(matches)):
            raise Violation("ratings are those of some order of all matches", f"{rated}")
        others = [one for one in transaction.records if not isinstance(one, MatchRecord)]
        return evolve(transaction, records=(*rated, *others), ratings=tuple(connection.written))

    def begin_again(self, transactions: Iterable["Transaction"]) -> None:
        """Keep no more than what these have brought."""
        self.rows.clear()
        self._book = RatingBook()
        for transaction in transactions:
            self.rows.update({(row[0].game, row[0].player): row for row in transaction.ratings})
            self._book.learn(row[0] for row in transaction.ratings)


@define(eq=False)
class RatingConnection:
    """Carries out the statements of one hall. `ask` brings a question to the database."""

    _table: RatingTable
    _hall: str
    _now_ms: Callable[[], int]
    """The time by the clock of the database."""
    _ask: Callable[[Callable[[], Any]], Any]
    written: list[Row] = field(factory=list)
    is_of_several: bool = False
    """True if another hall had changed one of these ratings last."""

    def execute(self, query: str, values: Sequence[Any]) -> Any:
        """The rows that a query finds."""
        return self._ask(partial(_QUERIES[query], self, *values))

    def change(self, _table: str, query: str, values: Sequence[Any]) -> None:
        """Write ratings."""
        assert query == statements._WRITE
        for row in zip(*map(_unpacked, values), strict=True):
            changed = (RatingRecord(*row), self._now_ms(), self._hall)
            self.is_of_several |= self._table.rows[row[:2]][2] not in {None, self._hall}
            self._table.rows[row[:2]] = changed
            self.written.append(changed)

    def _make(self, games: Array, players: Array, mean: float, deviation: float) -> None:
        for key in zip(_unpacked(games), _unpacked(players), strict=True):
            self._table.rows.setdefault(key, (RatingRecord(*key, mean, deviation, 0), 0, None))

    def _lock(self, games: Array, players: Array) -> list[tuple[Any, ...]]:
        keys = zip(_unpacked(games), _unpacked(players), strict=True)
        return [_columns(self._table.rows[key]) for key in keys if key in self._table.rows]

    def _changed(self, within_s: float, games: Array, players: Array) -> list[tuple[Any, ...]]:
        wanted = set(zip(_unpacked(games), _unpacked(players), strict=True))
        return [
            _columns(row)
            for key, row in self._table.rows.items()
            if key in wanted or (row[1] > self._now_ms() - 1000 * within_s and row[2] != self._hall)
        ]


_QUERIES: dict[str, Callable[..., Any]] = {
    statements._MAKE: RatingConnection._make,
    statements._LOCK: RatingConnection._lock,
    statements._CHANGED: RatingConnection._changed,
}


def _columns(row: Row) -> tuple[Any, ...]:
    rating = row[0]
    return rating.game, rating.player, rating.rating, rating.deviation, rating.matches


def _unpacked(array: Array) -> list[Any]:
    """The values of an array in PostgreSQL's binary format."""
    if isinstance(array, Integers | Numbers):
        return [value for _, value in iter_unpack(">iq" if isinstance(array, Integers) else ">id", array[20:])]
    values, at = [], 20
    while at < len(array):
        (size,) = unpack_from(">i", array, at)
        values.append(array[at + 4 : at + 4 + size].decode())
        at += 4 + size
    return values
