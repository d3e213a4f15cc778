"""The listeners of `gameserver serve`: opening them, telling where they are, and the way to the admin listener."""

import os
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import click
from attrs import evolve

from gameserver.admin.client import Access, NoAccess, access_file, grant
from gameserver.admin.listener import AdminProtocol
from gameserver.cli.common import CommandFailed
from gameserver.config import ListenerSettings
from gameserver.database.address import IN_MEMORY, is_postgresql, shown
from gameserver.transport.listener import Address, ListenError, open_listeners
from gameserver.values import value

_EVERYWHERE = frozenset({"*", "0.0.0.0", "::"})  # noqa: S104 - compared, not bound


@value
class Bound:
    """A listener and its sockets."""

    settings: ListenerSettings
    sockets: tuple[socket.socket, ...]

    @property
    def address(self) -> Address:
        """The address at which it listens, with the port that the system picked if it was asked to."""
        return evolve(self.settings.address, port=self.sockets[0].getsockname()[1])

    def reached_at(self, this_machine: str) -> Address:
        """Where to try it; from this machine, where it listens everywhere."""
        address = self.address
        return evolve(address, host=this_machine) if address.host in _EVERYWHERE else address

    @property
    def url(self) -> str:
        """The URL by which this machine reaches it over HTTP."""
        place = self.reached_at("127.0.0.1")
        return f"{'https' if place.tls else 'http'}://{evolve(place, tls=False)}"


class PortInUse(CommandFailed):
    """Another program listens on a port."""


def open_all(wanted: Sequence[ListenerSettings]) -> tuple[Bound, ...]:
    """Listen everywhere that the settings name. Raises `CommandFailed`, naming the first that cannot be."""
    opened: list[Bound] = []
    try:
        for listener in wanted:
            opened.append(_opened(listener))  # noqa: PERF401 - those that are open are closed where one cannot be
    except CommandFailed:
        _close(opened)
        raise
    return tuple(opened)


def look_at_ports(wanted: Sequence[ListenerSettings]) -> None:
    """Find out which ports can never be opened. Raises `CommandFailed`. One that is in use now may be free later."""
    for listener in wanted:
        with suppress(PortInUse):
            _close([_opened(listener, listens=False)])


def _opened(listener: ListenerSettings, *, listens: bool = True) -> Bound:
    try:
        return Bound(listener, tuple(open_listeners(listener.address, listens=listens)))
    except ListenError as error:
        raise (PortInUse if error.is_in_use else CommandFailed)(
            f"{listener.protocol.name} cannot listen on {listener.address}: {error}; choose another with "
            f"listen.{listener.key} in the config or --listen {listener.key}=HOST:PORT"
        ) from error


def _close(opened: Sequence[Bound]) -> None:
    for bound in opened:
        for sock in bound.sockets:
            sock.close()


def grant_access(listening: Sequence[Bound], data: str, token: str, certificate: str, hall: str = "") -> Access | None:
    """Write down how to reach the admin listener, if there is one. Raises `CommandFailed`.

    Not before the journal is open: the file belongs to the one server that has the data file.
    """
    places = _places(listening)
    for bound in listening:
        if bound.settings.protocol.name == AdminProtocol.name:
            try:
                certificate = certificate if bound.address.tls else ""
                return grant(access_file(data, hall), bound.url, token, certificate, places)
            except NoAccess as error:
                raise CommandFailed(str(error)) from error
    return None


def _places(listening: Sequence[Bound]) -> dict[str, str]:
    """The address by which this machine reaches each protocol; in the clear, where it listens for both."""
    places: dict[str, str] = {}
    for bound in sorted(listening, key=lambda one: one.address.tls):
        places.setdefault(bound.settings.key, str(bound.reached_at("127.0.0.1")))
    return places


def show(listening: Sequence[Bound], data: str, access: Access | None, hall: str = "") -> None:
    """Tell where everything is."""
    rows = [("protocol", "profile", "address", "try it")]
    for bound in listening:
        protocol, place = bound.settings.protocol, bound.reached_at("localhost")
        try_it = protocol.try_it.format(host=place.host, port=place.port)
        rows.append((protocol.name, bound.settings.profile, str(bound.address), try_it))
    kept = f"database: {shown(data)}" if is_postgresql(data) else f"data file: {_kept_in(data)}"
    below = [kept, *([f"hall: {hall}"] if hall else []), "stop with Ctrl-C"]
    if access is not None:
        below.insert(0, f"admin: {access.url}, its token is in {access_file(data, hall).absolute()}")
    tell("\n".join((f"gameserver {version('gameserver')}", "", *_table(rows), "", *below)))


def show_stop(data: str, matches: int) -> None:
    """Tell that the server has stopped in good order, and what happens to the matches that were not over."""
    is_one = matches == 1
    running = f"{matches or 'no'} match{'' if matches < 2 else 'es'} {'was' if matches < 2 else 'were'} running"
    if data == IN_MEMORY:
        lost = f", and {'is' if is_one else 'are'} lost" if matches else ""
        tell(f"stopped; {running}{lost}: the data was kept in memory only")
    elif matches:
        go_on = "it goes on" if is_one else "they go on"
        when = "where a server leads next" if is_postgresql(data) else "at the next start"
        tell(f"stopped; {running} and saved in {_kept_in(data)}: {go_on} {when}")
    else:
        tell(f"stopped; {running}; everything is saved in {_kept_in(data)}")


def _kept_in(data: str) -> str:
    if is_postgresql(data):
        return f"the database {shown(data)}"
    return "kept in memory only" if data == IN_MEMORY else str(Path(data).absolute())


def tell(text: str) -> None:
    """Print lines. A reader that has gone, as in `gameserver serve | head -1`, does not end the server."""
    try:
        click.echo(text)
        sys.stdout.flush()
    except OSError:  # on Windows the end of a pipe is an invalid argument
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines with aligned cells, none cut: what is last can be copied. Without rich, to import which takes 0.1 s."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
