"""House players of Reversi: `novice` knows good cells, `club` looks three plies ahead, `master` six.

`master` plays the last moves perfectly. `greedy` is below all of them: it turns over what it can.

The exact end of a Reversi game: the moves that lead to the best score if both sides play perfectly on.

It is alpha-beta without an estimate. Moves that leave the other side the fewest moves come first: they
have the smallest trees and are often the best. Near the end there is no order any more, because to make it
costs more than it saves, and the last cell is counted without a move.

The worth of a Reversi position without playing on: mobility, corners and their surroundings, edges, the frontier.

Weights are in hundredths of a disc or so. They were set by hand; what counts is that a corner outweighs
some moves, that a disc diagonally beside an empty corner gives that corner away, and that discs in the
open are bad until they are counted.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from attrs import define, field, frozen

from games.reversi_discs import ALL, cells_in, flips_of, moves_of
from games.search import SearchedGame, best_moves, chance_of
from gameserver.game import Choose, Seat

_ORDERED_EMPTY_MIN = 5
"""With fewer empty cells the moves are played as they come."""

_KEPT_EMPTY_MIN = 6
"""With fewer empty cells a position is searched again sooner than it is looked up."""

_SCORE_MAX = 64


@frozen
class _Solved:
    """The best moves, all of them, and the score: the discs of the side to move less those of the other."""

    moves: tuple[int, ...]
    score: int
    nodes: int


def solve(own: int, other: int, nodes_max: int) -> _Solved | None:
    """Solves a Reversi position in which `own` has a move; None if that takes more nodes."""
    search = _Endgame(nodes_max)
    best, best_of = -_SCORE_MAX - 1, []
    try:
        for cell, after in _ordered(own, other, moves_of(own, other)):
            # Wider by one than within the tree, so that equal moves are known as such.
            score = -search.score(*after, -_SCORE_MAX, 1 - best)
            if score > best:
                best, best_of = score, [cell]
            elif score == best:
                best_of.append(cell)
    except _OutOfNodes:
        return None
    return _Solved(tuple(sorted(best_of)), best, search.nodes)


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
        if empty < _KEPT_EMPTY_MIN:
            return self._best(own, other, moves, empty, alpha, beta)
        low, high = self._table.get((own, other), (-_SCORE_MAX, _SCORE_MAX))
        if low >= beta or low == high:
            return low
        if high <= alpha:
            return high
        best = self._best(own, other, moves, empty, alpha, beta)
        self._table[own, other] = (best if best > alpha else low, best if best < beta else high)
        return best

    def _best(self, own: int, other: int, moves: int, empty: int, alpha: int, beta: int) -> int:
        best = -_SCORE_MAX
        if empty >= _ORDERED_EMPTY_MIN:
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
    # Fewest replies first: such moves are likely good, and their trees are small.
    ranked.sort()
    return [(cell, after) for _, cell, after in ranked]


def _last_cell(own: int, other: int) -> int:
    """The score with at most one empty cell, which whoever can takes."""
    score = own.bit_count() - other.bit_count()
    cell = (~(own | other) & (1 << 64) - 1).bit_length() - 1
    if cell < 0:
        return score
    flips = flips_of(cell, own, other).bit_count()
    # Each disc that turns counts twice, one less for the other side and one more for this, and the new one once.
    if flips:
        return score + 2 * flips + 1
    flips = flips_of(cell, other, own).bit_count()
    return score - 2 * flips - 1 if flips else score


_FINAL_DISC = 1000
"""The weight of a disc when the game is over: more than any estimate of one."""

_MOBILITY = 12
_CORNER = 80
_DIAGONAL_TO_CORNER = -40
_BESIDE_CORNER = -12
_ANCHORED = 20
_FRONTIER = -5
_CORNER_TO_TAKE = 60
"""For a corner that the side to move can take at once."""

_CORNERS = 0x8100000000000081

# A column of a bitboard has its bits eight apart.
_FIRST_COLUMN = 0x0101010101010101
_GATHER = 0x0102040810204080
"""Times a column's bits, it has them side by side in its highest byte."""

_NOT_FIRST_COLUMN, _NOT_LAST_COLUMN = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F


