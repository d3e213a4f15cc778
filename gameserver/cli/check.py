"""`gameserver check`: a client plays scenario after scenario against a server of the check's own.

Several are played at once, each in a process of its own.
"""

import math
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, NoReturn, TypeVar

import click

from gameserver.check import checker
from gameserver.check.advice import with_plain_first
from gameserver.check.checker import CannotCheck, Terms
from gameserver.check.director import Patience
from gameserver.check.duration import expected_s
from gameserver.check.report import CheckReport, Failure, Level, ScenarioOutcome, ScenarioResult, verdict
from gameserver.check.reports import badge, html_report, json_report, junit, text_report
from gameserver.check.scenario import Library, Scenario, of_directory, of_package
from gameserver.check.server_under_check import HOST
from gameserver.cli.bot_processes import told_to_end
from gameserver.cli.client_options import (
    check_command,
    command_argument,
    connect_option,
    login_time,
    login_time_option,
    protocol_named,
    protocol_option,
)
from gameserver.cli.common import CommandFailed, WrongSettings, config_option, kept_directory, quiet_log
from gameserver.cli.effective_config import effective
from gameserver.plugins import Plugins
from gameserver.protocol import WireProtocol
from gameserver.transport.listener import Address, ListenError, open_listeners
from gameserver.values import value

_FORMS: dict[str, Callable[[CheckReport], str]] = {"html": html_report, "json": json_report, "junit": junit}
_WIDTH_MAX = 100  # by judgement: longer lines of prose are hard to read

# One may be an accident; where two in a row are not in, the others would take their whole login time each.
_STRANGERS_MAX = 2
"""Scenarios in a row in which the client does not log in; then the others are left out."""
_MARKS = {
    ScenarioOutcome.PASSED: "passed",
    ScenarioOutcome.FAILED: "FAILED",
    ScenarioOutcome.NOT_REACHED: "not reached",
    ScenarioOutcome.NOT_PLAYABLE: "could not be played",
}

_Command = TypeVar("_Command", bound=Callable[..., Any])


@value
class ReportOptions:
    """The user's choice of reports of `gameserver check`."""

    form: str | None
    """A key of `_FORMS`; None for text alone."""
    output: Path | None
    has_badge: bool

    def check(self) -> None:
        """Refuse before a long check which report could not be written after it. Raises `WrongSettings`."""
        if self.output is None:
            return
        if self.form is None:
            raise WrongSettings(f"--output {self.output}: say with --report what to write: {', '.join(_FORMS)}")
        if self.output.is_dir():
            raise WrongSettings(f"--output {self.output}: that is a directory; name a file in it")
        if not self.output.parent.is_dir():
            raise WrongSettings(f"--output {self.output}: there is no directory {self.output.parent}")


def report_options(command: _Command) -> _Command:
    """Gives `gameserver check` the options that become the fields of `ReportOptions`."""
    for option in (
        click.option(
            "--badge", "has_badge", is_flag=True, help="Print Markdown for a README: as picture, and as text."
        ),
        click.option(
            "--output",
            "-o",
            type=click.Path(path_type=Path),
            help="Write the report of --report into this file, and the text to the terminal.",
        ),
        click.option(
            "--report",
            "form",
            type=click.Choice(list(_FORMS)),
            help="Write the report in this form; to standard output, in place of the text, unless --output is given.",
        ),
    ):
        command = option(command)
    return command


# The client's command begins with the first word that is no option, with and without `--` before it.
@click.command(context_settings={"allow_interspersed_args": False})
@command_argument
@click.option("--game", help="The game, as `gameserver plugins` lists it.")
@protocol_option
@connect_option
@click.option("--name", default="client", show_default=True, help="The name that the client is to log in under.")
@click.option(
    "--scenario", "names", multiple=True, metavar="NAME", help="Play only this scenario; it may be given again."
)
@click.option(
    "--scenarios",
    "directories",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A directory with scenarios of your own, which are played, too.",
)
@click.option("--list", "lists", is_flag=True, help="List the scenarios, and play none.")
@click.option(
    "--level",
    type=click.Choice([level.value for level in Level]),
    default=Level.CURIOUS.value,
    show_default=True,
    help="Play the scenarios of this level and the ones that weigh more; `required` is the shortest check.",
)
@click.option("--turn-time", "turn_time_s", type=click.FloatRange(1, 3600), help="Seconds for a turn.")
@login_time_option
@click.option(
    "--memory", "memory_mb", type=click.IntRange(10), default=1000, show_default=True, help="MB that it may use."
)
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=0, help="The port that the client connects to; any by default."
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 16),
    default=1,
    show_default=True,
    help="Scenarios to play at once. With more than the computer has cores, programs may be late that are quick.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed gives other moves and delays.")
