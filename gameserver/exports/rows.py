"""Matches and moves as rows: an object a line (JSON lines) for programs, CSV for spreadsheets.

A row of matches has a column for each seat's facts (`player1`, `points1`, ...); a row of moves says
whose it was. A name is what a student chose, and a spreadsheet runs a cell that begins like a
formula: in CSV such a cell gets an apostrophe in front, which spreadsheets hide.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import orjson

from gameserver.records.match_record import MatchRecord

Row = Mapping[str, Any]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def match_rows(records: Iterable[MatchRecord]) -> Iterator[Row]:
    """A row for each match."""
    for one in records:
        row: dict[str, Any] = {
            "match": one.match,
            "game": one.game,
            "options": one.options,
            "opened_at": one.opened_at,
            "ended_at": one.ended_at,
            "reason": one.reason,
            "reason_text": one.reason_text,
            "why": one.why,
            "rated": int(one.rated),
            "games": len(one.games),
            "moves": len(one.moves),
            "public_id": one.public_id,
        }
        for seat in one.seats:
            number = seat.seat + 1
            row |= {
                f"player{number}": seat.player,
                f"protocol{number}": seat.protocol,
                f"points{number}": seat.points,
                f"result{number}": seat.result.value,
                f"rating{number}": None if seat.rating is None else round(seat.rating),
                f"round_trip_us{number}": seat.round_trip_us,
            }
        yield row


def move_rows(records: Iterable[MatchRecord]) -> Iterator[Row]:
    """A row for each move and draw."""
    for one in records:
        for move in one.moves:
            yield {
                "match": one.match,
                "game": move.game,
                "number": move.number,
                "seat": move.seat,
                "player": "" if move.seat is None else one.seats[move.seat].player,
                "move": move.move,
                "by": move.by,
                "at_ms": move.at_ms,
                "think_ms": move.think_ms,
                "lag_ms": move.lag_ms,
                "stall_ms": move.stall_ms,
            }


def json_lines(rows: Iterable[Row]) -> Iterator[str]:
    """An object a line."""
    for row in rows:
        yield orjson.dumps(row).decode() + "\n"


def csv_lines(rows: Iterable[Row]) -> Iterator[str]:
    """A line of names, then one for each row, as RFC 4180 has it: ended by CRLF."""
    for number, row in enumerate(rows):
        if number == 0:
            yield _csv_line(row)
        yield _csv_line([_safe(value) for value in row.values()])


def _csv_line(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _safe(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


LINES: Mapping[str, Callable[[Iterable[Row]], Iterator[str]]] = {"jsonl": json_lines, "csv": csv_lines}
"""Functions that write rows, by the name of the format."""
