"""Decisions about the cube from estimated chances, by Janowski's formulas for money play.

A cube that can still be turned is worth something to the side that may turn it. Janowski ("Take-Points
in Money Games", 1993) puts the equity between that of a dead cube and that of a perfectly live one;
`LIFE` says where. With W and L the average points of a win and a loss, p the chance to win, and x the
life of the cube, the equities on a cube of 1 are

    the cube is mine        p (W + L + x/2) - L
    it is the other side's  p (W + L + x/2) - L - x/2
    nobody owns it          4 / (4 - x) times (p (W + L + x/2) - L - x/4)
"""

from games.backgammon.cube import CUBE_MAX, Cube
from games.backgammon.network import Odds

LIFE = 0.68
"""Janowski's figure for games with contact, between 0 (dead) and 1 (live)."""
DOUBT = 0.02
"""By so many points must a double be better than none. The chances are estimates."""
FAR = 0.3
"""Points by which looking at all rolls hardly ever changes the difference."""


def doubles(odds: Odds, cube: Cube) -> bool:
    """True if the side with these chances, which is to roll, should double."""
    offered = taken_equity(odds, cube)
    if offered >= 1:
        return odds.equity < 1  # else it is too good: gammons are worth more than the stake
    return offered > _held(odds, cube) + DOUBT


def is_far_from_doubling(odds: Odds, cube: Cube) -> bool:
    """True if no roll's worth of doubt would make it a double."""
    return taken_equity(odds, cube) + FAR < _held(odds, cube)


def takes(odds: Odds, cube: Cube) -> bool:
    """True if the other side, offered the cube by a side with these chances, should take it."""
    return taken_equity(odds, cube) <= 1


def taken_equity(odds: Odds, cube: Cube) -> float:
    """The equity of the side that doubles if the other takes, in units of the cube before."""
    if 2 * cube.value >= CUBE_MAX:
        return 2 * odds.equity
    win, lose = _sizes(odds)
    return 2 * (odds.win * (win + lose + LIFE / 2) - lose - LIFE / 2)


def _held(odds: Odds, cube: Cube) -> float:
    """The equity without a double now."""
    win, lose = _sizes(odds)
    if cube.owner is None:
        return 4 / (4 - LIFE) * (odds.win * (win + lose + LIFE / 2) - lose - LIFE / 4)
    return odds.win * (win + lose + LIFE / 2) - lose


def _sizes(odds: Odds) -> tuple[float, float]:
    """The average points of a game that is won, and of one that is lost."""
    win = 1 + (odds.gammon + odds.backgammon) / max(odds.win, 0.001)
    lose = 1 + (odds.lost_gammon + odds.lost_backgammon) / max(1 - odds.win, 0.001)
    return min(win, 3), min(lose, 3)
