"""The starts of the server on a data file that was in use before: from when to when nobody could play.

A row for each. The server's own clock stands still meanwhile, so the time is charged to nobody.

SELECT last_decision_at, up_at FROM restart ORDER BY boot
"""

from collections.abc import Iterable
from datetime import datetime

from gameserver.database.connection import Connection
from gameserver.values import value

_COLUMNS = "boot, at_ms, last_decision_at, up_at"


@value
class RestartRecord:
    """One restart. The times of day are ISO 8601 in UTC."""

    boot: int
    """The number of the start, from 1; the first start on a file is no restart."""
    at_ms: int
    """The point on the server's own clock, which does not move while the server is away."""
    last_decision_at: str
    """The last sign of life before: a server that is killed leaves no other."""
    up_at: str

    @property
    def away_ms(self) -> int:
        """The time between the two, which is the most that the server can have been away."""
        away = datetime.fromisoformat(self.up_at) - datetime.fromisoformat(self.last_decision_at)
        return max(0, round(away.total_seconds() * 1000))


def insert(connection: Connection, records: Iterable[RestartRecord]) -> None:
    """Write restarts, within the caller's transaction."""
    rows = [(one.boot, one.at_ms, one.last_decision_at, one.up_at) for one in records]
    connection.insert("restart", _COLUMNS, rows, key=("boot",))


def read_restarts(connection: Connection, since_ms: int) -> tuple[RestartRecord, ...]:
    """The restarts since a point on the server's own clock, in order."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM restart WHERE at_ms >= ? ORDER BY boot", (since_ms,))
    return tuple(RestartRecord(*row) for row in rows)


def until(restarts: Iterable[RestartRecord], ended_at: str) -> tuple[RestartRecord, ...]:
    """The restarts that were over by a time of day."""
    return tuple(one for one in restarts if one.up_at <= ended_at)
