"""Measures the cost of looking at a big tournament: standings, crosstable, ratings, rank intervals, the next pairing.

No server runs. The baseline is the least that anybody could do with the same results: add the points up
in a dict, and sort it.
"""

import random
import time
from collections.abc import Callable
from functools import partial
from statistics import median

from attrs import evolve

from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.ratings.rank_intervals import rank_intervals
from gameserver.ratings.rating import ratings
from gameserver.rehearsal import rehearse
from gameserver.tournaments.model import Entrant, Pairing, PairingStatus, Tournament, TournamentPhase, Verdict
from gameserver.tournaments.pairing.planner import next_pairings
from gameserver.tournaments.plan import Format, Plan
from gameserver.tournaments.presets import SWISS_TIE_BREAKS, preset
from gameserver.tournaments.scoring.crosstable import crosstable
from gameserver.tournaments.scoring.scores import played_results
from gameserver.tournaments.scoring.standings import standings
from tests.benchmarks.plan import Plan as Sizes
from tests.benchmarks.plan import note
from tests.benchmarks.report import Figures, Row

PLAYERS = 60
BOTS = 40
WHOLE_FROM_RESULTS = 10_000
"""A quick run has fewer results, and a smaller league."""
SEED = "be" * 16


def measure(sizes: Sizes) -> list[Row]:
    """Each look at a league with so many results, several times."""
    league = with_results(sizes.results)
    results = played_results(league)
    looks: dict[str, Callable[[], object]] = {
        "standings": partial(standings, league),
        "crosstable": partial(crosstable, league, standings(league)),
        "ratings": partial(ratings, results),
        "rank intervals": lambda: rank_intervals(results, random.Random(1)),
    }
    for players in (32, 100):
        swiss = fresh_swiss(players)
        looks[f"pairing of a Swiss round, {players} players"] = partial(next_pairings, swiss, frozenset(), 0)
    rows = []
    for what, look in looks.items():
        note(f"{what} of {len(results)} results")
        ours, bare = [], []
        for _ in range(sizes.rounds):
            ours.append({"ms": _ms(look)})
            bare.append({"ms": _ms(lambda: added_up(results))})
        rows.append(Row("standings", what, _median(ours), _median(bare), {"server": ours, "echo": bare}))
    note("a whole double round robin")
    bots = BOTS if sizes.results >= WHOLE_FROM_RESULTS else 6
    ours, bare = [{"ms": _ms(partial(whole_league, bots))}], [{"ms": _ms(lambda: added_up(results))}]
    what = f"double round robin of {bots} bots at Tic-tac-toe, start to finish in virtual time"
    rows.append(Row("standings", what, _median(ours), _median(bare), {"server": ours, "echo": bare}))
    return rows


def whole_league(bots: int) -> None:
    """Every command of a tournament decided, every pairing planned, with no time between."""
    chance = random.Random(1)
    plan = preset("league", "benchmark", TIC_TAC_TOE.name)
    games = {TIC_TAC_TOE.name.lower(): TIC_TAC_TOE}
    done = rehearse(games, plan, bots, lambda: chance.randint(1, 1000), chance, lambda row, now_ms: None)
    assert done.games == bots * (bots - 1)


def with_results(results: int) -> Tournament:
    """A league of 60 in which so many games have been played, with every tie-break there is for a Swiss."""
    plan = Plan("benchmark", "Reversi", Format.ROUND_ROBIN, cycles=10, tie_breaks=SWISS_TIE_BREAKS)
    rng = random.Random(1)
    names = [f"player{number:02}" for number in range(1, PLAYERS + 1)]
    meetings: dict[tuple[str, ...], int] = {}
    pairings = []
    for number in range(1, results + 1):
        first, second = rng.sample(names, 2)
        pair = tuple(sorted((first, second)))
        meetings[pair] = meetings.get(pair, 0) + 1
        verdict = rng.choice((Verdict.FIRST, Verdict.SECOND, Verdict.DRAW))
        place = (1 + number // (PLAYERS // 2), 1 + number % (PLAYERS // 2))
        pairing = Pairing(number, *place, 1, meetings[pair], (first, second), "")
        pairings.append(evolve(pairing, status=PairingStatus.DONE, match=number, verdict=verdict))
    entrants = tuple(Entrant(name, number) for number, name in enumerate(names, start=1))
    return Tournament(
        plan, SEED, TournamentPhase.RUNNING, entrants, tuple(pairings), round=1 + results // (PLAYERS // 2)
    )


def fresh_swiss(players: int) -> Tournament:
    """A Swiss whose first round is to be paired."""
    entrants = tuple(Entrant(f"player{number:03}", number) for number in range(1, players + 1))
    return Tournament(Plan("benchmark", "Reversi", Format.SWISS), SEED, TournamentPhase.RUNNING, entrants, rounds=5)


def added_up(results: tuple[tuple[str, str, int], ...]) -> list[str]:
    """The baseline."""
    points: dict[str, int] = {}
    for one, other, halves in results:
        points[one] = points.get(one, 0) + halves
        points[other] = points.get(other, 0) + 2 - halves
    return sorted(points, key=points.__getitem__, reverse=True)


def _ms(look: Callable[[], object]) -> float:
    from_s = time.perf_counter()
    look()
    return 1000 * (time.perf_counter() - from_s)


def _median(rounds: list[Figures]) -> Figures:
    return {key: median(figures[key] for figures in rounds) for key in rounds[0]}
