"""A hall in a PostgreSQL database, to copy from or to. It needs psycopg, so it is imported where it is needed."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic, sleep

from gameserver.database import postgresql, postgresql_schema
from gameserver.database.postgresql_arrays import storable
from gameserver.database.postgresql_errors import place
from gameserver.journal.copy import CopyRefused, Side, Values
from gameserver.journal.data_file import layout
from gameserver.journal.postgresql_session import NO_TRANSACTION_TIMEOUT, lock_key, translated

REPLY_S = 600.0
"""The longest wait for an answer: a commit may wait for a replica that has to take in everything."""
LOCK_S = 1.0
"""The longest wait for the end of a server's session."""
_PAUSE_S = 0.05

_STAY = f"""
    SELECT set_config('idle_session_timeout', '0', false),
        set_config('idle_in_transaction_session_timeout', '0', false),
        set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false), {NO_TRANSACTION_TIMEOUT}
"""
"""The lock ends with the session, which is silent while rows are compared."""
_SOMETHING = "SELECT 1 FROM journal UNION ALL SELECT 1 FROM snapshot UNION ALL SELECT 1 FROM match LIMIT 1"
_HALLS = "SELECT hall FROM gameserver.snapshot UNION SELECT hall FROM gameserver.match ORDER BY hall"
_RAISE_NUMBERS = """
    SELECT setval('gameserver.attendance_number_seq', highest + 1000)
    FROM (SELECT max(number) AS highest FROM attendance) AS own, gameserver.attendance_number_seq
    WHERE highest >= last_value
"""
"""All halls draw from one sequence, and may do so meanwhile: so it is never set back, and some numbers are left out."""


class PostgresqlSide(Side):
    """A hall. The lock is the one of the server that leads."""

    shared = frozenset({"rating"})

    def __init__(self, data: str, hall: str, *, is_source: bool) -> None:
        self.name = place(data) + (f", hall {hall}" if hall else "")
        self._data = data
        with translated(data):
            self._session = postgresql.connect(data, hall, application="gameserver copy")
        try:
            with self.reading():
                self._session.raw.reply_s = REPLY_S
                self._session.execute(_STAY)
                self._prepare(place(data), hall, is_source=is_source)
        except BaseException:
            self.close()
            raise
        self.connection = self._session

    def _prepare(self, where: str, hall: str, *, is_source: bool) -> None:
        if is_source:
            postgresql_schema.check(self._session, where)
        else:
            postgresql_schema.prepare(self._session, where)
        if not self._has_lock(hall):
            raise CopyRefused(f"{self.name} is in use by a server; stop it and those that stand by; nothing was copied")
        if is_source and self._session.execute(_SOMETHING).fetchone() is None:
            halls = ", ".join(name or "the first one" for (name,) in self._session.execute(_HALLS))
            raise CopyRefused(f"{self.name} is empty, so nothing was copied; halls with data: {halls or 'none'}")

    def _has_lock(self, hall: str) -> bool:
        """Take the lock. PostgreSQL may need a moment to end the session of a server that has just stopped."""
        give_up_s = monotonic() + LOCK_S
        while True:
            ((is_ours,),) = self._session.execute("SELECT pg_try_advisory_lock(?)", (lock_key(hall),)).fetchall()
            if is_ours or monotonic() > give_up_s:
                return bool(is_ours)
            sleep(_PAUSE_S)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction. Where it is not carried through, the end of the session undoes it."""
        self._session.execute("BEGIN")
        yield
        self._session.execute("COMMIT")

    def storable(self, row: Values) -> Values:
        """PostgreSQL's text has no character 0, which SQLite's may have. The rows of the journal keep it, as bytes."""
        return tuple(map(storable, row))

    def after_own(self) -> None:
        """Have new rows numbered after these, and PostgreSQL look at the tables, or it would search them slowly."""
        self._session.execute(f"ANALYZE {', '.join(f'gameserver.{table.name}' for table in layout())}")
        self._session.execute(_RAISE_NUMBERS)

    def before_shared(self) -> None:
        """Keep other halls from changing ratings."""
        self._session.execute("LOCK TABLE gameserver.rating IN SHARE ROW EXCLUSIVE MODE")

    def reading(self) -> AbstractContextManager[None]:
        """Turns what the database raises into `JournalBroken` or `JournalError`."""
        return translated(self._data)

    def close(self) -> None:
        """End the session, and with it the lock."""
        self._session.close()
