"""`gameserver tournament`: a teacher's hand on the tournaments of the server that runs."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click
import orjson

from gameserver.admin.client import AdminClient
from gameserver.cli import tournament_text as tables
from gameserver.cli.admin import by_option, of_running_server, running_server, why_option
from gameserver.cli.agreement import agreed, maybe_why_option, yes_option
from gameserver.cli.common import CommandFailed, csv_option, plain_console, print_line
from gameserver.cli.output import write_data
from gameserver.cli.tournament_gathering import ask_for_absent, yes_to_start_option
from gameserver.cli.tournament_options import (
    OfTournament,
    creation,
    number_of,
    plan_options,
    student_ids_in,
    tournament_option,
)
from gameserver.cli.tournament_run import exported, run, warn_of_grades, write_export
from gameserver.exports.tournament_report import EXPORTS
from gameserver.tournaments.act_table import ActField, TeacherAct, teacher_acts
from gameserver.tournaments.losses import NothingToLose, losses
from gameserver.tournaments.model import StartTournament


@click.group()
def tournament() -> None:
    """Manage tournaments: create, start, pause, correct, inspect, export; `run` holds a whole one."""


@tournament.command()
@click.argument("name")
@plan_options
@maybe_why_option
@by_option
@of_running_server
def create(name: str, config_file: Path | None, data: str | None, why: str, by: str, **plan: Any) -> None:
    """Announce a tournament called NAME. `gameserver tournament start` begins it."""
    with running_server(config_file, data) as server:
        made = server.post("tournaments", **creation(name, **plan, by=by), why=why)
    kind = f"{tables.format_of(made)} at {made['game']}, {tables.turn_time(made)}"
    click.echo(f"tournament {made['number']}, {made['name']}, is gathering: {kind}")
    tables.warn(made)


def act_command(name: str, act: TeacherAct) -> click.Command:
    """The command for an act: what it needs are arguments, the rest are options."""

    def command(config_file: Path | None, data: str | None, which: str | None, **asked: Any) -> None:
        is_sure = asked.pop("yes", True)
        with running_server(config_file, data) as server:
            number = number_of(server, which)
            if act.type is StartTournament:
                view = server.get("tournaments", str(number))
                ask_for_absent(f"tournament {name}", server.get("status"), view, is_sure=is_sure)
            if act.is_destructive:
                asked["why"] = _asked_again(server, number, name, asked, is_sure=is_sure)
            after = server.post("tournaments", str(number), name, **asked)
        chosen = {
            field.name: choice.words
            for field in act.fields
            for choice in field.choices
            if choice.value == asked[field.name]
        }
        click.echo(act.done_to.format_map(after | asked | chosen))

    why = why_option if act.needs_why and not act.is_destructive else maybe_why_option
    asks = act.is_destructive or act.type is StartTournament
    yes = yes_option if act.is_destructive else yes_to_start_option
    options = (of_running_server, by_option, why, *((yes,) if asks else ()), tournament_option)
    for option in (*options, *map(_parameter, reversed(act.fields))):
        command = option(command)
    return click.command(name=name, help=act.help, cls=OfTournament)(command)


def _asked_again(server: AdminClient, number: int, name: str, asked: dict[str, Any], *, is_sure: bool) -> str:
    """The reason for a destructive act, once the person at the terminal has agreed to what is lost."""

    def tell() -> list[str]:
        view = server.get("tournaments", str(number))
        try:
            return [f"{teacher_acts()[name].button}: {view['name']}", *losses(name, view, asked)]
        except NothingToLose as refused:
            raise CommandFailed(str(refused)) from refused

    return agreed(f"tournament {name}", tell, asked["why"], is_sure=is_sure)


def _parameter(field: ActField) -> Callable[[Any], Any]:
    kind: Any = click.STRING
    if field.is_number:
        kind = click.IntRange(1 if field.is_needed else 0, field.most)
    elif field.choices:
        kind = click.Choice([choice.value for choice in field.choices])
    if field.is_needed:
        return click.argument(field.name, type=kind)
    return click.option(f"--{field.name.replace('_', '-')}", type=kind, default=field.blank, help=field.help)


for _name, _act in teacher_acts().items():
    tournament.add_command(act_command(_name, _act))


@tournament.command(name="list")
@of_running_server
def list_tournaments(config_file: Path | None, data: str | None) -> None:
    """List all tournaments."""
    with running_server(config_file, data) as server:
        console = plain_console()
        console.print(tables.listing(server.get("tournaments")["tournaments"], console.width))


def _show(name: str, words: str, draw: Callable[[tables.View, int], Any]) -> None:
    """A command that shows something of one tournament."""

    @tournament.command(name=name, help=words, cls=OfTournament)
    @tournament_option
    @click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
    @of_running_server
    def show(config_file: Path | None, data: str | None, which: str | None, *, as_json: bool) -> None:
        with running_server(config_file, data) as server:
            view = server.get("tournaments", str(number_of(server, which)))
        if as_json:
            write_data([orjson.dumps(view, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()])
            return
        console = plain_console()
        console.print(tables.headline(view))
        tables.warn(view)
        for line in tables.to_decide(view):
            print_line(console, line)
        console.print(draw(view, console.width))


_show("status", "Show the tournament's state and its open pairings.", tables.matches)
_show("pairings", "Show every pairing with its result.", partial(tables.matches, only_open=False))
_show(
    "standings",
    "Show the standings, with tie-breaks and, while it runs, the 95 % interval of each rank by strength.",
    tables.standings,
)
_show("crosstable", "Show everybody's results: by opponent, in a Swiss by round.", tables.crosstable)


@tournament.command(cls=OfTournament)
@click.argument("kind", type=click.Choice(list(EXPORTS)))
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file instead of standard output.",
)
@click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A table with the columns `name` and `id`, for the grades; its ids override the server's roster.",
)
@csv_option
@tournament_option
@of_running_server
def export(
    kind: str,
    output: Path | None,
    roster: Path | None,
    csv_style: str | None,
    config_file: Path | None,
    data: str | None,
    which: str | None,
) -> None:
    """Export a tournament: standings, crosstable, matches or grades as CSV, FIDE's report, or JSON lines."""
    with running_server(config_file, data) as server:
        number = number_of(server, which)
        text = exported(server, number, kind, student_ids_in(roster), csv_style)
        if kind == "grades":
            warn_of_grades(server.get("tournaments", str(number))["format"])
    if output is None:
        write_data([text])
        return
    try:
        write_export(output, kind, text)
    except OSError as error:
        raise CommandFailed(f"{output} cannot be written: {error.strerror}") from error
    click.echo(f"wrote {output}")


tournament.add_command(run)