def evaluate(own: int, other: int) -> int:
    """Estimates what a Reversi position is worth to `own`, who is to move. It is exact where the game is over."""
    moves, replies = moves_of(own, other), moves_of(other, own)
    if not moves and not replies:
        return _FINAL_DISC * (own.bit_count() - other.bit_count())
    taken = own | other
    taken_corners = taken & _CORNERS
    diagonal, beside = _NEAR_EMPTY_CORNERS[taken_corners]
    frontier = taken & _neighbours(~taken & ALL)
    worth = (
        _MOBILITY * (moves.bit_count() - replies.bit_count())
        + _DIAGONAL_TO_CORNER * ((own & diagonal).bit_count() - (other & diagonal).bit_count())
        + _BESIDE_CORNER * ((own & beside).bit_count() - (other & beside).bit_count())
        + _FRONTIER * ((own & frontier).bit_count() - (other & frontier).bit_count())
    )
    if taken_corners:
        worth += _CORNER * ((own & _CORNERS).bit_count() - (other & _CORNERS).bit_count())
        worth += _ANCHORED * (_anchored(own) - _anchored(other))
    if moves & _CORNERS:
        worth += _CORNER_TO_TAKE
    return worth


def _neighbours(cells: int) -> int:
    """These cells and those around them."""
    row = cells | cells << 1 & _NOT_FIRST_COLUMN | cells >> 1 & _NOT_LAST_COLUMN
    return row | row << 8 | row >> 8


def _anchored(discs: int) -> int:
    """The discs in rows from a corner along an edge, which nobody can turn over any more."""
    return (
        _ANCHORED_IN_ROW[discs & 255]
        + _ANCHORED_IN_ROW[discs >> 56]
        + _ANCHORED_IN_ROW[(discs & _FIRST_COLUMN) * _GATHER >> 56 & 255]
        + _ANCHORED_IN_ROW[(discs >> 7 & _FIRST_COLUMN) * _GATHER >> 56 & 255]
    )


def _anchored_in_row(row: int) -> int:
    """The discs among eight that are joined to one of its ends."""
    text = f"{row:08b}"
    return 8 if row == 255 else len(text) - len(text.lstrip("1")) + len(text) - len(text.rstrip("1"))


_ANCHORED_IN_ROW = tuple(_anchored_in_row(row) for row in range(256))


def _near_empty_corners(taken_corners: int) -> tuple[int, int]:
    diagonal = beside = 0
    for corner, inwards, along in ((0, 9, (1, 8)), (7, 14, (6, 15)), (56, 49, (48, 57)), (63, 54, (55, 62))):
        if not taken_corners >> corner & 1:
            diagonal |= 1 << inwards
            beside |= sum(1 << cell for cell in along)
    return diagonal, beside


_NEAR_EMPTY_CORNERS = {
    taken: _near_empty_corners(taken)
    for pick in range(16)
    for taken in [sum(1 << corner for at, corner in enumerate((0, 7, 56, 63)) if pick >> at & 1)]
}
"""For each set of taken corners: the cells diagonally beside the empty ones, and the others beside them."""


_CLUB_DEPTH = 3
_CLUB_NODES_MAX = 2_000
MASTER_NODES_MAX = 12_000
"""Six plies in the middle of a game, and some 0.15 s."""

_WIN_UNIT = 200
"""The value with which black and white win 73 of 100 games: fitted to 50 games of `club` against itself."""

_SOLVED_EMPTY_MAX = 12
SOLVED_NODES_MAX = 60_000
"""Twelve empty cells take 40 000 nodes in the mean, each a tenth of what one costs that is evaluated."""

_PASS = -1
"""The move in the search of a side that has none."""

_CELLS_BY_WORTH: Mapping[int, int] = {
    0x8100000000000081: 20,  # corners
    0x3C0081818181003C: 4,  # edges
    0x00003C3C3C3C0000: 1,  # the middle
    0x003C424242423C00: 0,  # the ring around it
    0x4281000000008142: -3,  # beside a corner, on the edge
    0x0042000000004200: -7,  # diagonally beside a corner
}
"""The cells with what a disc on them is worth to a beginner, from the best. The search tries them in this order."""


