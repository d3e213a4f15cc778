"""Files of a tournament to take home: FIDE's report, and CSV for a spreadsheet or a grade book.

The report (TRF16, with the XXR and XXS lines of TRFx) is what FIDE's pairing programs read. A line begins with a number
that says what it holds: 012 the tournament's name, 062 the number of players, 092 the kind of tournament, XXR the
number of rounds, XXS the points of each result where they are not chess's, 001 a player. In a 001 line everything has
its columns; from column 92 on, each round has ten: the opponent's number, the colour (white is the first seat here),
the result. The format knows one game a round: with several, each has a column of its own, as have the extra games of a
knockout; a comment (###) has the round of each column then. Where one round has more than a player's game, as in an
arena, or after a late entry, the game comes into the next column that is free. Another comment names the house players
who came out ahead of the first place.

The results of a player add up to the points: `1 = 0` for games that were played, `+ -` for wins and losses without a
game (no-shows, walkovers, games that a player who is out owed), `D` for a draw that was given, `U` for a bye, and `Z`
(or `H`, where it is worth something) for a round before a late entry. A blank is no game at all.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, count
from math import floor

from attrs import Factory, field, validators

from gameserver.tournaments.csv_text import CsvStyle, csv_text
from gameserver.tournaments.model import Tournament
from gameserver.tournaments.plan import Format, Scoring
from gameserver.tournaments.podium import outside_words
from gameserver.tournaments.stages import stage_alone
from gameserver.tournaments.standings import (
    UNPLAYED,
    Counted,
    Ledger,
    counted_games,
    crosstable,
    in_units,
    opponent_scores,
    round_table,
    standings,
)
from gameserver.tournaments.teams import team_standings
from gameserver.tournaments.view import ResultLine, result_lines
from gameserver.values import value

_PLAYED, _UNPLAYED = "0=1", "-D+"
# TRF16 gives the name the columns 15 to 47, and points four columns with one decimal.
_NAME_LENGTH = 33
_NOTHING = " " * 8
_BYE = "0000 - U"
_POINTS_LENGTH = 4
Cells = dict[tuple[str, int], str]
"""The text of a column (from 1), by player."""


@value
class FileOptions:
    """The options of a tournament's file to take home: the style of CSV, and what its state does not have."""

    student_ids: Mapping[str, str] = Factory(dict)
    """By player."""
    style: CsvStyle = CsvStyle.ENGLISH
    move_counts: Mapping[int, int] = Factory(dict)
    """The moves of its matches that are on record, by their numbers, for the matches that are worth telling of."""


@value
class Grading:
    """The scale of a file of grades: a straight line from few points to many, in steps of 1 / 10**decimals."""

    lowest: int = 1
    """The grade for `lowest_at` points and fewer."""
    highest: int = 10
    """The grade for `highest_at` points and more. It may be the smaller number, as in German schools."""
    decimals: int = field(default=1, validator=[validators.ge(0), validators.le(4)])
    """The decimals to which a grade is rounded, halves up."""
    lowest_at: float = field(default=0.0, validator=validators.ge(0))
    """The points that the lowest grade stands for."""
    highest_at: float = field(default=0.0, validator=validators.ge(0))
    """The points that the highest grade stands for. 0: all that could be had."""

    def __attrs_post_init__(self) -> None:
        if self.lowest == self.highest:
            raise ValueError("the lowest and the highest grade must differ")
        if 0 < self.highest_at <= self.lowest_at:
            raise ValueError("highest_at must be more than lowest_at, or 0 for all points that could be had")

    def grade(self, points: int | Fraction, points_max: int | Fraction) -> str:
        """The grade for a file of grades, for these points of so many; the lowest where there were none.

        Halves round up.
        """
        steps, least = 10**self.decimals, Fraction(str(self.lowest_at))
        whole = (Fraction(str(self.highest_at)) or points_max) - least
        share = min(max((points - least) / whole, Fraction(0)), Fraction(1)) if whole > 0 else 0
        rounded = floor((self.lowest + (self.highest - self.lowest) * share) * steps + Fraction(1, 2))
        sign, digits = ("-" if rounded < 0 else ""), abs(rounded)
        if not self.decimals:
            return f"{sign}{digits}"
        return f"{sign}{digits // steps}.{digits % steps:0{self.decimals}}"


