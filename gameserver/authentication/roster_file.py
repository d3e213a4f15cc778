"""Reads the roster's file: a table that a teacher makes with any spreadsheet and saves as CSV.

The first line names the columns, in any order and case: `name` and `secret`, and whatever else the teacher keeps
there. Comma, semicolon and tab are all understood. A line without a secret lists the name and binds it to nothing. A
column `id` has the school's own ids, for grades. A column `gammonx_id` has the PlayerIds of GammonX clients: such a
client then plays under the student's name.
"""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from attrs import field

from gameserver.core.identity import NO_GUID, is_guid, judge_name
from gameserver.values import value


class RosterError(Exception):
    """The file cannot be used; the text says where and why."""


@value
class Listed:
    """A line of the roster."""

    secret: str = field(default="", repr=False)
    student_id: str = ""
    gammonx_id: str = ""
    """A GUID in lower case; empty if the student has none."""
    row: int = field(default=0, eq=False)
    """The line of the file, from 1; 0 for none."""


def read_roster(path: Path) -> Mapping[str, Listed]:
    """The players of a roster file, by name. Raises `RosterError`."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise RosterError(f"{path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise RosterError(f"{path} is not UTF-8; save it as 'CSV UTF-8'") from error
    return parse_roster(text, str(path))


def parse_roster(text: str, source: str) -> Mapping[str, Listed]:
    """The players of a roster in CSV, by name. Raises `RosterError`."""
    try:
        return _parsed(text, source)
    except csv.Error as error:
        # Refuse the file: read on, an unclosed quotation mark would swallow all names below it.
        why = f"{error}; is there a quotation mark too many, or one too few?"
        raise RosterError(f"{source} is not a CSV table: {why}") from error


def _parsed(text: str, source: str) -> Mapping[str, Listed]:
    head = text.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    columns = [cell.strip().casefold() for cell in next(rows, [])]
    missing = [name for name in ("name", "secret") if name not in columns]
    if missing:
        raise RosterError(f"{source}: the first line should name the columns, including {' and '.join(missing)}")
    listed: dict[str, Listed] = {}
    players: dict[str, str] = {}
    for row in rows:
        cells = dict(zip(columns, (cell.strip() for cell in row), strict=False))
        name = cells.get("name", "")
        if not name:
            continue
        if name in listed:
            raise RosterError(f"{source}, line {rows.line_num}: {name!r} appears twice")
        gammonx_id = cells.get("gammonx_id", "").casefold()
        fault = _fault_of_gammonx_id(name, gammonx_id, players) if gammonx_id else ""
        if fault:
            raise RosterError(f"{source}, line {rows.line_num}: {fault}")
        players[gammonx_id] = name
        listed[name] = Listed(cells.get("secret", ""), cells.get("id", ""), gammonx_id, rows.line_num)
    for name in listed:
        owner = players.get(name.casefold()) if is_guid(name) else None
        if owner is not None:
            raise RosterError(
                f"{source}: {name!r} is the gammonx_id of {owner!r} and has a line of its own; remove that"
            )
    return listed


def _fault_of_gammonx_id(name: str, gammonx_id: str, players: Mapping[str, str]) -> str:
    """The reason why a student cannot have this GUID; empty if they can. `players` are the names above, by GUID."""
    if not is_guid(gammonx_id) or gammonx_id == NO_GUID:
        return f"the gammonx_id {gammonx_id!r} of {name!r} is not a GUID of 32 digits and letters from a to f"
    if gammonx_id in players:
        return f"the gammonx_id {gammonx_id!r} of {name!r} is that of {players[gammonx_id]!r}, too"
    if judge_name(name, len(name)) is not None:
        return f"nobody can play under the name {name!r}, so it cannot have a gammonx_id"
    return ""
