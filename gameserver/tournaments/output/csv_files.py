"""Standings, crosstable, results and grades as CSV for a spreadsheet or a grade book."""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal

from attrs import Factory, field, validators

from gameserver.tournaments.model import Tournament
from gameserver.tournaments.output.csv_text import CsvStyle, csv_text
from gameserver.tournaments.output.result_lines import ResultLine, result_lines
from gameserver.tournaments.plan import Format
from gameserver.tournaments.scoring.crosstable import UNPLAYED, crosstable, opponent_scores, round_table
from gameserver.tournaments.scoring.standings import standings
from gameserver.tournaments.scoring.tie_breaks import in_units
from gameserver.values import value


@value
class FileOptions:
    """The ways to make a file of a tournament: the style of CSV, and students' ids, which are in the grades alone."""

    student_ids: Mapping[str, str] = Factory(dict)
    """By player."""
    style: CsvStyle = CsvStyle.ENGLISH


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


def standings_csv(
    tournament: Tournament, intervals: Mapping[str, str] | None = None, style: CsvStyle = CsvStyle.ENGLISH
) -> str:
    """A line for each player. `intervals` adds a column of 95 % intervals of the rank by playing strength, by name."""
    kinds = [str(kind) for kind in tournament.plan.tie_breaks]
    head = ["rank", "player", "points", "played", "wins", "draws", "losses", "unplayed", *kinds, "note", "why"]
    lines: list[list[object]] = [
        [
            row.rank,
            row.name,
            Decimal(row.points_text),
            row.played,
            row.wins,
            row.draws,
            row.losses,
            row.unplayed,
            *map(_figure, row.tie_breaks),
            row.note,
            row.why,
        ]
        for row in standings(tournament)
    ]
    if intervals is not None:
        head.insert(1, "rank by strength (95 %)")
        for line, row in zip(lines, standings(tournament), strict=True):
            line.insert(1, intervals.get(row.name, ""))
    return csv_text([head, *lines], style)


def _figure(shown: str) -> object:
    return shown if shown == "-" else Decimal(shown)


def crosstable_csv(tournament: Tournament, style: CsvStyle = CsvStyle.ENGLISH) -> str:
    """Everybody's results in the order of the standings.

    Where everybody meets everybody, and in a knockout, a column for each opponent; a cell has one sign a game. In a
    Swiss a column for each round, with the opponent's line, the seat and the result. In an arena a line for each
    opponent of a player.
    """
    rows = standings(tournament)
    before = [[row.rank, row.name] for row in rows]
    after = [Decimal(row.points_text) for row in rows]
    head: Sequence[object]
    lines: list[list[object]]
    if tournament.plan.format is Format.ARENA:
        head = ("rank", "player", "opponent", "results")
        lines = [
            [*start, one.opponent, _signs(one.results)]
            for start, scores in zip(before, opponent_scores(tournament, rows), strict=True)
            for one in scores
        ]
    elif tournament.plan.format is Format.SWISS:
        head = ("line", "rank", "player", *(f"round {at}" for at in range(1, tournament.round + 1)), "points")
        lines = [
            [at, *start, *("" if cell is None else cell.text for cell in cells), points]
            for at, (start, cells, points) in enumerate(
                zip(before, round_table(tournament, rows), after, strict=True), start=1
            )
        ]
    else:
        head = ("rank", "player", *(row.name for row in rows), "points")
        cells = crosstable(tournament, rows)
        lines = [[*start, *map(_signs, own), points] for start, own, points in zip(before, cells, after, strict=True)]
    return csv_text([head, *lines], style)


def _signs(cell: str) -> str:
    """The signs of a cell of a spreadsheet: with blanks between them, or `01` were a number, and shown as 1.

    In a cell of several games those without a game are in parentheses: a spreadsheet makes a number of `- 1`.
    """
    if len(cell) == 1:
        return cell
    return " ".join(f"({sign})" if sign in UNPLAYED else sign for sign in cell)


def matches_csv(tournament: Tournament, number: int, style: CsvStyle = CsvStyle.ENGLISH) -> str:
    """A line for each result that counts, with or without a match: the points of a player are the sum of these lines.

    A bye and a round before a late entry have one player. An arena has no rounds, and leaves their column empty.
    """
    unit, has_rounds = tournament.plan.scoring.unit, tournament.plan.format is not Format.ARENA
    head = ["tournament", "round", "pairing", "match", "player1", "player2", "result1", "result2", "points1", "points2"]
    lines = [
        [number, line.round if has_rounds else None, *_match_cells(line, unit)] for line in result_lines(tournament)
    ]
    return csv_text([[*head, "played", "reason"], *lines], style)


def _match_cells(line: ResultLine, unit: int) -> Iterator[object]:
    pad = ("",) * (2 - len(line.players))
    yield from (line.pairing, line.match, *line.players, *pad, *line.results, *pad)
    yield from (*(Decimal(in_units(points, unit)) for points in line.points), *pad, int(line.played), line.reason)


def grades_csv(
    tournament: Tournament,
    grading: Grading,
    student_ids: Mapping[str, str] | None = None,
    style: CsvStyle = CsvStyle.ENGLISH,
) -> str:
    """A line for each student: id (from a roster), name, points of those to be had, grade.

    To be had was a win in each of a player's own games and rounds, so that nobody is marked down for
    a bye or for coming late. A disqualified player gets the lowest grade. House players are omitted.
    """
    ids = student_ids or {}
    lines: list[Sequence[object]] = [["id", "player", "rank", "points", "of", "grade"]]
    scoring = tournament.plan.scoring
    for row in standings(tournament):
        if tournament.is_house(row.name):
            continue
        to_be_had = scoring.win * (row.played + row.unplayed)
        points = 0 if row.note == "disqualified" else row.points
        grade = Decimal(grading.grade(points, to_be_had))
        of = Decimal(in_units(to_be_had, scoring.unit))
        lines.append([ids.get(row.name, ""), row.name, row.rank, Decimal(row.points_text), of, grade])
    return csv_text(lines, style)
