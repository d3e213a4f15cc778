"""`gameserver tournament`: a teacher's hand on the tournaments of the server that runs.

`run` holds a whole tournament in one command. It uses the server that runs, or starts one of its own, which is started
again if it dies, and stopped in the end. It creates the tournament, or goes on with the one of that name; waits for the
players (people count, house players are always there); shows how it goes; and writes the files to take home. The
tournament itself is the server's: this command can be stopped and run again at any time, and so can the server.

The screen fits its terminal: progress, the first ten, then what is played. The terminal cuts a screen that is too high
at its foot. So what must always be seen comes first, and each row has one line: the height is known before anything is
drawn.
"""

import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click
import orjson
from attrs import define, evolve, field
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn
from rich.styled import Styled
from rich.text import Text

from gameserver import system
from gameserver.admin.client import (
    AdminApiError,
    AdminClient,
    NoAccess,
    NotReached,
    access_file,
    client_of,
    read_access,
)
from gameserver.cli import tournament_text as tables
from gameserver.cli.admin import by_option, of_running_server, running_server, why_option
from gameserver.cli.common import (
    CommandFailed,
    agreed,
    confirmed,
    csv_option,
    data_of,
    hall_of,
    is_terminal,
    kept_directory,
    maybe_why_option,
    output_option,
    plain_console,
    print_line,
    write_file,
    yes_option,
)
from gameserver.cli.fitted_table import fitted
from gameserver.cli.output import write_data
from gameserver.cli.tournament_options import (
    OVER,
    OfTournament,
    check_before,
    check_option,
    chosen_plan,
    creation,
    number_of,
    plan_options,
    student_ids_in,
    tournament_option,
)
from gameserver.cli.tournament_text import (
    Outage,
    View,
    matches_fields,
    numbers_rounds,
    open_pairings,
    progress,
    standings_fields,
    title,
    waiting_line,
)
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.database.address import IN_MEMORY, kept_beside
from gameserver.exports.tournament_report import EXPORTS, file_name, grades_caution, name_in_files
from gameserver.tournaments.act_table import ActField, TeacherAct, teacher_acts
from gameserver.tournaments.losses import NothingToLose, losses
from gameserver.tournaments.model import StartTournament

T = TypeVar("T")

POLL_S = 0.5

# By judgement: plug-ins are imported, and a term's journal is replayed.
_START_S = 30.0
"""The time that the server may take until it answers."""
_LOOK_S = 0.1
# An act may take a minute, as it waits for the disk. With that patience a hung server showed as one that runs.
_SILENCE_S = 5.0
"""The time after which a server that was asked how it goes, and does not answer, is away."""


FIRST = 10
"""Lines of the standings that are always there."""
_AROUND = 2
"""Lines of a table besides its rows: its head, and how many rows are left out."""
_yes_to_start_option = click.option("--yes", is_flag=True, help="Begin without asking, whoever is missing.")


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
@check_option
@_yes_to_start_option
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
    only_checks: bool,
    yes: bool,
    **plan: Any,
) -> None:
    """Hold a whole tournament: start it, watch it, write the results.

    Without --players or --wait it begins when you press Enter, and asks again if somebody is missing. Run it again with
    the same NAME to go on watching.
    """
    console = plain_console()
    name = name or f"{chosen_plan(plan['preset'], plan['stages'], ())[0]} {plan['game']}"
    with _server(console, data_of(config_file, data), config_file, data) as server:
        try:
            if only_checks:
                check_before(console, server, creation(name, **plan, by=by))
                return
            number = _patiently(console, lambda: _found_or_created(server, name, plan, by))
            console.print(f"{name} is tournament {number}", soft_wrap=True)
            view = _patiently(console, lambda: server.get("tournaments", str(number)))
            if view.get("join"):
                console.print(f"players see how to join at {view['join']}", soft_wrap=True)
            tables.warn(view)
            _gather(console, server, number, players, wait_s, by, is_sure=yes)
            view = _watch(console, evolve(server, timeout_s=_SILENCE_S), number)
            console.print(tables.standings(view, console.width))
            if view["teams"]:
                console.print(tables.teams(view, console.width))
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
    own = _OwnServer(options, kept_in, log_file, hall)
    try:
        yield own.start()
    finally:
        own.stop()
        console.print("stopped the server that this command had started; its data is kept")


