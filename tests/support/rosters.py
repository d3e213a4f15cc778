"""Rosters on files, as a teacher writes them."""

from collections.abc import Mapping
from pathlib import Path

import trio

from gameserver.authentication.roster import Roster


def roster_on(directory: Path, secrets: Mapping[str, str]) -> Roster:
    """A roster that binds each name to its secret, read from a file in the directory."""
    file = directory / "roster.csv"
    rows = "".join(f"{name},{secret}\n" for name, secret in secrets.items())
    file.write_text(f"name,secret\n{rows}", encoding="utf-8")
    roster = Roster(file, trio.current_time)
    roster.load()
    return roster
