"""`gameserver serve`: the server, from its settings and listeners to its end.

Over a database that several servers share, it stands by, then leads:

    ports looked at -> stand by ... lead -> ports opened -> the rest as with a data file

No port is opened before this server leads, so whoever looks for the leader by its ports finds it.
"""

import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import trio
from attrs import define, evolve

from gameserver import logs
from gameserver.admin.client import Access, NoAccess, access_file, grant, read_access
from gameserver.admin.listener import AdminProtocol
from gameserver.authentication.roster import IN_DATABASE, Roster, RosterError
from gameserver.cli.common import CommandFailed, WrongSettings, config_option, data_option
from gameserver.cli.databases import need_driver, postgresql_journal, postgresql_roster
from gameserver.cli.effective_config import effective, listen_option
from gameserver.config import ListenerSettings, Settings, listeners
from gameserver.database.address import IN_MEMORY, has_password, is_postgresql, shown
from gameserver.engine.committer import JournalStopped
from gameserver.game import Game
from gameserver.journal.journal import Journal, JournalBroken, JournalError
from gameserver.journal.recovery import Replayed
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.journal.sqlite import FileInUse, SqliteJournal, exposed
from gameserver.logs import first_error
from gameserver.plugins import Plugins
from gameserver.server.server import Listening, Server, Setup
from gameserver.server.setup import freeze_gc
from gameserver.server.standby import Lead, Standby
from gameserver.system import RELOAD_SIGNALS, STOP_SIGNALS
from gameserver.transport.listener import Address, ListenError, open_listeners
from gameserver.transport.tls import Certificate, CertificateError
from gameserver.values import value

log = logs.get_logger()

_EVERYWHERE = frozenset({"*", "0.0.0.0", "::"})  # noqa: S104 - compared, not bound

_PORTS_S = 10.0
"""The time for which a leader that has died on the same machine may still have the ports."""
_PAUSE_S = 0.1
_CONFIRM_EVERY_S = 1.0  # PostgreSQL ends a connection that it heard nothing from for 3 s

_ROSTER_PAUSE_S = 0.5

_OPEN_FILES = 10_240
"""The files that macOS lets a process open, where its limit reads as none."""


@value
class _Bound:
    """A listener of the server that is started, and its sockets."""

    settings: ListenerSettings
    sockets: tuple[socket.socket, ...]

    @property
    def address(self) -> Address:
        """The address at which a started listener listens, with the port that the system picked if it was asked to."""
        return evolve(self.settings.address, port=self.sockets[0].getsockname()[1])

    def reached_at(self, this_machine: str) -> Address:
        """The address to try a started listener at; from this machine, where it listens everywhere."""
        address = self.address
        return evolve(address, host=this_machine) if address.host in _EVERYWHERE else address

    @property
    def url(self) -> str:
        """The URL by which this machine reaches a started listener over HTTP."""
        place = self.reached_at("127.0.0.1")
        return f"{'https' if place.tls else 'http'}://{evolve(place, tls=False)}"


