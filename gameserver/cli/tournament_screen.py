"""A running tournament on one screen of a terminal, whatever its size: progress, the first ten, then what is played.

The terminal cuts a screen that is too high at its foot. So what must always be seen comes first, and each row has one
line: the height is known before anything is drawn.
"""

import textwrap
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.styled import Styled
from rich.text import Text

from gameserver.cli.fitted_table import fitted
from gameserver.cli.tournament_text import (
    View,
    matches_fields,
    numbers_rounds,
    open_pairings,
    progress,
    standings_fields,
    title,
    waiting_line,
)

FIRST = 10
"""Lines of the standings that are always there."""
_AROUND = 2
"""Lines of a table besides its rows: its head, and how many rows are left out."""


def screen(view: View, bar: RenderableType, width: int, height: int, note: str = "") -> Group:
    """The screen. The `bar` has one line. A `note` at the top says why everything else, dim then, stands still."""
    notes = [Text(line, style="bold reverse", no_wrap=True) for line in textwrap.wrap(note, width)]
    # Nobody can tell how long anything will take that stands still.
    state = textwrap.wrap(progress({**view, "eta_ms": None} if note else view), width)
    waited = (
        [] if note else [Text(line, style="bold", no_wrap=True) for line in textwrap.wrap(waiting_line(view), width)]
    )
    parts: list[RenderableType] = [_line(title(view)), *map(_line, state), *waited, bar]
    # The cursor stands below the last line.
    room = height - 1 - len(notes) - len(parts)
    players, playing = view["standings"], open_pairings(view)
    # The first ten have their lines; then what is played; what is left shows more of the standings.
    ranked = min(len(players), FIRST)
    below = room - ranked - _AROUND
    shown = min(len(playing), max(0, below - _AROUND))
    is_counted = bool(playing) and not shown and below > 0
    below -= shown + _AROUND if shown else is_counted
    ranked = min(len(players), ranked + max(0, below))
    parts += _part(fitted(standings_fields(players[:ranked]), width, one_line=True), len(players) - ranked, "player")
    if shown:
        fields = matches_fields(playing[:shown], in_rounds=numbers_rounds(view))
        parts += _part(fitted(fields, width, one_line=True), len(playing) - shown, "game")
    elif is_counted:
        parts.append(_line(f"{len(playing)} games are open"))
    return Group(*notes, Styled(Group(*parts), "dim")) if notes else Group(*parts)


def _part(table: RenderableType, left: int, of: str) -> Iterator[RenderableType]:
    yield table
    if left:
        yield _line(f"and {left} more {of}{'' if left == 1 else 's'}")


def _line(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")
