"""Attacks in 3D Connect Four: a win by a chain of threats, each of which leaves the other side one answer.

A threat is a cell that would complete a line of a side's. It can be carried out while the cell is playable,
that is, the lowest free one of its column. Most games end by such a chain, which is often too long for
a search of all moves, but has hardly any branches.
"""

from attrs import define

from games.connect_four_3d_lines import LINES, LINES_THROUGH

ALL = (1 << 64) - 1
BOTTOM = 0x1111111111111111
"""The lowest cell of each column."""

NODES_MAX = 30


def playable_cells(taken: int) -> int:
    """The cells where the next stone can come to lie."""
    return (taken << 1 | BOTTOM) & ~taken & ALL


def cell_above(stone: int) -> int:
    """The cell on top of another; 0 for the highest of a column."""
    return stone << 1 & ~BOTTOM & ALL


def attack(own: int, other: int, own_threats: int, other_threats: int) -> int:
    """The stone with which `own`, who is to move, begins an attack that wins; 0 if none is found.

    The threats are those of each side, also where a cell is taken meanwhile.
    """
    return _Attack().first_stone(own, other, own_threats, other_threats)


@define
class _Attack:
    _nodes_left: int = NODES_MAX

    def first_stone(self, own: int, other: int, own_threats: int, other_threats: int) -> int:
        """As `attack`, within the nodes that are left. There is no line to be completed at once."""
        playable = playable_cells(own | other)
        forced = other_threats & playable
        for stone, more_threats in _threatening(own, other, own_threats, playable).items():
            if forced and stone != forced:
                continue
            next_playable = playable ^ stone | cell_above(stone)
            threats = own_threats | more_threats
            open_threats = threats & next_playable
            if not open_threats or other_threats & next_playable:
                continue
            answer = open_threats & -open_threats
            if answer != open_threats or self._goes_on(own | stone, other, answer, threats, other_threats):
                return stone
        return 0

    def _goes_on(self, own: int, other: int, answer: int, own_threats: int, other_threats: int) -> bool:
        """True if the attack still wins after the one answer that there is."""
        if self._nodes_left <= 0:
            return False
        self._nodes_left -= 1
        for line in LINES_THROUGH[answer]:
            if not line & own and (line & other).bit_count() == 2:
                other_threats |= line & ~other
        other |= answer
        if own_threats & playable_cells(own | other):
            return True
        return bool(self.first_stone(own, other, own_threats, other_threats))


def _threatening(own: int, other: int, own_threats: int, playable: int) -> dict[int, int]:
    """The playable cells where a stone could threaten something, each with the threats that it adds."""
    found: dict[int, int] = {}
    for line in LINES:
        if not line & other and (line & own).bit_count() == 2:
            rest = line & ~own
            first = rest & -rest
            second = rest ^ first
            if first & playable:
                found[first] = found.get(first, 0) | second
            if second & playable:
                found[second] = found.get(second, 0) | first
    below_threats = (own_threats & ~BOTTOM) >> 1 & playable
    while below_threats:
        stone = below_threats & -below_threats
        below_threats ^= stone
        found.setdefault(stone, 0)
    return found
