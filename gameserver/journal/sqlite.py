"""The journal in one SQLite file, with the records beside it.

Write-ahead logging, one commit for each batch. With `synchronous = full`, the default, a commit is on
the disk when it returns, so neither a killed process nor a power cut takes back what a client was
told. `normal` survives the killed process only, and `off` is for tests.

Only one server may have the file open: it holds a lock on the file for as long as it runs. Readers are not
locked out, so a teacher may open the records while the server plays.

A commit of one row takes 18 us without the disk (`synchronous = off`).
"""

import errno
import os
import shutil
import sqlite3
import struct
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from itertools import count
from pathlib import Path

from gameserver.database import sqlite
from gameserver.database.sqlite import SqliteConnection
from gameserver.journal.journal import REMEDY, RESTORE, JournalBroken, JournalError, JournalRow, Snapshot, check_follows
from gameserver.journal.sql_journal import (
    INSERT_ROW,
    KEEP_SNAPSHOT,
    SqlJournal,
    last_row,
    row_values,
    snapshot_values,
    write_records,
)
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import Record
from gameserver.values import value

_FORMAT = 1
"""The version of the file's own layout; rows and snapshots carry versions of theirs."""
_OWNER_ONLY = 0o600
"""The mode of a new data file. It holds the seed of all dice and the codes of live matches."""
# Judgement: the lock is that of a program that a teacher has open for writing; players wait meanwhile.
BUSY_TIMEOUT_S = 1.0
"""The time that a commit waits for another process's lock before it is reported and tried again."""
WHOLE_CHECK_BYTES_MAX = 16 << 20
"""Up to this size every page is checked at a start, at 0.5 s for 100 MB; above it those that a start reads."""
LOG_PAGES_MAX = 1_000
"""Pages of the write-ahead log after which it is folded into the file: about as many as by SQLite's own default.

SQLite would do it in the midst of a commit, which may be on the event loop, so it is told to leave it to `checkpoint`.
"""
_PAGE_BYTES = 4_096
"""A page is counted for so many bytes, and so many pages for the tables and indexes that a commit or a record touches.

SQLite does not tell Python how many it wrote. A lone move writes one, the page that its row is on.
"""
_PAGES_PER_COMMIT = 1
_PAGES_PER_RECORD = 8
_ROWS_PER_PAGE = 16


