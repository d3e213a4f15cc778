"""The settings that a command works with, as `gameserver serve` reads them: the whole config, with every plug-in."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from attrs import evolve

from gameserver import plugins
from gameserver.admin.listener import AdminProtocol
from gameserver.authentication.roster import IN_DATABASE
from gameserver.cli.common import WrongSettings
from gameserver.cli.databases import check_connection_string
from gameserver.config import Settings, listeners, parse_listen, structure
from gameserver.config_file import ConfigError, read_file
from gameserver.database.address import is_postgresql
from gameserver.endpoints import AsgiApp, HttpEndpoint, LazyApp
from gameserver.protocol import WireProtocol

listen_option = click.option(
    "--listen", multiple=True, metavar="PROTOCOL[:PROFILE]=HOST:PORT", help="Where a protocol listens. May be repeated."
)


def effective(
    config_file: Path | None, data: str | None, listen: Sequence[str], *, needs_games: bool = True
) -> tuple[plugins.Plugins, Settings, dict[str, Any]]:
    """Loads a command's effective config, its plug-ins and settings, as `gameserver serve` has them.

    A command that does without the games of libraries need not wait until they are probed, which may take seconds.
    """
    try:
        raw = {} if config_file is None else read_file(config_file)
        named = raw.get("plugins", [])
        if config_file is not None and named:
            _look_beside(config_file)
        # `structure` below refuses any value that is no list, and names the key.
        found = find_plugins(named if isinstance(named, list) else ())
        settings, options = structure(raw, found.configured)
        if data is not None:
            settings = evolve(settings, data=data)
        settings = evolve(settings, listen=dict(settings.listen) | parse_listen(listen))
        listeners(settings, found.protocols)
        _check_shared(settings)
    except ConfigError as error:
        where = "" if config_file is None else f"{config_file}: "
        raise WrongSettings(f"{where}{error}") from error
    if needs_games:
        found = plugins.with_games_of_libraries(found, options)
        _check_ladders(settings, found)
    return found, settings, options


def find_plugins(named: Sequence[str] = (), *, installed: bool = True) -> plugins.Plugins:
    """Finds all plug-ins for the effective config, with the pages and the admin listener, as a server has them."""
    return plugins.load(named, installed=installed, pages=pages, own=[AdminProtocol(OF_TEACHERS)])


# The pages are a third of all modules, and players need none of them. They are imported once a listener needs them.


def pages(protocols: Mapping[str, WireProtocol]) -> AsgiApp:
    """Makes the lobby's pages for the effective config once a listener needs them; they tell of all scenarios."""
    from gameserver.web import application  # noqa: PLC0415 - see above

    return application.pages({name: protocol.scenarios for name, protocol in protocols.items()})


def _teachers_pages() -> AsgiApp:
    from gameserver.web.teacher_application import pages as of_teachers  # noqa: PLC0415 - see above

    return of_teachers()


def teachers_tournaments() -> AsgiApp:
    """Makes the teacher's tournament routes for a command's effective config, once the admin listener needs them."""
    from gameserver.admin.api import APPLICATION  # noqa: PLC0415 - see above

    return APPLICATION


OF_TEACHERS = (
    HttpEndpoint("/api/tournaments", LazyApp(teachers_tournaments)),
    HttpEndpoint("/", LazyApp(_teachers_pages)),
)


def _check_ladders(settings: Settings, found: plugins.Plugins) -> None:
    """Refuse a season with the ladder of a game that there is not. Raises `WrongSettings`."""
    names = [game.name for game in found.games.values()]
    # The game of a plug-in that cannot be used today may be back tomorrow, and the server starts without it.
    for season, one in settings.season.items() if not found.problems else ():
        for game, _ in one.ladders:
            if game not in names:
                raise WrongSettings(f"season.{season}.events: there is no game {game!r}; there is {', '.join(names)}")


def _check_shared(settings: Settings) -> None:
    """Refuse what needs a shared database, and a wrong address of one. Raises `ConfigError` or `WrongSettings`."""
    name, data = settings.hall.name, settings.data
    if is_postgresql(data):
        check_connection_string(data)
        return
    if settings.lobby.roster == IN_DATABASE:
        raise ConfigError(
            f"lobby.roster: {data} is no PostgreSQL database, so the roster has to be a file; for one of the name"
            f" {IN_DATABASE}, write ./{IN_DATABASE}"
        )
    if name:
        raise ConfigError(
            f"hall.name: {data} is no PostgreSQL database, so there can be no hall {name!r} beside others; leave the"
            " name out"
        )


def _look_beside(config_file: Path) -> None:
    """Let plug-ins be modules beside the config file. Last on the path, so that none hides an installed module."""
    folder = str(config_file.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