class _Board(Protocol):
    """The part of a Reversi position that the house players look at."""

    @property
    def discs(self) -> tuple[int, int]:
        """The discs of each seat of Reversi."""

    def legal_moves(self, seat: Seat) -> Sequence[int]:
        """The cells where a seat of Reversi can play."""


class _Position(_Board, Protocol):
    """A Reversi position of which a house player has an opinion."""

    @property
    def mover(self) -> Seat:
        """The seat of Reversi that is to move."""


class _SearchedReversi(SearchedGame[tuple[int, int], int]):
    """Reversi as the search sees it: the discs of the side to move, and the other's."""

    def successors(self, position: tuple[int, int]) -> Sequence[tuple[int, tuple[int, int]]]:
        """Each move, or the pass of a side that has none; nothing at the end."""
        own, other = position
        moves = moves_of(own, other)
        if not moves:
            return ((_PASS, (other, own)),) if moves_of(other, own) else ()
        found = []
        for cells in _CELLS_BY_WORTH:
            rest = moves & cells
            while rest:
                placed = rest & -rest
                rest ^= placed
                cell = placed.bit_length() - 1
                flips = flips_of(cell, own, other)
                found.append((cell, (other ^ flips, own | flips | placed)))
        return found

    def value(self, position: tuple[int, int]) -> int:
        """The evaluation."""
        return evaluate(*position)


SEARCHED = _SearchedReversi()


def greedy(position: _Board, seat: Seat, choose: Choose[int]) -> int:
    """A house player of Reversi that turns over as many discs as it can: what a beginner does, and beatable."""
    own, other = _own_and_other(position, seat)
    return _most({move: flips_of(move, own, other).bit_count() for move in position.legal_moves(seat)}, choose)


def novice(position: _Board, seat: Seat, choose: Choose[int]) -> int:
    """A player of Reversi who takes corners, shuns the cells beside them, and leaves the other few moves."""
    own, other = _own_and_other(position, seat)
    worths = {}
    for move in position.legal_moves(seat):
        flips = flips_of(move, own, other)
        mine, theirs = own | flips | 1 << move, other ^ flips
        worths[move] = _worth_of_cells(mine) - _worth_of_cells(theirs) - 3 * moves_of(theirs, mine).bit_count()
    return _most(worths, choose)


def club(position: _Board, seat: Seat, choose: Choose[int]) -> int:
    """A player of Reversi who looks three plies ahead."""
    found = best_moves(SEARCHED, _own_and_other(position, seat), nodes_max=_CLUB_NODES_MAX, depth_max=_CLUB_DEPTH)
    return choose(found.moves)


def master(position: _Board, seat: Seat, choose: Choose[int]) -> int:
    """A player of Reversi who looks far ahead, and plays perfectly once the end can be seen."""
    own, other = _own_and_other(position, seat)
    solved = _solved(own, other)
    if solved is not None:
        return choose(solved.moves)
    return choose(best_moves(SEARCHED, (own, other), nodes_max=MASTER_NODES_MAX).moves)


def win_chance(position: _Position) -> float:
    """The opinion of `master` on a Reversi position: the chance that black wins; exact once the end can be seen."""
    own, other = _own_and_other(position, position.mover)
    solved = _solved(own, other)
    if solved is not None:
        chance = (1 + (solved.score > 0) - (solved.score < 0)) / 2
    else:
        chance = chance_of(best_moves(SEARCHED, (own, other), nodes_max=MASTER_NODES_MAX).value, _WIN_UNIT)
    return 1 - chance if position.mover else chance


def _solved(own: int, other: int) -> _Solved | None:
    # Sooner, a solution would mostly run out of its nodes, and be for nothing.
    if 64 - (own | other).bit_count() > _SOLVED_EMPTY_MAX:
        return None
    return solve(own, other, nodes_max=SOLVED_NODES_MAX)


def _own_and_other(position: _Board, seat: Seat) -> tuple[int, int]:
    return position.discs[seat], position.discs[1 - seat]


def _most(worths: Mapping[int, int], choose: Choose[int]) -> int:
    most = max(worths.values())
    return choose([move for move, worth in worths.items() if worth == most])


def _worth_of_cells(discs: int) -> int:
    return sum(worth * (discs & cells).bit_count() for cells, worth in _CELLS_BY_WORTH.items())
