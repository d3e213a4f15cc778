"""3D Connect Four as the search sees it: the lines that can still be made, and the threats.

A position knows its threats (`connect_four_3d_attack` says what they are) and the score of its lines. Both
change only by the 4 to 7 lines through the last stone, so a move does not count all 76 again.

An open threat that is not playable yet decides a game late: somebody has to play the cell below
it in the end. When all other columns are full, the side that began gets the first and the third layer,
because it is its turn whenever an even number of cells is taken; the other side gets the second and
the fourth. A threat in a layer of one's own is therefore worth more.
"""

from collections.abc import Sequence

from games.connect_four_3d_attack import BOTTOM, attack, playable_cells
from games.connect_four_3d_lines import LINES, LINES_THROUGH
from games.search import SearchedGame

Position = tuple[int, int, int, int, int]
"""The stones of the side to move and of the other, the threats of either, and the score of the lines to the former.

A threat stays in its mask when its cell is taken.
"""

WIN = 100_000
"""The value of a win, less a point for each stone: a sooner one is better."""

LINE_SCORES = (0, 1, 5, 20, 0)
"""The score of a line with so many stones of one side and none of the other."""

THREAT = 10
THREAT_IN_OWN_LAYER = 40

OWN_LAYERS = (BOTTOM | BOTTOM << 2, BOTTOM << 1 | BOTTOM << 3)
"""The cells of the layers that seat 0 gets in the end, and seat 1."""

_GAINS = {
    (mine, theirs): LINE_SCORES[mine + 1] - LINE_SCORES[mine] if not theirs else LINE_SCORES[theirs] if not mine else 0
    for mine in range(4)
    for theirs in range(4 - mine)
}
"""The gain by a stone in a line, by the stones of either side in it before."""


def position_of(own: int, other: int) -> Position:
    """The position of these stones, with `own` to move."""
    threats, score = [0, 0], 0
    for line in LINES:
        mine, theirs = (line & own).bit_count(), (line & other).bit_count()
        if not theirs:
            score += LINE_SCORES[mine]
            threats[0] |= line & ~own if mine == 3 else 0
        elif not mine:
            score -= LINE_SCORES[theirs]
            threats[1] |= line & ~other if theirs == 3 else 0
    return own, other, threats[0], threats[1], score


class LineGame(SearchedGame[Position, int]):
    """Lines are all that counts. A move is the number of a column, as in the game itself."""

    def successors(self, position: Position) -> Sequence[tuple[int, Position]]:
        """The moves that are not senseless, the best lines first; none if the side to move can win at once."""
        own, other, own_threats, other_threats, score = position
        playable = playable_cells(own | other)
        if own_threats & playable:
            return ()
        found = []
        stones = self._stones(position, playable)
        while stones:
            stone = stones & -stones
            stones ^= stone
            threats, score_after = own_threats, score
            for line in LINES_THROUGH[stone]:
                mine, theirs = (line & own).bit_count(), (line & other).bit_count()
                score_after += _GAINS[mine, theirs]
                if mine == 2 and not theirs:
                    threats |= line & ~own
            column = stone.bit_length() - 1 >> 2
            found.append((column, (other, own | stone, other_threats, threats, -score_after)))
        found.sort(key=_score_to_other)
        return found

    def _stones(self, position: Position, playable: int) -> int:
        """The cells to try: the one that stops a line, else those on top of which the other side cannot win."""
        other_threats = position[3]
        forced = other_threats & playable
        if forced:
            return forced & -forced
        return playable & ~((other_threats & ~BOTTOM) >> 1) or playable & -playable

    def value(self, position: Position) -> int:
        """The score of the lines, unless the game is decided."""
        own, other, own_threats, other_threats, score = position
        taken = own | other
        playable = playable_cells(taken)
        if own_threats & playable:
            return WIN - taken.bit_count()
        if not playable:
            return 0
        to_stop = other_threats & playable
        if to_stop & to_stop - 1:
            return taken.bit_count() + 1 - WIN
        return score + self._threats_value(own_threats & ~taken, other_threats & ~taken, taken.bit_count() % 2)

    def _threats_value(self, mine: int, theirs: int, seat: int) -> int:
        return 0


class ThreatGame(LineGame):
    """Threats count, and attacks are found."""

    def _stones(self, position: Position, playable: int) -> int:
        return attack(*position[:4]) or super()._stones(position, playable)

    def _threats_value(self, mine: int, theirs: int, seat: int) -> int:
        """The worth of threats that are not playable yet, by their layers."""
        if not mine and not theirs:
            return 0
        own_layers, others_layers = OWN_LAYERS[seat], OWN_LAYERS[1 - seat]
        return (
            THREAT * (mine.bit_count() - theirs.bit_count())
            + (THREAT_IN_OWN_LAYER - THREAT) * (mine & own_layers).bit_count()
            - (THREAT_IN_OWN_LAYER - THREAT) * (theirs & others_layers).bit_count()
        )


def _score_to_other(successor: tuple[int, Position]) -> int:
    return successor[1][4]
