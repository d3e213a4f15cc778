"""Measures the strength of house players: levels of every game against each other, and against opponents from outside.

No server, no clock. Two games make a pair: each level has either seat once. A game without chance begins with random
moves, the same for both games of the pair, because two strategies that always answer alike would play one game over
and over. Rows are one encounter each. The error bars are Elo's, and the score's are the same bars as a score.
"""

import datetime as dt
import json
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from importlib.metadata import version
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import Any

import attrs
from attrs import frozen

from gameserver.game import Game, Outcome, Seat, State, after_draws
from gameserver.records import house_strengths
from gameserver.records.house_strengths import Encounter, read_encounters, written
from gameserver.server.thinkers import play_at_random
from tests.benchmarks.opponents import ANCHORS, anchors_of
from tests.benchmarks.processes import BenchmarkError, note
from tests.benchmarks.report import Figures, Plan, Row
from tests.support.own_plugins import OWN

NICENESS = 10
"""Of the processes that play: the machine may have something else to do."""

LADDER = ("random", "novice", "club", "master")
"""The levels, weakest first."""

OPENING_MOVES: Mapping[str, int] = {"Reversi": 6, "Connect-four-3D": 4, "Chess": 4}
"""The moves that are played at random first. Tic-tac-toe has none: two of them can lose a game."""

MATCH_LENGTH, MATCH_POINTS = "5 points", 5
"""The length of a match of the games of the backgammon family."""

BY_LENGTH = ("Mastermind",)
"""Games that nearly always end alike. Of a pair, the level that needed fewer guesses has won, once."""


@frozen
class Played:
    """One pair: the first level's half points, 0 to 2 for each result, and the times of each level's moves."""

    half_points: tuple[int, ...]
    first_ms: tuple[float, ...]
    second_ms: tuple[float, ...]


@frozen
class Side:
    """One level in one game."""

    level: str
    chance: random.Random
    took_ms: list[float]

    def move(self, game: Game[Any], state: State[Any], seat: Seat) -> Any:
        """Its move, which has to be legal."""
        strategy = ANCHORS.get((game.name, self.level)) or game.strategies.get(self.level, play_at_random)
        began = time.process_time()
        move = strategy(state, seat, self.chance.choice)
        self.took_ms.append(1000 * (time.process_time() - began))
        return move


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
            rows.append(Row("strengths", f"{game}: {first} - {second}", {first: _figures(encounter, found)}, second))
            if plan.save:
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


@cache
def games() -> Mapping[str, Game[Any]]:
    """All games, by name in lower case; those of OpenSpiel where it is installed."""
    try:
        from games.open_spiel.catalogue import CATALOGUE  # noqa: PLC0415 - an extra, which few have
        from games.open_spiel.rules import SpielGame  # noqa: PLC0415 - the same
    except ImportError:
        return OWN.games
    return {**OWN.games, **{row.name.lower(): SpielGame(row.name, row.spiel) for row in CATALOGUE.values()}}


def levels_of(game: Game[Any]) -> tuple[str, ...]:
    """The levels that a game has, weakest first."""
    return tuple(level for level in LADDER if level == "random" or level in game.strategies)


def play_pair(name: str, first: str, second: str, number: int) -> Played:
    """Play a pair of games. The same number plays the same games."""
    game = games()[name.lower()]
    seed = f"{game.name}|{number}"
    sides = tuple(
        Side(level, random.Random(f"{seed}|{level}|{place}"), []) for place, level in enumerate((first, second))
    )
    results, lengths = [], []
    for swapped in (False, True):
        seated = sides[::-1] if swapped else sides
        outcome, moves = _play_match(game, seated, seed, random.Random(f"{seed}|dice|{swapped}"))
        own = 1 if swapped else 0
        results.append(1 if not outcome.winners else 2 if own in outcome.winners else 0)
        lengths.append(moves)
    if game.name in BY_LENGTH:
        # Seat 1 breaks the code, so the first level broke it in the second game.
        results = [1 + (lengths[0] > lengths[1]) - (lengths[0] < lengths[1])]
    return Played(tuple(results), tuple(sides[0].took_ms), tuple(sides[1].took_ms))


def results_a_pair(game: Game[Any]) -> int:
    """The results that a pair of games gives."""
    return 1 if game.name in BY_LENGTH else 2


def _play_match(game: Game[Any], sides: Sequence[Side], seed: str, dice: random.Random) -> tuple[Outcome, int]:
    """The outcome, and the number of moves in all."""
    names = {field.name for field in attrs.fields(game.options_type)}
    options = game.options_type(length=MATCH_LENGTH) if "length" in names else game.options_type()
    series = game.series(options)
    if series is None:
        single = _play_to_points if "length" in names else play_game
        return single(game, game.options_type(), sides, seed, dice)
    moves = 0
    while (following := series.next_game) is not None:
        outcome, made = play_game(*following, sides, seed, dice)
        series, moves = series.after(outcome), moves + made
    return series.outcome, moves


def _play_to_points(
    game: Game[Any], options: Any, sides: Sequence[Side], seed: str, dice: random.Random
) -> tuple[Outcome, int]:
    """A match of a game of the backgammon family that the lobby plays singly; the winner of a game begins the next."""
    points, moves = [0, 0], 0
    while max(points) < MATCH_POINTS:
        outcome, made = play_game(game, options, sides, seed, dice)
        points, moves = [sum(both) for both in zip(points, outcome.points, strict=True)], moves + made
        options = game.options_type(starter=outcome.winners[0] if outcome.winners else 0)
    return Outcome(tuple(points), (points.index(max(points)),)), moves


def play_game(
    game: Game[Any], options: Any, sides: Sequence[Side], seed: str, dice: random.Random
) -> tuple[Outcome, int]:
    """Play one game: the outcome, and the number of moves."""
    state, moves = game.start(options), 0
    opening, at_random = OPENING_MOVES.get(game.name, 0), random.Random(f"{seed}|opening")
    while (outcome := (state := after_draws(state, dice.randint)).outcome) is None:
        seat = state.turn.seats[0]
        move = play_at_random(state, seat, at_random.choice) if moves < opening else sides[seat].move(game, state, seat)
        state, moves = state.play(seat, move), moves + 1
    return outcome, moves
