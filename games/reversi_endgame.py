"""The exact end of a Reversi game: the moves that lead to the best score if both sides play perfectly on.

It is alpha-beta without an estimate. Moves that leave the other side the fewest moves come first: they
have the smallest trees and are often the best. Near the end there is no order any more, because to make it
costs more than it saves, and the last cell is counted without a move.
"""

from attrs import define, field, frozen

from games.reversi_discs import cells_in, flips_of, moves_of

ORDERED_EMPTY_MIN = 5
"""With fewer empty cells the moves are played as they come."""

KEPT_EMPTY_MIN = 6
"""With fewer empty cells a position is searched again sooner than it is looked up."""

SCORE_MAX = 64


@frozen
class Solved:
    """The best moves, all of them, and the score: the discs of the side to move less those of the other."""

    moves: tuple[int, ...]
    score: int
    nodes: int


def solve(own: int, other: int, nodes_max: int) -> Solved | None:
    """Solve a position in which `own` has a move; None if that takes more nodes."""
    search = _Endgame(nodes_max)
    best, best_of = -SCORE_MAX - 1, []
    try:
        for cell, after in _ordered(own, other, moves_of(own, other)):
            # Wider by one than within the tree, so that equal moves are known as such.
            score = -search.score(*after, -SCORE_MAX, 1 - best)
            if score > best:
                best, best_of = score, [cell]
            elif score == best:
                best_of.append(cell)
    except _OutOfNodes:
        return None
    return Solved(tuple(sorted(best_of)), best, search.nodes)


class _OutOfNodes(Exception):
    """The limit is reached."""


@define
class _Endgame:
    nodes_max: int
    nodes: int = 0
    _table: dict[tuple[int, int], tuple[int, int]] = field(factory=dict)
    """The bounds that were proved for a position."""

    def score(self, own: int, other: int, alpha: int, beta: int) -> int:
        """The score of a position if it lies between `alpha` and `beta`, else a bound of it on that side."""
        self.nodes += 1
        empty = 64 - (own | other).bit_count()
        if empty <= 1:
            return _last_cell(own, other)
        if self.nodes > self.nodes_max:
            raise _OutOfNodes
        moves = moves_of(own, other)
        if not moves:
            if not moves_of(other, own):
                return own.bit_count() - other.bit_count()
            return -self.score(other, own, -beta, -alpha)
        if empty < KEPT_EMPTY_MIN:
            return self._best(own, other, moves, empty, alpha, beta)
        low, high = self._table.get((own, other), (-SCORE_MAX, SCORE_MAX))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        best = self._best(own, other, moves, empty, alpha, beta)
        self._table[own, other] = (best if best > alpha else low, best if best < beta else high)
        return best

    def _best(self, own: int, other: int, moves: int, empty: int, alpha: int, beta: int) -> int:
        best = -SCORE_MAX
        if empty >= ORDERED_EMPTY_MIN:
            for _, (theirs, mine) in _ordered(own, other, moves):
                score = -self.score(theirs, mine, -beta, -max(alpha, best))
                if score > best:
                    best = score
                    if best >= beta:
                        break
            return best
        while moves:
            placed = moves & -moves
            moves ^= placed
            flips = flips_of(placed.bit_length() - 1, own, other)
            score = -self.score(other ^ flips, own | flips | placed, -beta, -max(alpha, best))
            if score > best:
                best = score
                if best >= beta:
                    break
        return best


def _ordered(own: int, other: int, moves: int) -> list[tuple[int, tuple[int, int]]]:
    """Each move and the position after it, those first that leave the other side the fewest moves."""
    ranked = []
    for cell in cells_in(moves):
        flips = flips_of(cell, own, other)
        theirs, mine = other ^ flips, own | flips | 1 << cell
        ranked.append((moves_of(theirs, mine).bit_count(), cell, (theirs, mine)))
    ranked.sort()
    return [(cell, after) for _, cell, after in ranked]


def _last_cell(own: int, other: int) -> int:
    """The score with at most one empty cell, which whoever can takes."""
    score = own.bit_count() - other.bit_count()
    cell = (~(own | other) & (1 << 64) - 1).bit_length() - 1
    if cell < 0:
        return score
    flips = flips_of(cell, own, other).bit_count()
    if flips:
        return score + 2 * flips + 1
    flips = flips_of(cell, other, own).bit_count()
    return score - 2 * flips - 1 if flips else score
