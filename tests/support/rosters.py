"""Rosters on files, as a teacher writes them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import trio

from gameserver.authentication.roster import Roster


def roster_on(directory: Path, secrets: Mapping[str, str]) -> Roster:
    """A roster that binds each name to its secret, read from a file in the directory."""
    rows = "".join(f"{name},{secret}\n" for name, secret in secrets.items())
    return roster_of(directory, f"name,secret\n{rows}", trio.current_time)


def roster_of(directory: Path, text: str, now_s: Callable[[], float] = lambda: 0.0, **given: bool) -> Roster:
    """The roster of a file with this text, in the directory."""
    file = directory / "roster.csv"
    file.write_text(text, encoding="utf-8")
    roster = Roster(file, now_s, **given)
    roster.load()
    return roster
