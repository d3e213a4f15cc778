"""`gameserver roster`: secrets for a class list, so that nobody can log in under another's name.

A class list is taken as a spreadsheet saves it, and the secrets are added. Columns, their order and their names stay as
they are, and so do separator, quotes where they are needed, line ends and the byte order mark that Excel puts in front.

A roster in a database is read, and written unless somebody else was quicker.
"""

import csv
import io
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import click
from attrs import define, evolve, field

from gameserver.authentication.roster import (
    IN_DATABASE,
    SECRET_BITS_MIN,
    SECRET_LENGTH_MIN,
    SOURCE,
    RosterError,
    StoredRoster,
    is_short,
    parse_roster,
    read_stored,
    write_stored,
)
from gameserver.cli.common import CommandFailed, WrongSettings, config_option, data_of, data_option
from gameserver.cli.databases import postgresql_records, postgresql_writing
from gameserver.cli.output import write_data
from gameserver.core.identity import is_guid, is_reserved_name, name_problem
from gameserver.database.address import is_postgresql
from gameserver.database.connection import DatabaseConnection, DatabaseError, NoTables
from gameserver.policies import Rules
from gameserver.system import write_for_the_owner
from gameserver.values import value

NAME, SECRET, _GAMMONX_ID = "name", "secret", "gammonx_id"
ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
"""Letters and digits that nobody takes for another one on paper: no 0 and o, no 1, l and i."""
_GROUPS, _GROUP_LENGTH = 3, 4
_BYTE_ORDER_MARK = "\ufeff"


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@config_option
@data_option
@click.option("--in-place", is_flag=True, help="Write the secrets into FILE itself.")
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write the table to a new file instead.")
@click.option("--replace", is_flag=True, help="With --output database: replace the roster that is there.")
@click.option("--renew", multiple=True, metavar="NAME", help="Give NAME another secret. Can be given several times.")
@click.option("--renew-short", is_flag=True, help="Replace secrets that can be guessed, such as short ones.")
@click.option("--renew-all", is_flag=True, help="Replace every secret.")
@click.option("--name-column", default="name", metavar="COLUMN", help="The column with the names, if not `name`.")
@click.option("--slips", is_flag=True, help="Print a slip for each student, to be cut and handed out.")
def roster(
    file: str,
    output: str | None,
    config_file: Path | None,
    data: str | None,
    renew: tuple[str, ...],
    name_column: str,
    *,
    in_place: bool,
    replace: bool,
    renew_short: bool,
    renew_all: bool,
    slips: bool,
) -> None:
    """Make secrets for a class list, so that nobody can log in under another's name.

    FILE is a table that a spreadsheet has saved as CSV. A column `secret` is added, or its empty cells are filled; a
    secret that is there stays unless you ask for another.
    The table is printed, or written with --in-place or --output to a file that only you can read. Name that file in
    the server's config as lobby.roster.
    Where the data is in a PostgreSQL database, FILE and --output may be `database`, with the server's --config or
    --data: the roster that halls share, for the servers with lobby.roster = "database". They see a change within
    seconds.
    """
    shared = _SharedTable(data_of(config_file, data))
    before = _parsed(*shared.read(), name_column) if shared.is_meant(file) else _read(Path(file), name_column)
    _check_names(before, renew)

    def is_wanted(name: str, secret: str) -> bool:
        return renew_all or not secret or name in renew or (renew_short and is_short(secret))

    after = before.with_secrets(is_wanted, new_secret)
    made = sum(new != old for new, old in zip(after.students(), before.students(), strict=True))
    if in_place or output is not None:
        target = file if output is None else output
        if output is not None and in_place:
            raise WrongSettings("--output and --in-place: give one of them")
        if shared.is_meant(target):
            shared.write(after.text(), may_replace=replace or shared.is_meant(file))
        else:
            _write(_target(file, output), after.text())
    elif slips and made:
        raise WrongSettings(f"new secrets for {made} would be kept nowhere; add --in-place or --output FILE")
    elif not slips:
        write_data([after.text()])
    if slips:
        gammonx_ids = after.gammonx_ids()
        click.echo("\n".join(_slip(name, secret, gammonx_ids.get(name, "")) for name, secret in after.students()))
    _report(after, made)


