"""The public view of a tournament with its rank intervals, and the files to take home.

Puts together what the pure parts offer: `gameserver.tournaments` and `gameserver.ratings`. None of it is
fast with thousands of results (`view_of` takes a second or so for the rank intervals, once for each new
result), so call it in a thread, not in the event loop. Everything is worked out from the row that is
handed in, which is immutable.
"""

import random
from collections.abc import Callable, Mapping
from functools import lru_cache

import orjson
from attrs import asdict

from gameserver.core.state.tournament import TournamentRow
from gameserver.ratings.rank_intervals import Ranking, rank_intervals
from gameserver.ratings.results import Result
from gameserver.tournaments.output.csv_files import Grading, crosstable_csv, grades_csv, standings_csv
from gameserver.tournaments.output.trf import trf
from gameserver.tournaments.output.view import (
    Separation,
    TournamentSummary,
    TournamentView,
    as_json,
    tournament_summary,
    tournament_view,
)
from gameserver.tournaments.scoring.scores import played_results
from gameserver.tournaments.scoring.standings import standings

_SHUFFLE = 20_250_101
"""The resampling starts from the same number each time: the same results give the same intervals."""


def view_of(row: TournamentRow, now_ms: int) -> TournamentView:
    """The public view of a tournament of the lobby; `now_ms` is on the server's axis."""
    return tournament_view(
        row.state,
        number=row.number,
        ran_ms=row.has_run_ms(now_ms),
        now_ms=now_ms,
        separation=separation_of(row),
    )


def summary_of(row: TournamentRow, now_ms: int) -> TournamentSummary:
    """A tournament in a line."""
    return tournament_summary(row.state, number=row.number, ran_ms=row.has_run_ms(now_ms), now_ms=now_ms)


def separation_of(row: TournamentRow) -> Separation:
    """The ranks that the results of a tournament tell apart."""
    ranked = [line.name for line in standings(row.state) if line.rank is not None]
    ranking = _ranking(tuple(played_results(row.state)), tuple(ranked))
    return Separation({one.name: (one.best, one.worst) for one in ranking.intervals}, ranking.brackets)


@lru_cache(maxsize=32)
def _ranking(results: tuple[Result, ...], order: tuple[str, ...]) -> Ranking:
    among = set(order)
    counting = [result for result in results if result[0] in among or result[1] in among]
    return rank_intervals(counting, random.Random(_SHUFFLE), order=order)  # noqa: S311 - nothing is kept secret by it


def _standings(row: TournamentRow, now_ms: int, student_ids: Mapping[str, str]) -> str:
    intervals = separation_of(row).intervals
    texts = {name: str(best) if best == worst else f"{best}-{worst}" for name, (best, worst) in intervals.items()}
    return standings_csv(row.state, texts)


def _crosstable(row: TournamentRow, now_ms: int, student_ids: Mapping[str, str]) -> str:
    return crosstable_csv(row.state)


def _grades(row: TournamentRow, now_ms: int, student_ids: Mapping[str, str]) -> str:
    return grades_csv(row.state, Grading(), student_ids)


def _trf(row: TournamentRow, now_ms: int, student_ids: Mapping[str, str]) -> str:
    return trf(row.state)


def _lines(row: TournamentRow, now_ms: int, student_ids: Mapping[str, str]) -> str:
    """A line for the tournament, one for each pairing, one for each ruling."""
    view = view_of(row, now_ms)
    head = {"kind": "tournament"} | {
        key: value for key, value in as_json(view).items() if key not in {"pairings", "rulings", "crosstable"}
    }
    parts = (("pairing", view.pairings), ("ruling", view.rulings))
    lines = [orjson.dumps(head, option=orjson.OPT_APPEND_NEWLINE)]
    lines += [
        orjson.dumps({"kind": kind} | asdict(one), option=orjson.OPT_APPEND_NEWLINE)
        for kind, many in parts
        for one in many
    ]
    return b"".join(lines).decode()


EXPORTS: Mapping[str, Callable[[TournamentRow, int, Mapping[str, str]], str]] = {
    "standings": _standings,
    "crosstable": _crosstable,
    "grades": _grades,
    "trf": _trf,
    "json": _lines,
}
"""Files by name: CSV, but for `trf` (FIDE's report) and `json` (JSON lines).

Students' ids, by player, are in the grades alone."""
