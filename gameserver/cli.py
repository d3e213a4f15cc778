"""The command line: `gameserver serve`, `plugins`, `config`, `help`, `play`."""

import signal
import socket
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import tomli_w
import trio
from attrs import evolve
from rich.console import Console
from rich.table import Column, Table

from gameserver import logs, plugins
from gameserver.config import (
    ConfigError,
    ListenerSettings,
    Settings,
    listeners,
    parse_listen,
    read_file,
    structure,
    to_raw,
)
from gameserver.journal.log import Journal, JournalBroken
from gameserver.journal.memory import MemoryJournal
from gameserver.journal.sqlite import SqliteJournal
from gameserver.runtime.listener import ListenError, open_listeners
from gameserver.runtime.sequencer import JournalStopped
from gameserver.runtime.server import Listening, Server, Setup

IN_MEMORY = ":memory:"
_EVERYWHERE = frozenset({"*", "0.0.0.0", "::"})  # noqa: S104 - compared, not bound

config_option = click.option(
    "--config", "config_file", type=click.Path(path_type=Path), help="A TOML file with settings."
)
data_option = click.option("--data", help="The data file; :memory: keeps nothing.")
listen_option = click.option(
    "--listen", multiple=True, metavar="PROTOCOL[:PROFILE]=HOST:PORT", help="Where a protocol listens; may be repeated."
)


class Refused(click.ClickException):
    """The command cannot be carried out; one line says why. It exits with 1."""

    def show(self, file: Any = None) -> None:
        """Print the line."""
        click.echo(f"gameserver: {self.format_message()}", err=True, file=file)


class WrongSettings(Refused):
    """The user's settings or arguments cannot be used. It exits with 2."""

    exit_code = 2


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("gameserver"), prog_name="gameserver")
def main() -> None:
    """One lobby where game bots, telnet users and course clients meet and play."""


@main.command()
@config_option
@data_option
@listen_option
@click.option("--log-json", is_flag=True, help="Log as JSON, one object a line.")
def serve(config_file: Path | None, data: str | None, listen: Sequence[str], *, log_json: bool) -> None:
    """Start the server. Ctrl-C or SIGTERM stops it; matches go on at the next start."""
    found, settings, options = _effective(config_file, data, listen)
    log = logs.configure(settings.log.level, as_json=settings.log.json or log_json)
    for problem in found.problems:
        click.echo(f"gameserver: {problem.source} is left out: {problem.why}", err=True)
    wanted = listeners(settings, found.protocols)
    _allow_many_sockets()
    sockets = _open_all(wanted)
    try:
        journal = _open_journal(settings)
        setup = Setup(
            games=found.games,
            listening=tuple(
                Listening(listener.protocol, tuple(bound), listener.profile, options[listener.protocol.name])
                for listener, bound in zip(wanted, sockets, strict=True)
            ),
            rules=settings.rules(),
            limits=settings.limits,
            options_of=options,
            house=settings.lobby.house_players,
            commit_retry_s=settings.journal.commit_retry_s,
        )
        trio.run(_serve, setup, journal, _banner(settings, wanted, sockets))
    except* JournalStopped as stopped:
        log.close()
        raise Refused(f"stopped: {_first_of(stopped)}") from None
    except* JournalBroken as broken:
        raise Refused(str(_first_of(broken))) from None


