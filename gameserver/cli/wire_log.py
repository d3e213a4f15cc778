"""`gameserver wire-log`: prints the wire log of a player."""

from pathlib import Path

import click

from gameserver.cli.common import CommandFailed, config_option
from gameserver.cli.effective_config import effective
from gameserver.cli.output import write_data
from gameserver.wire_log.files import older, path_of


@click.command(name="wire-log")
@click.argument("player")
@config_option
def show_wire_log(player: str, config_file: Path | None) -> None:
    """Print a player's wire log, which the server keeps if wire_log.directory is set."""
    _, settings, _ = effective(config_file, None, ())
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
