"""`gameserver serve`: the server, from its settings to its end."""

import signal
import socket
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import trio
from attrs import evolve
from rich.console import Console
from rich.table import Column, Table

from gameserver import logs
from gameserver.admin.access import IN_MEMORY, NoAccess, access_file, grant
from gameserver.admin.protocol import AdminProtocol
from gameserver.commands.refused import Refused
from gameserver.commands.settings import config_option, data_option, effective, listen_option
from gameserver.config import ListenerSettings, Settings, listeners
from gameserver.journal.log import Journal, JournalBroken
from gameserver.journal.memory import MemoryJournal
from gameserver.journal.sqlite import SqliteJournal
from gameserver.runtime.listener import ListenError, open_listeners
from gameserver.runtime.sequencer import JournalStopped
from gameserver.runtime.server import Listening, Server, Setup

_EVERYWHERE = frozenset({"*", "0.0.0.0", "::"})  # noqa: S104 - compared, not bound


@click.command()
@config_option
@data_option
@listen_option
@click.option("--log-json", is_flag=True, help="Log as JSON, one object a line.")
def serve(config_file: Path | None, data: str | None, listen: Sequence[str], *, log_json: bool) -> None:
    """Start the server. Ctrl-C or SIGTERM stops it; matches go on at the next start."""
    found, settings, options = effective(config_file, data, listen)
    log = logs.configure(settings.log.level, as_json=settings.log.json or log_json)
    for problem in found.problems:
        click.echo(f"gameserver: {problem.source} is left out: {problem.why}", err=True)
    wanted = listeners(settings, found.protocols)
    _allow_many_sockets()
    sockets = _open_all(wanted)
    try:
        journal = _open_journal(settings)
        admin = _open_admin(settings, options, wanted, sockets)
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
        trio.run(_serve, setup, journal, _banner(settings, wanted, sockets, admin))
    except* JournalStopped as stopped:
        log.close()
        raise Refused(f"stopped: {_first_of(stopped)}") from None
    except* JournalBroken as broken:
        raise Refused(str(_first_of(broken))) from None
    finally:
        if settings.data == IN_MEMORY:
            access_file(IN_MEMORY).unlink(missing_ok=True)


def _first_of(group: BaseExceptionGroup[Exception]) -> BaseException:
    """The first error in a group of groups."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


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


def _open_admin(
    settings: Settings,
    options: dict[str, Any],
    wanted: Sequence[ListenerSettings],
    sockets: Sequence[list[socket.socket]],
) -> str:
    """Write down how to reach the admin listener, and have it know its token. A line that tells where; empty for none.

    Not before the journal is open: the file belongs to the one server that has the data file.
    """
    for listener, bound in zip(wanted, sockets, strict=True):
        if listener.protocol.name == AdminProtocol.name:
            host = listener.address.host
            host = "127.0.0.1" if host in _EVERYWHERE else host
            address = evolve(listener.address, host=host, port=bound[0].getsockname()[1])
            file = access_file(settings.data)
            own = options[AdminProtocol.name]
            try:
                access = grant(file, f"http://{address}", own.token)
            except NoAccess as error:
                raise Refused(str(error)) from error
            options[AdminProtocol.name] = evolve(own, token=access.token)
            return f"admin: {access.url}, its token is in {file.absolute()}\n"
    return ""


Banner = tuple[Table, str]
"""The table of listeners, and the lines below it."""


def _banner(
    settings: Settings, wanted: Sequence[ListenerSettings], sockets: Sequence[list[socket.socket]], admin: str
) -> Banner:
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
    return table, f"{admin}data file: {data}\nstop with Ctrl-C"


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
