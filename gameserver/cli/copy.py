"""`gameserver copy`: moves a server's data to another database."""

import sys
from pathlib import Path

import click

from gameserver.cli.common import CommandFailed, WrongSettings, config_option
from gameserver.cli.databases import check_connection_string, driver_needed
from gameserver.cli.effective_config import effective
from gameserver.database.address import IN_MEMORY, is_postgresql
from gameserver.halls import HallSettings
from gameserver.journal.copy import Copied, CopyRefused, copy, open_source, open_target, rows_to_read
from gameserver.journal.journal import JournalBroken, JournalError


def _hall(_context: click.Context, option: click.Parameter, name: str) -> str:
    try:
        return HallSettings(name).name
    except ValueError as error:
        raise WrongSettings(f"{option.opts[0]}: {error.args[0]}") from error


@click.command(name="copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option(
    "--from-hall", default="", callback=_hall, metavar="NAME", help="The hall of FROM, if it is a PostgreSQL database."
)
@click.option(
    "--to-hall", default="", callback=_hall, metavar="NAME", help="The hall of TO, if it is a PostgreSQL database."
)
@config_option
def copy_data(source: str, target: str, from_hall: str, to_hall: str, config_file: Path | None) -> None:
    """Copy all data of a server to another database: live matches, records, ratings, tournaments.

    FROM and TO are what the setting `data` names: a data file, or a PostgreSQL database. No server may be running on
    FROM, and TO must be empty. A server that is started on TO goes on where the one on FROM stopped.

    The copy is compared with FROM before it is made durable, so an interrupted one leaves TO empty. The config is read
    for its plug-ins only.
    """
    if IN_MEMORY in {source, target}:
        raise WrongSettings(f"{IN_MEMORY} keeps nothing; name a data file or a PostgreSQL database")
    if _is_same_file(source, target):
        raise WrongSettings(f"{source} and {target} are the same file")
    for data in filter(is_postgresql, (source, target)):
        check_connection_string(data)
    games = effective(config_file, None, ())[0].games
    try:
        with driver_needed(), open_source(source, from_hall) as from_side, open_target(target, to_hall) as to_side:
            # A term's records take ten seconds to a minute. Scripts see nothing of the bar.
            rows, is_hidden = rows_to_read(from_side), not sys.stderr.isatty()
            with click.progressbar(length=rows, label="copying", file=sys.stderr, hidden=is_hidden) as bar:
                from_side.advance = to_side.advance = bar.update
                copied = copy(from_side, to_side, games)
            # Opening the source folds its log, so a server that is started on it later finds nothing to say of it.
            if from_side.lost:
                click.echo(f"gameserver: {from_side.lost}", err=True)
            names = from_side.name, to_side.name
    except (CopyRefused, JournalBroken, JournalError) as error:
        raise CommandFailed(str(error)) from error
    _show(copied, *names)


def _is_same_file(source: str, target: str) -> bool:
    if is_postgresql(source) or is_postgresql(target):
        return False
    return Path(source).exists() and Path(target).exists() and Path(source).samefile(target)


def _show(copied: Copied, source: str, target: str) -> None:
    click.echo(f"copied {source} to {target}, read back and compared:")
    for name, count in copied.rows.items():
        click.echo(f"  {name:<12}{count:>11,}")
    if copied.stood:
        click.echo(f"ratings that stand as other halls have them, for the same player and game: {copied.stood}")
    if copied.adapted:
        click.echo(f"rows with a character 0, which PostgreSQL has not, written as U+FFFD: {copied.adapted}")
    click.echo(f"live matches: {copied.live_matches}, players: {copied.players}")
    click.echo(f"digest of the rows:  {copied.digest}")
    click.echo(f"digest of the lobby: {copied.lobby_digest}")
    click.echo(f"start the server on {target} from now on, and no more on {source}")
