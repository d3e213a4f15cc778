"""The worth of a Reversi position without playing on: mobility, corners and their surroundings, edges, the frontier.

Weights are in hundredths of a disc or so. They were set by hand; what counts is that a corner outweighs
some moves, that a disc diagonally beside an empty corner gives that corner away, and that discs in the
open are bad until they are counted.
"""

from games.reversi_discs import ALL, moves_of

FINAL_DISC = 1000
"""The weight of a disc when the game is over: more than any estimate of one."""

MOBILITY = 12
CORNER = 80
DIAGONAL_TO_CORNER = -40
BESIDE_CORNER = -12
ANCHORED = 20
FRONTIER = -5
CORNER_TO_TAKE = 60
"""For a corner that the side to move can take at once."""

CORNERS = 0x8100000000000081

_FIRST_COLUMN = 0x0101010101010101
_GATHER = 0x0102040810204080
"""Times a column's bits, it has them side by side in its highest byte."""

_NOT_FIRST_COLUMN, _NOT_LAST_COLUMN = 0xFEFEFEFEFEFEFEFE, 0x7F7F7F7F7F7F7F7F


def evaluate(own: int, other: int) -> int:
    """The worth to `own`, who is to move. It is exact where the game is over."""
    moves, replies = moves_of(own, other), moves_of(other, own)
    if not moves and not replies:
        return FINAL_DISC * (own.bit_count() - other.bit_count())
    taken = own | other
    taken_corners = taken & CORNERS
    diagonal, beside = _NEAR_EMPTY_CORNERS[taken_corners]
    frontier = taken & _neighbours(~taken & ALL)
    worth = (
        MOBILITY * (moves.bit_count() - replies.bit_count())
        + DIAGONAL_TO_CORNER * ((own & diagonal).bit_count() - (other & diagonal).bit_count())
        + BESIDE_CORNER * ((own & beside).bit_count() - (other & beside).bit_count())
        + FRONTIER * ((own & frontier).bit_count() - (other & frontier).bit_count())
    )
    if taken_corners:
        worth += CORNER * ((own & CORNERS).bit_count() - (other & CORNERS).bit_count())
        worth += ANCHORED * (_anchored(own) - _anchored(other))
    if moves & CORNERS:
        worth += CORNER_TO_TAKE
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
