"""The worth of a board over all rolls of the side to roll."""

from games.backgammon.board import Board
from games.backgammon.evaluation import Valued, odds_of, valued_ends
from games.backgammon.network import Odds
from games.backgammon.scoring import ending_of
from games.backgammon.search import Dice
from gameserver.game import Seat

ROLLS: tuple[tuple[Dice, int], ...] = tuple(
    ((low, high), 2) if low != high else ((low,) * 4, 1) for low in range(1, 7) for high in range(low, 7)
)
"""The 21 rolls, and of 36 how many show each."""

CANDIDATES_MAX = 5
CANDIDATE_MARGIN = 0.1
"""Plays that are worth so much less than the best one, in points, are not looked at again."""
NODES_MAX = 5_000
"""Boards that are valued for a move, about 12 microseconds each. A candidate that was begun is finished."""


def best_ahead(board: Board, seat: Seat, dice: Dice, nodes_max: int = NODES_MAX) -> Valued:
    """The best end of the turn over the other side's next rolls."""
    found = sorted(valued_ends(board, seat, dice), key=lambda valued: -valued.equity)
    floor = found[0].equity - CANDIDATE_MARGIN
    candidates = [valued for valued in found[:CANDIDATES_MAX] if valued.equity >= floor]
    if len(candidates) == 1:
        return candidates[0]
    best, best_equity, nodes = candidates[0], -9.0, len(found)
    for valued in candidates:
        if nodes > nodes_max:
            break
        odds, looked_at = rolled(valued.end.board(board.variant, seat), 1 - seat)
        nodes += looked_at
        equity = odds.flipped.equity
        if equity > best_equity:
            best, best_equity = valued, equity
    return best


def rolled(board: Board, roller: Seat) -> tuple[Odds, int]:
    """The chances of the side that is to roll, over all its rolls, and the number of boards that were valued."""
    if ending_of(board) is not None:
        return odds_of(board, roller), 1
    sums, nodes = [0.0] * 5, 0
    for dice, weight in ROLLS:
        found = valued_ends(board, roller, dice)
        nodes += len(found)
        odds = max(found, key=lambda valued: valued.equity).odds
        sums = [total + weight * chance for total, chance in zip(sums, odds, strict=True)]
    return Odds(*(total / 36 for total in sums)), nodes