def standings_csv(
    tournament: Tournament, intervals: Mapping[str, str] | None = None, style: CsvStyle = CsvStyle.ENGLISH
) -> str:
    """The standings as a CSV file to take home, a line for each player.

    `intervals` adds a column of 95 % intervals of the rank by playing strength, by name.
    """
    # Over several stages no tie-break of the plan compares all players.
    kinds = [] if tournament.has_parts else [str(kind) for kind in tournament.plan.tie_breaks]
    rows = standings(tournament)
    has_teams = any(row.team for row in rows)
    head = ["rank", "player", *["team"] * has_teams, "points", "played", "wins", "draws", "losses", "unplayed"]
    head += [*kinds, "note", "why"]
    lines: list[list[object]] = [
        [
            row.rank,
            row.name,
            *[row.team] * has_teams,
            Decimal(row.points),
            row.played,
            row.wins,
            row.draws,
            row.losses,
            row.unplayed,
            *map(_figure, row.tie_breaks),
            row.note,
            row.why,
        ]
        for row in rows
    ]
    if intervals is not None:
        head.insert(1, "rank by strength (95 %)")
        for line, row in zip(lines, rows, strict=True):
            line.insert(1, intervals.get(row.name, ""))
    return csv_text([head, *lines], style)


def _figure(shown: str) -> object:
    return shown if shown == "-" else Decimal(shown)


def crosstable_csv(tournament: Tournament, style: CsvStyle = CsvStyle.ENGLISH) -> str:
    """The crosstable as a CSV file to take home: everybody's results in the order of the standings.

    Where everybody meets everybody, and in a knockout, a column for each opponent; a cell has one sign a game. In a
    Swiss a column for each round, with the opponent's line, the seat and the result. In an arena a line for each
    opponent of a player.
    """
    rows = standings(tournament)
    before = [[row.rank, row.name] for row in rows]
    after = [Decimal(row.points) for row in rows]
    head: Sequence[object]
    lines: list[list[object]]
    if tournament.plan.format is Format.ARENA:
        head = ("rank", "player", "opponent", "results")
        lines = [
            [*start, one.opponent, _signs(one.results)]
            for start, scores in zip(before, opponent_scores(tournament, rows), strict=True)
            for one in scores
        ]
    elif tournament.plan.format is Format.SWISS or tournament.plan.team_boards:
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


def teams_csv(tournament: Tournament, style: CsvStyle = CsvStyle.ENGLISH) -> str:
    """The team standings as a CSV file to take home; only a head if no player has a team."""
    has_matches, rows = tournament.plan.team_boards > 0, team_standings(tournament)
    rounds = max((len(row.matches) for row in rows), default=0)
    head = ["rank", "team", *["match points"] * has_matches, "points", "players"]
    lines: list[list[object]] = [
        [
            row.rank,
            row.team,
            *[row.match_points] * has_matches,
            Decimal(row.points),
            ", ".join(row.players),
            *row.matches,
            *[""] * (rounds - len(row.matches)),
        ]
        for row in rows
    ]
    return csv_text([[*head, *(f"match {number}" for number in range(1, rounds + 1))], *lines], style)


def _signs(cell: str) -> str:
    """The signs of a cell of a spreadsheet: with blanks between them, or `01` were a number, and shown as 1.

    In a cell of several games those without a game are in parentheses: a spreadsheet makes a number of `- 1`.
    """
    if len(cell) == 1:
        return cell
    return " ".join(f"({sign})" if sign in UNPLAYED else sign for sign in cell)


