"""`gameserver roster`: secrets for a class list, so that nobody can log in under another's name."""

from pathlib import Path

import click

from gameserver.authentication.roster import SECRET_BITS_MIN, SECRET_LENGTH_MIN, RosterError, is_short
from gameserver.cli.class_list import ClassList, new_secret, parse_class_list
from gameserver.cli.common import CommandFailed, WrongSettings, config_option, data_of, data_option
from gameserver.cli.output import write_data
from gameserver.cli.shared_table import SharedTable
from gameserver.core.identity import is_guid, judge_name
from gameserver.policies import Rules
from gameserver.private_file import write_for_the_owner


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
    shared = SharedTable(data_of(config_file, data))
    before = parsed(*shared.read(), name_column) if shared.is_meant(file) else _read(Path(file), name_column)
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


def _read(file: Path, name_column: str) -> ClassList:
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return parsed(stream.read(), str(file), name_column)
    except OSError as error:
        raise CommandFailed(f"{file} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise CommandFailed(f"{file} is not UTF-8; save it as 'CSV UTF-8'") from error


def parsed(text: str, source: str, name_column: str) -> ClassList:
    """The table. Raises `CommandFailed`."""
    try:
        return parse_class_list(text, source, name_column)
    except RosterError as error:
        raise CommandFailed(str(error)) from error


def _check_names(table: ClassList, renew: tuple[str, ...]) -> None:
    """Refuse names that are not on the list; warn of those under which nobody can log in."""
    names = [name for name, _ in table.students()]
    unknown = [name for name in renew if name not in names]
    if unknown:
        raise WrongSettings(f"--renew: {', '.join(map(repr, unknown))} is not on the list; capital letters count")
    for name in names:
        unfit = judge_name(name, Rules().name_length_max)
        if unfit is not None and not is_guid(name):
            why = unfit.facts.get("why", "the server keeps such names for itself")
            click.echo(f"gameserver: {name!r} cannot log in: {why}", err=True)


def _target(file: str, output: str | None) -> Path:
    """Where to write. Another file that exists is left alone: it may hold secrets that have been handed out."""
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


def _report(table: ClassList, made: int) -> None:
    """Say what was done, for the teacher and not for a file."""
    students = list(table.students())
    click.echo(f"secrets made: {made}, kept: {len(students) - made}", err=True)
    short = [name for name, secret in students if is_short(secret)]
    if short:
        names = ", ".join(short)
        why = f"fewer than {SECRET_LENGTH_MIN} characters or {SECRET_BITS_MIN} bits, which can be guessed"
        click.echo(f"{why}: {names}; --renew-short replaces them", err=True)