@click.command()
@config_option
@data_option
@listen_option
@click.option("--log-json", is_flag=True, help="Log as JSON, one object per line.")
@click.option(
    "--accept-damage",
    is_flag=True,
    help="Start though the data file's write-ahead log is damaged: copy both files, and go on without what is lost.",
)
def serve(
    config_file: Path | None, data: str | None, listen: Sequence[str], *, log_json: bool, accept_damage: bool
) -> None:
    """Start the server. Ctrl-C or SIGTERM stops it, a second one stops it at once; matches go on at the next start."""
    with freeze_gc():
        found, settings, options = effective(config_file, data, listen)
    lines = logs.configure(settings.log.level, as_json=log_json)
    for mishap in found.problems:
        click.echo(f"gameserver: {mishap.source} is skipped: {mishap.why}", err=True)
    _allow_many_sockets()
    wanted = listeners(settings, found.protocols)
    is_shared = is_postgresql(settings.data)
    # A data file has one server, so a port that is taken is told before the journal is opened.
    listening: Sequence[_Bound] = () if is_shared else open_all(wanted)
    try:
        with _signals_noted() as noted:
            lead = None
            if is_shared:
                led = _lead(found, settings, wanted, noted)
                if led is None:
                    _tell("stopped; this server did not lead")
                    return
                lead, listening = led
            journal = _open_journal(settings, accept_damage=accept_damage) if lead is None else lead.journal
            token = options[AdminProtocol.name].token
            access = _grant_access(listening, settings.data, token, settings.tls.certificate, settings.hall.name)
            if access is not None:
                options[AdminProtocol.name] = evolve(options[AdminProtocol.name], token=access.token)
            certificate = _read_certificate(settings)
            setup = _setup(found, settings, options, listening, certificate)
            begun = partial(_show, listening, settings, access, lead, setup.url)
            serving = partial(_serve, setup, journal, begun, settings.match.drain_s, certificate, noted)
            saved = trio.run(serving, None if lead is None else lead.replayed)
            _show_stop(settings.data, saved)
    except* JournalStopped as stopped:
        lines.close()
        raise CommandFailed(f"stopped: {first_error(stopped)}") from None
    except* (JournalBroken, JournalError) as broken:
        lines.close()
        raise CommandFailed(str(first_error(broken))) from None
    finally:
        if settings.data == IN_MEMORY:
            access_file(IN_MEMORY).unlink(missing_ok=True)


def _lead(
    found: Plugins, settings: Settings, wanted: Sequence[ListenerSettings], noted: Sequence[int]
) -> tuple[Lead, Sequence[_Bound]] | None:
    """Stand by until this server leads, and open its ports; None if it was asked to stop before.

    What the settings name is read at once, to be refused now and not in the middle of a take-over.
    """
    need_driver()
    certificate = _read_certificate(settings)
    if settings.lobby.roster != IN_DATABASE:
        _read_roster(settings)
    if has_password(settings.data):
        log.warning("the setting data has a password in it", do="keep it in a file that PGPASSFILE names")
    opens = partial(postgresql_journal, settings.data, settings.journal.synchronous, settings.hall.name)
    return Candidate(opens, wanted, noted, partial(_reload, certificate), settings.hall.name).lead(found.games)


def _setup(
    found: Plugins,
    settings: Settings,
    options: dict[str, Any],
    listening: Sequence[_Bound],
    certificate: Certificate | None,
) -> Setup:
    return Setup(
        games=found.games,
        listening=tuple(
            Listening(
                bound.settings.protocol,
                bound.sockets,
                bound.settings.profile,
                options[bound.settings.protocol.name],
                certificate.context if certificate is not None and bound.address.tls else None,
            )
            for bound in listening
        ),
        rules=settings.rules(),
        limits=settings.limits,
        options_of=options,
        mishaps={protocol.name: protocol.mishaps for protocol in found.protocols.values()},
        house=settings.lobby.house_players,
        house_terms=settings.house,
        commit_retry_s=settings.journal.commit_retry_s,
        roster=_read_roster(settings),
        wire_log=settings.wire_log,
        hall=settings.hall,
        free_bytes=partial(_free_bytes, settings.data),
        seasons=settings.season,
    )


def _free_bytes(data: str) -> int | None:
    """The bytes left on the disk of a data file; None for a database, or data in memory."""
    is_file = not is_postgresql(data) and data != IN_MEMORY
    return shutil.disk_usage(Path(data).absolute().parent).free if is_file else None


