"""A class list as a spreadsheet saves it, and the secrets that are added to it. Pure: no file is touched.

Columns, their order and their names stay as they are, and so do separator, quotes where they are needed, line ends and
the byte order mark that Excel puts in front.
"""

import csv
import io
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import evolve

from gameserver.authentication.roster import RosterError, parse_roster
from gameserver.values import value

NAME, SECRET, GAMMONX_ID = "name", "secret", "gammonx_id"
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits that nobody takes for another one on paper: no 0 and o, no 1, l and i."""
GROUPS, GROUP_LENGTH = 3, 4
BYTE_ORDER_MARK = "\ufeff"


@value
class ClassList:
    """The table, with the columns that count."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Each as long as `columns`, but for rows without anything."""
    delimiter: str
    line_end: str
    has_mark: bool

    @property
    def name_at(self) -> int:
        """The column with the names."""
        return _found(self.columns, NAME)

    @property
    def secret_at(self) -> int:
        """The column with the secrets."""
        return _found(self.columns, SECRET)

    def gammonx_ids(self) -> Mapping[str, str]:
        """PlayerIds by name, of the rows that have one."""
        at = _found(self.columns, GAMMONX_ID)
        rows = [row for row in self.rows if row and at >= 0]
        return {row[self.name_at].strip(): row[at].strip().lower() for row in rows if row[at].strip()}

    def students(self) -> Iterator[tuple[str, str]]:
        """Names and secrets, of the rows that have a name."""
        for row in self.rows:
            if row and row[self.name_at].strip():
                yield row[self.name_at].strip(), row[self.secret_at].strip()

    def with_secrets(self, is_wanted: Callable[[str, str], bool], new: Callable[[], str]) -> "ClassList":
        """The table with a new secret for every name of which `is_wanted` says so, of its name and its secret."""
        return evolve(self, rows=tuple(self._with_secret(row, is_wanted, new) for row in self.rows))

    def text(self) -> str:
        """The table as CSV."""
        out = io.StringIO()
        csv.writer(out, delimiter=self.delimiter, lineterminator=self.line_end).writerows([self.columns, *self.rows])
        return (BYTE_ORDER_MARK if self.has_mark else "") + out.getvalue()

    def _with_secret(
        self, row: tuple[str, ...], is_wanted: Callable[[str, str], bool], new: Callable[[], str]
    ) -> tuple[str, ...]:
        name = row[self.name_at].strip() if row else ""
        if not name or not is_wanted(name, row[self.secret_at].strip()):
            return row
        return (*row[: self.secret_at], new(), *row[self.secret_at + 1 :])


def new_secret() -> str:
    """A secret that nobody can guess and everybody can copy from paper: 59 bits, such as `k7mw-x4tp-9hqe`."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(GROUP_LENGTH)) for _ in range(GROUPS))
    return "-".join(groups)


def parse_class_list(text: str, source: str, name_column: str = NAME) -> ClassList:
    """Read a table. Without a column `secret` it gets one, and `name` where another column has the names.

    Raises `RosterError`.
    """
    plain = text.removeprefix(BYTE_ORDER_MARK)
    head = plain.partition("\n")[0]
    delimiter = max(",;\t", key=head.count)
    try:
        rows = [tuple(row) for row in csv.reader(io.StringIO(plain), delimiter=delimiter, strict=True)]
    except csv.Error as error:
        raise RosterError(f"{source} is not a CSV table: {error}; is there a quotation mark too many?") from error
    columns = rows[0] if rows else ()
    _check_columns(columns, source, name_column)
    columns = (*columns, *[""] * (max(map(len, rows)) - len(columns)))
    added = tuple(name for name in (NAME, SECRET) if _found(columns, name) < 0)
    names_at, width = _found(columns, name_column), len(columns)
    filled = []
    for row in rows[1:]:
        cells = (*row, *[""] * (width - len(row)))
        if any(cell.strip() for cell in row):
            filled.append((*cells, *(cells[names_at].strip() if name == NAME else "" for name in added)))
        else:
            filled.append(())
    line_end = "\r\n" if head.endswith("\r") else "\n"
    found = ClassList((*columns, *added), tuple(filled), delimiter, line_end, plain != text)
    parse_roster(found.text().removeprefix(BYTE_ORDER_MARK), source)  # what the server would refuse is refused here
    return found


def _check_columns(columns: Sequence[str], source: str, name_column: str) -> None:
    if _found(columns, name_column) >= 0:
        return
    there = ", ".join(repr(name.strip()) for name in columns if name.strip())
    if not there:
        raise RosterError(f"{source} is empty; it should be a table with a column 'name', saved as CSV")
    raise RosterError(
        f"{source}: the first line should name the columns, and has {there}, not {name_column!r}; "
        "if one of these holds the names, say which: --name-column NAME"
    )


def _found(columns: Sequence[str], wanted: str) -> int:
    """The index of a column, in any case of letters; -1 if there is none."""
    folded = [name.strip().casefold() for name in columns]
    return folded.index(wanted.strip().casefold()) if wanted.strip().casefold() in folded else -1
