"""`gameserver tournament`: a teacher's hand on the tournaments of the server that runs."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
import orjson
from attrs import frozen

from gameserver.cli import tournament_text as tables
from gameserver.cli.admin import by_option, of_running_server, running_server, why_option
from gameserver.cli.common import CommandFailed, plain_console
from gameserver.cli.tournament_options import creation, number_of, plan_options, student_ids_in, tournament_option
from gameserver.cli.tournament_run import exported, run, write_export
from gameserver.core.messages.tournament_commands import RATING_MAX
from gameserver.exports.tournament_report import EXPORTS
from gameserver.tournaments.model import Verdict

_VERDICTS = {
    Verdict.FIRST: "the first player won",
    Verdict.SECOND: "the second player won",
    Verdict.DRAW: "a draw",
    Verdict.BOTH_LOSE: "both lost",
}

maybe_why_option = click.option("--why", default="", metavar="TEXT", help="The reason; it is kept with the act.")


@click.group()
def tournament() -> None:
    """Tournaments: create, start, pause, correct, look, export; `run` does it all in one command."""


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
    click.echo(f"tournament {made['number']}, {made['name']}, is gathering: {made['format']} at {made['game']}")
    tables.warn(made)


@frozen
class _Act:
    """A command for something that is done to a tournament: its help, what it says afterwards, what it asks for.

    `done` is filled with the tournament's summary and with what was asked for.
    """

    words: str
    done: str
    asked: tuple[Callable[[Any], Any], ...] = ()
    why: Callable[[Any], Any] = maybe_why_option


_PLAYER = click.argument("player")
_RATING = click.option(
    "--rating", type=click.IntRange(0, RATING_MAX), default=0, help="For a draw by rating; by default the server's own."
)
_PAIRING = click.argument("pairing", type=click.IntRange(min=1))
_VERDICT = click.argument("verdict", type=click.Choice([verdict.value for verdict in Verdict]))

_ACTS: Mapping[str, _Act] = {
    "start": _Act("Make the draw, and begin.", "{name} begins with {players} players"),
    "pause": _Act("Begin no more matches; those that are being played go on.", "{name} is paused"),
    "resume": _Act("Go on after a pause or a stop.", "{name} goes on"),
    "finish": _Act("Let what is being played end, then stop.", "{name} stops after {playing} matches"),
    "cancel": _Act("End at once; results stay on record.", "{name} was cancelled"),
    "add": _Act(
        "Let a player in, also after the start, also one who was dropped.",
        "{player} takes part in {name}",
        (_PLAYER, _RATING),
    ),
    "drop": _Act(
        "Take a player out; the plan says what becomes of the results.",
        "{player} is out of {name}",
        (_PLAYER,),
        why_option,
    ),
    "disqualify": _Act("Put a player out for good.", "{player} is disqualified from {name}", (_PLAYER,), why_option),
    "void": _Act(
        "Strike a match out; but in an arena, it is played again. `gameserver tournament status` shows the numbers.",
        "pairing {pairing} of {name} is struck out; it is played again, unless this is an arena",
        (_PAIRING,),
        why_option,
    ),
    "correct": _Act(
        "Set a result by hand: who won, by seat.",
        "pairing {pairing} of {name} counts as: {verdict}",
        (_PAIRING, _VERDICT),
        why_option,
    ),
}


def _add_command(name: str, act: _Act) -> None:
    def command(config_file: Path | None, data: str | None, which: str | None, **asked: Any) -> None:
        with running_server(config_file, data) as server:
            after = server.post("tournaments", str(number_of(server, which)), name, **asked)
        if "verdict" in asked:
            asked["verdict"] = _VERDICTS[asked["verdict"]]
        click.echo(act.done.format_map(after | asked))

    for option in (of_running_server, by_option, act.why, tournament_option, *reversed(act.asked)):
        command = option(command)
    tournament.command(name=name, help=act.words)(command)


for _name, _what in _ACTS.items():
    _add_command(_name, _what)


@tournament.command(name="list")
@of_running_server
def list_tournaments(config_file: Path | None, data: str | None) -> None:
    """Show all tournaments there are."""
    with running_server(config_file, data) as server:
        plain_console().print(tables.listing(server.get("tournaments")["tournaments"]))


def _show(name: str, words: str, draw: Callable[[tables.View, int], Any]) -> None:
    """A command that shows something of one tournament."""

    @tournament.command(name=name, help=words)
    @tournament_option
    @click.option("--json", "as_json", is_flag=True, help="Print all there is to know, as JSON.")
    @of_running_server
    def show(config_file: Path | None, data: str | None, which: str | None, *, as_json: bool) -> None:
        with running_server(config_file, data) as server:
            view = server.get("tournaments", str(number_of(server, which)))
        if as_json:
            click.echo(orjson.dumps(view, option=orjson.OPT_INDENT_2).decode())
            return
        console = plain_console()
        console.print(tables.headline(view))
        tables.warn(view)
        for line in tables.to_decide(view):
            console.print(line, soft_wrap=True)
        console.print(draw(view, console.width))


_show("status", "Show where it stands, and the open pairings.", lambda view, _: tables.matches(view))
_show("pairings", "Show every pairing with its result.", lambda view, _: tables.matches(view, only_open=False))
_show("standings", "Show the standings, with tie-breaks and what the results tell apart.", tables.standings)
_show("crosstable", "Show everybody against everybody.", lambda view, _: tables.crosstable(view))


@tournament.command()
@click.argument("kind", type=click.Choice(list(EXPORTS)))
@click.option("--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="A file; else standard output.")
@click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A table with the columns `name` and `id`: the ids in the grades, before those of the server's roster.",
)
@tournament_option
@of_running_server
def export(
    kind: str, output: Path | None, roster: Path | None, config_file: Path | None, data: str | None, which: str | None
) -> None:
    """Write a file to take home: standings, crosstable or grades as CSV, FIDE's report, or JSON lines."""
    with running_server(config_file, data) as server:
        text = exported(server, number_of(server, which), kind, student_ids_in(roster))
    if output is None:
        sys.stdout.write(text)
        return
    try:
        write_export(output, kind, text)
    except OSError as error:
        raise CommandFailed(f"{output} cannot be written: {error.strerror}") from error
    click.echo(f"wrote {output}")


tournament.add_command(run)