def matches_csv(tournament: Tournament, number: int, style: CsvStyle = CsvStyle.ENGLISH) -> str:
    """The results as a CSV file to take home, a line for each one that counts: the points of a player are their sum.

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
    """The grades as a CSV file for a grade book: each student's id (from a roster), name, rank, points and grade.

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
        points = 0 if row.note == "disqualified" else row.units
        grade = Decimal(grading.grade(points, to_be_had))
        of = Decimal(in_units(to_be_had, scoring.unit))
        lines.append([ids.get(row.name, ""), row.name, row.rank, Decimal(row.points), of, grade])
    return csv_text(lines, style)


def trf(tournament: Tournament) -> str:
    """A tournament's file to take home beside the CSV: FIDE's TRF16, for chess federations' pairing programs.

    Names are cut at 33 characters. Of several stages there is a report for each, with an empty line between.
    """
    if tournament.has_parts and len(tournament.draws) > 1:
        return "\n".join(_report(stage_alone(tournament, stage)) for stage in range(len(tournament.draws)))
    return _report(tournament)


def _report(tournament: Tournament) -> str:
    numbers = _numbers(tournament)
    games = counted_games(tournament)
    last_columns = _last_columns(tournament, games)
    cells = _cells(tournament, games, numbers, last_columns)
    columns = max([*last_columns, *(column for _, column in cells)], default=0)
    rows = standings(tournament)
    places = {row.name: place for place, row in enumerate(rows, start=1)}
    points = Ledger.of(tournament).points
    scoring = tournament.plan.scoring
    unit = _unit(scoring, points)
    ratings = {entrant.name: entrant.rating for entrant in tournament.entrants}
    lines = [
        f"012 {_line(tournament.plan.name)}",
        f"062 {len(numbers)}",
        f"092 {tournament.plan.format.replace('-', ' ').title()}: {_line(tournament.plan.game)}",
        f"XXR {max(columns, tournament.rounds * tournament.plan.games)}",
        *_point_system(scoring, unit),
    ]
    # After a late entry to a round robin some have two games of one number in a round, and columns of other rounds.
    is_exact = len({(name, one.round, one.game) for one in games for name in one.players}) == 2 * len(games)
    if tournament.plan.format is not Format.ARENA and is_exact and columns > len(last_columns):
        rounds = (number for number, width in enumerate(_widths(last_columns), start=1) for _ in range(width))
        lines.append(f"### round of each column: {' '.join(map(str, rounds))}")
    in_groups = tournament.has_parts and tournament.plan.stages[0].group_size > 0
    outside = outside_words(rows, is_bracket=tournament.plan.is_bracket, in_groups=in_groups)
    if outside:
        lines.append(f"### {_line(outside)}")
    for name, number in numbers.items():
        place = places.get(name, len(numbers))
        head = _head(number, name, ratings.get(name, 0))
        results = "".join(f"  {cells.get((name, column), _NOTHING)}" for column in range(1, columns + 1))
        lines.append(f"{head} {_amount(points[name], unit):>{_POINTS_LENGTH}} {place:>4}{results}")
    return "\n".join(lines) + "\n"


def _unit(scoring: Scoring, points: Mapping[str, int]) -> int:
    """The number of the plan's small units in a point of the report.

    One where points have more digits than the four columns hold: the report counts in small units then, and is exact.
    """
    amounts = (*points.values(), scoring.win, scoring.draw, scoring.loss, scoring.bye, scoring.missed)
    is_exact = all((10 * amount) % scoring.unit == 0 for amount in amounts)
    is_short = all(len(_amount(amount, scoring.unit)) <= _POINTS_LENGTH for amount in points.values())
    return scoring.unit if is_exact and is_short else 1


def _amount(amount: int, unit: int) -> str:
    return str(amount) if unit == 1 and amount > 99 else f"{amount / unit:.1f}"


