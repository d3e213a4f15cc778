"""`gameserver records prune`: removes the moves of old matches, most of a file, and keeps all results."""

from datetime import UTC, datetime
from pathlib import Path

import click

from gameserver.cli.common import (
    CommandFailed,
    WrongSettings,
    config_option,
    data_of,
    data_option,
    hall_of,
    is_terminal,
)
from gameserver.cli.databases import driver_needed
from gameserver.database.address import IN_MEMORY, is_postgresql
from gameserver.journal.copy import CopyRefused, open_source
from gameserver.journal.journal import JournalBroken, JournalError
from gameserver.records import store


@click.group(name="records")
def records_group() -> None:
    """Thin the records: remove the moves of old matches, and keep all results."""


@records_group.command(name="prune")
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d"]),
    required=True,
    metavar="DAY",
    help="Remove the moves of matches that ended before this day (UTC), such as 2026-09-01.",
)
@click.option("--yes", is_flag=True, help="Do not ask again. Needed without a terminal.")
@config_option
@data_option
def prune(before: datetime, config_file: Path | None, data: str | None, *, yes: bool) -> None:
    """Remove the moves of old matches from the records.

    Results, ratings, standings and rankings stay, and pages, `verify`, `replay` and `export` say that the moves were
    pruned. Matches of tournaments that are not over keep theirs. No server may be running on the data: stop it first,
    its live matches go on at the next start.
    """
    now = datetime.now(UTC)
    if before.replace(tzinfo=UTC) > now:
        raise WrongSettings(f"--before: {before:%Y-%m-%d} has not begun; name today or an earlier day")
    kept_in = data_of(config_file, data)
    if kept_in == IN_MEMORY:
        raise WrongSettings(f"{IN_MEMORY} keeps nothing; name the server's data with --data, or its --config")
    try:
        with driver_needed(), open_source(kept_in, hall_of(config_file)) as side, side.reading():
            found = store.read_prunable(side.connection, before.date().isoformat())
            if not found:
                click.echo(f"no match that ended before {before:%Y-%m-%d} has moves on record: nothing was removed")
                return
            what = f"{sum(moves for _, moves in found):,} moves of {len(found):,} matches that ended before"
            _ask(f"Remove the {what} {before:%Y-%m-%d}? They cannot be shown again; all results stay.", is_sure=yes)
            with side.writing():
                store.prune(side.connection, found, now.isoformat(timespec="milliseconds"))
            if not is_postgresql(kept_in):
                side.connection.execute("VACUUM")
    except (CopyRefused, JournalBroken, JournalError) as error:
        raise CommandFailed(str(error).replace("nothing was copied", "nothing was removed")) from error
    click.echo(f"removed {what} {before:%Y-%m-%d}; results, ratings and standings stay{_size(kept_in)}")


def _ask(question: str, *, is_sure: bool) -> None:
    """Ask before moves are removed. Raises `CommandFailed` if the person at the terminal does not agree."""
    if is_sure:
        return
    if not is_terminal():
        raise WrongSettings("`records prune` cannot ask without a terminal: give --yes")
    if not click.confirm(question):
        raise CommandFailed("nothing was removed")


def _size(kept_in: str) -> str:
    if is_postgresql(kept_in):
        return "; PostgreSQL uses their space again"
    return f"; {kept_in} has {Path(kept_in).stat().st_size / 1_000_000:.1f} MB now"