@report_options
@config_option
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIRECTORY",
    help="Keep what the client printed in NAME.log, and what passed on the wire in NAME.wire.",
)
def check(
    command: tuple[str, ...],
    config_file: Path | None,
    game: str | None,
    protocol: str,
    names: tuple[str, ...],
    directories: tuple[Path, ...],
    level: str,
    name: str,
    turn_time_s: float | None,
    login_time_s: float | None,
    memory_mb: int,
    port: int,
    jobs: int,
    seed: int,
    keep: Path | None,
    form: str | None,
    output: Path | None,
    *,
    has_badge: bool,
    connect: bool,
    lists: bool,
) -> None:
    """Play scenarios with a client, and report what an event would break.

    COMMAND starts the client, once for each scenario. It may contain {host}, {port}, {name}, {game} and {games}, the
    number of matches to play. It exits with 0 only if the client passes every required scenario. --config has the
    server's plug-ins and games.

    \b
    gameserver check --game Reversi -- java -jar MyBot.jar {host} {port} {name}
    """  # noqa: D301 - click takes the character itself, not the two that a raw string has
    (wanted := ReportOptions(form, output, has_badge)).check()
    spoken, profile = protocol_named((found := effective(config_file, None, ())[0]), protocol)
    library = _library(spoken, directories)
    if lists:
        _list(library, None if game is None else _game(found, game))
        return
    proper = _game(found, game)
    check_command(command, connect=connect)
    _check_jobs(jobs, port, connect=connect)
    chosen = _chosen(library, proper, Level(level), names)
    _check_name(name, chosen)
    quiet_log()
    with kept_directory(keep, "check") as directory, told_to_end():
        what = (command, spoken.name, proper, name, directory, partial(click.echo, err=True))
        limits = (turn_time_s, login_time(login_time_s, connect=connect), memory_mb * 1_000_000)
        port = _port(spoken, port, connect=connect)
        terms = Terms(*what, *limits, profile, seed, port, keeps_wire=keep is not None)
        results = with_plain_first(_in_order(chosen, _played(terms, config_file, directories, found, chosen, jobs)))
    report = CheckReport(
        command=command,
        protocol=protocol,
        game=proper,
        version=version("gameserver"),
        seed=seed,
        results=results,
        unplayed=_required(checker.wanted(library.scenarios, proper, None, ())) - _required(results),
    )
    _end(report, wanted, len(chosen) - len(results))


def _game(found: Plugins, name: str | None) -> str:
    if name is not None and name.lower() in found.games:
        return found.games[name.lower()].name
    known = ", ".join(sorted(one.name for one in found.games.values()))
    raise WrongSettings(f"--game: {'name the game' if name is None else f'there is no {name!r}'}; there is {known}")


def _check_jobs(jobs: int, port: int, *, connect: bool) -> None:
    if connect and jobs > 1:
        raise WrongSettings("--jobs: with --connect there is one client, which plays one scenario after the other")
    if port and jobs > 1:
        raise WrongSettings("--jobs: scenarios that are played at once need a port each; leave out --port")


def _check_name(name: str, chosen: Sequence[Scenario]) -> None:
    """Raise `WrongSettings` for a name that no client can log in under."""
    if not name.strip():
        raise WrongSettings("--name: the client needs a name to log in under")
    if any(name in scenario.player_names for scenario in chosen):
        raise WrongSettings(f"--name: {name!r} is the name of a player of the check; choose another one")


