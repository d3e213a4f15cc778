"""The settings that a command works with, and the options that every such command has."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from attrs import evolve

from gameserver import plugins
from gameserver.commands.refused import WrongSettings
from gameserver.config import ConfigError, Settings, listeners, parse_listen, read_file, structure

config_option = click.option(
    "--config", "config_file", type=click.Path(path_type=Path), help="A TOML file with settings."
)
data_option = click.option("--data", help="The data file; :memory: keeps nothing.")
listen_option = click.option(
    "--listen", multiple=True, metavar="PROTOCOL[:PROFILE]=HOST:PORT", help="Where a protocol listens; may be repeated."
)


def effective(
    config_file: Path | None, data: str | None, listen: Sequence[str]
) -> tuple[plugins.Plugins, Settings, dict[str, Any]]:
    """The plug-ins and settings that a command works with."""
    try:
        raw = {} if config_file is None else read_file(config_file)
        named = raw.get("plugins", [])
        found = plugins.load(named if isinstance(named, list) else ())
        settings, options = structure(raw, found.protocols)
        if data is not None:
            settings = evolve(settings, data=data)
        settings = evolve(settings, listen=dict(settings.listen) | parse_listen(listen))
        listeners(settings, found.protocols)
    except ConfigError as error:
        where = "" if config_file is None else f"{config_file}: "
        raise WrongSettings(f"{where}{error}") from error
    return found, settings, options