def _first_of(group: BaseExceptionGroup[Exception]) -> BaseException:
    """The first error in a group of groups."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@main.command(name="plugins")
@config_option
def list_plugins(config_file: Path | None) -> None:
    """List the games and protocols that were found."""
    found, _, _ = _effective(config_file, None, ())
    table = Table("kind", "name", "from")
    for kind, names in (("game", [game.name for game in found.games.values()]), ("protocol", list(found.protocols))):
        for name in sorted(names):
            table.add_row(kind, name, found.sources[name])
    Console().print(table)
    for problem in found.problems:
        click.echo(f"left out: {problem.source}: {problem.why}", err=True)


@main.command(name="config")
@config_option
@data_option
@listen_option
def show_config(config_file: Path | None, data: str | None, listen: Sequence[str]) -> None:
    """Print the settings in force, as TOML."""
    found, settings, options = _effective(config_file, data, listen)
    click.echo(tomli_w.dumps(to_raw(settings, options, listeners(settings, found.protocols))), nl=False)


@main.command(name="help")
@click.argument("protocol")
def show_guide(protocol: str) -> None:
    """Show the page of a protocol: every message, every policy, every difference from the original."""
    found = plugins.load()
    wanted = found.protocols.get(protocol)
    if wanted is None:
        raise WrongSettings(f"there is no protocol {protocol!r}; there is {', '.join(found.protocols)}")
    click.echo(wanted.guide)


class TerminalGames(click.Group):
    """The games that can be played here, found like all plug-ins; only the one that is played is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Their names."""
        return sorted(plugins.terminal_games())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of one; None where there is no such game. One that cannot be used says so, and harms no other."""
        get = plugins.terminal_games().get(cmd_name)
        if get is None:
            return None
        try:
            command = get()
        except Exception as error:  # noqa: BLE001 - whatever a plug-in does while it is loaded, it is reported
            return _unusable(cmd_name, f"{type(error).__name__}: {error}")
        if not isinstance(command, click.Command):
            return _unusable(cmd_name, f"{command!r} is no click command")
        return command


def _unusable(name: str, why: str) -> click.Command:
    def refuse() -> None:
        raise Refused(f"{name} cannot be played: {why}")

    return click.Command(name, callback=refuse, short_help=f"(cannot be played: {why})")


@main.group(cls=TerminalGames)
def play() -> None:
    """Play a game at this terminal, without a server."""


def _effective(
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


def _open_all(wanted: Sequence[ListenerSettings]) -> list[list[socket.socket]]:
    sockets: list[list[socket.socket]] = []
    for listener in wanted:
        try:
            sockets.append(open_listeners(listener.address))
        except ListenError as error:
            raise Refused(
                f"{listener.protocol.name} cannot listen on {listener.address}: {error}; choose another with "
                f"listen.{listener.key} in the config or --listen {listener.key}=HOST:PORT"
            ) from error
    return sockets


def _open_journal(settings: Settings) -> Journal:
    if settings.data == IN_MEMORY:
        return MemoryJournal()
    return SqliteJournal(Path(settings.data), settings.journal.synchronous)


Banner = tuple[Table, str]
"""The table of listeners, and the lines below it."""


def _banner(settings: Settings, wanted: Sequence[ListenerSettings], sockets: Sequence[list[socket.socket]]) -> Banner:
    """What tells where everything is."""
    try_it_column = Column("try it", overflow="fold")  # a command that is cut cannot be copied
    table = Table("protocol", "profile", "address", try_it_column, title=f"gameserver {version('gameserver')}")
    for listener, bound in zip(wanted, sockets, strict=True):
        port = bound[0].getsockname()[1]
        host = listener.address.host
        host = "localhost" if host in _EVERYWHERE else host
        try_it = listener.protocol.try_it.format(host=host, port=port)
        table.add_row(listener.protocol.name, listener.profile, str(evolve(listener.address, port=port)), try_it)
    data = "kept in memory only" if settings.data == IN_MEMORY else str(Path(settings.data).absolute())
    return table, f"data file: {data}\nstop with Ctrl-C"


async def _serve(setup: Setup, journal: Journal, banner: Banner) -> None:
    server = Server(setup, journal)
    with trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async with trio.open_nursery() as nursery:
            await nursery.start(_run_to_the_end, server, nursery.cancel_scope)
            table, below = banner
            Console().print(table)
            click.echo(below)
            sys.stdout.flush()
            async for _ in signals:
                server.request_stop()


async def _run_to_the_end(server: Server, scope: trio.CancelScope, task_status: trio.TaskStatus[None]) -> None:
    await server.run(task_status)
    scope.cancel()


def _allow_many_sockets() -> None:
    """Use as many open files as the system grants; each connection is one."""
    try:
        import resource  # noqa: PLC0415 - not on every platform
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