class SqliteJournal(SqlJournal):
    """A journal in an SQLite data file. `synchronous` is `full`, `normal` or `off`.

    `lost` is a sentence about transactions that damage to the write-ahead log has cost, mostly empty.
    """

    is_local = True

    def __init__(self, path: Path, synchronous: str = "full", *, accept_damage: bool = False) -> None:
        self.name = str(path)
        self._path = path
        self._lock_wait_s = BUSY_TIMEOUT_S
        self._log_pages = 0
        """Pages in the write-ahead log that are not folded into the file yet, estimated."""
        self._lock = FileLock(path)
        try:
            self._connection, self.lost = open_data_file(path, self._lock, synchronous, accept_damage=accept_damage)
            # Kept: one for each statement would take a twelfth of a lone commit, the disk apart.
            self._cursor = self._connection.cursor()
        except BaseException:
            self._lock.release()
            raise
        try:
            with self._reading():
                self._last = last_row(self._connection)
            # A server that is killed again and again must fold the log in the end.
            self._log_pages = log_of(path).stat().st_size // _PAGE_BYTES
            # Again: SQLite gives up a POSIX lock by unlocking the whole file, ours with it (`posixUnlock` in
            # os_unix.c). In WAL mode it keeps one for as long as it is connected, and does that no more.
            self._lock.confirm()
        except BaseException:
            self.close()
            raise

    def append(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Commit a batch to the data file in one SQLite transaction."""
        if self._lock_wait_s != BUSY_TIMEOUT_S:
            self._wait_for_locks(BUSY_TIMEOUT_S)
        self._append(rows, records)

    def append_at_once(self, rows: Sequence[JournalRow], records: Sequence[Record] = ()) -> None:
        """Commit a batch to the data file in one transaction, and wait for nobody's lock."""
        if self._lock_wait_s:
            self._wait_for_locks(0)
        self._append(rows, records)

    def _append(self, rows: Sequence[JournalRow], records: Sequence[Record]) -> None:
        if rows and rows[0].seq <= self._last:
            self._check_own(rows)
            return
        check_follows(rows, self._last)
        connection, cursor = self._connection, self._cursor
        row = rows[-1].seq if rows else self._last
        try:
            cursor.execute("BEGIN IMMEDIATE")
            cursor.executemany(INSERT_ROW, map(row_values, rows))
            if records:
                write_records(connection, records, row)
            cursor.execute("COMMIT")
        except sqlite3.Error as error:
            # Damage lasts, and is not tried again; a full disk or a lock may pass.
            self._rolled_back()
            if _code_of(error) in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
                raise refused(self._path, error) from error
            raise JournalError(str(error)) from error
        self._last = row
        self._log_pages += _PAGES_PER_COMMIT + len(rows) // _ROWS_PER_PAGE + _PAGES_PER_RECORD * len(records)
        if rows and rows[0].seq == 1:
            with suppress(sqlite3.Error):  # the rows are durable; what follows only guards a young file
                _fold_log(connection)

    @property
    def checkpoint_is_due(self) -> bool:
        """True once the write-ahead log is as long as SQLite itself lets it grow by default."""
        return self._log_pages >= LOG_PAGES_MAX

    def checkpoint(self) -> None:
        """Fold SQLite's write-ahead log into the data file. A reader may be in the way; then the next time does it."""
        self._log_pages = 0
        with suppress(sqlite3.Error):
            _fold_log(self._connection)

    def last(self) -> int:
        """The number of the data file's last journal row; 0 in an empty one."""
        return self._last

    def trim(self, before: int) -> None:
        """Forget the journal rows in the data file below number `before`."""
        with self._writing() as connection:
            connection.execute("DELETE FROM journal WHERE seq < ?", (before,))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        """Keep a snapshot in the data file, in the place of the one before."""
        with self._writing() as connection:
            connection.execute(KEEP_SNAPSHOT, snapshot_values(snapshot))
            self._log_pages += len(snapshot.body) // _PAGE_BYTES

    def load_snapshot(self) -> Snapshot | None:
        """The snapshot in the data file. A server that runs asks for it, too, and goes on if it cannot be read now."""
        try:
            return super().load_snapshot()
        except JournalBroken as error:
            if isinstance(error.__cause__, sqlite3.Error):
                raise JournalError(str(error.__cause__)) from error.__cause__
            raise

    def reader(self) -> RecordReader:
        """The reader of the records in the data file, past the journal's own SQLite connection."""
        return RecordReader(partial(sqlite.read_only, self._path))

    def close(self) -> None:
        """Close the data file, which folds the write-ahead log into it, and let others open it."""
        self._connection.close()
        self._lock.release()

    def _wait_for_locks(self, wait_s: float) -> None:
        """Have SQLite wait so long for the lock of another connection."""
        self._connection.execute(f"PRAGMA busy_timeout = {round(wait_s * 1000)}")
        self._lock_wait_s = wait_s

    def _connected(self) -> SqliteConnection:
        return self._connection

    @contextmanager
    def _writing(self) -> Iterator[SqliteConnection]:
        """The connection, for one statement that may wait for locks."""
        self._wait_for_locks(BUSY_TIMEOUT_S)
        try:
            yield self._connection
        except sqlite3.Error as error:
            self._rolled_back()
            raise JournalError(str(error)) from error

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise refused(self._path, error) from error

    def _rolled_back(self) -> None:
        """Get out of a failed transaction; whether it was durable after all is read from the file."""
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        with suppress(sqlite3.Error):
            self._last = last_row(self._connection)


def _code_of(error: sqlite3.Error) -> int:
    """The primary error code, which is the low byte of an extended one (sqlite.org/rescode.html); 0 if it has none."""
    return (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF


class FileInUse(JournalBroken):
    """Another server has the data file; `process` is its number, None where the system does not tell."""

    def __init__(self, path: Path, process: int | None) -> None:
        by = "" if process is None else f" (process {process})"
        super().__init__(f"{path} is in use by another server{by}; stop that one, or use another data file")
        self.process = process


_BUSY = frozenset({errno.EACCES, errno.EAGAIN})


if sys.platform == "win32":
    import msvcrt

    # A lock on Windows keeps others from reading the byte, so it is one that never holds data. SQLite writes nothing to
    # the page at 0x40000000, and locks its first 512 bytes (sqlite.org/fileformat2.html, "The Lock-Byte Page").
    _LOCK_AT = 0x40000800

    def _take(descriptor: int) -> None:
        os.lseek(descriptor, _LOCK_AT, os.SEEK_SET)
        with suppress(OSError):  # a second lock on a byte of one's own would be refused
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    def _holder(descriptor: int) -> int | None:
        return None

else:
    import fcntl

    # One byte, and no `flock`: on some network file systems that locks the whole file, SQLite's bytes with it.
    _LOCK_AT = 1 << 60
    """Beyond the end of any file of SQLite's: those end below 2**48."""
    _NAME_AT = _LOCK_AT + 1
    """A second byte, locked for the process: the kernel tells whose lock that is, but not who has the first."""

    def _take(descriptor: int) -> None:
        has_lock = sys.platform == "linux" and _take_for_open_file(descriptor)
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _NAME_AT if has_lock else _LOCK_AT)

    def _take_for_open_file(descriptor: int) -> bool:
        """Take a lock that belongs to the open file; False if the kernel has none of these."""
        # It survives the closing of other descriptors, and a second opening in the same process meets it, too.
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _lock_at(_LOCK_AT))
        except OSError as error:
            # Linux has these locks since 3.15 (fcntl(2)).
            if error.errno == errno.EINVAL:
                return False
            raise
        return True

    def _lock_at(start: int) -> bytes:
        """Linux' `struct flock`, for one byte."""
        # Type, whence, start, length, process; `0q` pads as C does.
        return struct.pack("@hhqqi0q", fcntl.F_WRLCK, os.SEEK_SET, start, 1, 0)

    def _holder(descriptor: int) -> int | None:
        """The process that has the lock, where the system tells."""
        if sys.platform == "linux":
            for start in (_NAME_AT, _LOCK_AT):
                kind, *_, process = struct.unpack("@hhqqi0q", fcntl.fcntl(descriptor, fcntl.F_GETLK, _lock_at(start)))
                if kind != fcntl.F_UNLCK and process > 0:
                    return int(process)
        return None


