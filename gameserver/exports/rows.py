"""Matches and moves as rows: an object a line (JSON lines) for programs, CSV for spreadsheets.

A row of matches has a column for each seat's facts (`player1`, `points1`, ...); a row of moves says
whose it was.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import orjson

from gameserver.records.match_record import MatchRecord
from gameserver.tournaments.csv_text import CsvStyle, csv_line

Row = Mapping[str, Any]


def match_rows(records: Iterable[MatchRecord], without_rounds: Collection[int] = ()) -> Iterator[Row]:
    """A row for each match. `without_rounds` are the tournaments whose rounds mean nothing: arenas."""
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
        has_round = one.round and one.tournament not in without_rounds
        yield row | {"tournament": one.tournament, "round": one.round if has_round else None}


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


def csv_lines(rows: Iterable[Row], style: CsvStyle = CsvStyle.ENGLISH) -> Iterator[str]:
    """A line of names, then one for each row."""
    for number, row in enumerate(rows):
        if number == 0:
            yield csv_line(row, style)
        yield csv_line(row.values(), style)
