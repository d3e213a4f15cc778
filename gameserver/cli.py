"""The command line: every command of `gameserver`, under one name."""

from importlib.metadata import version

import click

from gameserver.commands.blame import show_blame
from gameserver.commands.export import export
from gameserver.commands.match import match
from gameserver.commands.play import play
from gameserver.commands.rehearse import rehearse_tournament
from gameserver.commands.replay import replay
from gameserver.commands.running import drain, kick, status, void
from gameserver.commands.serve import serve
from gameserver.commands.show import list_plugins, show_config, show_guide
from gameserver.commands.tournament import tournament
from gameserver.commands.wire_log import show_wire_log


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("gameserver"), prog_name="gameserver")
def main() -> None:
    """One lobby where game bots, telnet users and course clients meet and play."""


for command in (
    serve,
    status,
    kick,
    void,
    drain,
    list_plugins,
    show_config,
    show_guide,
    play,
    show_blame,
    replay,
    export,
    show_wire_log,
    tournament,
    match,
    rehearse_tournament,
):
    main.add_command(command)