async def _serve(
    setup: Setup,
    journal: Journal,
    begun: Callable[[], None],
    drain_s: float,
    certificate: Certificate | None,
    noted: Sequence[int],
    replayed: Replayed | None,
) -> int:
    """Serve until the signals say otherwise; `noted` are those that came before anybody could listen.

    `replayed` is what the journal has, if it was read already. Gives the number of matches that go on later.
    """
    with trio.open_signal_receiver(*STOP_SIGNALS, *RELOAD_SIGNALS) as signals:
        with freeze_gc():
            server = Server(setup, journal, replayed)
        async with trio.open_nursery() as nursery:
            await nursery.start(_run_to_the_end, server, nursery.cancel_scope)
            begun()
            # Signals that came while the journal was opened.
            if noted:
                server.request_stop()
            asked = False
            async for number in signals:
                if number in RELOAD_SIGNALS:
                    _reload(certificate)
                elif drain_s and not asked:
                    asked = True
                    server.drain(drain_s, f"{signal.Signals(number).name} was received", "the operator")
                else:
                    server.request_stop()
    return server.live_matches


async def _run_to_the_end(server: Server, scope: trio.CancelScope, task_status: trio.TaskStatus[None]) -> None:
    await server.run(task_status)
    scope.cancel()


@contextmanager
def _signals_noted() -> Iterator[list[int]]:
    """Note who wants the server to stop before it can do so in good order: while the journal is opened.

    Whoever wants the certificate to be read again has come too early, or too late, and must not end the process.
    """
    noted: list[int] = []
    before = {number: signal.signal(number, lambda number, _: noted.append(number)) for number in STOP_SIGNALS}
    # The default of SIGHUP would end the process.
    before |= {number: signal.signal(number, lambda _, __: None) for number in RELOAD_SIGNALS}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _reload(certificate: Certificate | None) -> None:
    """Read the certificate again, renewed now and then; one that cannot be used leaves the old one in force."""
    if certificate is None:
        return
    try:
        certificate.load()
    except CertificateError as error:
        log.warning("the certificate was not read again", why=str(error))
    else:
        log.info("certificate read again", certificate=str(certificate.certificate))


def _read_roster(settings: Settings) -> Roster:
    """The roster, read for the first time. A database that is away then may be back soon. Raises `WrongSettings`."""
    lobby = settings.lobby
    shared = postgresql_roster(settings.data) if lobby.roster == IN_DATABASE else None
    path = Path(lobby.roster) if lobby.roster and shared is None else None
    roster = Roster(path, trio.current_time, lobby.roster_only, lobby.gammonx_secret_required, shared)
    give_up_s = time.monotonic() + settings.journal.commit_retry_s
    while True:
        try:
            roster.load()
        except RosterError as error:
            if not error.is_away or time.monotonic() > give_up_s:
                raise WrongSettings(f"lobby.roster: {error}") from error
        else:
            return roster
        time.sleep(_ROSTER_PAUSE_S)


def _read_certificate(settings: Settings) -> Certificate | None:
    """The certificate, if there is one. Raises `WrongSettings`."""
    if not settings.tls.certificate:
        return None
    certificate = Certificate(Path(settings.tls.certificate), Path(settings.tls.key or settings.tls.certificate))
    try:
        certificate.load()
    except CertificateError as error:
        raise WrongSettings(f"tls.certificate: {error}") from error
    return certificate


def _open_journal(settings: Settings, *, accept_damage: bool) -> Journal:
    if settings.data == IN_MEMORY:
        return MemoryJournal()
    path = Path(settings.data)
    try:
        journal = SqliteJournal(path, settings.journal.synchronous, accept_damage=accept_damage)
    except FileInUse as error:
        if error.process is None:
            raise FileInUse(path, _noted_process(settings.data)) from None
        raise
    if journal.lost:
        log.warning("transactions of the data file are lost", why=journal.lost, last_row=journal.last())
    found = " ".join(map(str, exposed(path)))
    if found:
        log.warning("others on this machine can read the codes and dice of live matches", do=f"chmod 600 {found}")
    return journal


def _noted_process(data: str) -> int | None:
    """The process that the access file names: the server that has the data file wrote it at its start."""
    try:
        return read_access(access_file(data)).process or None
    except NoAccess:
        return None


