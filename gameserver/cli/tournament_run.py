"""`gameserver tournament run`: a whole tournament in one command.

It uses the server that runs, or starts one of its own; creates the tournament, or goes on with the one of
that name; waits for the players; shows how it goes; and writes the files to take home. The tournament
itself is the server's: this command can be stopped and run again at any time, and so can the server.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from attrs import evolve
from rich.console import Console
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn
from rich.text import Text

from gameserver.admin.client import AdminApiError, AdminClient, NoAccess, NotReached, client_of
from gameserver.cli import tournament_text as tables
from gameserver.cli.admin import by_option, of_running_server
from gameserver.cli.agreement import is_terminal
from gameserver.cli.common import CommandFailed, csv_option, data_of, hall_of, plain_console, print_line
from gameserver.cli.outage import Outage
from gameserver.cli.own_server import OwnServer
from gameserver.cli.tournament_gathering import (
    absent_people,
    ask_for_absent,
    gathering_line,
    missing_people,
    people_here,
    yes_to_start_option,
)
from gameserver.cli.tournament_options import OVER, creation, plan_options, student_ids_in
from gameserver.cli.tournament_screen import screen
from gameserver.database.address import kept_beside
from gameserver.exports.tournament_report import EXPORTS, file_name, grades_caution, name_in_files

T = TypeVar("T")

POLL_S = 0.5
SILENCE_S = 5.0
"""The time after which a server that was asked how it goes, and does not answer, is away."""


@click.command()
@click.argument("name", required=False)
@plan_options
@click.option(
    "--players",
    type=click.IntRange(min=1),
    help="Start as soon as this many people who take part are logged in. House players do not count.",
)
@click.option("--wait", "wait_s", type=click.FloatRange(min=0), help="Start after this many seconds at the latest.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="The directory for the files; the current one by default.",
)
@csv_option
@yes_to_start_option
@by_option
@of_running_server
def run(
    name: str | None,
    players: int | None,
    wait_s: float | None,
    out: Path,
    csv_style: str | None,
    by: str,
    config_file: Path | None,
    data: str | None,
    *,
    yes: bool,
    **plan: Any,
) -> None:
    """Hold a whole tournament: start it, watch it, write the results.

    Without --players or --wait it begins when you press Enter, and asks again if somebody is missing. Run it again with
    the same NAME to go on watching.
    """
    console = plain_console()
    name = name or f"{plan['preset']} {plan['game']}"
    with _server(console, data_of(config_file, data), config_file, data) as server:
        try:
            number = _patiently(console, lambda: _found_or_created(server, name, plan, by))
            console.print(f"{name} is tournament {number}", soft_wrap=True)
            tables.warn(_patiently(console, lambda: server.get("tournaments", str(number))))
            _gather(console, server, number, players, wait_s, by, plan["entry"], is_sure=yes)
            view = _watch(console, evolve(server, timeout_s=SILENCE_S), number)
            console.print(tables.standings(view, console.width))
            for path in _write_all(console, server, number, out, student_ids_in(plan["roster"]), csv_style):
                console.print(f"wrote {path}", soft_wrap=True)
        except (NotReached, AdminApiError) as error:
            raise CommandFailed(str(error)) from error
        except KeyboardInterrupt:
            raise CommandFailed(f"stopped watching; run this again to go on with {name!r}") from None


@contextmanager
def _server(console: Console, kept_in: str, config_file: Path | None, data: str | None) -> Iterator[AdminClient]:
    """The server that runs with these settings, or else one that is started, and stopped in the end."""
    hall = hall_of(config_file)
    try:
        server = client_of(kept_in, hall)
        server.get("tournaments")
    except (NoAccess, NotReached):
        pass
    else:
        yield server
        return
    _check_settings(config_file, data)
    options = [*(["--config", str(config_file)] if config_file else []), *(["--data", data] if data else [])]
    log_file = Path(f"{kept_beside(kept_in, hall)}.log")
    console.print(f"starting a server; its log is {log_file}", soft_wrap=True)
    own = OwnServer(options, kept_in, log_file, hall)
    try:
        yield own.start()
    finally:
        own.stop()
        console.print("stopped the server that this command had started; its data is kept")


def _check_settings(config_file: Path | None, data: str | None) -> None:
    """Say here what the server would only write to its log. Raises `WrongSettings`."""
    # Every plug-in is imported for it, which is not worth the time where a server runs already.
    from gameserver.cli.effective_config import effective  # noqa: PLC0415 - see above

    effective(config_file, data, ())


def _found_or_created(server: AdminClient, name: str, plan: dict[str, Any], by: str) -> int:
    """The tournament of this name that is not over, or a new one."""
    listed = server.get("tournaments")["tournaments"]
    found = [one["number"] for one in listed if one["name"] == name and one["phase"] not in OVER]
    if found:
        return int(found[-1])
    made = server.post("tournaments", **creation(name, **plan, by=by))
    click.echo(f"{tables.format_of(made)} at {made['game']}, {tables.turn_time(made)}")
    return int(made["number"])


def _gather(
    console: Console,
    server: AdminClient,
    number: int,
    players: int | None,
    wait_s: float | None,
    by: str,
    entry: str,
    *,
    is_sure: bool = False,
) -> None:
    """Wait for the players, and begin."""
    if not _gathers(console, server, number):
        return
    waits = players is not None or wait_s is not None
    if waits:
        give_up_s = None if wait_s is None else time.monotonic() + wait_s
        _wait_for(console, server, number, players, give_up_s, entry)
    elif is_terminal():
        click.prompt("Press Enter to begin", default="", show_default=False, prompt_suffix="")
    lobby = _patiently(console, lambda: server.get("status"))
    view = _patiently(console, lambda: server.get("tournaments", str(number)))
    ask_for_absent("tournament run", lobby, view, is_sure=is_sure or waits)
    # A command that was killed while it began the tournament may have begun it.
    while _gathers(console, server, number):
        with suppress(NotReached):
            server.post("tournaments", str(number), "start", by=by)


def _gathers(console: Console, server: AdminClient, number: int) -> bool:
    phase = _patiently(console, lambda: server.get("tournaments", str(number))["phase"])
    return bool(phase == "gathering")


def _patiently(console: Console, ask: Callable[[], T]) -> T:
    """The server's answer; a server that is away for a while is waited for."""
    outage = Outage(partial(print_line, console))
    while True:
        try:
            answer = ask()
        except NotReached:
            outage.begin()
            time.sleep(POLL_S)
        else:
            outage.end()
            return answer


