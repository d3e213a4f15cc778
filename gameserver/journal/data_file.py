"""Opens the data file: finds out what is there, refuses what is not ours or not whole, and opens it.

    log beside it --> examined, read-only --> tables made, in one transaction --> write-ahead logging

Nothing is written before everything was found in order. SQLite alone would mend what it takes for the remains
of a crash: it empties a log that it cannot read and, on closing, folds one that it can into the file.

A new file gets its tables and its format in one transaction with a rollback journal: a killed first start leaves
an empty file or a whole one. The first row is folded into the file at once (`fold_log`), the next ones lie in
the log. So a file with that row alone and an empty log, or none, has lost its log.
"""

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

from gameserver.database import sqlite, sqlite_schema
from gameserver.database.connection import Table
from gameserver.database.sqlite import SqliteConnection
from gameserver.database.sqlite_schema import execute_all
from gameserver.journal.file_lock import FileLock
from gameserver.journal.journal import REMEDY, RESTORE, JournalBroken
from gameserver.journal.write_ahead_log import LogFound, log_of, look_at_log

FORMAT = 1
"""The version of the file's own layout; rows and snapshots carry versions of theirs."""

BUSY_TIMEOUT_S = 1.0
"""The time that a commit waits for another process's lock before it is reported and tried again."""

WHOLE_CHECK_BYTES_MAX = 16 << 20
"""Up to this size every page is checked at a start, at 0.5 s for 100 MB; above it those that a start reads."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS journal (
    seq INTEGER PRIMARY KEY, now_ms INTEGER NOT NULL, stamp_ms INTEGER NOT NULL, wall_ms INTEGER NOT NULL,
    tag TEXT NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS snapshot (
    one INTEGER PRIMARY KEY CHECK (one = 1), seq INTEGER NOT NULL, now_ms INTEGER NOT NULL,
    version INTEGER NOT NULL, body BLOB NOT NULL, crc INTEGER NOT NULL
) STRICT;
"""

_READ_AT_START = ("journal", "snapshot", "match", "rating")

_WAL_MODE = b"\x02\x02"
"""Bytes 18 and 19 of the file: its write and read versions (sqlite.org/fileformat2.html, section 1.3)."""


def open_data_file(
    path: Path, lock: FileLock, synchronous: str, *, accept_damage: bool = False
) -> tuple[SqliteConnection, str]:
    """Open the data file whose lock this is, and make its tables where it is new. Raises `JournalBroken`.

    Also gives a sentence about transactions that a damaged log has cost, empty if there are none. A log that is
    damaged in its middle is refused, unless the damage is accepted: then copies of both files are kept.
    """
    try:
        log = look_at_log(path)
        lost = _check_log(path, log, lock, synchronous, accept_damage=accept_damage)
        if not lock.size:
            return _connected(path, synchronous), lost
        # The reader is closed last: closing the only connection of a process drops the process's locks.
        with closing(_reader(path, log)) as reader:
            _examine(reader, path, lock, log)
            if lost and not _is_power_cut(log, "full"):
                lost += f"; copies of both files: {' and '.join(map(str, _keep_copies(path)))}"
            connection = _connected(path, synchronous)
            if lost:
                # Then the log is restarted with other salts. Else what is lost would count again after a kill.
                with suppress(sqlite3.Error):
                    fold_log(connection)
            return connection, lost
    except sqlite3.Error as error:
        raise refused(path, error) from error
    except OSError as error:
        message = f"{path} cannot be used: {error.strerror or error}; choose another data file"
        raise JournalBroken(message) from error


def layout() -> tuple[Table, ...]:
    """The tables of a data file, of which every other database of ours has the same."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _prepare(connection)
        return sqlite_schema.tables_in(connection)


def refused(path: Path, error: sqlite3.Error) -> JournalBroken:
    """An error of SQLite's in one line, with what to do about it."""
    kind = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    what = " ".join(str(error).split())
    if kind == sqlite3.SQLITE_CORRUPT:
        return _damaged(path, what)
    advice = {
        sqlite3.SQLITE_NOTADB: "; choose another data file",
        sqlite3.SQLITE_FULL: "; make room on the disk and start again",
        sqlite3.SQLITE_IOERR: "; make sure that the disk works and is not full, and start again",
        sqlite3.SQLITE_BUSY: "; close the program that has it open for writing, and start again",
    }
    return JournalBroken(f"{path} cannot be used as a data file: {what}{advice.get(kind, '')}")


