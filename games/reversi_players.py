"""House players of Reversi: `novice` knows good cells, `club` looks three plies ahead, `master` six.

`master` plays the last moves perfectly. `greedy` is below all of them: it turns over what it can.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from games.reversi_discs import flips_of, moves_of
from games.reversi_endgame import solve
from games.reversi_evaluation import evaluate
from games.search import SearchedGame, best_moves
from gameserver.game import Choose, Seat

CLUB_DEPTH = 3
CLUB_NODES_MAX = 2_000
MASTER_NODES_MAX = 12_000
"""Six plies in the middle of a game, and some 0.15 s."""

SOLVED_EMPTY_MAX = 12
SOLVED_NODES_MAX = 60_000
"""Twelve empty cells take 40 000 nodes in the mean, each a tenth of what one costs that is evaluated."""

PASS = -1
"""The move in the search of a side that has none."""

CELLS_BY_WORTH: Mapping[int, int] = {
    0x8100000000000081: 20,  # corners
    0x3C0081818181003C: 4,  # edges
    0x00003C3C3C3C0000: 1,  # the middle
    0x003C424242423C00: 0,  # the ring around it
    0x4281000000008142: -3,  # beside a corner, on the edge
    0x0042000000004200: -7,  # diagonally beside a corner
}
"""The cells with what a disc on them is worth to a beginner, from the best. The search tries them in this order."""


class Board(Protocol):
    """The part of a position that the players look at."""

    @property
    def discs(self) -> tuple[int, int]:
        """The discs of each seat."""

    def legal_moves(self, seat: Seat) -> Sequence[int]:
        """The cells where the seat can play."""


class SearchedReversi(SearchedGame[tuple[int, int], int]):
    """Reversi as the search sees it: the discs of the side to move, and the other's."""

    def successors(self, position: tuple[int, int]) -> Sequence[tuple[int, tuple[int, int]]]:
        """Each move, or the pass of a side that has none; nothing at the end."""
        own, other = position
        moves = moves_of(own, other)
        if not moves:
            return ((PASS, (other, own)),) if moves_of(other, own) else ()
        found = []
        for cells in CELLS_BY_WORTH:
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


SEARCHED = SearchedReversi()


def greedy(position: Board, seat: Seat, choose: Choose[int]) -> int:
    """A house player that turns over as many discs as it can: what a beginner does, and beatable."""
    own, other = _own_and_other(position, seat)
    return _most({move: flips_of(move, own, other).bit_count() for move in position.legal_moves(seat)}, choose)


def novice(position: Board, seat: Seat, choose: Choose[int]) -> int:
    """A player who knows that corners are good and the cells beside them are not, and leaves the other few moves."""
    own, other = _own_and_other(position, seat)
    worths = {}
    for move in position.legal_moves(seat):
        flips = flips_of(move, own, other)
        mine, theirs = own | flips | 1 << move, other ^ flips
        worths[move] = _worth_of_cells(mine) - _worth_of_cells(theirs) - 3 * moves_of(theirs, mine).bit_count()
    return _most(worths, choose)


def club(position: Board, seat: Seat, choose: Choose[int]) -> int:
    """A player who looks three plies ahead."""
    found = best_moves(SEARCHED, _own_and_other(position, seat), nodes_max=CLUB_NODES_MAX, depth_max=CLUB_DEPTH)
    return choose(found.moves)


def master(position: Board, seat: Seat, choose: Choose[int]) -> int:
    """A player who looks far ahead, and plays perfectly once the end can be seen."""
    own, other = _own_and_other(position, seat)
    if 64 - (own | other).bit_count() <= SOLVED_EMPTY_MAX:
        solved = solve(own, other, nodes_max=SOLVED_NODES_MAX)
        if solved is not None:
            return choose(solved.moves)
    return choose(best_moves(SEARCHED, (own, other), nodes_max=MASTER_NODES_MAX).moves)


def _own_and_other(position: Board, seat: Seat) -> tuple[int, int]:
    return position.discs[seat], position.discs[1 - seat]


def _most(worths: Mapping[int, int], choose: Choose[int]) -> int:
    """One of the moves that are worth the most."""
    most = max(worths.values())
    return choose([move for move, worth in worths.items() if worth == most])


def _worth_of_cells(discs: int) -> int:
    return sum(worth * (discs & cells).bit_count() for cells, worth in CELLS_BY_WORTH.items())
