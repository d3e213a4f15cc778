"""Commands that show something: `gameserver plugins`, `config`, `help`, and a player's `wire-log`."""

from collections.abc import Sequence
from pathlib import Path

import click
import tomli_w
from attrs import evolve
from rich.table import Table

from gameserver.cli.common import CommandFailed, WrongSettings, config_option, data_option, plain_console
from gameserver.cli.effective_config import effective, listen_option
from gameserver.cli.output import write_data
from gameserver.config import listeners, to_raw
from gameserver.database.address import shown
from gameserver.wire_log.files import older, path_of


@click.command(name="wire-log")
@click.argument("player")
@config_option
def show_wire_log(player: str, config_file: Path | None) -> None:
    """Print a player's wire log, which the server keeps if wire_log.directory is set."""
    _, settings, _ = effective(config_file, None, (), needs_games=False)
    if not settings.wire_log.directory:
        raise CommandFailed(
            "no wire logs are kept: set wire_log.directory in the server's config, and name that file with --config"
        )
    path = path_of(Path(settings.wire_log.directory), player)
    files = [each for each in (older(path), path) if each.is_file()]
    if not files:
        raise CommandFailed(
            f"there is no wire log of {player!r} in {settings.wire_log.directory}; names are case-sensitive"
        )
    for file in files:
        write_data([file.read_text("utf-8")])


@click.command(name="plugins")
@config_option
def list_plugins(config_file: Path | None) -> None:
    """List the games, protocols and libraries of games that were found, and what is left out."""
    found, _, _ = effective(config_file, None, ())
    table = Table("kind", "name", "from")
    kinds = {"game": [game.name for game in found.games.values()], "protocol": found.protocols}
    for kind, names in {**kinds, "library": found.libraries}.items():
        for name in sorted(names):
            table.add_row(kind, name, found.sources[name])
    plain_console().print(table)
    for problem in found.problems:
        click.echo(f"skipped: {problem.source}: {problem.why}", err=True)


@click.command(name="config")
@config_option
@data_option
@listen_option
def show_config(config_file: Path | None, data: str | None, listen: Sequence[str]) -> None:
    """Print the settings in force, as TOML."""
    found, settings, options = effective(config_file, data, listen, needs_games=False)
    # A connection string may have a password in it.
    settings = evolve(settings, data=shown(settings.data))
    write_data([tomli_w.dumps(to_raw(settings, options, listeners(settings, found.protocols)))])


@click.command(name="help")
@click.argument("protocol")
@config_option
def show_guide(protocol: str, config_file: Path | None) -> None:
    """Show the page of a protocol: every message, every policy, every difference from the original."""
    found, _, _ = effective(config_file, None, (), needs_games=False)
    wanted = found.protocols.get(protocol)
    if wanted is None:
        raise WrongSettings(f"there is no protocol {protocol!r}; there is {', '.join(found.protocols)}")
    if not wanted.guide.strip():
        click.echo(f"{protocol} ({wanted.title}) has no page; it comes from {found.sources[protocol]}")
        return
    click.echo(wanted.guide)
