"""Standings, crosstable and grades as CSV for a spreadsheet or a grade book.

A name is what a student chose, and a spreadsheet runs a cell that begins like a formula: such a cell
gets an apostrophe in front, which spreadsheets hide. Lines end in CRLF, as RFC 4180 has it; write the
text as UTF-8 with a byte order mark (`utf-8-sig`), or Excel takes it for something else.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from attrs import field, validators

from gameserver.tournaments.model import Tournament
from gameserver.tournaments.scoring.crosstable import crosstable
from gameserver.tournaments.scoring.standings import standings
from gameserver.tournaments.scoring.tie_breaks import in_units
from gameserver.values import value

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


@value
class Grading:
    """Turns points into grades: in a straight line from no point to every point, in steps of 1 / 10**decimals."""

    lowest: int = 1
    highest: int = 10
    decimals: int = field(default=1, validator=[validators.ge(0), validators.le(4)])

    def __attrs_post_init__(self) -> None:
        if self.lowest == self.highest:
            raise ValueError("the lowest and the highest grade must differ")

    def grade(self, points: int, points_max: int) -> str:
        """The grade for these points of so many; the lowest where there were none to be had. Halves round up."""
        steps = 10**self.decimals
        whole = max(1, points_max)
        amount = self.lowest * steps * whole + (self.highest - self.lowest) * steps * min(points, whole)
        rounded = (2 * amount + whole) // (2 * whole)
        sign, digits = ("-" if rounded < 0 else ""), abs(rounded)
        if not self.decimals:
            return f"{sign}{digits}"
        return f"{sign}{digits // steps}.{digits % steps:0{self.decimals}}"


def standings_csv(tournament: Tournament, intervals: Mapping[str, str] | None = None) -> str:
    """A line for each player. `intervals` adds a column of rank intervals, by name."""
    kinds = [str(kind) for kind in tournament.plan.tie_breaks]
    head = ["rank", "player", "points", "played", "wins", "draws", "losses", "unplayed", *kinds, "note", "why"]
    lines = [
        [
            row.rank,
            _safe(row.name),
            row.points_text,
            row.played,
            row.wins,
            row.draws,
            row.losses,
            row.unplayed,
            *row.tie_breaks,
            row.note,
            row.why,
        ]
        for row in standings(tournament)
    ]
    if intervals is not None:
        head.insert(1, "rank interval")
        for line, row in zip(lines, standings(tournament), strict=True):
            line.insert(1, intervals.get(row.name, ""))
    return _csv([head, *lines])


def crosstable_csv(tournament: Tournament) -> str:
    """Everybody against everybody, in the order of the standings; a cell has one sign a game.

    There are blanks between them, or a spreadsheet would take `01` for a number, and show 1.
    """
    table = crosstable(tournament)
    head = ["rank", "player", *(_safe(row.name) for row in table.rows), "points"]
    lines = [
        [row.rank, _safe(row.name), *(_safe(" ".join(cell)) for cell in cells), row.points_text]
        for row, cells in zip(table.rows, table.cells, strict=True)
    ]
    return _csv([head, *lines])


def grades_csv(tournament: Tournament, grading: Grading, student_ids: Mapping[str, str] | None = None) -> str:
    """A line for each student: id (from a roster), name, points of those to be had, grade.

    To be had was a win in each of a player's own games and rounds, so that nobody is marked down for
    a bye or for coming late. A disqualified player gets the lowest grade. House players are omitted.
    """
    ids = student_ids or {}
    lines: list[Sequence[object]] = [["id", "player", "rank", "points", "of", "grade"]]
    scoring = tournament.plan.scoring
    for row in standings(tournament):
        if row.note == "house":
            continue
        to_be_had = scoring.win * (row.played + row.unplayed)
        points = 0 if row.note == "disqualified" else row.points
        grade = grading.grade(points, to_be_had)
        of = in_units(to_be_had, scoring.unit)
        lines.append([_safe(ids.get(row.name, "")), _safe(row.name), row.rank, row.points_text, of, grade])
    return _csv(lines)


def _safe(text: str) -> str:
    return f"'{text}" if text.startswith(_FORMULA) else text


def _csv(lines: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out).writerows(lines)
    return out.getvalue()