class FileLock:
    """The lock on an open data file of SQLite, until `release`. Opening makes the file if there is none.

    One server to a file, by whatever name it is reached.

    A lock file beside it would be missed through a symbolic or a hard link, and by a user who deletes it. So one byte
    of the file is locked, which keeps out no reader in WAL mode.
    """

    def __init__(self, path: Path) -> None:
        """Raises `JournalBroken` where the file cannot be opened, or names the process that has it."""
        if path.exists() and not path.is_file():
            message = f"{path} cannot be used: it is no file; choose another data file"
            raise JournalBroken(message)
        if not path.absolute().parent.is_dir():
            message = f"{path} cannot be used: there is no folder {path.absolute().parent}; create it or choose another"
            raise JournalBroken(message)
        # Before SQLite's descriptor, and closed after it: a POSIX lock belongs to the process, and closing any
        # descriptor of the file drops all of them, SQLite's too (fcntl(2)).
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), _OWNER_ONLY)
        except OSError as error:
            raise _unusable(path, error) from error
        try:
            self._path = path
            self.confirm()
        except BaseException:
            os.close(self._descriptor)
            raise

    def confirm(self) -> None:
        """Take the lock on the data file, or make sure of it when SQLite has connected in WAL mode.

        Raises `JournalBroken`.
        """
        try:
            _take(self._descriptor)
        except OSError as error:
            if error.errno in _BUSY:
                raise FileInUse(self._path, _holder(self._descriptor)) from None
            raise _unusable(self._path, error) from error

    @property
    def size(self) -> int:
        """Bytes in the locked data file."""
        return os.fstat(self._descriptor).st_size

    def head(self) -> bytes:
        """The first 100 bytes of the data file, SQLite's header.

        To open the file for that would cost the locks on closing it.
        """
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        return os.read(self._descriptor, 100)

    def release(self) -> None:
        """Let other servers have the data file. No connection of SQLite's may be open to it any more."""
        os.close(self._descriptor)


def _unusable(path: Path, error: OSError) -> JournalBroken:
    return JournalBroken(f"{path} cannot be used: {error.strerror or error}; choose another data file")


