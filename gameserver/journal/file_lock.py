"""A lock on the data file itself: one server to a file, by whatever name it is reached.

A lock file beside it would be missed through a symbolic or a hard link, and by a user who deletes it. So one
byte of the file is locked. Four facts decide which, and how:

* SQLite locks 512 bytes at 0x40000000 (sqlite.org/fileformat2.html, "The Lock-Byte Page"). A lock on the whole
  file, as `flock` is on some network file systems, would keep readers out of a file in WAL mode.
* A POSIX lock belongs to the process: closing any descriptor of the file drops all of them, SQLite's too
  (fcntl(2)). So the descriptor is opened before SQLite's and closed after it. Linux has locks that belong to the
  open file instead; they survive other closings, and a second opening in the same process meets them too.
* SQLite gives up its own POSIX locks by unlocking the whole file (`posixUnlock` in os_unix.c). In WAL mode it
  keeps one for as long as it is connected and no longer does that. So a POSIX lock is taken again then (`confirm`).
* A lock on Windows keeps others from reading the byte. So the byte is one that never holds data: it lies in
  SQLite's lock-byte page, beyond the bytes that SQLite locks.
"""

import errno
import os
import struct
import sys
from contextlib import suppress
from pathlib import Path

from gameserver.journal.journal import JournalBroken

OWNER_ONLY = 0o600
"""The mode of a new data file. It holds the seed of all dice and the codes of live matches."""


class _NoSuchLock(Exception):
    """The kernel has no locks of open files."""


class FileInUse(JournalBroken):
    """Another server has the data file; `process` is its number, None where the system does not tell."""

    def __init__(self, path: Path, process: int | None) -> None:
        by = "" if process is None else f" (process {process})"
        super().__init__(f"{path} is in use by another server{by}; stop that one, or use another data file")
        self.process = process


_BUSY = frozenset({errno.EACCES, errno.EAGAIN})

if sys.platform == "win32":
    import msvcrt

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

    _LOCK_AT = 1 << 60
    """Beyond the end of any file of SQLite's: those end below 2**48."""
    _NAME_AT = _LOCK_AT + 1
    """A second byte, locked for the process: the kernel tells whose lock that is, but not who has the first."""

    def _take(descriptor: int) -> None:
        if sys.platform == "linux":
            with suppress(_NoSuchLock):
                _take_for_open_file(descriptor)
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _NAME_AT)
                return
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, _LOCK_AT)

    def _take_for_open_file(descriptor: int) -> None:
        try:
            fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _lock_at(_LOCK_AT))
        except OSError as error:
            if error.errno == errno.EINVAL:
                raise _NoSuchLock from error
            raise

    def _lock_at(start: int) -> bytes:
        """Linux' `struct flock`, for one byte."""
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
    """The lock on an open data file, until `release`. Opening makes the file if there is none."""

    def __init__(self, path: Path) -> None:
        """Raises `JournalBroken` where the file cannot be opened, or names the process that has it."""
        if path.exists() and not path.is_file():
            message = f"{path} cannot be used: it is no file; choose another data file"
            raise JournalBroken(message)
        if not path.absolute().parent.is_dir():
            message = f"{path} cannot be used: there is no folder {path.absolute().parent}; create it or choose another"
            raise JournalBroken(message)
        try:
            self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), OWNER_ONLY)
        except OSError as error:
            raise _unusable(path, error) from error
        try:
            self._path = path
            self.confirm()
        except BaseException:
            os.close(self._descriptor)
            raise

    def confirm(self) -> None:
        """Take the lock, or make sure of it when SQLite has connected in WAL mode. Raises `JournalBroken`."""
        try:
            _take(self._descriptor)
        except OSError as error:
            if error.errno in _BUSY:
                raise FileInUse(self._path, _holder(self._descriptor)) from None
            raise _unusable(self._path, error) from error

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return os.fstat(self._descriptor).st_size

    def head(self) -> bytes:
        """The first 100 bytes, SQLite's header. To open the file for that would cost the locks on closing it."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        return os.read(self._descriptor, 100)

    def release(self) -> None:
        """Let others have the file. No connection of SQLite's may be open to it any more."""
        os.close(self._descriptor)


def _unusable(path: Path, error: OSError) -> JournalBroken:
    return JournalBroken(f"{path} cannot be used: {error.strerror or error}; choose another data file")


def exposed(path: Path) -> tuple[Path, ...]:
    """Those of SQLite's files of this database that others than their owner may read; none where nobody can tell."""
    if os.name != "posix":
        return ()
    names = (path, *(path.with_name(path.name + suffix) for suffix in ("-wal", "-shm")))
    return tuple(name for name in names if name.exists() and name.stat().st_mode & 0o077)
