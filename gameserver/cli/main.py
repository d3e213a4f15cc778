"""The command line: every command of `gameserver`, under one name.

A command's module is imported when the command is asked for, and not before: with all of them the whole server would be
imported, which takes twenty times as long as Python itself takes to start, and nobody should wait for that to read
`gameserver --help` or `gameserver status`.

Another package may have taken the place of `games` or `protocols`: the names are common ones. A folder `games` where
Python looks first hides ours, and a distribution with a package `games`, installed after ours, writes over it. Either
would end in a traceback about something that is missing.
"""

import gc
import importlib
from importlib import import_module
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, cast

import click

from gameserver.cli.output import replace_what_cannot_be_shown

_OURS = ("games", "protocols")
_APART = "give gameserver an environment of its own: pipx install, uvx, or a new virtual environment"


def _package_clash() -> str | None:
    """The sentence about a package that has taken the place of ours, and what to do; None if all are ours."""
    beside = Path(__file__).parents[2]
    for name in _OURS:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            return f"its package {name!r} is missing from {beside}; install gameserver again"
        origin, ours = Path(spec.origin), beside / name / "__init__.py"
        if origin.resolve() != ours.resolve():
            return _hidden(name, origin)
        # The file is where ours should be, but pip lets a distribution that is installed later write over it.
        if getattr(importlib.import_module(name), "PART_OF", None) != "gameserver":
            by = _distribution_of(ours) or "another package of this name"
            return f"its package {name!r} in {beside} was written over by {by}; {_APART}"
    return None


def _hidden(name: str, origin: Path) -> str:
    place = origin.parent if origin.name == "__init__.py" else origin
    if place.parent.resolve() == Path.cwd():
        return f"its package {name!r} is hidden by {place}; start gameserver in another folder, or rename that one"
    found = _distribution_of(origin)
    of = f" of {found}" if found else ""
    return f"its package {name!r} is hidden by {place}{of}, which Python finds first; {_APART}"


def _distribution_of(file: Path) -> str | None:
    """The distribution that installed a file, apart from our own, where pip knows it."""
    for found in distributions():
        if found.name != "gameserver" and any(
            file.name == path.name and Path(str(found.locate_file(path))).resolve() == file.resolve()
            for path in found.files or ()
        ):
            return f"the distribution {found.name} {found.version}"
    return None


class _CommandEntry(NamedTuple):
    """The place of a command in the code, as `module:NAME`, and the first sentence of its help."""

    where: str
    summary: str


COMMANDS = {
    "serve": _CommandEntry("gameserver.cli.serve:serve", "Start the server."),
    "status": _CommandEntry(
        "gameserver.cli.admin:status",
        "Show the state of the server: players, matches, rooms, queues; who leads and who stands by.",
    ),
    "kick": _CommandEntry("gameserver.cli.admin:kick", "End a player's connection."),
    "void": _CommandEntry("gameserver.cli.admin:void", "End a match without a loser."),
    "drain": _CommandEntry(
        "gameserver.cli.admin:drain", "Start no new matches, and stop the server when the running ones are over."
    ),
    "tournament": _CommandEntry(
        "gameserver.cli.tournament:tournament",
        "Manage tournaments: create, start, pause, correct, inspect, export; `run` holds a whole one.",
    ),
    "ladder": _CommandEntry(
        "gameserver.cli.ladder:ladder", "Open the ladder of a game, where programs play all day; close it, or show it."
    ),
    "season": _CommandEntry(
        "gameserver.cli.season:season", "Show or export the table of a season: points, grades, teams, who missed which."
    ),
    "match": _CommandEntry(
        "gameserver.cli.match:match",
        "Have FIRST and SECOND play each other, and report which one is better and by how much.",
    ),
    "check": _CommandEntry(
        "gameserver.cli.check:check", "Play scenarios with a client, and report what an event would break."
    ),
    "rehearse": _CommandEntry(
        "gameserver.cli.rehearse:rehearse_tournament",
        "Play a tournament in virtual time, with players who move at random, and report how long it takes.",
    ),
    "proxy": _CommandEntry(
        "gameserver.cli.proxy:proxy",
        "Stand between clients and a server, and do to their connections what a bad network does.",
    ),
    "replay": _CommandEntry(
        "gameserver.cli.replay:replay", "Step through a finished match, or play it again to a client."
    ),
    "blame": _CommandEntry(
        "gameserver.cli.records:show_blame",
        "Explain why a finished match was lost, or the no-shows and withdrawals of a tournament.",
    ),
    "export": _CommandEntry("gameserver.cli.records:export", "Export finished matches."),
    "records": _CommandEntry(
        "gameserver.cli.prune:records_group", "Thin the records: remove the moves of old matches, and keep all results."
    ),
    "verify": _CommandEntry(
        "gameserver.cli.records:verify_chance",
        "Verify that dice, seats and lots follow from the seeds that were committed to.",
    ),
    "copy": _CommandEntry(
        "gameserver.cli.copy:copy_data",
        "Copy all data of a server to another database: live matches, records, ratings, tournaments.",
    ),
    "wire-log": _CommandEntry(
        "gameserver.cli.show:show_wire_log",
        "Print a player's wire log, which the server keeps if wire_log.directory is set.",
    ),
    "roster": _CommandEntry(
        "gameserver.cli.roster:roster",
        "Make secrets for a class list, so that nobody can log in under another's name.",
    ),
    "plugins": _CommandEntry(
        "gameserver.cli.show:list_plugins",
        "List the games, protocols and libraries of games that were found, and what is left out.",
    ),
    "config": _CommandEntry("gameserver.cli.show:show_config", "Print the settings in force, as TOML."),
    "help": _CommandEntry(
        "gameserver.cli.show:show_guide",
        "Show the page of a protocol: every message, every policy, every difference from the original.",
    ),
    "play": _CommandEntry("gameserver.cli.play:play", "Play a game at this terminal, without a server."),
}


class _Commands(click.Group):
    """The commands of `gameserver`, imported one at a time."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run the command of `gameserver` that is asked for."""
        # Before all else, as click prints `--help` and its errors without invoking anything.
        replace_what_cannot_be_shown()
        return super().main(*arguments, **options)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, unless another package has taken the place of `games` or `protocols`."""
        clash = _package_clash()
        if clash is not None:
            click.echo(f"gameserver: {clash}", err=True)
            ctx.exit(1)
        return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands of `gameserver`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the module of a command of `gameserver`; None where there is no such command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, name = entry.where.partition(":")
        gc.disable()  # it would look through all that is imported, again and again, for garbage that is not there
        try:
            return cast("click.Command", getattr(import_module(module), name))
        finally:
            gc.enable()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands for `gameserver --help` without importing any; click would ask each for its summary."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in COMMANDS.items()])


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="gameserver", prog_name="gameserver")
def main() -> None:
    """One lobby where game bots, telnet users and course clients meet and play."""
