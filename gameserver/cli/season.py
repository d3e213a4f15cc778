"""`gameserver season`: the table of a season for the teacher, with students' ids and grades.

It is worked out from the records, which are opened read-only: a server may be running on the same database.
"""

from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import click
from attrs import evolve

from gameserver.authentication.roster import IN_DATABASE, RosterError, read_roster
from gameserver.cli.common import (
    CommandFailed,
    WrongSettings,
    config_option,
    csv_option,
    data_option,
    output_option,
    plain_console,
    write_file,
)
from gameserver.cli.databases import postgresql_roster
from gameserver.cli.effective_config import effective
from gameserver.cli.fitted_table import Field, fitted
from gameserver.cli.output import write_data
from gameserver.cli.records import open_records
from gameserver.config import Settings
from gameserver.database.connection import DatabaseError
from gameserver.records.reader import RecordReader
from gameserver.records.tournament_record import row_of
from gameserver.tournaments.csv_text import CsvStyle
from gameserver.tournaments.podium import Place, places
from gameserver.tournaments.season import (
    SeasonEvent,
    SeasonTable,
    Students,
    points_text,
    rules_in_words,
    season_csv,
    season_table,
    student_id_of,
)


@click.group()
def season() -> None:
    """Show or export the table of a season: points, grades, teams, who missed which.

    NAME is that of a table `[season.NAME]` in the config. The ids and teams are those of the roster in `lobby.roster`.
    """


@season.command()
@click.argument("name")
@config_option
@data_option
def show(name: str, config_file: Path | None, data: str | None) -> None:
    """Show the table of a season, with ids and grades, and its rules."""
    table, student_ids = _table(name, config_file, data)
    console = plain_console()
    console.print(fitted(_fields(table, student_ids), console.width, title=table.title))
    for number, event in enumerate(table.counted, start=1):
        click.echo(f"{number}: {_named(event)}")
    for event in table.events:
        if event.state:
            click.echo(f"does not count: {_named(event)}, {event.state}")
    if table.missing:
        click.echo(f"not on record yet: {', '.join(table.missing)}")
    for team in table.teams:
        click.echo(f"team {team.team}: rank {team.rank}, {points_text(team.points)} by {', '.join(team.players)}")
    for rule in rules_in_words(table):
        click.echo(rule)


@season.command()
@click.argument("name")
@csv_option
@output_option
@config_option
@data_option
def export(name: str, csv_style: str | None, output: Path | None, config_file: Path | None, data: str | None) -> None:
    """Export the table of a season as CSV, with ids and grades."""
    table, student_ids = _table(name, config_file, data)
    text = season_csv(table, CsvStyle(csv_style or CsvStyle.ENGLISH), student_ids)
    if output is None:
        write_data([text])
    else:
        write_file(output, [text], as_csv=True)


def _table(name: str, config_file: Path | None, data: str | None) -> tuple[SeasonTable, dict[str, str]]:
    """The table of a season with everybody on the roster, and the ids of these by name. Raises `CommandFailed`."""
    _, settings, _ = effective(config_file, data, (), needs_games=False)
    wanted = settings.season.get(name)
    if wanted is None:
        known = ", ".join(settings.season) or "none: make one by a table [season.NAME] in the config"
        raise WrongSettings(f"there is no season {name!r}; there is {known}")
    students = _students(settings)
    reader = RecordReader(partial(open_records, settings.data, settings.hall.name))
    try:
        found = reader.season_events(wanted, datetime.now(UTC).date().isoformat())
        events = [one if one.number is None else evolve(one, places=_places(reader, one.number)) for one in found]
    except DatabaseError as error:
        raise CommandFailed(str(error)) from error
    return season_table(name, wanted, events, students), {one: own for one, (own, _) in students.items() if own}


def _named(event: SeasonEvent) -> str:
    return event.name if event.number is None else f"{event.name} (tournament {event.number})"


def _places(reader: RecordReader, number: int) -> tuple[Place, ...]:
    record = reader.tournament(number)
    return () if record is None else places(row_of(record).state)


def _students(settings: Settings) -> Students:
    """Everybody on the roster. Raises `CommandFailed`."""
    try:
        if settings.lobby.roster == IN_DATABASE:
            with closing(postgresql_roster(settings.data)) as shared:
                shared.look()
                listed = shared.listed()
        else:
            listed = read_roster(Path(settings.lobby.roster)) if settings.lobby.roster else {}
    except RosterError as error:
        raise CommandFailed(f"lobby.roster: {error}") from error
    return {name: (one.student_id, one.team) for name, one in listed.items()}


def _fields(table: SeasonTable, student_ids: dict[str, str]) -> list[Field]:
    rows = table.rows
    fields = [
        Field("#", tuple(str(row.rank) for row in rows)),
        Field("id", tuple(student_id_of(row, student_ids) for row in rows), drop=3),
        Field("player", tuple(row.player for row in rows), is_name=True),
        Field("earlier names", tuple(", ".join(row.earlier) for row in rows), is_text=True, drop=1),
        Field("team", tuple(row.team for row in rows), is_text=True, drop=2),
        Field("points", tuple(points_text(row.points) for row in rows)),
    ]
    for at in range(len(table.counted)):
        scores = (row.scores[at] for row in rows)
        fields.append(Field(str(at + 1), tuple("-" if one is None else one.text for one in scores), drop=5))
    fields.append(Field("missed", tuple(str(row.missed) for row in rows), drop=4))
    if table.settings.grades is not None:
        fields.append(Field("grade", tuple(table.grade(row) for row in rows)))
    return fields
