"""The halls of a PostgreSQL database, on a connection of its own: what goes on in a hall need not be on a disk."""

from collections.abc import Sequence
from threading import Lock
from typing import Any

import orjson
from attrs import asdict, define, field, fields

from gameserver.database import postgresql
from gameserver.database.connection import DatabaseError
from gameserver.database.postgresql import PostgresqlConnection
from gameserver.database.postgresql_pool import ReadingPool
from gameserver.records.hall_directory import DirectoryError, HallDirectory, HallNews, HallSeen, HallTournament
from gameserver.records.reader import RecordReader, SqlRecordReader

_COLUMNS = "hall, url, players, matches, tournaments"
_TELL = f"""
    INSERT INTO gameserver.hall ({_COLUMNS}, seen_at) VALUES (?, ?, ?, ?, ?, clock_timestamp())
    ON CONFLICT (hall) DO UPDATE SET url = excluded.url, players = excluded.players, matches = excluded.matches,
        tournaments = excluded.tournaments, seen_at = excluded.seen_at
"""  # noqa: S608 - our own columns
_HEAR = f"""
    SELECT {_COLUMNS}, to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"+00:00"'),
        CAST(extract(epoch FROM clock_timestamp() - seen_at) AS double precision)
    FROM gameserver.hall ORDER BY hall
"""  # noqa: S608 - likewise
_KINDS = {one.name: one.type or object for one in fields(HallTournament)}
"""What is understood of another hall's tournaments."""


@define
class PostgresqlHalls(HallDirectory):
    """All halls of the database `data`."""

    _data: str
    _connection: PostgresqlConnection | None = field(default=None, init=False)
    _pools: dict[str, ReadingPool] = field(factory=dict, init=False)
    _in_use: Lock = field(factory=Lock, init=False)

    def exchange(self, news: HallNews) -> Sequence[HallSeen]:
        """Tell of this hall, and hear of all. A connection that failed is opened again the next time."""
        with self._in_use:
            return self._exchanged(news)

    def _exchanged(self, news: HallNews) -> Sequence[HallSeen]:
        try:
            with postgresql.explained(self._data):
                if self._connection is None:
                    self._connection = postgresql.connect(self._data, news.name, application="gameserver halls")
                    self._connection.execute("SET synchronous_commit = off")
                tournaments = orjson.dumps([asdict(one) for one in news.tournaments]).decode()
                self._connection.execute(_TELL, (news.name, news.url, news.players, news.matches, tournaments))
                return [_seen(*row) for row in self._connection.execute(_HEAR)]
        except DatabaseError as error:
            self._hang_up()
            raise DirectoryError(str(error)) from error

    def reader(self, hall: str) -> RecordReader:
        """The records of a hall."""
        pool = self._pools.setdefault(hall, ReadingPool(self._data, hall))
        return SqlRecordReader(pool.connection)

    def close(self) -> None:
        """End all connections; one that waits for a database that is away ends by itself."""
        if self._in_use.acquire(blocking=False):
            self._hang_up()
        for pool in self._pools.values():
            pool.close()

    def _hang_up(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def _seen(
    hall: str, url: str, players: int, matches: int, tournaments: str, seen_at: str, seen_ago_s: float
) -> HallSeen:
    known = (_tournament(one) for one in _listed(tournaments))
    understood = tuple(one for one in known if one is not None)
    return HallSeen(HallNews(hall, url, players, matches, understood), seen_at, max(0.0, seen_ago_s))


def _listed(tournaments: str) -> Sequence[Any]:
    try:
        listed = orjson.loads(tournaments)
    except orjson.JSONDecodeError:
        return ()
    return listed if isinstance(listed, list) else ()


def _tournament(told: Any) -> HallTournament | None:
    """A tournament of another hall; None if it cannot be read.

    During an upgrade a newer server tells of its hall in its own way: it may add fields, or leave some out.
    """
    if not isinstance(told, dict):
        return None
    known = {name: told[name] for name, kind in _KINDS.items() if isinstance(told.get(name), kind)}
    try:
        return HallTournament(**known)
    except TypeError:
        return None
