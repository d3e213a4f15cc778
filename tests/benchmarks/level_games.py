"""Games between levels of house players, or with opponents from outside, in this process: no server, no clock.

Two games make a pair: each level has either seat once. A game without chance begins with random moves, the same for
both games of the pair, because two strategies that always answer alike would play one game over and over.
"""

import random
import time
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import attrs
from attrs import frozen

from gameserver.game import Game, Outcome, Seat, State
from gameserver.server.thought import play_at_random
from tests.benchmarks.anchors import ANCHORS
from tests.support.own_plugins import OWN

LADDER = ("random", "novice", "club", "master")
"""The levels, weakest first."""

OPENING_MOVES: Mapping[str, int] = {"Reversi": 6, "Connect-four-3D": 4}
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
class _Side:
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


@cache
def games() -> Mapping[str, Game[Any]]:
    """All games, by name in lower case."""
    return OWN.games


def levels_of(game: Game[Any]) -> tuple[str, ...]:
    """The levels that a game has, weakest first."""
    return tuple(level for level in LADDER if level == "random" or level in game.strategies)


def play_pair(name: str, first: str, second: str, number: int) -> Played:
    """Play a pair of games. The same number plays the same games."""
    game = games()[name.lower()]
    seed = f"{game.name}|{number}"
    sides = tuple(
        _Side(level, random.Random(f"{seed}|{level}|{place}"), []) for place, level in enumerate((first, second))
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


def _play_match(game: Game[Any], sides: Sequence[_Side], seed: str, dice: random.Random) -> tuple[Outcome, int]:
    """The outcome, and the number of moves in all."""
    names = {field.name for field in attrs.fields(game.options_type)}
    options = game.options_type(length=MATCH_LENGTH) if "length" in names else game.options_type()
    series = game.series(options)
    if series is None:
        single = _play_to_points if "length" in names else _play_game
        return single(game, game.options_type(), sides, seed, dice)
    moves = 0
    while (following := series.next_game) is not None:
        outcome, made = _play_game(*following, sides, seed, dice)
        series, moves = series.after(outcome), moves + made
    return series.outcome, moves


def _play_to_points(
    game: Game[Any], options: Any, sides: Sequence[_Side], seed: str, dice: random.Random
) -> tuple[Outcome, int]:
    """A match of a game of the backgammon family that the lobby plays singly; the winner of a game begins the next."""
    points, moves = [0, 0], 0
    while max(points) < MATCH_POINTS:
        outcome, made = _play_game(game, options, sides, seed, dice)
        points, moves = [sum(both) for both in zip(points, outcome.points, strict=True)], moves + made
        options = game.options_type(starter=outcome.winners[0] if outcome.winners else 0)
    return Outcome(tuple(points), (points.index(max(points)),)), moves


def _play_game(
    game: Game[Any], options: Any, sides: Sequence[_Side], seed: str, dice: random.Random
) -> tuple[Outcome, int]:
    state, moves = game.start(options), 0
    opening, at_random = OPENING_MOVES.get(game.name, 0), random.Random(f"{seed}|opening")
    while (outcome := state.outcome) is None:
        wanted = state.chance
        if wanted is not None:
            state = state.drawn(tuple(dice.randint(1, wanted.sides) for _ in range(wanted.count)))
            continue
        seat = state.turn.seats[0]
        move = play_at_random(state, seat, at_random.choice) if moves < opening else sides[seat].move(game, state, seat)
        state, moves = state.play(seat, move), moves + 1
    return outcome, moves
