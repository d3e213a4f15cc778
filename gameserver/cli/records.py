"""`gameserver export`, `verify` and `blame`: finished matches for other programs, their chance, the reasons of losses.

The records are opened read-only, because a server may be running on the same database.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import click

from gameserver.cli.common import (
    CommandFailed,
    WrongSettings,
    config_option,
    csv_option,
    data_of,
    data_option,
    hall_of,
    output_option,
    write_file,
)
from gameserver.cli.databases import postgresql_records
from gameserver.cli.effective_config import effective
from gameserver.cli.output import write_data
from gameserver.core.events import SeatsBy
from gameserver.database import sqlite
from gameserver.database.address import IN_MEMORY, is_postgresql
from gameserver.database.connection import DatabaseConnection, DatabaseError
from gameserver.exports import fairness
from gameserver.exports.matches import (
    NotReadable,
    csv_lines,
    json_lines,
    match_rows,
    move_rows,
    played_match,
    score_sheet,
)
from gameserver.plugins import Plugins
from gameserver.records import store
from gameserver.records.explanations import blame, explain_no_shows, explain_pairing
from gameserver.records.match_record import MatchRecord, read_restarts
from gameserver.records.reader import with_restarts
from gameserver.records.tournament_record import no_shows_in, read_attendance
from gameserver.tournaments.csv_text import CsvStyle

_MATCHES, _MOVES, _SHEETS, _CHANCE = "matches", "moves", "text", "chance"
_ROWS = (_MATCHES, _MOVES)


@contextmanager
def records(config_file: Path | None, data: str | None) -> Iterator[DatabaseConnection]:
    """Opens, by settings, the records in which commands like `blame` look things up.

    Raises `CommandFailed` where they cannot be read.
    """
    try:
        with open_records(data_of(config_file, data), hall_of(config_file)) as connection:
            yield connection
    except DatabaseError as error:
        raise CommandFailed(str(error)) from error


def open_records(data: str, hall: str = "") -> AbstractContextManager[DatabaseConnection]:
    """Opens a data file or database, to read it, for the commands that look up what is on record.

    The connection raises `DatabaseError`, and this `CommandFailed`.
    """
    if is_postgresql(data):
        return postgresql_records(data, hall)
    path = Path(data)
    if data == IN_MEMORY or not path.is_file():
        raise CommandFailed(f"there is no data file {data}; name the server's with --data, or its --config")
    return sqlite.read_only(path)


def record_or_fail(connection: DatabaseConnection, match: int) -> MatchRecord:
    """Reads the record of a match for a command. Raises `CommandFailed` where there is none."""
    record = store.read_match(connection, match)
    if record is None:
        raise CommandFailed(f"there is no finished match {match} on record")
    return record


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


def _of_match(connection: DatabaseConnection, match: int) -> Sequence[str]:
    record = record_or_fail(connection, match)
    return blame(with_restarts(record, read_restarts(connection, record.opened_ms)))


def _of_tournament(connection: DatabaseConnection, tournament: int | None, pairing: int | None) -> Sequence[str]:
    record = None if tournament is None else store.read_tournament(connection, tournament)
    if record is None:
        raise CommandFailed(f"there is no tournament {tournament} on record")
    no_shows = no_shows_in(read_attendance(connection, tournament=tournament))
    if pairing is None:
        return explain_no_shows(record, no_shows)
    lines = explain_pairing(record, pairing, no_shows)
    if not lines:
        raise CommandFailed(f"there is no pairing {pairing} in tournament {tournament}")
    return lines


@click.command()
@click.argument("what")
@click.argument("matches", type=int, nargs=-1, metavar="[MATCH]...")
@click.option(
    "--format",
    "lines",
    type=click.Choice(["jsonl", "csv"]),
    default="jsonl",
    help="Format of `matches` and `moves`; `csv` if --csv is given.",
)
@csv_option
@click.option("--game", help="Only matches of this game.")
@click.option("--player", help="Only matches of this player.")
@output_option
@config_option
@data_option
def export(
    what: str,
    matches: Sequence[int],
    lines: str,
    csv_style: str | None,
    game: str | None,
    player: str | None,
    output: Path | None,
    config_file: Path | None,
    data: str | None,
) -> None:
    """Export finished matches.

    WHAT is `matches` or `moves` (a row each), `text` (a score sheet for every game), `chance` (what `gameserver verify`
    checks, JSON lines only), or a format of the game's own: `sgf` for Reversi, Go and Hex, `pgn` for chess, `mat` for
    Backgammon and its family. Without a MATCH, all are written.
    """
    style = CsvStyle(csv_style or CsvStyle.ENGLISH) if csv_style or lines == "csv" else None
    plugins, _, _ = effective(config_file, data, ())
    formats = sorted({name for one in plugins.games.values() for name in one.exports})
    if what not in {*_ROWS, _SHEETS, _CHANCE, *formats}:
        raise WrongSettings(f"{what!r} cannot be exported; there is {', '.join([*_ROWS, _SHEETS, _CHANCE, *formats])}")
    if what == _CHANCE and style is not None:
        raise WrongSettings("the chance of matches is written as JSON lines alone: leave the format out")
    with records(config_file, data) as connection:
        chosen: Iterable[MatchRecord]
        if matches:
            chosen = [record_or_fail(connection, number) for number in matches]
        else:
            chosen = store.read(connection, game=game, player=player)
        arenas = store.arenas_on_record(connection) if what == _MATCHES and style is not None else ()
        if what == _CHANCE:
            chances = _chances(connection, chosen, is_whole=not (matches or game or player))
            texts = json_lines(fairness.chance_rows(chances))
        else:
            texts = _texts(what, style, chosen, plugins, named=bool(matches), arenas=arenas)
        if output is None:
            write_data(texts)
        else:
            write_file(output, texts, as_csv=style is not None)


def _chances(
    connection: DatabaseConnection, matches: Iterable[MatchRecord], *, is_whole: bool
) -> Iterator[fairness.Chance]:
    """The chance of matches. With all of them go epochs and tournaments, by which it is seen that none is missing."""
    if is_whole:
        yield from reversed(store.read_epochs(connection))
        yield from store.read_tournaments(connection)
    seeds = store.told_seeds(connection)
    yield from (fairness.chance_of(one, seeds) for one in matches)


def _texts(
    what: str,
    style: CsvStyle | None,
    chosen: Iterable[MatchRecord],
    plugins: Plugins,
    *,
    named: bool,
    arenas: Collection[int],
) -> Iterator[str]:
    """The output. Rows are JSON lines without a style of CSV."""
    if what in _ROWS:
        rows = match_rows(chosen, arenas) if what == _MATCHES else move_rows(chosen)
        yield from json_lines(rows) if style is None else csv_lines(rows, style)
    elif what == _SHEETS:
        for number, record in enumerate(chosen):
            yield ("\n" if number else "") + score_sheet(record)
    else:
        for record in chosen:
            yield from _in_format(what, record, plugins, named=named)


def _in_format(what: str, record: MatchRecord, plugins: Plugins, *, named: bool) -> Iterator[str]:
    """The match in a format of its game; one that has none is left out, with a word if it was asked for by number."""
    game = plugins.games.get(record.game.lower())
    if game is not None and what not in game.exports:
        if named:
            click.echo(f"gameserver: match {record.match} is left out: {record.game} has no {what}", err=True)
        return
    try:
        match = played_match(record, plugins.games)
        yield match.game.exports[what](match)
    except NotReadable as error:
        click.echo(f"gameserver: match {record.match} is left out: {error}", err=True)


class _NotToldYet(CommandFailed):
    exit_code = 3


@click.command(name="verify")
@click.argument("what", required=False, metavar="[MATCH|FILE]")
@click.option("--tournament", "-t", type=int, help="Verify the lots and all matches of this tournament (a number).")
@config_option
@data_option
def verify_chance(what: str | None, tournament: int | None, config_file: Path | None, data: str | None) -> None:
    """Verify that dice, seats and lots follow from the seeds that were committed to.

    Of a MATCH or a tournament on record, of a FILE that `export chance` has written, for which no server is needed, or
    else of everything on record. Exits with 1 after a fault, with 3 if a secret is not told yet.
    """
    if what is not None and tournament is not None:
        raise WrongSettings("name a match, a file, or a tournament with --tournament, not two of them")
    try:
        games = effective(config_file, data, ())[0].games
        if what is not None and not what.isdecimal():
            click.echo(f"{what}: {_verify_file(Path(what), games)}")
            return
        with records(config_file, data) as connection:
            if what is not None:
                click.echo(_verify_match(connection, int(what), games))
            elif tournament is not None:
                click.echo(f"tournament {tournament}: lots and {_verify_tournament(connection, tournament, games)}")
            else:
                click.echo(fairness.verify(_chances(connection, store.read(connection), is_whole=True), games))
    except fairness.ChanceFault as fault:
        raise CommandFailed(str(fault)) from fault
    except fairness.NotTold as early:
        raise _NotToldYet(str(early)) from early
    # A draw that is no number, for one.
    except ValueError as error:
        raise CommandFailed(f"the records hold what no server writes: {error}") from error


def _verify_file(path: Path, games: fairness.Games) -> str:
    try:
        with path.open("rb") as file:
            return fairness.verify(fairness.read_rows(file), games)
    except OSError as error:
        raise CommandFailed(f"{path} cannot be read: {error.strerror or error}") from error


def _verify_match(connection: DatabaseConnection, number: int, games: fairness.Games) -> str:
    (one,) = _chances(connection, [record_or_fail(connection, number)], is_whole=False)
    assert isinstance(one, fairness.ChanceRow), "a match was asked for"
    told = f"match {number}: {fairness.draws_as_committed(fairness.verify_match(one))}"
    if one.seats_by is not SeatsBy.DRAWN:
        told += f", the seats were given by {one.seats_by.value}"
    try:
        fairness.replay(one, games)
    except NotReadable as error:
        told += f"; it cannot be replayed: {error}"
    return told


def _verify_tournament(connection: DatabaseConnection, number: int, games: fairness.Games) -> str:
    record = store.read_tournament(connection, number)
    if record is None:
        raise CommandFailed(f"there is no tournament {number} on record")
    if not record.seed:
        raise fairness.NotTold(
            f"tournament {number}: its seed is told when it is over, and no match is played any more"
        )
    found = (store.read_match(connection, one.match) for one in record.pairings if one.match)
    return fairness.verify([record, *_chances(connection, filter(None, found), is_whole=False)], games)