def _check_settings(config_file: Path | None, data: str | None) -> None:
    """Say here what the server would only write to its log. Raises `WrongSettings`."""
    # Every plug-in is imported for it, which is not worth the time where a server runs already.
    from gameserver.cli.effective_config import effective  # noqa: PLC0415 - see above

    effective(config_file, data, (), needs_games=False)


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
    *,
    is_sure: bool = False,
) -> None:
    """Wait for the players, and begin."""
    if not _gathers(console, server, number):
        return
    waits = players is not None or wait_s is not None
    if waits:
        give_up_s = None if wait_s is None else time.monotonic() + wait_s
        _wait_for(console, server, number, players, give_up_s)
    elif is_terminal():
        click.prompt("Press Enter to begin", default="", show_default=False, prompt_suffix="")
    view = _patiently(console, lambda: server.get("tournaments", str(number)))
    _ask_for_absent("tournament run", view, is_sure=is_sure or waits)
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


def _wait_for(console: Console, server: AdminClient, number: int, players: int | None, give_up_s: float | None) -> None:
    line, said, told = "", "", None
    with console.status("") as status:
        while give_up_s is None or time.monotonic() < give_up_s:
            view = _patiently(console, lambda: server.get("tournaments", str(number)))
            here, absent = people_in(view)
            if view["phase"] != "gathering" or (players is not None and len(here) >= players):
                return
            line = gathering_line(here, absent, players)
            status.update(Text(line))
            awaited = (_missing_people(here, players), absent)
            # A line for everybody who comes or goes would hide those that tell who is still missing.
            if awaited != told and not console.is_terminal:
                console.print(line, soft_wrap=True)
                said = line
            told = awaited
            time.sleep(POLL_S)
    if line != said and not console.is_terminal:
        console.print(line, soft_wrap=True)  # the time is up: who is here takes part


