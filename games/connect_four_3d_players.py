"""House players of 3D Connect Four. All of them make a line if they can, else stop one.

Then `novice` plays anywhere, `greedy` and `club` where most lines are to be made, and `master` searches.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from games.connect_four_3d_lines import LINES_THROUGH, TOP_CELLS, landing, line_made
from games.connect_four_3d_search import LineGame, ThreatGame, position_of
from games.search import best_moves
from gameserver.game import Choose, Seat

CLUB_DEPTH = 1
CLUB_NODES_MAX = 100
MASTER_NODES_MAX = 16_000
"""Five or six plies, and a fifth of a second."""

LINE_GAME, THREAT_GAME = LineGame(), ThreatGame()


class Board(Protocol):
    """The part of a position that the players look at."""

    @property
    def stones(self) -> tuple[int, int]:
        """The stones of each seat."""

    @property
    def taken(self) -> int:
        """The stones of both."""

    def legal_moves(self, seat: Seat) -> Sequence[int]:
        """The columns that are not full."""


def novice(position: Board, seat: Seat, choose: Choose[int]) -> int:
    """A beginner, who plays anywhere unless there is a line to make or to stop."""
    return choose(_decisive(position, seat) or position.legal_moves(seat))


def club(position: Board, seat: Seat, choose: Choose[int]) -> int:
    """A player who builds lines, hinders the other's, and does not let anybody win on top of a stone."""
    decisive = _decisive(position, seat)
    if decisive:
        return choose(decisive)
    searched = position_of(*_own_and_other(position, seat))
    return choose(best_moves(LINE_GAME, searched, nodes_max=CLUB_NODES_MAX, depth_max=CLUB_DEPTH).moves)


def master(position: Board, seat: Seat, choose: Choose[int]) -> int:
    """A player who looks some five plies ahead, further where there is a threat, and counts on threats for the end."""
    decisive = _decisive(position, seat)
    if decisive:
        return choose(decisive)
    searched = position_of(*_own_and_other(position, seat))
    return choose(best_moves(THREAT_GAME, searched, nodes_max=MASTER_NODES_MAX).moves)


def greedy(position: Board, seat: Seat, choose: Choose[int]) -> int:
    """A house player that wins if it can, else stops a line, else fights for the cells with most lines. No plans."""
    decisive = _decisive(position, seat)
    if decisive:
        return choose(decisive)
    own, other = _own_and_other(position, seat)
    worths = {move: promise(cell, own, other) for move, cell in _cells(position, seat).items()}
    best = max(worths.values())
    return choose([move for move, worth in worths.items() if worth == best])


def promise(stone: int, own: int, other: int) -> int:
    """The value of a cell: the lines through it that a seat can still fill, each stone in them counting tenfold.

    Nothing is worse than a stone that the other can win on top of.
    """
    if not stone & TOP_CELLS and line_made(other, stone << 1):
        return -1
    open_lines = (line for line in LINES_THROUGH[stone] if not (line & own and line & other))
    return sum(10 ** (line & (own | other)).bit_count() for line in open_lines)


def _own_and_other(position: Board, seat: Seat) -> tuple[int, int]:
    return position.stones[seat], position.stones[1 - seat]


def _cells(position: Board, seat: Seat) -> Mapping[int, int]:
    """The cell where a stone would come to lie, by move."""
    return {move: landing(position.taken, move) for move in position.legal_moves(seat)}


def _decisive(position: Board, seat: Seat) -> list[int]:
    """The moves that make a line; if there are none, those that stop one."""
    cells = _cells(position, seat)
    for stones in _own_and_other(position, seat):
        decisive = [move for move, cell in cells.items() if line_made(stones, cell)]
        if decisive:
            return decisive
    return []