def _point_system(scoring: Scoring, unit: int) -> Iterator[str]:
    """The XXS line; none where a win, a draw and a bye are worth 1, ½ and 1."""
    one = Fraction(1, unit)
    worth = {
        "W": scoring.win,
        "D": scoring.draw,
        "WL": scoring.loss,
        "BL": scoring.loss,
        "FW": scoring.win,
        "FL": scoring.loss,
        "PAB": scoring.bye,
        "HPB": scoring.missed or scoring.draw,
        "ZPB": 0,
    }
    usual = {"W": 2, "D": 1, "FW": 2, "PAB": 2, "HPB": 1}
    if any(amount * one != Fraction(usual.get(code, 0), 2) for code, amount in worth.items()):
        yield f"XXS {' '.join(f'{code}={_amount(amount, unit)}' for code, amount in worth.items())}"


def _numbers(tournament: Tournament) -> dict[str, int]:
    """The starting numbers; a stand-in that has played comes last."""
    numbers = {one.name: one.number for one in sorted(tournament.entrants, key=lambda entrant: entrant.number)}
    stand_in = tournament.plan.stand_in
    if stand_in not in numbers and any(stand_in in pairing.seats for pairing in tournament.pairings):
        numbers[stand_in] = max(numbers.values(), default=0) + 1
    return numbers


def _head(number: int, name: str, rating: int) -> str:
    """Columns 1 to 79: number, (sex, title), name, rating, (federation, FIDE's number, birth)."""
    cut = _line(name)[:_NAME_LENGTH]
    return f"001 {number:>4}      {cut:<33} {rating or '':>4} {'':3} {'':11} {'':10}"


def _line(text: str) -> str:
    return " ".join(text.split())


def _cells(
    tournament: Tournament, games: tuple[Counted, ...], numbers: Mapping[str, int], last_columns: list[int]
) -> Cells:
    cells: Cells = {}
    before = (0, *last_columns)
    # Games that nobody announced come last: they must not take the column of one that was played.
    for counted in sorted(games, key=_order):
        own = before[counted.round - 1] + counted.game
        # FIDE's format knows one game a round. Extra games, arenas and late entries lost some of theirs before each had
        # a column.
        column = next(free for free in count(own) if all((name, free) not in cells for name in counted.players))
        for side, name in enumerate(counted.players):
            cells[name, column] = _cell(counted, side, numbers)
    width = tournament.plan.games
    for bye in tournament.byes:
        cells |= dict.fromkeys(((bye.player, before[bye.round - 1] + game) for game in range(1, width + 1)), _BYE)
    missed = "0000 - H" if tournament.plan.scoring.missed else "0000 - Z"
    for entrant in tournament.entrants:
        until = before[entrant.from_round - 1]
        cells |= dict.fromkeys(((entrant.name, column) for column in range(1, until + 1)), missed)
    return cells


def _order(counted: Counted) -> tuple[bool, int, int, int]:
    number = 0 if counted.pairing is None else counted.pairing.number
    return counted.pairing is None, counted.round, counted.game, number


def _last_columns(tournament: Tournament, games: tuple[Counted, ...]) -> list[int]:
    """The last column of each round, which has as many as the longest of its encounters has games."""
    rounds = max([tournament.round, *(counted.round for counted in games)])
    most = [tournament.plan.games] * rounds
    for pairing in tournament.pairings:
        most[pairing.round - 1] = max(most[pairing.round - 1], pairing.game)
    return list(accumulate(most))


def _widths(last_columns: list[int]) -> Iterator[int]:
    before = 0
    for last in last_columns:
        yield last - before
        before = last


def _cell(counted: Counted, side: int, numbers: Mapping[str, int]) -> str:
    opponent = numbers[counted.players[1 - side]]
    signs = _PLAYED if counted.played else _UNPLAYED
    return f"{opponent:>4} {'wb'[side]} {signs[counted.halves[side]]}"
