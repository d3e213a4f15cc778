"""Measures the strength of house players: levels of every game against each other, and against
opponents from outside of the house.

Rows are one encounter each. The error bars are Elo's, and the score's are the same bars as a score.
"""

import datetime as dt
import json
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from statistics import mean

from gameserver.records import house_strengths
from gameserver.records.house_strengths import Encounter, read_encounters, written
from tests.benchmarks.anchors import anchors_of
from tests.benchmarks.level_games import Played, games, levels_of, play_pair, results_a_pair
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import BenchmarkError
from tests.benchmarks.report import Figures, Row

NICENESS = 10
"""Of the processes that play: the machine may have something else to do."""


def measure(plan: Plan) -> list[Row]:
    """A row for each encounter; saved in the package's table where the plan says so."""
    rows = []
    workers = plan.workers or max(1, (os.cpu_count() or 1) - 1)
    with ProcessPoolExecutor(workers, initializer=partial(os.nice, NICENESS)) as pool:
        for game, first, second in _encounters(plan):
            per_pair = results_a_pair(games()[game.lower()])
            numbers = range(-(-plan.games // per_pair))
            found: list[Played] = []
            for played in pool.map(partial(play_pair, game, first, second), numbers):
                found.append(played)
                if len(found) % 10 == 0:
                    note(f"strengths: {game}, {first} - {second}: {per_pair * len(found)} of {plan.games}")
            encounter = _encounter(game, first, second, found)
            note(f"strengths: {game}, {first} - {second}: {encounter.lead}, score {100 * encounter.score:.1f} %")
            rows.append(Row("strengths", f"{game}: {first} - {second}", _figures(encounter, found), {}))
            if plan.save_strengths:
                _save(encounter)
    return rows


def _encounters(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """Neighbours first, as their results say most."""
    names = plan.game or tuple(game.name for game in games().values())
    for name in names:
        game = games().get(name.lower())
        if game is None:
            raise BenchmarkError(
                f"there is no game {name!r}; there is {', '.join(each.name for each in games().values())}"
            )
        levels = plan.levels or levels_of(game)
        anchors = anchors_of(game.name)
        known = {"random", *game.strategies, *anchors}
        unknown = [level for level in levels if level not in known]
        if unknown:
            raise BenchmarkError(
                f"{game.name} has no level {unknown[0]!r}; it has {', '.join(game.strategies) or 'none'}"
            )
        places = sorted(combinations(range(len(levels)), 2), key=lambda pair: pair[1] - pair[0])
        for weaker, stronger in places:
            if not plan.neighbours or stronger - weaker == 1:
                yield game.name, levels[stronger], levels[weaker]
        if not plan.levels:
            yield from ((game.name, level, anchor) for anchor in anchors for level in levels if level != "random")


def _encounter(game: str, first: str, second: str, found: Sequence[Played]) -> Encounter:
    results = [result for played in found for result in played.half_points]
    on = dt.datetime.now(tz=dt.UTC).date().isoformat()
    wins, draws, losses = results.count(2), results.count(1), results.count(0)
    return Encounter(game, first, second, wins, draws, losses, on, is_outside=second in anchors_of(game))


def _figures(encounter: Encounter, found: Sequence[Played]) -> Figures:
    lead = encounter.lead
    first_ms = [ms for played in found for ms in played.first_ms] or [0.0]
    second_ms = [ms for played in found for ms in played.second_ms] or [0.0]
    return {
        "games": encounter.games,
        "score %": 100 * encounter.score,
        "from": 100 * _score(lead.low),
        "to": 100 * _score(lead.high),
        "Elo": lead.elo,
        "+/-": lead.high - lead.elo,
        "CPU ms/move": mean(first_ms),
        "longest": max(first_ms),
        "of the other": mean(second_ms),
    }


def _score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def _save(encounter: Encounter) -> None:
    """Put an encounter into the table in the place of the last one of these two."""
    kept = {(each.game, each.first, each.second): each for each in read_encounters()}
    kept[encounter.game, encounter.first, encounter.second] = encounter
    file = Path(house_strengths.__file__).with_name(house_strengths.NAME)
    table = written(kept.values(), version("gameserver"))
    file.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
