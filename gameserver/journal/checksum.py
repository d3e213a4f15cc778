"""The checksum of a row: without it, a disk that flips a bit would change a move in silence."""

from struct import Struct
from zlib import crc32

from gameserver.journal.journal import JournalRow

_HEAD = Struct("<5q")


def checksum(row: JournalRow) -> int:
    """The checksum over all fields of a row, the same in every database."""
    head = _HEAD.pack(row.seq, row.now_ms, row.stamp_ms, row.wall_ms, row.version)
    return crc32(head + row.tag.encode() + row.body)
