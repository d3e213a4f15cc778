"""`gameserver blame`: explains why a player lost, in a match or without one."""

from collections.abc import Sequence
from pathlib import Path

import click

from gameserver.cli.common import CommandFailed, WrongSettings, config_option, data_option
from gameserver.cli.record_lookup import record_or_fail, records
from gameserver.database.connection import Connection
from gameserver.records.explanations import blame, explain_no_shows, explain_pairing
from gameserver.records.match_record import read_restarts
from gameserver.records.reader import with_restarts
from gameserver.records.store import read_tournament
from gameserver.records.tournament_record import no_shows_in, read_attendance


@click.command(name="blame")
@click.argument("match", type=int, required=False)
@click.option(
    "--tournament", "-t", type=int, help="Explain the no-shows and withdrawals of this tournament (a number)."
)
@click.option("--pairing", type=int, help="With --tournament: explain only this pairing, whatever decided it.")
@config_option
@data_option
def show_blame(
    match: int | None, tournament: int | None, pairing: int | None, config_file: Path | None, data: str | None
) -> None:
    """Explain why a finished match was lost, or the no-shows and withdrawals of a tournament.

    Of a match: the rule, the times, the server and its restarts, the network. Of a pairing: when it was announced, how
    long it waited, what the player's connection did meanwhile, and what was ruled.
    """
    if (match is None) is (tournament is None):
        raise WrongSettings("name a match, or a tournament with --tournament")
    if pairing is not None and tournament is None:
        raise WrongSettings("--pairing needs --tournament: pairings are numbered in each tournament")
    with records(config_file, data) as connection:
        lines = _of_match(connection, match) if match is not None else _of_tournament(connection, tournament, pairing)
        for line in lines:
            click.echo(line)


def _of_match(connection: Connection, match: int) -> Sequence[str]:
    record = record_or_fail(connection, match)
    return blame(with_restarts(record, read_restarts(connection, record.opened_ms)))


def _of_tournament(connection: Connection, tournament: int | None, pairing: int | None) -> Sequence[str]:
    record = None if tournament is None else read_tournament(connection, tournament)
    if record is None:
        raise CommandFailed(f"there is no tournament {tournament} on record")
    no_shows = no_shows_in(read_attendance(connection, tournament=tournament))
    if pairing is None:
        return explain_no_shows(record, no_shows)
    lines = explain_pairing(record, pairing, no_shows)
    if not lines:
        raise CommandFailed(f"there is no pairing {pairing} in tournament {tournament}")
    return lines
