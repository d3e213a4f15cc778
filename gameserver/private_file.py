"""Writes files that only their owner may read, all at once: a reader finds the old text or the new one."""

import os
import sys
import time
from pathlib import Path

_READERS_ARE_IN_THE_WAY = sys.platform == "win32"
_PATIENCE_S = 2.0
_LOOK_S = 0.02


def write_for_the_owner(file: Path, text: str) -> None:
    """Replace the file. Where there are POSIX permissions, nobody but the owner can read it at any moment.

    On Windows a file has the permissions of its folder, which for one in a user's own folder are that user's.
    Raises `OSError`.
    """
    new = file.with_name(f"{file.name}.new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as stream:
        stream.write(text)
    _replace(new, file)


def _replace(new: Path, file: Path) -> None:
    """Rename `new` to `file`. Windows refuses that while somebody reads the file, which is over in a moment."""
    give_up_s = time.monotonic() + _PATIENCE_S
    while True:
        try:
            new.replace(file)
        except PermissionError:
            if not _READERS_ARE_IN_THE_WAY or time.monotonic() > give_up_s:
                raise
            time.sleep(_LOOK_S)
        else:
            return
