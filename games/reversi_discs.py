"""The discs of Reversi as integers: where a disc can be put, and what it turns over.

The discs of a colour are one integer with a bit for each cell (cell 0, top left, is bit 0), so that
a shift moves all discs at once. A line of discs is found by a fill: from the own discs, step into
neighbouring discs of the other colour until the line leaves them. Six steps cross the board, and
doubling the stride makes three of them.
"""

ALL = (1 << 64) - 1

# A line along a row ends at the edge: the outer columns can enclose, but not be enclosed.
_INNER_COLUMNS = 0x7E7E7E7E7E7E7E7E
# Shifts of four directions, each used both ways.
_LINES = ((1, _INNER_COLUMNS), (7, _INNER_COLUMNS), (8, ALL), (9, _INNER_COLUMNS))
"""Each line's stride, and where discs can be enclosed along it: the mask stops it at the board's edge."""


def moves_of(own: int, other: int) -> int:
    """Finds the cells where a Reversi disc encloses discs of the other colour."""
    found = 0
    for stride, mask in _LINES:
        enclosed = other & mask
        up = enclosed & (own << stride)
        up |= enclosed & (up << stride)
        down = enclosed & (own >> stride)
        down |= enclosed & (down >> stride)
        pairs = enclosed & (enclosed << stride)
        up |= pairs & (up << 2 * stride)
        up |= pairs & (up << 2 * stride)
        pairs >>= stride
        down |= pairs & (down >> 2 * stride)
        down |= pairs & (down >> 2 * stride)
        found |= up << stride | down >> stride
    return found & ~(own | other) & ALL


def flips_of(move: int, own: int, other: int) -> int:
    """Finds the discs that a Reversi disc on cell `move` turns over."""
    placed = 1 << move
    flips = 0
    for stride, mask in _LINES:
        enclosed = other & mask
        line, step = 0, placed << stride & enclosed
        while step:
            line |= step
            step = step << stride
            if step & own:
                flips |= line
            step &= enclosed
        line, step = 0, placed >> stride & enclosed
        while step:
            line |= step
            step = step >> stride
            if step & own:
                flips |= line
            step &= enclosed
    return flips


def cells_in(discs: int) -> tuple[int, ...]:
    """Lists the Reversi cells of the bits that are set, from the lowest."""
    cells = []
    while discs:
        lowest = discs & -discs
        cells.append(lowest.bit_length() - 1)
        discs ^= lowest
    return tuple(cells)
