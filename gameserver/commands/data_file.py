"""Which server, or which records, a command is about: those of a data file.

The name of the file is all that is looked for in the config. What else is in there was for the server
to refuse, and to know whether it is right takes every plug-in.
"""

from pathlib import Path

import click

from gameserver.commands.refused import WrongSettings
from gameserver.config_file import DATA_FILE, ConfigError, data_file, read_file

config_option = click.option(
    "--config", "config_file", type=click.Path(path_type=Path), help="A TOML file with settings."
)


def _named(_context: click.Context, _option: click.Parameter, data: str | None) -> str | None:
    if data == "":
        raise WrongSettings("--data: name a file, or :memory:")
    return data


data_option = click.option("--data", callback=_named, help="The data file; :memory: keeps nothing.")


def data_of(config_file: Path | None, data: str | None) -> str:
    """The data file, as `gameserver serve` with the same options has it. Raises `WrongSettings`."""
    if data is not None or config_file is None:
        return data or DATA_FILE
    try:
        return data_file(read_file(config_file))
    except ConfigError as error:
        raise WrongSettings(f"{config_file}: {error}") from error