def _library(protocol: WireProtocol, directories: Sequence[Path]) -> Library:
    """All scenarios for a protocol. Raises `WrongSettings`."""
    library = _library_of(protocol, directories)
    if library.problems:
        raise WrongSettings("\n".join(library.problems))
    if not library.scenarios:
        raise WrongSettings(
            f"--protocol: there are no scenarios for {protocol.name!r}; name a directory of your own with --scenarios"
        )
    return library


def _library_of(protocol: WireProtocol, directories: Sequence[Path]) -> Library:
    """All scenarios for a protocol: its own, and those of directories."""
    library = of_package(protocol.scenarios)
    for directory in directories:
        library += of_directory(directory)
    return library


def _list(library: Library, game: str | None) -> None:
    width = max((len(scenario.name) for scenario in library.scenarios), default=0)
    for level in Level:
        for scenario in library.scenarios:
            if scenario.level is level and (game is None or scenario.suits(game)):
                games = f"  ({', '.join(scenario.games)})" if scenario.games else ""
                click.echo(f"{level.value:<8}  {scenario.name:<{width}}  {scenario.title}{games}")


def _chosen(library: Library, game: str, level: Level, names: Sequence[str]) -> list[Scenario]:
    known = {scenario.name for scenario in library.scenarios}
    for name in names:
        if name not in known:
            raise WrongSettings(f"--scenario: there is no {name!r}; see `gameserver check --list`")
    chosen = checker.wanted(library.scenarios, game, level, names)
    if not chosen:
        raise CommandFailed(f"there is no scenario for {game} among those that are asked for")
    return chosen


def _port(protocol: WireProtocol, port: int, *, connect: bool) -> int:
    """The port for the client; 0 for another one in each scenario.

    One that the user connects to by hand stays the same for all of them: the protocol's own, if that is free.
    """
    if not port and not connect:
        return 0
    why = ""
    # No other port stands in for the one that was asked for: a client may have that one built in.
    for wanted in (port,) if port else (protocol.default_port or 0, 0):
        try:
            (sock, *_) = open_listeners(Address(HOST, wanted))
        except ListenError as error:
            why = f"{HOST}:{wanted} cannot be listened on: {error}"
        else:
            with sock:
                return int(sock.getsockname()[1])
    raise CommandFailed(f"--port: {why}" if port else why)


def _announced(chosen: Sequence[Scenario], jobs: int, *, connect: bool) -> str:
    """The time that it will take, as far as that is known beforehand: longer if the client waits to be called."""
    count = len(chosen)
    least_s, most_s = (
        5 * math.ceil(sum(expected_s(one, is_called=is_called) for one in chosen) / jobs / 5)
        for is_called in (False, True)
    )
    about = f"{least_s} s" if most_s == least_s else f"{least_s} to {most_s} s"
    starts = "you start the client" if connect else "the program starts"
    scenarios, times = ("1 scenario", "once") if count == 1 else (f"{count} scenarios", f"{count} times")
    return f"{scenarios}: about {about}; on top of that {starts} {times}, and thinks"


def _played(
    terms: Terms,
    config_file: Path | None,
    directories: tuple[Path, ...],
    found: Plugins,
    chosen: Sequence[Scenario],
    jobs: int,
) -> Iterator[ScenarioResult]:
    """Play scenarios, and show how it goes; no more if the client does not even log in, or the user stops the check."""
    click.echo(_announced(chosen, jobs, connect=not terms.command), err=True)
    width = max(len(scenario.name) for scenario in chosen)
    strangers, patience = 0, Patience()
    try:
        ready = [checker.prepared(found, terms, scenario) for scenario in chosen]
        playing = (
            _played_at_once(partial(_play, terms, config_file, directories), chosen, jobs)
            if jobs > 1
            else (checker.play(terms, one, patience) for one in ready)
        )
        for number, scenario in enumerate(chosen, 1):
            if jobs == 1:
                click.echo(f"[{number:>2}/{len(chosen)}] {scenario.name:<{width}}  ", nl=False, err=True)
            result = next(playing)
            if jobs > 1:
                click.echo(f"[{number:>2}/{len(chosen)}] {result.name:<{width}}  ", nl=False, err=True)
            click.echo(f"{_MARKS[result.outcome]}, {result.took_ms / 1000:.1f} s", err=True)
            yield result
            strangers = strangers + 1 if result.failure is Failure.NOT_IN else 0
            if strangers == _STRANGERS_MAX:
                playing.close()
                click.echo("The program does not log in, so the other scenarios are not played.", err=True)
                return
    except KeyboardInterrupt:
        # A check of a client that hangs everywhere takes minutes; a user who stops it keeps every finding.
        click.echo("stopped; this is how it went so far", err=True)
    except CannotCheck as error:
        click.echo(err=True)
        raise CommandFailed(str(error)) from error