@value
class _ClassList:
    """A class list as its table is, with the columns that count for secrets."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """Each as long as `columns`, but for rows without anything."""
    delimiter: str
    line_end: str
    has_mark: bool

    @property
    def name_at(self) -> int:
        """The index of the column with the names in a class list."""
        return _found(self.columns, NAME)

    @property
    def secret_at(self) -> int:
        """The index of the column with the secrets in a class list."""
        return _found(self.columns, SECRET)

    def gammonx_ids(self) -> Mapping[str, str]:
        """PlayerIds of GammonX in a class list by name, of the rows that have one."""
        at = _found(self.columns, _GAMMONX_ID)
        rows = [row for row in self.rows if row and at >= 0]
        return {row[self.name_at].strip(): row[at].strip().lower() for row in rows if row[at].strip()}

    def students(self) -> Iterator[tuple[str, str]]:
        """Names and secrets in a class list, of the rows that have a name."""
        for row in self.rows:
            if row and row[self.name_at].strip():
                yield row[self.name_at].strip(), row[self.secret_at].strip()

    def with_secrets(self, is_wanted: Callable[[str, str], bool], new: Callable[[], str]) -> "_ClassList":
        """Gives a class list a new secret for each name and secret of which `is_wanted` is true."""
        return evolve(self, rows=tuple(self._with_secret(row, is_wanted, new) for row in self.rows))

    def text(self) -> str:
        """Writes a class list as CSV, as the spreadsheet had it."""
        out = io.StringIO()
        csv.writer(out, delimiter=self.delimiter, lineterminator=self.line_end).writerows([self.columns, *self.rows])
        return (_BYTE_ORDER_MARK if self.has_mark else "") + out.getvalue()

    def _with_secret(
        self, row: tuple[str, ...], is_wanted: Callable[[str, str], bool], new: Callable[[], str]
    ) -> tuple[str, ...]:
        name = row[self.name_at].strip() if row else ""
        if not name or not is_wanted(name, row[self.secret_at].strip()):
            return row
        return (*row[: self.secret_at], new(), *row[self.secret_at + 1 :])


def new_secret() -> str:
    """Makes for `gameserver roster` a secret nobody can guess, to copy from paper: 59 bits, as `k7mw-x4tp-9hqe`."""
    groups = ("".join(secrets.choice(ALPHABET) for _ in range(_GROUP_LENGTH)) for _ in range(_GROUPS))
    return "-".join(groups)


def parse_class_list(text: str, source: str, name_column: str = NAME) -> _ClassList:
    """Reads the class list that `gameserver roster` is given, from CSV.

    Without a column `secret` it gets one, and `name` where another column has the names.

    Raises `RosterError`.
    """
    plain = text.removeprefix(_BYTE_ORDER_MARK)
    head = plain.partition("\n")[0]
    # Excel set to Dutch or German writes `;`, and a table that is copied out of it has tabs.
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
    found = _ClassList((*columns, *added), tuple(filled), delimiter, line_end, plain != text)
    parse_roster(found.text().removeprefix(_BYTE_ORDER_MARK), source)  # what the server would refuse is refused here
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


@define
class _SharedTable:
    """The table in the database `data`."""

    _data: str
    _read: StoredRoster | None = field(default=None, init=False)

    def is_meant(self, name: str) -> bool:
        """True if this is meant by the name of a file."""
        return name == IN_DATABASE and is_postgresql(self._data)

    def read(self) -> tuple[str, str]:
        """The table as CSV, and its name in messages. Raises `CommandFailed`."""
        try:
            with postgresql_records(self._data) as connection:
                self._read = _stored(connection)
        except NoTables:
            self._read = StoredRoster(0, "")
        except DatabaseError as error:
            raise CommandFailed(str(error)) from error
        if not self._read.text:
            raise CommandFailed(f"{SOURCE} is empty; put a class list there: gameserver roster FILE --output database")
        return self._read.text, SOURCE

    def write(self, text: str, *, may_replace: bool) -> None:
        """Put a table there. Raises `CommandFailed`."""
        try:
            with postgresql_writing(self._data) as connection:
                before = self._read or _stored(connection)
                # Secrets may have been handed out on paper: a slip of the pen must not make them all worthless.
                if before.text and not may_replace:
                    raise WrongSettings(
                        f"--output: {SOURCE} has names already, with secrets that may have been handed out; change it"
                        " itself with `gameserver roster database --in-place`, or replace all of it with --replace"
                    )
                # Two changes at once: the later one is refused, for it has not seen the earlier.
                is_written = write_stored(connection, text, before.version)
        except DatabaseError as error:
            raise CommandFailed(str(error)) from error
        if not is_written:
            raise CommandFailed(f"{SOURCE} was changed by somebody else meanwhile, and nothing was written; try again")
        click.echo(f'{SOURCE} written; servers with lobby.roster = "database" see it within seconds', err=True)


def _stored(connection: DatabaseConnection) -> StoredRoster:
    stored = read_stored(connection)
    assert stored is not None, "the table is made with the schema"
    return stored


def _read(file: Path, name_column: str) -> _ClassList:
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return _parsed(stream.read(), str(file), name_column)
    except OSError as error:
        raise CommandFailed(f"{file} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise CommandFailed(f"{file} is not UTF-8; save it as 'CSV UTF-8'") from error


def _parsed(text: str, source: str, name_column: str) -> _ClassList:
    """Reads a class list for `gameserver roster`. Raises `CommandFailed`."""
    try:
        return parse_class_list(text, source, name_column)
    except RosterError as error:
        raise CommandFailed(str(error)) from error


def _check_names(table: _ClassList, renew: tuple[str, ...]) -> None:
    """Refuse names that are not on the list; warn of those under which nobody can log in."""
    names = [name for name, _ in table.students()]
    unknown = [name for name in renew if name not in names]
    if unknown:
        raise WrongSettings(f"--renew: {', '.join(map(repr, unknown))} is not on the list; capital letters count")
    for name in names:
        why = name_problem(name, Rules().name_length_max)
        if why is None and is_reserved_name(name) and not is_guid(name):
            why = "the server keeps such names for itself"
        if why is not None:
            click.echo(f"gameserver: {name!r} cannot log in: {why}", err=True)


def _target(file: str, output: str | None) -> Path:
    """The file to write. Another one that exists is left alone: it may hold secrets that have been handed out."""
    target = Path(file if output is None else output)
    if target.resolve() != Path(file).resolve() and target.exists():
        raise WrongSettings(f"--output: {target} exists; take another name, or change it itself with --in-place")
    return target.resolve() if target.resolve() == Path(file).resolve() else target


def _write(target: Path, text: str) -> None:
    """Put the whole file in its place at once, for its owner alone. Raises `CommandFailed`."""
    try:
        write_for_the_owner(target, text)
    except OSError as error:
        raise CommandFailed(f"{target} cannot be written: {error.strerror or error}") from error
    click.echo(f"{target} written; only you can read it", err=True)


def _slip(name: str, secret: str, gammonx_id: str) -> str:
    lines = [name, f"    your secret    {secret}", f"    to log in      login {name} {secret}"]
    if gammonx_id:
        lines += [f"    in GammonX     PlayerId {gammonx_id}", f"                   Authorization: Bearer {secret}"]
    return "\n".join([*lines, "- " * 20])


def _report(table: _ClassList, made: int) -> None:
    """Say what was done, for the teacher and not for a file."""
    students = list(table.students())
    click.echo(f"secrets made: {made}, kept: {len(students) - made}", err=True)
    short = [name for name, secret in students if is_short(secret)]
    if short:
        names = ", ".join(short)
        why = f"fewer than {SECRET_LENGTH_MIN} characters or {SECRET_BITS_MIN} bits, which can be guessed"
        click.echo(f"{why}: {names}; --renew-short replaces them", err=True)
