"""The layout of standings on a projector: as large as they can be, and all players of a class are seen.

Up to `COLUMN_LINES_MAX` players stand in one column, twice as many in two. More turn in pages: the podium and those who
are one win behind it always stay, and the others change places every few seconds (`static/turning.js`). Without a
script, and on a phone, the parts follow one another.
"""

from collections.abc import Sequence
from itertools import pairwise

from gameserver.tournaments.podium import LAST_RANK
from gameserver.tournaments.progress import CHASING
from gameserver.tournaments.view import StandingView
from gameserver.values import value

COLUMN_LINES_MAX = 22
"""The most lines in a column: with more, the letters were smaller than 20 of a projector's 1080 pixels."""
PINNED_MAX = 8
CHASERS_MAX = 3
"""The most players behind the podium who are always shown."""

TURNED_PAGES_MAX = 8
"""The most pages that are turned; longer standings stand below one another."""


@value
class StandingsPart:
    """Some lines in one place. `page` counts from 0; it is None for what always stays."""

    lines: Sequence[StandingView]
    page: int | None
    column: int


@value
class StandingsLayout:
    """All lines, in order. `rows` is the length of the longest column."""

    parts: tuple[StandingsPart, ...]
    columns: int
    pages: int
    rows: int
    ends_groups: frozenset[str]
    """The players whom the results tell apart from the next one."""


def layout_of(standings: Sequence[StandingView]) -> StandingsLayout:
    """The layout for a projector."""
    count = len(standings)
    if count <= COLUMN_LINES_MAX:
        return _laid_out(standings, (StandingsPart(standings, None, 0),), columns=1, pages=1, rows=count)
    pinned = _pinned(standings)
    room = 2 * COLUMN_LINES_MAX - pinned
    pages = -(-(count - pinned) // room)
    length = -(-(count - pinned) // pages)
    rows = -(-(pinned + length) // 2)
    parts = [StandingsPart(standings[:pinned], None, 0)]
    for page, start in enumerate(range(pinned, count, length)):
        lines = standings[start : start + length]
        turn = rows - pinned
        parts += [StandingsPart(lines[:turn], page, 0), StandingsPart(lines[turn:], page, 1)]
    return _laid_out(standings, tuple(part for part in parts if part.lines), columns=2, pages=pages, rows=rows)


def in_columns(standings: Sequence[StandingView]) -> StandingsLayout:
    """The whole table at once, in columns of about the same length, for a page that is scrolled."""
    columns = max(1, -(-len(standings) // (COLUMN_LINES_MAX + 10)))
    length = max(1, -(-len(standings) // columns))
    starts = enumerate(range(0, len(standings), length))
    parts = tuple(StandingsPart(standings[start : start + length], None, column) for column, start in starts)
    return _laid_out(standings, parts, columns=columns, pages=1, rows=length)


def _pinned(standings: Sequence[StandingView]) -> int:
    """The number of first lines that always stay: the podium, ties and all, and who can reach it with a win."""
    podium = sum(line.rank is not None and line.rank <= LAST_RANK for line in standings)
    below = standings[podium : podium + CHASERS_MAX]
    chasers = next((at for at, line in enumerate(below) if line.chances != CHASING), len(below))
    return min(podium + chasers, PINNED_MAX)


def _laid_out(
    standings: Sequence[StandingView], parts: tuple[StandingsPart, ...], *, columns: int, pages: int, rows: int
) -> StandingsLayout:
    ends = frozenset(one.name for one, below in pairwise(standings) if one.group and one.group != below.group)
    return StandingsLayout(parts, columns, pages, rows, ends)