def _allow_many_sockets() -> None:
    """Use as many open files as the system grants; each connection is one. Windows has no such limit on sockets."""
    if sys.platform != "win32":
        import resource  # noqa: PLC0415 - not on every platform

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        # macOS says that there is no limit, and refuses to take that for an answer (setrlimit(2) there).
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            return
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, _OPEN_FILES), hard))


def _show(listening: Sequence[_Bound], settings: Settings, access: Access | None, lead: Lead | None, url: str) -> None:
    show(listening, settings.data, access, settings.hall.name, url)
    if lead is not None:
        _show_take_over(lead)


@define(eq=False)
class Candidate:
    """A server over a shared database that is started and wants to lead.

    `noted` are the signals that came while nobody could act on them.
    """

    _open_journal: Callable[[], Journal]
    _listeners: Sequence[ListenerSettings]
    _noted: Sequence[int]
    _reload: Callable[[], None]
    """Called at SIGHUP."""
    _hall: str = ""

    def lead(self, games: Mapping[str, Game[Any]]) -> tuple[Lead, Sequence[_Bound]] | None:
        """Stand by until this server leads, then open its ports; None if it was asked to stop before."""
        # A wrong address is told now, and not in the middle of a take-over.
        _look_at_ports(self._listeners)
        waiting = Standby(self._open_journal, games, _tell, self._prepare, self._hall)
        found = trio.run(self._stand_by, waiting)
        if found is None:
            waiting.close()
            return None
        try:
            return found, self._opened(found)
        except BaseException:
            found.journal.close()
            raise

    async def _stand_by(self, waiting: Standby) -> Lead | None:
        found, is_stopped = None, bool(self._noted)

        async def obey(scope: trio.CancelScope) -> None:
            nonlocal is_stopped
            async for number in signals:
                if number in RELOAD_SIGNALS:
                    self._reload()
                else:
                    is_stopped = True
                    scope.cancel()

        with trio.open_signal_receiver(*STOP_SIGNALS, *RELOAD_SIGNALS) as signals:
            if not is_stopped:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(obey, nursery.cancel_scope)
                    found = await waiting.lead()
                    nursery.cancel_scope.cancel()
        return None if is_stopped else found

    def _prepare(self) -> None:
        """Import and make what connections need, so that nobody waits for it once this server leads."""
        with freeze_gc():
            for protocol in {listener.protocol.name: listener.protocol for listener in self._listeners}.values():
                protocol.prepare()

    def _opened(self, lead: Lead) -> Sequence[_Bound]:
        """Open the ports. A leader that has died on this machine may need a moment to let go of them."""
        began_s = confirmed_s = time.monotonic()
        while True:
            try:
                return open_all(self._listeners)
            except PortInUse:
                waited_s = time.monotonic() - began_s
                if self._noted or waited_s > (_PORTS_S if lead.stood_by else 0.0):
                    raise
            time.sleep(_PAUSE_S)
            # While it waits for its ports nobody else keeps the session alive that holds the lead.
            if time.monotonic() - confirmed_s > _CONFIRM_EVERY_S:
                with suppress(JournalError):  # it may pass; nobody is told anything before the next one succeeds
                    lead.journal.confirm()
                confirmed_s = time.monotonic()


def _look_at_ports(wanted: Sequence[ListenerSettings]) -> None:
    """Find out which ports can never be opened. Raises `CommandFailed`. One that is in use now may be free later."""
    for listener in wanted:
        with suppress(PortInUse):
            _close([_opened(listener, listens=False)])


class PortInUse(CommandFailed):
    """Another program listens on a port that the server is to open."""


def open_all(wanted: Sequence[ListenerSettings]) -> tuple[_Bound, ...]:
    """Opens every port on which `gameserver serve` is to listen.

    Raises `CommandFailed`, naming the first that cannot be.
    """
    opened: list[_Bound] = []
    try:
        for listener in wanted:
            opened.append(_opened(listener))  # noqa: PERF401 - those that are open are closed where one cannot be
    except CommandFailed:
        _close(opened)
        raise
    return tuple(opened)