def _wait_for(
    console: Console, server: AdminClient, number: int, players: int | None, give_up_s: float | None, entry: str
) -> None:
    line, said, told = "", "", None
    with console.status("") as status:
        while give_up_s is None or time.monotonic() < give_up_s:
            lobby = _patiently(console, lambda: server.get("status"))
            view = _patiently(console, lambda: server.get("tournaments", str(number)))
            here = people_here(lobby, view, entry)
            if players is not None and len(here) >= players:
                return
            absent = absent_people(view, here)
            line = gathering_line(here, absent, players)
            status.update(Text(line))
            awaited = (missing_people(here, players), absent)
            # A line for everybody who comes or goes would hide those that tell who is still missing.
            if awaited != told and not console.is_terminal:
                console.print(line, soft_wrap=True)
                said = line
            told = awaited
            time.sleep(POLL_S)
    if line != said and not console.is_terminal:
        console.print(line, soft_wrap=True)  # the time is up: who is here takes part


def _watch(console: Console, server: AdminClient, number: int) -> tables.View:
    """Show how it goes until it is over. A server that is away for a while is waited for."""
    progress = Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    task = progress.add_task("", total=None)
    outage = Outage((lambda _: None) if console.is_terminal else partial(print_line, console))
    told: set[str] = set()
    view: tables.View = _patiently(console, lambda: server.get("tournaments", str(number)))
    if not console.is_terminal:
        console.print(tables.headline(view), soft_wrap=True)  # a terminal is shown all of it, all the time
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        while view["phase"] not in OVER:
            whole = None if view["left"] is None else view["done"] + view["playing"] + view["left"]
            progress.update(task, completed=view["done"], total=whole)
            for line in tables.to_decide(view):
                if line not in told:
                    print_line(console, line)
                    told.add(line)
            live.update(screen(view, progress, console.width, console.height, outage.note))
            time.sleep(POLL_S)
            try:
                view = server.get("tournaments", str(number))
            except NotReached:
                outage.begin()
            else:
                outage.end()
    console.print(tables.headline(view), soft_wrap=True)
    return view


def _write_all(
    console: Console,
    server: AdminClient,
    number: int,
    out: Path,
    student_ids: Mapping[str, str],
    csv_style: str | None,
) -> Iterator[Path]:
    listed = _patiently(console, lambda: server.get("tournaments")["tournaments"])
    one = next(one for one in listed if one["number"] == number)
    name = one["name"]
    # A later tournament of the same name must not overwrite the files of the first.
    again = any(other["number"] < number and name_in_files(other["name"]) == name_in_files(name) for other in listed)
    try:
        out.mkdir(parents=True, exist_ok=True)
        for kind in EXPORTS:
            path = out / file_name(name, kind, number if again or not name_in_files(name) else None)
            text = _patiently(console, partial(exported, server, number, kind, student_ids, csv_style))
            write_export(path, kind, text)
            if kind == "grades":
                warn_of_grades(one["format"])
            yield path
    except OSError as error:
        raise CommandFailed(f"{error.filename} cannot be written: {error.strerror}") from error


def warn_of_grades(plan_format: str) -> None:
    """Say on standard error that the grades of a tournament of this format mean little, if they do."""
    caution = grades_caution(plan_format)
    if caution:
        click.echo(f"warning: {caution}", err=True)


def exported(
    server: AdminClient, number: int, kind: str, student_ids: Mapping[str, str], csv_style: str | None = None
) -> str:
    """A file to take home. Grades have the ids that are given here, and else those of the server's roster."""
    options: dict[str, Any] = {"student_ids": student_ids} if kind == "grades" and student_ids else {}
    if csv_style is not None:
        options["csv"] = csv_style
    return server.text("tournaments", str(number), "export", kind, **options)


def write_export(path: Path, kind: str, text: str) -> None:
    """Write a file to take home. CSV has a byte order mark, or Excel takes it for something else."""
    encoding = "utf-8-sig" if EXPORTS[kind].is_csv else "utf-8"
    path.write_text(text, encoding=encoding, newline="")
