"""`gameserver serve`: the server, from its settings to its end."""

import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
import trio
from attrs import evolve

from gameserver import logs
from gameserver.admin.client import Access, NoAccess, access_file, read_access
from gameserver.admin.listener import AdminProtocol
from gameserver.authentication.roster import IN_DATABASE, Roster, RosterAway, RosterError
from gameserver.cli.common import CommandFailed, WrongSettings, config_option, data_option
from gameserver.cli.databases import need_driver, postgresql_journal, postgresql_roster
from gameserver.cli.effective_config import effective, listen_option
from gameserver.cli.listeners import Bound, grant_access, open_all, show, show_stop, tell
from gameserver.cli.standby import Candidate, Lead, show_take_over
from gameserver.config import ListenerSettings, Settings, listeners
from gameserver.database.address import IN_MEMORY, has_password, is_postgresql
from gameserver.engine.committer import JournalStopped
from gameserver.error_groups import first_error
from gameserver.journal.journal import Journal, JournalBroken, JournalError, MemoryJournal
from gameserver.journal.recovery import Replayed
from gameserver.journal.sqlite import FileInUse, SqliteJournal, exposed
from gameserver.plugins import Plugins
from gameserver.processes import RELOAD_SIGNALS, STOP_SIGNALS
from gameserver.server.server import Listening, Server, Setup
from gameserver.server.setup import freeze_gc
from gameserver.transport.reactors import NewReactor, NoReactor, chosen_reactor
from gameserver.transport.tls import Certificate, CertificateError

OPEN_FILES = 10_240
"""The files that macOS lets a process open, where its limit reads as none."""

_ROSTER_PAUSE_S = 0.5

log = logs.get_logger()


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
    lines = logs.configure(settings.log.level, as_json=settings.log.json or log_json)
    for mishap in found.problems:
        click.echo(f"gameserver: {mishap.source} is skipped: {mishap.why}", err=True)
    _allow_many_sockets()
    wanted = listeners(settings, found.protocols)
    is_shared = is_postgresql(settings.data)
    listening: Sequence[Bound] = () if is_shared else open_all(wanted)
    try:
        with _signals_noted() as noted:
            lead = None
            if is_shared:
                lead = _lead(found, settings, wanted, noted)
                if lead is None:
                    tell("stopped; this server did not lead")
                    return
                listening = lead.listening
            journal = _open_journal(settings, accept_damage=accept_damage) if lead is None else lead.journal
            token = options[AdminProtocol.name].token
            access = grant_access(listening, settings.data, token, settings.tls.certificate, settings.hall.name)
            if access is not None:
                options[AdminProtocol.name] = evolve(options[AdminProtocol.name], token=access.token)
            certificate = _read_certificate(settings)
            setup = _setup(found, settings, options, listening, certificate)
            begun = partial(_show, listening, settings, access, lead)
            serving = partial(_serve, setup, journal, begun, settings.match.drain_s, certificate, noted)
            saved = trio.run(serving, None if lead is None else lead.replayed)
            show_stop(settings.data, saved)
    except* JournalStopped as stopped:
        lines.close()
        raise CommandFailed(f"stopped: {first_error(stopped)}") from None
    except* (JournalBroken, JournalError) as broken:
        lines.close()
        raise CommandFailed(str(first_error(broken))) from None
    finally:
        if settings.data == IN_MEMORY:
            access_file(IN_MEMORY).unlink(missing_ok=True)


def _lead(found: Plugins, settings: Settings, wanted: Sequence[ListenerSettings], noted: Sequence[int]) -> Lead | None:
    """Stand by until this server leads; None if it was asked to stop before.

    What the settings name is read at once, to be refused now and not in the middle of a take-over.
    """
    need_driver()
    certificate = _read_certificate(settings)
    if settings.lobby.roster != IN_DATABASE:
        _read_roster(settings)
    _reactor(settings)
    if has_password(settings.data):
        log.warning("the setting data has a password in it", do="keep it in a file that PGPASSFILE names")
    opens = partial(postgresql_journal, settings.data, settings.journal.synchronous, settings.hall.name)
    return Candidate(opens, wanted, noted, partial(_reload, certificate), settings.hall.name).lead(found.games)


def _show(listening: Sequence[Bound], settings: Settings, access: Access | None, lead: Lead | None) -> None:
    """Tell where everything is, and what a take-over took."""
    show(listening, settings.data, access, settings.hall.name)
    if lead is not None:
        show_take_over(lead)


def _setup(
    found: Plugins,
    settings: Settings,
    options: dict[str, Any],
    listening: Sequence[Bound],
    certificate: Certificate | None,
) -> Setup:
    """Makes the server's setup of settings and plug-ins."""
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
        reactor=_reactor(settings),
    )


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
            if not isinstance(error, RosterAway) or time.monotonic() > give_up_s:
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


def _reactor(settings: Settings) -> NewReactor:
    """The reactor that the settings name. Raises `WrongSettings`."""
    try:
        return chosen_reactor(settings.sockets.reactor)
    except NoReactor as error:
        raise WrongSettings(f"sockets.reactor: {error}") from error


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


@contextmanager
def _signals_noted() -> Iterator[list[int]]:
    """Note who wants the server to stop before it can do so in good order: while the journal is opened.

    Whoever wants the certificate to be read again has come too early, or too late, and must not end the process.
    """
    noted: list[int] = []
    before = {number: signal.signal(number, lambda number, _: noted.append(number)) for number in STOP_SIGNALS}
    before |= {number: signal.signal(number, lambda _, __: None) for number in RELOAD_SIGNALS}
    try:
        yield noted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _run_to_the_end(server: Server, scope: trio.CancelScope, task_status: trio.TaskStatus[None]) -> None:
    await server.run(task_status)
    scope.cancel()


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
            resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, OPEN_FILES), hard))
