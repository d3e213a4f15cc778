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
    """Transactions behind a frame with a wrong checksum. SQLite stops at that frame.

    A power cut may leave one, which was never reported as durable. A killed process leaves none.
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
    magic, version, page_size, _, salts, sums = struct.unpack_from(">IIII8s8s", content)
    order = _MAGIC.get(magic, "")
    sound = order and version == _VERSION and page_size in _PAGE_SIZES
    if not sound or _packed(_checksum(content[:24], order, (0, 0))) != sums:
        return LogFound(exists=True, has_frames=True, is_readable=False)
    return _frames_counted(content, order, page_size, salts, struct.unpack(">II", sums))


def _frames_counted(content: bytes, order: str, page_size: int, salts: bytes, so_far: tuple[int, int]) -> LogFound:
    commits = lost = 0
    is_whole = True
    for start in _starts(content, page_size):
        commit_pages, frame_salts, sums = struct.unpack_from(">4xI8s8s", content, start)
        if frame_salts != salts:  # left from before the log was restarted
            break
        if is_whole:
            page = start + _FRAME_HEADER_BYTES
            so_far = _checksum(content[start : start + 8], order, so_far)
            so_far = _checksum(content[page : page + page_size], order, so_far)
            is_whole = _packed(so_far) == sums
        if commit_pages:
            commits, lost = (commits + 1, lost) if is_whole else (commits, lost + 1)
    return LogFound(exists=True, has_frames=True, commits=commits, commits_lost=lost)


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
