"""The public view of a tournament with its rank intervals, and the files to take home.

Puts together what the pure parts offer: `gameserver.tournaments` and `gameserver.ratings`. None of it is
fast with thousands of results (`view_of` takes a second or so for the rank intervals, once for each new
result), so call it in a thread, not in the event loop. Everything is worked out from the row that is
handed in, which is immutable.
"""

import random
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from attrs import asdict

from gameserver.core.lobby import TournamentRow
from gameserver.ratings.rank_intervals import Ranking, Result, rank_intervals
from gameserver.tournaments.files import (
    FileOptions,
    Grading,
    crosstable_csv,
    grades_csv,
    matches_csv,
    standings_csv,
    teams_csv,
    trf,
)
from gameserver.tournaments.model import UNDER_WAY, UNTIMED, Timing, TournamentPhase
from gameserver.tournaments.plan import BRACKET_FORMATS, Format
from gameserver.tournaments.podium import highlights
from gameserver.tournaments.standings import played_results, standings
from gameserver.tournaments.view import (
    NOT_SEPARATED,
    ResultLine,
    Separation,
    TournamentView,
    as_json,
    result_lines,
    tournament_view,
)

_FILE_NAME_MAX = 80
"""Letters of a tournament's name in the name of a file; file systems take 255 bytes."""
_TABLES = ("crosstable", "round_table", "opponents", "idle")
"""The parts of a view that say again what the lines of results say."""
_SHUFFLE = 20_250_101
"""The resampling starts from the same number each time: the same results give the same intervals."""


def view_of(row: TournamentRow, timing: Timing = UNTIMED) -> TournamentView:
    """The public view of a tournament, with the rank intervals of its report."""
    separation = _separation_of(row)
    return tournament_view(
        row.state, number=row.number, timing=timing, separation=separation, is_seed_told=row.is_seed_told
    )


def _separation_of(row: TournamentRow) -> Separation:
    """The ranks by playing strength that the results of a tournament tell apart.

    Nothing is where they would be misread: once it is over the ranks are what they are, in an arena they change by the
    minute, a bracket has places, not ranks, and players of several groups have not met.
    """
    plan = row.state.plan
    # Shown while a round robin, a gauntlet or a Swiss runs: teachers read it as the places still within reach.
    if row.state.phase not in UNDER_WAY or plan.stages or plan.is_bracket or plan.format is Format.ARENA:
        return NOT_SEPARATED
    ranked = [line.name for line in standings(row.state) if line.rank is not None]
    ranking = _ranking(tuple(played_results(row.state)), tuple(ranked))
    return Separation({one.name: (one.best, one.worst) for one in ranking.intervals}, ranking.brackets)


# The intervals take up to a second, and follow from results alone: pages and files of a tournament ask for them again.
@lru_cache(maxsize=32)
def _ranking(results: tuple[Result, ...], order: tuple[str, ...]) -> Ranking:
    among = set(order)
    counting = [result for result in results if result[0] in among or result[1] in among]
    return rank_intervals(counting, random.Random(_SHUFFLE).random, order=order)  # noqa: S311 - nothing is kept secret by it


def _standings(row: TournamentRow, now_ms: int, options: FileOptions) -> str:
    intervals = _separation_of(row).intervals
    # Not `1-3`, of which a spreadsheet makes a date.
    texts = {name: str(best) if best == worst else f"{best} to {worst}" for name, (best, worst) in intervals.items()}
    return standings_csv(row.state, texts or None, options.style)


def _lines(row: TournamentRow, now_ms: int, options: FileOptions) -> str:
    """A line for the tournament, one for each pairing, each result without a pairing, and each ruling.

    `counts` is the result that enters the standings; it is not there for a pairing that does not count.
    """
    view = view_of(row, row.timing(now_ms))
    head = {"kind": "tournament"} | {
        key: value for key, value in as_json(view).items() if key not in {"pairings", "rulings", *_TABLES}
    }
    if row.state.phase is TournamentPhase.OVER:
        head |= {"highlights": [asdict(one) for one in highlights(view, options.move_counts)]}
    # With these, standings and draws can be worked out again from the lines below.
    head |= {"scoring": asdict(row.state.plan.scoring), "draw": row.state.plan.draw}
    head |= {"entrants": [asdict(one) for one in row.state.entrants], "draws": [asdict(one) for one in row.state.draws]}
    results = result_lines(row.state)
    counting = {line.pairing: _counts(line) for line in results if line.pairing is not None}
    lines = [head]
    lines += [{"kind": "pairing"} | asdict(one) | counting.get(one.number, {}) for one in view.pairings]
    lines += [
        {"kind": line.kind, "round": line.round, "game": line.game, "players": line.players, "reason": line.reason}
        | _counts(line)
        for line in results
        if line.pairing is None
    ]
    lines += [{"kind": "ruling"} | asdict(one) for one in view.rulings]
    return b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines).decode()


def _counts(line: ResultLine) -> dict[str, Any]:
    return {"counts": {"results": line.results, "points": line.points, "played": line.played}}


class ExportFile(NamedTuple):
    """A kind of file in which a tournament is exported: its suffix, and the function that makes it."""

    suffix: str
    make: Callable[[TournamentRow, int, FileOptions], str]

    @property
    def is_csv(self) -> bool:
        """True if the style of CSV matters to a tournament's file."""
        return self.suffix == "csv"


EXPORTS: Mapping[str, ExportFile] = {
    "standings": ExportFile("csv", _standings),
    "crosstable": ExportFile("csv", lambda row, _, options: crosstable_csv(row.state, options.style)),
    "matches": ExportFile("csv", lambda row, _, options: matches_csv(row.state, row.number, options.style)),
    "teams": ExportFile("csv", lambda row, _, options: teams_csv(row.state, options.style)),
    "grades": ExportFile(
        "csv", lambda row, _, options: grades_csv(row.state, Grading(), options.student_ids, options.style)
    ),
    "trf": ExportFile("trf", lambda row, _, __: trf(row.state)),
    "json": ExportFile("jsonl", _lines),
}
"""Files by name: CSV, but for `trf` (FIDE's report) and `json` (JSON lines)."""


def grades_caution(plan_format: str) -> str:
    """The caution for the grades in a tournament's exported report, by its format; empty where they are sound."""
    if plan_format not in (*BRACKET_FORMATS, Format.ARENA):
        return ""
    article = "an" if plan_format == Format.ARENA else "a"
    return (
        f"grades mean little after {article} {plan_format.replace('-', ' ')}: not everybody plays equally many games,"
        " and a player who left after one won game has the highest grade"
    )


def file_name(tournament: str, kind: str, number: int | None = None) -> str:
    """A name for an exported report of a tournament: `reversi-cup-2026-standings.csv`, `reversi-cup-2026.trf`.

    `number` is the tournament's, to tell it from an earlier one of the same name.
    """
    title = name_in_files(tournament)
    file = EXPORTS[kind]
    # There is one file with each suffix but csv.
    parts = (title or "tournament", "" if number is None and title else str(number or ""), kind if file.is_csv else "")
    return f"{'-'.join(filter(None, parts))}.{file.suffix}"


def name_in_files(tournament: str) -> str:
    """Makes a tournament's name fit for a report's file name: small letters and digits, with hyphens."""
    return re.sub(r"[\W_]+", "-", tournament.lower()).strip("-")[:_FILE_NAME_MAX].strip("-")
