"""House players of OpenSpiel's games: Monte Carlo tree search, limited by its number of random games.

A level is a number of simulations, never a time: the same seed gives the same move on every machine. Random games say
little of chess and lines of action, which have another search.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pyspiel

from games.open_spiel import minimax
from gameserver.game import Choose, Evaluator, Seat, Strategy

_MEMORY_MB_MAX = 100
"""The most that one search may keep: a safeguard, as the master of Gomoku takes 3 at the start."""

_LEVELS: Mapping[str, tuple[float, int, int, int]] = {
    "go": (1.4, 50, 300, 1500),
    "hex": (0.4, 50, 300, 2500),
    "connect_four": (1.4, 10, 150, 10_000),
    "checkers": (1.4, 10, 80, 1500),
    "breakthrough": (1.0, 30, 200, 2500),
    "gomoku": (0.4, 80, 900, 4000),
    "amazons": (0.7, 30, 300, 3000),
    "ultimate_tic_tac_toe": (1.4, 15, 150, 8000),
    "dots_and_boxes": (1.4, 30, 300, 6000),
    "oware": (1.4, 10, 100, 3000),
}
"""By OpenSpiel's short name of a game the weight of what was tried little, and the simulations of each level.

The weight is about the square root of 2, as is usual for results from -1 to 1. Where there are a hundred moves and more
it leaves too few simulations for the good ones: with 0.4 Gomoku won 7 of 8 matches against 1.4, and Hex 7 of 10.
"""


def _bot(exploration: float, simulations: int, live: Any, seed: int) -> Any:
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(
        live.get_game(), evaluator, exploration, simulations, _MEMORY_MB_MAX, solve=True, seed=seed, verbose=False
    )


def _by_simulations(exploration: float, simulations: int, live: Any, choose: Choose[Any]) -> int:
    """The action of an OpenSpiel game that most random games were played through."""
    return int(_bot(exploration, simulations, live, choose(range(2**31))).step(live))


def _chance_by_simulations(exploration: float, simulations: int, live: Any) -> float:
    """The chance to win of the player to move in an OpenSpiel game, by the random games through the best action."""
    best = _bot(exploration, simulations, live, 0).mcts_search(live).best_child()
    # An outcome is proved.
    value = best.outcome[live.current_player()] if best.outcome else best.total_reward / best.explore_count
    return float(1 + value) / 2


def _move(find: minimax.Find, position: Any, seat: Seat, choose: Choose[Any]) -> str:
    """The word of the action that a search finds in an OpenSpiel game, if there is a choice."""
    words: Mapping[str, int] = position.words
    action = find(position.live, choose) if len(words) > 1 else None
    return next(word for word, number in words.items() if action in (None, number))


def _win_chance(opinion: minimax.Opinion, position: Any) -> float:
    """The chance of seat 0 to win an OpenSpiel game, by the opinion of the chance of the player to move."""
    own = opinion(position.live)
    return own if position.turn.seats == (0,) else 1 - own


_FINDS: Mapping[str, Mapping[str, minimax.Find]] = {
    "chess": minimax.CHESS,
    "lines_of_action": {"novice": partial(_by_simulations, 1.4, 10), **minimax.LINES_OF_ACTION},
    **{
        name: {
            level: partial(_by_simulations, exploration, simulations)
            for level, simulations in zip(("novice", "club", "master"), counts, strict=True)
        }
        for name, (exploration, *counts) in _LEVELS.items()
    },
}

STRATEGIES: Mapping[str, Mapping[str, Strategy]] = {
    name: {level: partial(_move, find) for level, find in finds.items()} for name, finds in _FINDS.items()
}
"""The house players of an OpenSpiel game, by its short name."""

_OPINIONS: Mapping[str, minimax.Opinion] = {
    "chess": minimax.CHESS_OPINION,
    "lines_of_action": minimax.LINES_OPINION,
    **{name: partial(_chance_by_simulations, exploration, most) for name, (exploration, *_, most) in _LEVELS.items()},
}

EVALUATORS: Mapping[str, Mapping[str, Evaluator]] = {
    name: {"master": partial(_win_chance, opinion)} for name, opinion in _OPINIONS.items()
}
"""The master's opinion of positions of an OpenSpiel game, by its short name."""