def _opened(listener: ListenerSettings, *, listens: bool = True) -> _Bound:
    try:
        return _Bound(listener, tuple(open_listeners(listener.address, listens=listens)))
    except ListenError as error:
        raise (PortInUse if error.is_in_use else CommandFailed)(
            f"{listener.protocol.name} cannot listen on {listener.address}: {error}; choose another with "
            f"listen.{listener.key} in the config or --listen {listener.key}=HOST:PORT"
        ) from error


def _close(opened: Sequence[_Bound]) -> None:
    for bound in opened:
        for sock in bound.sockets:
            sock.close()


def _grant_access(
    listening: Sequence[_Bound], data: str, token: str, certificate: str, hall: str = ""
) -> Access | None:
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


def _places(listening: Sequence[_Bound]) -> dict[str, str]:
    """The address by which this machine reaches each protocol; in the clear, where it listens for both."""
    places: dict[str, str] = {}
    for bound in sorted(listening, key=lambda one: one.address.tls):
        places.setdefault(bound.settings.key, str(bound.reached_at("127.0.0.1")))
    return places


def show(listening: Sequence[_Bound], data: str, access: Access | None, hall: str = "", url: str = "") -> None:
    """Tells at the start of the server where everything is; `url` is where others find the pages."""
    rows = [("protocol", "profile", "address", "try it")]
    for bound in listening:
        protocol, place = bound.settings.protocol, bound.reached_at("localhost")
        try_it = protocol.try_it.format(host=place.host, port=place.port)
        rows.append((protocol.name, bound.settings.profile, str(bound.address), try_it))
    kept = f"database: {shown(data)}" if is_postgresql(data) else f"data file: {_kept_in(data)}"
    below = [kept, *([f"hall: {hall}"] if hall else []), "stop with Ctrl-C"]
    if url:
        below.insert(0, f"pages: {url}")
    if access is not None:
        below.insert(0, f"admin: {access.url}, its token is in {access_file(data, hall).absolute()}")
    _tell("\n".join((f"gameserver {version('gameserver')}", "", *_table(rows), "", *below)))


def _show_stop(data: str, matches: int) -> None:
    """Tell that the server has stopped in good order, and what happens to the matches that were not over."""
    is_one = matches == 1
    running = f"{matches or 'no'} match{'' if matches < 2 else 'es'} {'was' if matches < 2 else 'were'} running"
    if data == IN_MEMORY:
        lost = f", and {'is' if is_one else 'are'} lost" if matches else ""
        _tell(f"stopped; {running}{lost}: the data was kept in memory only")
    elif matches:
        go_on = "it goes on" if is_one else "they go on"
        when = "where a server leads next" if is_postgresql(data) else "at the next start"
        _tell(f"stopped; {running} and saved in {_kept_in(data)}: {go_on} {when}")
    else:
        _tell(f"stopped; {running}; everything is saved in {_kept_in(data)}")


def _kept_in(data: str) -> str:
    if is_postgresql(data):
        return f"the database {shown(data)}"
    return "kept in memory only" if data == IN_MEMORY else str(Path(data).absolute())


def _tell(text: str) -> None:
    """Prints lines of `gameserver serve`.

    A reader that has gone, as in `gameserver serve | head -1`, does not end the server.
    """
    try:
        click.echo(text)
        sys.stdout.flush()
    except OSError:  # on Windows the end of a pipe is an invalid argument
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Lines with aligned cells, none cut: what is last can be copied. Without rich, to import which takes 0.1 s."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def _show_take_over(lead: Lead) -> None:
    if lead.stood_by:
        matches = len(lead.replayed.lobby.matches)
        go_on = f"{matches or 'no'} match{'' if matches == 1 else 'es'}"
        _tell(f"took over in {time.monotonic() - lead.since_s:.2f} s, with {go_on} under way")