def fold_log(connection: sqlite3.Connection) -> None:
    """Put what is in the log into the file; the next commit restarts the log.

    In the file the first row tells one that lost its log from a new one.
    """
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _check_log(path: Path, log: LogFound, lock: FileLock, synchronous: str, *, accept_damage: bool) -> str:
    """Refuse a log that SQLite would throw away though something may be in it; else say what it has lost."""
    name = log_of(path).name
    if log.commits and not lock.size:
        message = f"{path} is empty, but what was not written into it yet lies beside it in {name}"
        raise JournalBroken(f"{message}; put the file of this name back, or delete {name} to start with an empty one")
    if log.is_readable and not log.commits_lost:
        return ""
    if _is_power_cut(log, synchronous):
        some = "its last transaction is" if log.commits_lost == 1 else f"its last {log.commits_lost} transactions are"
        return f"{name}: {some} incomplete, as after a power cut, and left out"
    found = "its header is damaged, so nothing of it can be read"
    if log.is_readable:
        found = f"it is damaged after {log.commits} transactions: up to {log.commits_lost} later ones are lost"
    if accept_damage:
        return f"{name}: {found}"
    message = f"{path} cannot be used: matches may be in its write-ahead log {name} alone, and {found}"
    accept = "`gameserver serve --accept-damage` keeps copies of both files and goes on with the rest"
    raise JournalBroken(f"{message}; nothing was changed; {REMEDY}; {accept}")


def _is_power_cut(log: LogFound, synchronous: str) -> bool:
    """True if a power cut alone may have left this: it loses what was not synced, with `full` at most one commit."""
    return log.is_readable and (log.commits_lost <= 1 or synchronous != "full")


def _keep_copies(path: Path) -> Sequence[Path]:
    """Copy the file and its log to names that SQLite takes for one database. The copies are the owner's alone."""
    real = path.resolve()
    names = (real.with_name(f"{real.name}.damaged-{number}") for number in count(1))
    kept = next(name for name in names if not name.exists())
    copies = (kept, kept.with_name(kept.name + "-wal"))
    for source, copy in zip((real, log_of(path)), copies, strict=True):
        copy.touch(mode=0o600, exist_ok=False)
        shutil.copyfile(source, copy)
    return copies


def _reader(path: Path, log: LogFound) -> sqlite3.Connection:
    """A connection that changes nothing, unless there is an interrupted transaction to be rolled back first.

    Without a log it is told that nothing changes: it would make an empty one.
    """
    real = path.resolve()
    interrupted = real.with_name(real.name + "-journal")
    if interrupted.exists() and interrupted.stat().st_size:
        mode = "mode=rw"
    else:
        mode = "mode=ro" if log.has_frames else "mode=ro&immutable=1"
    return sqlite3.connect(f"{real.as_uri()}?{mode}", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None)


def _examine(connection: sqlite3.Connection, path: Path, lock: FileLock, log: LogFound) -> None:
    """Look at everything that a start depends on."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found not in range(FORMAT + 1):
        message = f"{path} has the format {found}, this version reads {FORMAT}: use the server that wrote it"
        raise JournalBroken(message)
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if found == 0 and names:
        message = f"{path} is a database of something else; choose another data file"
        raise JournalBroken(message)
    _check_pages(connection, path, lock, names)
    if lock.head()[18:20] == _WAL_MODE and not log.has_frames:
        is_young = not log.exists if not names else _has_first_row_only(connection)
        if is_young:
            raise _without_log(path)


def _has_rows(connection: sqlite3.Connection, names: set[str]) -> bool:
    kept = sorted(names & {"journal", "snapshot", "match"})
    return any(connection.execute(f"SELECT 1 FROM {name} LIMIT 1").fetchone() for name in kept)  # noqa: S608 - our own names


def _check_pages(connection: sqlite3.Connection, path: Path, lock: FileLock, names: set[str]) -> None:
    if lock.size <= WHOLE_CHECK_BYTES_MAX:
        checks = ["PRAGMA quick_check(1)"]
    else:
        checks = [f"PRAGMA quick_check({name})" for name in _READ_AT_START if name in names]
    for check in checks:
        (said,) = connection.execute(check).fetchone()
        if said != "ok":
            raise _damaged(path, " ".join(said.split()))


def _has_first_row_only(connection: sqlite3.Connection) -> bool:
    (last,) = connection.execute("SELECT max(seq) FROM journal").fetchone()
    return last == 1 and not _has_rows(connection, {"snapshot", "match"})


def _connected(path: Path, synchronous: str) -> SqliteConnection:
    connection = sqlite.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    try:
        connection.execute(f"PRAGMA synchronous = {synchronous.upper()}")
        _prepare(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables: all of it or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    execute_all(connection, _SCHEMA)
    sqlite_schema.prepare(connection)
    if connection.execute("PRAGMA user_version").fetchone() != (FORMAT,):
        connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def _damaged(path: Path, what: str) -> JournalBroken:
    partly = "`gameserver export` writes what can still be read of the finished matches"
    return JournalBroken(f"{path} is damaged ({what}); nothing was changed; {RESTORE}; {partly}")


def _without_log(path: Path) -> JournalBroken:
    name = log_of(path).name
    return JournalBroken(
        f"{path} was written to through {name}, which is missing, and holds no match without it; nothing was changed; "
        f"put {name} back beside it, or delete {path.name} to start with an empty one"
    )
