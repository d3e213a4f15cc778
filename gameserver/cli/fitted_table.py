"""Tables that fit a terminal: names stay readable, words stay whole, and what has no room is left out and named."""

from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.table import Column, Table

from gameserver.values import value

# Names of a few letters, cut at 80 columns, could not be told from each other.
NAME_WIDTH = 20
"""Columns that a name has at the least, if it is that long."""
_GAP = 2
"""Blanks between two columns."""


@value
class Field:
    """A column of a table that fits a terminal, with its cells.

    A `name` may be cut or folded, other texts break between words, figures never.
    """

    heading: str
    cells: tuple[str, ...]
    is_name: bool = False
    is_text: bool = False
    drop: int = 0
    """The order in which columns are left out where there is no room: 1 goes first, 0 never."""

    @property
    def width_max(self) -> int:
        """The width in which nothing in a table's column is broken."""
        return max(map(cell_len, (self.heading, *self.cells)))

    @property
    def width_min(self) -> int:
        """The width that a table's column needs: its longest word for a text, but no more than a name gets."""
        if self.is_name:
            return max(cell_len(self.heading), min(NAME_WIDTH, self.width_max))
        if self.is_text:
            words = (word for text in (self.heading, *self.cells) for word in text.split())
            return min(NAME_WIDTH, max(map(cell_len, words)))
        return self.width_max

    def column(self, width: int, *, one_line: bool) -> Column:
        """The column of a fitted table in this width."""
        is_cut = one_line or not (self.is_name or self.is_text)
        return Column(self.heading, width=width, no_wrap=is_cut, overflow="ellipsis" if one_line else "fold")


def fitted(
    fields: Sequence[Field], width: int, *, title: str = "", one_line: bool = False, ends: Sequence[int] = ()
) -> Table:
    """Makes a table that fits a terminal of this width.

    With `one_line`, each row has one line. A line is drawn below the rows in `ends`.

    Columns without any content are left out. A table without rows says so.
    """
    shown = [field for field in fields if not field.cells or any(field.cells) or not field.drop]
    without: list[str] = []
    while _room(shown, width) < 0 and any(field.drop for field in shown):
        first = min((field for field in shown if field.drop), key=lambda field: field.drop)
        shown.remove(first)
        without.append(first.heading)
    columns = [
        field.column(column_width, one_line=one_line)
        for field, column_width in zip(shown, _widths(shown, width), strict=True)
    ]
    table = Table(*columns, box=None if one_line else box.HORIZONTALS, show_edge=False)
    if title:
        table.title, table.title_justify = title, "left"
    table.padding = (0, _GAP, 0, 0) if one_line else (0, _GAP - 1, 0, 0)
    table.pad_edge = False
    for number, cells in enumerate(zip(*(field.cells for field in shown), strict=True)):
        table.add_row(*cells, end_section=number in ends)
    notes = [] if any(field.cells for field in fields) else ["none"]
    if without:
        notes.append(f"no room here for: {', '.join(without)}")
    # One line a row is for a screen whose height is known beforehand: a caption would be a line too many.
    if notes and not one_line:
        table.caption, table.caption_justify = "; ".join(notes), "left"
    return table


def fits(fields: Sequence[Field], width: int) -> bool:
    """True if a table in this width has room for all of these columns."""
    return _room(fields, width) >= 0


def _room(fields: Sequence[Field], width: int) -> int:
    """The columns of text that are left beside these; below 0 if they do not fit."""
    return width - sum(field.width_min for field in fields) - _GAP * (len(fields) - 1)


def _widths(fields: Sequence[Field], width: int) -> list[int]:
    """A width for each: what it needs, and a share of the rest where it could use more."""
    widths = [field.width_min for field in fields]
    room = _room(fields, width)
    while room > 0 and (short := [at for at, field in enumerate(fields) if widths[at] < field.width_max]):
        # One column of text for each in turn, so that no long text takes the room of all others.
        for at in short[:room]:
            widths[at] += 1
        room -= len(short[:room])
    return widths