def exposed(path: Path) -> tuple[Path, ...]:
    """The files of a journal in SQLite that others than their owner may read; none where nobody can tell."""
    if os.name != "posix":
        return ()
    names = (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")))
    return tuple(name for name in names if name.exists() and name.stat().st_mode & 0o077)


_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
# This and the next two: sqlite.org/fileformat2.html, section 4.1, "WAL File Format".
_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
"""Tells how the checksums read the bytes."""
_VERSION = 3_007_000
_PAGE_SIZES = frozenset(1 << power for power in range(9, 17))


@value
class _LogFound:
    """The state of a log. Frames are pages; the last one of a transaction commits it."""

    exists: bool
    has_frames: bool = False
    is_readable: bool = True
    """False if the log has frames and its header is damaged: then SQLite sees none of them."""
    commits: int = 0
    """Transactions that SQLite will find."""
    commits_lost: int = 0
    """Transactions from the first damaged frame on, at most. SQLite stops at that frame, and writes over the rest.

    A power cut may leave one, which was never reported as durable; without a sync for each commit it may leave
    several. A killed process leaves none.
    """


def log_of(path: Path) -> Path:
    """The path of the write-ahead log of a journal in an SQLite file; SQLite follows a symbolic link first."""
    real = path.resolve()
    return real.with_name(real.name + "-wal")


def _look_at_log(path: Path) -> _LogFound:
    """Reads the log of this database; raises `OSError`.

    SQLite would mend and overwrite what it does not understand.

    After a kill, a young data file is 4,096 bytes and all its matches are in the log beside it. SQLite takes a log
    with a damaged beginning for an empty one and writes over it. So the log is looked at before SQLite is.
    The format: sqlite.org/fileformat2.html, section 4, "The Write-Ahead Log".
    """
    try:
        content = log_of(path).read_bytes()
    except FileNotFoundError:
        return _LogFound(exists=False)
    if len(content) <= _HEADER_BYTES:
        return _LogFound(exists=True)
    magic, version, page_size, sums = struct.unpack_from(">III12x8s", content)
    order = _MAGIC.get(magic, "")
    sound = order and version == _VERSION and page_size in _PAGE_SIZES
    if not sound or _packed(_checksum(content[:24], order, (0, 0))) != sums:
        return _LogFound(exists=True, has_frames=True, is_readable=False)
    return _frames_counted(content, order, page_size)


def _frames_counted(content: bytes, order: str, page_size: int) -> _LogFound:
    checkpoints, salts, sums = struct.unpack_from(">12xI8s8s", content)
    so_far = struct.unpack(">II", sums)
    commits = lost = foreign = 0
    is_whole = True
    for start in _starts(content, page_size):
        commit_pages, frame_salts, sums = struct.unpack_from(">4xI8s8s", content, start)
        is_ours = frame_salts == salts
        if is_ours and is_whole:
            page = start + _FRAME_HEADER_BYTES
            so_far = _checksum(content[start : start + 8], order, so_far)
            so_far = _checksum(content[page : page + page_size], order, so_far)
            is_whole = _packed(so_far) == sums
        # Other salts are the end of this log or a damaged header. Frames of this log behind it tell: the walk goes on.
        is_whole = is_whole and is_ours
        if is_whole:
            commits += bool(commit_pages)
        elif is_ours:
            lost, foreign = lost + foreign + bool(commit_pages), 0
        else:
            # Damage only if a frame of this log follows: after two kills with a checkpoint in between, older frames lie
            # here.
            foreign += not _was_not_written(frame_salts, salts, checkpoints)
    return _LogFound(exists=True, has_frames=True, commits=commits, commits_lost=lost)


def _was_not_written(frame_salts: bytes, salts: bytes, checkpoints: int) -> bool:
    """True if the log got no frame here since it was restarted: SQLite adds one to the first salt each time.

    A power cut may leave such frames, or zeros, among those of the last transaction. The count of checkpoints is that
    of one process, so after a kill this may be False of an older frame. Behind the last frame nothing depends on it.
    """
    frame_first, first = (int.from_bytes(each[:4], "big") for each in (frame_salts, salts))
    return not any(frame_salts) or 0 < (first - frame_first) % (1 << 32) <= checkpoints


def _starts(content: bytes, page_size: int) -> Iterator[int]:
    """Offsets at which whole frames begin; a killed process may leave half a frame at the end."""
    frame_bytes = _FRAME_HEADER_BYTES + page_size
    return iter(range(_HEADER_BYTES, len(content) - frame_bytes + 1, frame_bytes))


def _checksum(content: bytes, order: str, so_far: tuple[int, int]) -> tuple[int, int]:
    first, second = so_far
    for even, odd in struct.iter_unpack(order + "II", content):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _packed(sums: tuple[int, int]) -> bytes:
    return struct.pack(">II", *sums)


_READ_AT_START = ("journal", "snapshot", "match", "rating")
_WAL_MODE = b"\x02\x02"
"""Bytes 18 and 19 of the file: its write and read versions (sqlite.org/fileformat2.html, section 1.3)."""


def open_data_file(
    path: Path, lock: FileLock, synchronous: str, *, accept_damage: bool = False
) -> tuple[SqliteConnection, str]:
    """Opens the journal's SQLite file whose lock this is, and makes its tables where it is new. Raises `JournalBroken`.

    Also gives a sentence about transactions that a damaged log has cost, empty if there are none. A log that is
    damaged in its middle is refused, unless the damage is accepted: then copies of both files are kept.

        log beside it --> examined, read-only --> tables made, in one transaction --> write-ahead logging

    Nothing is written before everything was found in order. SQLite alone would mend what it takes for the remains
    of a crash: it empties a log that it cannot read and, on closing, folds one that it can into the file.

    A new file gets its tables and its format in one transaction with a rollback journal: a killed first start leaves
    an empty file or a whole one. The first row is folded into the file at once (`_fold_log`), the next ones lie in
    the log. So a file with that row alone and an empty log, or none, has lost its log.
    """
    try:
        log = _look_at_log(path)
        lost = _check_log(path, log, lock, synchronous, accept_damage=accept_damage)
        # A new file, or one that a killed first start has left.
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
                    _fold_log(connection)
            return connection, lost
    except sqlite3.Error as error:
        raise refused(path, error) from error
    except OSError as error:
        message = f"{path} cannot be used: {error.strerror or error}; choose another data file"
        raise JournalBroken(message) from error


def refused(path: Path, error: sqlite3.Error) -> JournalBroken:
    """The journal's error for one that SQLite raised on its file, in one line, with what to do about it."""
    kind = _code_of(error)
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


def _fold_log(connection: sqlite3.Connection) -> None:
    """Put what is in the log into the file; the next commit restarts the log.

    In the file the first row tells one that lost its log from a new one.
    """
    # PASSIVE does not wait for readers, such as a page (sqlite.org/pragma.html).
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _check_log(path: Path, log: _LogFound, lock: FileLock, synchronous: str, *, accept_damage: bool) -> str:
    """Refuse a log that SQLite would throw away though something may be in it; else say what it has lost."""
    name = log_of(path).name
    if log.commits and not lock.size:
        message = f"{path} is empty, but what was not written into it yet lies beside it in {name}"
        raise JournalBroken(f"{message}; put the file of this name back, or delete {name} to start with an empty one")
    # The usual case after a kill, too: a killed process leaves no half-written frame that counts.
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


def _is_power_cut(log: _LogFound, synchronous: str) -> bool:
    """True if a power cut alone may have left this: it loses what was not synced, with `full` at most one commit."""
    return log.is_readable and (log.commits_lost <= 1 or synchronous != "full")


def _keep_copies(path: Path) -> Sequence[Path]:
    """Copy the file and its log to names that SQLite takes for one database. The copies are the owner's alone."""
    real = path.resolve()
    names = (real.with_name(f"{real.name}.damaged-{number}") for number in count(1))
    kept = next(name for name in names if not name.exists())
    copies = (kept, kept.with_name(kept.name + "-wal"))
    for source, copy in zip((real, log_of(path)), copies, strict=True):
        # First, so that the content is never open to others: it holds the seed of all dice.
        copy.touch(mode=0o600, exist_ok=False)
        shutil.copyfile(source, copy)
    return copies


def _reader(path: Path, log: _LogFound) -> sqlite3.Connection:
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


def _examine(connection: sqlite3.Connection, path: Path, lock: FileLock, log: _LogFound) -> None:
    """Look at everything that a start depends on."""
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if found not in range(_FORMAT + 1):
        message = f"{path} has the format {found}, this version reads {_FORMAT}: use the server that wrote it"
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
        # Else the commit that reaches 1,000 pages folds the log, and that commit may be on the event loop.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    """Make the tables: all of it or nothing."""
    # One transaction: a killed first start leaves an empty file or a whole one.
    connection.execute("BEGIN IMMEDIATE")
    sqlite.prepare(connection)
    if connection.execute("PRAGMA user_version").fetchone() != (_FORMAT,):
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
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