def _played_at_once(
    play: Callable[[str], ScenarioResult], scenarios: Sequence[Scenario], processes: int
) -> Generator[ScenarioResult, None, None]:
    """The results of scenarios as they come, in any order. Raises `CannotCheck`."""
    # A process for each, not a thread: protocols keep lines that receivers share, which two servers in one process
    # would mix.
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(play, scenario.name) for scenario in scenarios]
        try:
            for future in as_completed(futures):
                yield future.result()
        except BrokenProcessPool as error:
            why = "a process of the check was ended from outside; was there too little memory? Try fewer --jobs"
            raise CannotCheck(why) from error
        finally:
            pool.shutdown(cancel_futures=True)


def _play(terms: Terms, config_file: Path | None, directories: tuple[Path, ...], name: str) -> ScenarioResult:
    found, library, patience = _shared(terms.protocol, config_file, directories)
    scenario = next(scenario for scenario in library.scenarios if scenario.name == name)
    return checker.play(terms, checker.prepared(found, terms, scenario), patience)


@lru_cache(maxsize=1)
def _shared(
    protocol: str, config_file: Path | None, directories: tuple[Path, ...]
) -> tuple[Plugins, Library, Patience]:
    """Everything that the scenarios of this process share. Plug-ins cannot be sent to it, so it finds them anew."""
    quiet_log()
    found, _, _ = effective(config_file, None, ())
    return found, _library_of(found.protocols[protocol], directories), Patience()


def _in_order(chosen: Sequence[Scenario], played: Iterator[ScenarioResult]) -> tuple[ScenarioResult, ...]:
    places = {scenario.name: place for place, scenario in enumerate(chosen)}
    return tuple(sorted(played, key=lambda result: places[result.name]))


def _required(found: Iterable[Scenario | ScenarioResult]) -> int:
    return sum(one.level is Level.REQUIRED for one in found)


def _end(report: CheckReport, wanted: ReportOptions, left_out: int) -> NoReturn:
    """Tell the report, and exit with 0 if all is well that was asked for."""
    click.echo(err=True)
    tell(report, wanted)
    if left_out:
        click.echo(f"Not played: {left_out} more.", err=True)
    raise SystemExit(0 if report.went_well and not left_out else 1)


def tell(report: CheckReport, wanted: ReportOptions) -> None:
    """Prints and writes the report of `gameserver check`. Raises `CommandFailed` for a file that cannot be written."""
    if wanted.form is None or wanted.output is not None:
        is_terminal = sys.stdout.isatty()
        width = min(get_terminal_size().columns, _WIDTH_MAX) if is_terminal else _WIDTH_MAX
        _print(text_report(report, width=width, is_coloured=is_terminal))
    if wanted.form is not None:
        _write(_FORMS[wanted.form](report), wanted.output)
        if wanted.output is None:
            click.echo(verdict(report), err=True)
    if wanted.has_badge:
        _print(f"\n{badge(report)}", err=wanted.form is not None and wanted.output is None)


def _print(text: str, *, err: bool = False) -> None:
    """Print for people. A console that lacks a character, such as one in cp1252, shows its number instead."""
    encoding = (sys.stderr if err else sys.stdout).encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False, err=err)


def _write(text: str, output: Path | None) -> None:
    """Write for programs: always UTF-8, whatever the console has."""
    if output is None:
        click.echo(text.encode(), nl=False)
        return
    try:
        output.write_bytes(text.encode())
    except OSError as error:
        raise CommandFailed(f"cannot write the report to {output}: {error.strerror}") from error
