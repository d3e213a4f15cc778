"""The settings that a command works with, as `gameserver serve` reads them: the whole config, with every plug-in."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from attrs import evolve

from gameserver import plugins
from gameserver.cli.common import WrongSettings
from gameserver.config import Settings, listeners, parse_listen, structure
from gameserver.config_file import ConfigError, read_file
from gameserver.database.address import is_postgresql

listen_option = click.option(
    "--listen", multiple=True, metavar="PROTOCOL[:PROFILE]=HOST:PORT", help="Where a protocol listens. May be repeated."
)


def effective(
    config_file: Path | None, data: str | None, listen: Sequence[str]
) -> tuple[plugins.Plugins, Settings, dict[str, Any]]:
    """The plug-ins and settings that a command works with."""
    try:
        raw = {} if config_file is None else read_file(config_file)
        named = raw.get("plugins", [])
        if config_file is not None and named:
            _look_beside(config_file)
        found = plugins.load(named if isinstance(named, list) else ())
        settings, options = structure(raw, found.protocols)
        if data is not None:
            settings = evolve(settings, data=data)
        settings = evolve(settings, listen=dict(settings.listen) | parse_listen(listen))
        listeners(settings, found.protocols)
        _check_hall(settings)
    except ConfigError as error:
        where = "" if config_file is None else f"{config_file}: "
        raise WrongSettings(f"{where}{error}") from error
    return found, settings, options


def _check_hall(settings: Settings) -> None:
    """Refuse a hall where there can be only one. Raises `ConfigError`."""
    name, data = settings.hall.name, settings.data
    if name and not is_postgresql(data):
        raise ConfigError(
            f"hall.name: {data} is no PostgreSQL database, so there can be no hall {name!r} beside others; leave the"
            " name out"
        )


def _look_beside(config_file: Path) -> None:
    """Let plug-ins be modules beside the config file. Last on the path, so that none hides an installed module."""
    folder = str(config_file.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
