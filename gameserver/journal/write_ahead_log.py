"""Reads SQLite's write-ahead log without SQLite, which mends and overwrites what it does not understand.

After a kill, a young data file is 4,096 bytes and all its matches are in the log beside it. SQLite takes a log
with a damaged beginning for an empty one and writes over it. So the log is looked at before SQLite is.
The format: sqlite.org/fileformat2.html, section 4, "The Write-Ahead Log".
"""

import struct
from collections.abc import Iterator
from pathlib import Path

from gameserver.values import value

_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_MAGIC = {0x377F0682: "<", 0x377F0683: ">"}
"""Tells how the checksums read the bytes."""
_VERSION = 3_007_000
_PAGE_SIZES = frozenset(1 << power for power in range(9, 17))


@value
class LogFound:
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
    """The file with the log of a database; SQLite follows a symbolic link first."""
    real = path.resolve()
    return real.with_name(real.name + "-wal")


def look_at_log(path: Path) -> LogFound:
    """Reads the log of this database; raises `OSError`."""
    try:
        content = log_of(path).read_bytes()
    except FileNotFoundError:
        return LogFound(exists=False)
    if len(content) <= _HEADER_BYTES:
        return LogFound(exists=True)
    magic, version, page_size, sums = struct.unpack_from(">III12x8s", content)
    order = _MAGIC.get(magic, "")
    sound = order and version == _VERSION and page_size in _PAGE_SIZES
    if not sound or _packed(_checksum(content[:24], order, (0, 0))) != sums:
        return LogFound(exists=True, has_frames=True, is_readable=False)
    return _frames_counted(content, order, page_size)


def _frames_counted(content: bytes, order: str, page_size: int) -> LogFound:
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
            foreign += not _was_not_written(frame_salts, salts, checkpoints)
    return LogFound(exists=True, has_frames=True, commits=commits, commits_lost=lost)


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