def people_in(view: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """The people who would play if a tournament that gathers them began now, and those who were entered and are away.

    `view` is the tournament as the admin listener answers; the server decides who is here.
    """
    gathering = view["gathering"] or {"ready": [], "missing": []}
    return sorted(name for name in gathering["ready"] if not name.startswith(HOUSE_PREFIX)), gathering["missing"]


def _ask_for_absent(command: str, view: Mapping[str, Any], *, is_sure: bool) -> None:
    """Say who was entered by name and is not there, and ask whether to begin. Raises `CommandFailed` if not."""
    _, absent = people_in(view)
    lines = [f"Not logged in: {', '.join(absent)}. Their matches wait for them, and then are lost."] if absent else []
    confirmed(command, lines, "Begin without them?", is_sure=is_sure)


def _missing_people(here: list[str], wanted: int | None) -> int:
    """The number of people who are waited for, whoever they are; 0 if none were asked for."""
    return 0 if wanted is None else max(0, wanted - len(here))


def gathering_line(here: list[str], absent: list[str], wanted: int | None) -> str:
    """Tells, as `gameserver tournament` gathers players, who is there, how many are missing, and who by name."""
    of = "" if wanted is None else f" of {wanted}"
    noun = "player" if (len(here) if wanted is None else wanted) == 1 else "players"
    missing = _missing_people(here, wanted)
    line = f"{len(here)}{of} {noun} here" + (f", {missing} still missing" if missing else "")
    line += f"; here: {', '.join(here)}" if here else ""
    return line + (f"; not logged in: {', '.join(absent)}" if absent else "")


def _watch(console: Console, server: AdminClient, number: int) -> tables.View:
    """Show how it goes until it is over. A server that is away for a while is waited for."""
    progress = Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    task = progress.add_task("", total=None)
    # At a terminal the screen says it, with the time since; a line would scroll by.
    outage = Outage((lambda _: None) if console.is_terminal else partial(print_line, console))
    told: set[str] = set()
    view: tables.View = _patiently(console, lambda: server.get("tournaments", str(number)))
    if not console.is_terminal:
        console.print(tables.headline(view), soft_wrap=True)  # a terminal is shown all of it, all the time
    with Live(console=console, refresh_per_second=4, transient=True) as live:
        while view["phase"] not in OVER:
            whole = None if view["left"] is None else view["done"] + view["playing"] + view["left"]
            progress.update(task, completed=view["done"], total=whole)
            tables.tell_to_decide(console, view, told)
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


def screen(view: View, bar: RenderableType, width: int, height: int, note: str = "") -> Group:
    """Lays out the live screen of the command `tournament run`: progress, standings, what is played.

    The `bar` has one line. A `note` at the top says why everything else, dim then, stands still.
    """
    notes = [Text(line, style="bold reverse", no_wrap=True) for line in textwrap.wrap(note, width)]
    # No estimate while everything stands still.
    state = textwrap.wrap(progress({**view, "eta_ms": None} if note else view), width)
    waited = (
        [] if note else [Text(line, style="bold", no_wrap=True) for line in textwrap.wrap(waiting_line(view), width)]
    )
    parts: list[RenderableType] = [_line(title(view)), *map(_line, state), *waited, bar]
    # The cursor stands below the last line.
    room = height - 1 - len(notes) - len(parts)
    players, playing = view["standings"], open_pairings(view)
    # The first ten have their lines; then what is played; what is left shows more of the standings.
    ranked = min(len(players), FIRST)
    below = room - ranked - _AROUND
    shown = min(len(playing), max(0, below - _AROUND))
    is_counted = bool(playing) and not shown and below > 0
    below -= shown + _AROUND if shown else is_counted
    ranked = min(len(players), ranked + max(0, below))
    parts += _part(fitted(standings_fields(players[:ranked]), width, one_line=True), len(players) - ranked, "player")
    if shown:
        fields = matches_fields(playing[:shown], in_rounds=numbers_rounds(view))
        parts += _part(fitted(fields, width, one_line=True), len(playing) - shown, "game")
    elif is_counted:
        parts.append(_line(f"{len(playing)} games are open"))
    return Group(*notes, Styled(Group(*parts), "dim")) if notes else Group(*parts)


def _part(table: RenderableType, left: int, of: str) -> Iterator[RenderableType]:
    yield table
    if left:
        yield _line(f"and {left} more {of}{'' if left == 1 else 's'}")


def _line(text: str) -> Text:
    return Text(text, no_wrap=True, overflow="ellipsis")


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
    with kept_directory(out, "tournament") as directory:
        for kind in EXPORTS:
            path = directory / file_name(name, kind, number if again or not name_in_files(name) else None)
            text = _patiently(console, partial(_exported, server, number, kind, student_ids, csv_style))
            write_file(path, [text], as_csv=EXPORTS[kind].is_csv)
            if kind == "grades":
                _warn_of_grades(one["format"])
            yield path


def _warn_of_grades(plan_format: str) -> None:
    """Say on standard error that the grades of a tournament of this format mean little, if they do."""
    caution = grades_caution(plan_format)
    if caution:
        click.echo(f"warning: {caution}", err=True)


def _exported(
    server: AdminClient, number: int, kind: str, student_ids: Mapping[str, str], csv_style: str | None = None
) -> str:
    """Fetches a tournament's file to take home from the server.

    Grades have the ids that are given here, and else those of the server's roster.
    """
    options: dict[str, Any] = {"student_ids": student_ids} if kind == "grades" and student_ids else {}
    if csv_style is not None:
        options["csv"] = csv_style
    return server.text("tournaments", str(number), "export", kind, **options)


@define
class _OwnServer:
    """The process. `options` are those of `gameserver serve`; its log is appended to `log_file`."""

    options: Sequence[str]
    kept_in: str
    log_file: Path
    hall: str = ""
    _has_answered: bool = field(default=False, init=False)
    """True once the process that runs now has answered."""
    _is_up: bool = field(default=False, init=False)
    _process: "subprocess.Popen[bytes] | None" = field(default=None, init=False)

    def start(self) -> AdminClient:
        """Start it, and wait until it answers. Raises `CommandFailed`."""
        process = self._launch()
        give_up_s = time.monotonic() + _START_S
        while time.monotonic() < give_up_s and process.poll() is None:
            try:
                file = access_file(self.kept_in, self.hall)
                client = AdminClient(read_access(file), file, noted=self._note)
                client.get("tournaments")
            except (NoAccess, NotReached, AdminApiError):
                time.sleep(_LOOK_S)
            else:
                self._is_up = True
                return client
        raise CommandFailed(f"the server did not start; see {self.log_file}")

    def _note(self, error: NotReached | None) -> None:
        """Start it again if a request finds that it has died. Raises `CommandFailed` if that cannot help.

        A server that stopped in good order was told to, so it stays away until a person starts it.
        """
        if error is None:
            self._has_answered = True
            return
        if not self._is_up or self._process is None or self._process.poll() in {None, 0}:
            return
        if self.kept_in == IN_MEMORY:
            raise CommandFailed(f"the server has died, and its data was in memory: all is lost; see {self.log_file}")
        if not self._has_answered:
            raise CommandFailed(f"the server has died and does not start again; see {self.log_file}")
        self._launch()

    def stop(self) -> None:
        """Stop it in good order."""
        if self._process is not None:
            system.ask_server_to_stop(self._process)
            self._process.wait()

    def _launch(self) -> "subprocess.Popen[bytes]":
        self._has_answered = False
        with self._open_log() as log:
            command = [sys.executable, "-m", "gameserver", "serve", *self.options]
            # Ctrl-C is for the command, which then stops the server.
            self._process = system.start_apart(command, stderr=log)
        return self._process

    def _open_log(self) -> BinaryIO:
        try:
            return self.log_file.open("ab")
        except OSError as error:
            raise CommandFailed(
                f"{self.log_file} cannot be written: {error.strerror}; the server needs it for its log"
            ) from error


@click.group()
def tournament() -> None:
    """Manage tournaments: create, start, pause, correct, inspect, export; `run` holds a whole one."""


@tournament.command()
@click.argument("name")
@plan_options
@maybe_why_option
@check_option
@by_option
@of_running_server
def create(
    name: str, config_file: Path | None, data: str | None, why: str, by: str, *, only_checks: bool, **plan: Any
) -> None:
    """Announce a tournament called NAME. `gameserver tournament start` begins it."""
    wanted = creation(name, **plan, by=by)
    with running_server(config_file, data) as server:
        if only_checks:
            check_before(plain_console(), server, wanted)
            return
        made = server.post("tournaments", **wanted, why=why)
    kind = f"{tables.format_of(made)} at {made['game']}, {tables.turn_time(made)}"
    click.echo(f"tournament {made['number']}, {made['name']}, is gathering: {kind}")
    tables.warn(made)


def act_command(name: str, act: TeacherAct) -> click.Command:
    """Makes a command of `gameserver tournament` for a teacher's act.

    Fields that the act needs are arguments, the others are options.
    """

    def command(config_file: Path | None, data: str | None, which: str | None, **asked: Any) -> None:
        is_sure = asked.pop("yes", True)
        with running_server(config_file, data) as server:
            number = number_of(server, which)
            if act.type is StartTournament:
                view = server.get("tournaments", str(number))
                _ask_for_absent(f"tournament {name}", view, is_sure=is_sure)
            if act.is_destructive:
                asked["why"] = _asked_again(server, number, name, asked, is_sure=is_sure)
            after = server.post("tournaments", str(number), name, **asked)
        chosen = {
            field.name: choice.words
            for field in act.fields
            for choice in field.choices
            if choice.value == asked[field.name]
        }
        click.echo(act.done_to.format_map(after | asked | chosen))

    why = why_option if act.needs_why and not act.is_destructive else maybe_why_option
    asks = act.is_destructive or act.type is StartTournament
    yes = yes_option if act.is_destructive else _yes_to_start_option
    options = (of_running_server, by_option, why, *((yes,) if asks else ()), tournament_option)
    for option in (*options, *map(_parameter, reversed(act.fields))):
        command = option(command)
    return click.command(name=name, help=act.help, cls=OfTournament)(command)


def _asked_again(server: AdminClient, number: int, name: str, asked: dict[str, Any], *, is_sure: bool) -> str:
    """The reason for a destructive act, once the person at the terminal has agreed to what is lost."""

    def tell() -> list[str]:
        view = server.get("tournaments", str(number))
        try:
            return [f"{teacher_acts()[name].button}: {view['name']}", *losses(name, view, asked)]
        except NothingToLose as refused:
            raise CommandFailed(str(refused)) from refused

    return agreed(f"tournament {name}", tell, asked["why"], is_sure=is_sure)


def _parameter(field: ActField) -> Callable[[Any], Any]:
    kind: Any = click.STRING
    if field.is_number:
        kind = click.IntRange(1 if field.is_needed else 0, field.most)
    elif field.choices:
        kind = click.Choice([choice.value for choice in field.choices])
    if field.is_needed:
        return click.argument(field.name, type=kind)
    return click.option(f"--{field.name.replace('_', '-')}", type=kind, default=field.blank, help=field.help)


for _name, _act in teacher_acts().items():
    tournament.add_command(act_command(_name, _act))


@tournament.command(name="list")
@of_running_server
def list_tournaments(config_file: Path | None, data: str | None) -> None:
    """List all tournaments."""
    with running_server(config_file, data) as server:
        console = plain_console()
        console.print(tables.listing(server.get("tournaments")["tournaments"], console.width))


def _show(name: str, words: str, draw: Callable[[tables.View, int], Any]) -> None:
    """A command that shows something of one tournament."""

    @tournament.command(name=name, help=words, cls=OfTournament)
    @tournament_option
    @click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
    @of_running_server
    def show(config_file: Path | None, data: str | None, which: str | None, *, as_json: bool) -> None:
        with running_server(config_file, data) as server:
            view = server.get("tournaments", str(number_of(server, which)))
            has_forecast = name == "status" and not as_json and view["phase"] in {"gathering", "running"}
            found = server.get("tournaments", str(view["number"]), "forecast")["forecast"] if has_forecast else ()
        if as_json:
            write_data([orjson.dumps(view, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()])
            return
        console = plain_console()
        console.print(tables.headline(view))
        for sentence in found:
            console.print(sentence, soft_wrap=True)
        tables.warn(view)
        tables.tell_to_decide(console, view, set())
        console.print(draw(view, console.width))
        if view["teams"] and name in {"status", "standings"}:
            console.print(tables.teams(view, console.width))


_show("status", "Show the tournament's state and its open pairings.", tables.matches)
_show("pairings", "Show every pairing with its result.", partial(tables.matches, only_open=False))
_show(
    "standings",
    "Show the standings, with tie-breaks and, while it runs, the 95 % interval of each rank by strength.",
    tables.standings,
)
_show("crosstable", "Show everybody's results: by opponent, in a Swiss by round.", tables.crosstable)


@tournament.command(cls=OfTournament)
@click.argument("kind", type=click.Choice(list(EXPORTS)))
@output_option
@click.option(
    "--roster",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="A table with the columns `name` and `id`, for the grades; its ids override the server's roster.",
)
@csv_option
@tournament_option
@of_running_server
def export(
    kind: str,
    output: Path | None,
    roster: Path | None,
    csv_style: str | None,
    config_file: Path | None,
    data: str | None,
    which: str | None,
) -> None:
    """Export a tournament: standings, crosstable, matches, teams or grades as CSV, FIDE's report, or JSON lines."""
    with running_server(config_file, data) as server:
        number = number_of(server, which)
        text = _exported(server, number, kind, student_ids_in(roster), csv_style)
        if kind == "grades":
            _warn_of_grades(server.get("tournaments", str(number))["format"])
    if output is None:
        write_data([text])
        return
    write_file(output, [text], as_csv=EXPORTS[kind].is_csv)
    click.echo(f"wrote {output}")


tournament.add_command(run)
