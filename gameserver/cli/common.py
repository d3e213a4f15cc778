"""Helpers that commands share and that import no plug-in: refusals, the data file a command is about, tables.

Only the name of the data file is looked for in the config. The rest of it was for the server to refuse: to know whether
it is right takes every plug-in.

`confirm` asks again before a command takes something away. Without a terminal, `--yes` and `--why` stand for the
answer.
"""

import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from gameserver.config_file import DATA_FILE, ConfigError, data_file, hall_name, read_file
from gameserver.tournaments.csv_text import CsvStyle

if TYPE_CHECKING:
    from rich.console import Console


class CommandFailed(click.ClickException):
    """A command of `gameserver` cannot be carried out; one line says why. It exits with 1."""

    def show(self, file: Any = None) -> None:
        """Print the one line with which a command of `gameserver` fails."""
        click.echo(f"gameserver: {self.format_message()}", err=True, file=file)


class WrongSettings(CommandFailed):
    """The user's settings or arguments cannot be used. It exits with 2."""

    exit_code = 2


config_option = click.option(
    "--config", "config_file", type=click.Path(path_type=Path), help="A TOML file with settings."
)


def _named(_context: click.Context, _option: click.Parameter, data: str | None) -> str | None:
    # An empty `--data` comes of a variable that a script did not set; it must not mean the default file.
    if data == "":
        raise WrongSettings("--data: name a file, or :memory:")
    return data


data_option = click.option("--data", callback=_named, help="Data file or PostgreSQL database; :memory: keeps nothing.")


csv_option = click.option(
    "--csv",
    "csv_style",
    type=click.Choice([style.value for style in CsvStyle]),
    help="The spreadsheet that CSV is for: `dutch` and `german` separate columns with `;` and write 7,5.",
)


def data_of(config_file: Path | None, data: str | None) -> str:
    """Finds the data file for several commands, as `gameserver serve` with the same options has it.

    Raises `WrongSettings`.
    """
    if data is not None or config_file is None:
        return data or DATA_FILE
    try:
        return data_file(read_file(config_file))
    except ConfigError as error:
        raise WrongSettings(f"{config_file}: {error}") from error


def hall_of(config_file: Path | None) -> str:
    """Finds the hall for several commands, as their config names it. Raises `WrongSettings`."""
    try:
        return "" if config_file is None else hall_name(read_file(config_file))
    except ConfigError as error:
        raise WrongSettings(f"{config_file}: {error}") from error


output_option = click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file instead of standard output.",
)


def write_file(path: Path, texts: Iterable[str], *, as_csv: bool) -> None:
    """Writes a file of the user's in the way that the commands that export have in common. Raises `CommandFailed`."""
    # Without the byte order mark a spreadsheet takes a CSV file for something else than UTF-8.
    try:
        with path.open("w", encoding="utf-8-sig" if as_csv else "utf-8", newline="") as file:
            file.writelines(texts)
    except OSError as error:
        raise CommandFailed(f"{path} cannot be written: {error.strerror or error}") from error


@contextmanager
def kept_directory(keep: Path | None, purpose: str) -> Iterator[Path]:
    """Makes a directory as several commands want it: one that the user names and keeps, or a temporary one.

    Raises `CommandFailed` if it cannot be made.
    """
    if keep is None:
        # On Windows a program that is still ending has its output open, and the directory stays.
        with tempfile.TemporaryDirectory(prefix=f"gameserver-{purpose}-", ignore_cleanup_errors=True) as temporary:
            yield Path(temporary)
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CommandFailed(f"{error.filename} cannot be made: {error.strerror}") from error
    yield keep


def print_line(console: "Console", line: str) -> None:
    """Prints a line as all commands do: broken between words at a terminal, whole where a program reads it."""
    console.print(line, soft_wrap=not console.is_terminal)


def plain_console(file: IO[str] | None = None) -> "Console":
    """Makes the console that commands have in common: texts stay as they are; standard output without a file.

    For tables and lines with names in them: rich reads `[/b]` and `:smile:` in any text as its own language,
    and fails over a tag that closes nothing.
    """
    from rich.console import Console  # noqa: PLC0415 - 0.1 s that commands without a table need not wait

    return Console(file=file, markup=False, emoji=False, highlight=False)


def quiet_log() -> None:
    """Keeps a server's log off the terminal, for several commands with one in their process: they tell what matters."""
    import structlog  # noqa: PLC0415 - most commands log nothing

    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())


yes_option = click.option("--yes", is_flag=True, help="Do not ask again. Needed, with --why, without a terminal.")
maybe_why_option = click.option("--why", default="", metavar="TEXT", help="The reason; it is recorded.")


def is_terminal() -> bool:
    """True if there is somebody at the terminal to ask; for several commands."""
    return sys.stdin.isatty()


def confirmed(command: str, lines: Sequence[str], question: str, *, is_sure: bool) -> None:
    """Shows lines before any of several commands goes on, and asks, unless there are none.

    Raises `CommandFailed` if the answer is no.
    """
    if not lines:
        return
    if not is_sure and not is_terminal():
        raise WrongSettings(f"`{command}` cannot ask without a terminal: give --yes. {' '.join(lines)}")
    for line in lines:
        click.echo(line)
    if not is_sure and not click.confirm(question):
        raise CommandFailed("nothing was changed")


def agreed(command: str, tell: Callable[[], Sequence[str]], why: str, *, is_sure: bool) -> str:
    """Asks again before a command takes something away, and for the reason.

    `tell` gives the lines about what is lost, the title first. Raises `CommandFailed` if the person at the terminal
    does not agree.
    """
    why = why.strip()
    if is_sure and why:
        return why
    if not is_terminal():
        raise WrongSettings(f"`{command}` cannot ask without a terminal: give --yes, and the reason by --why")
    title, *lost = tell()
    click.echo(title)
    for line in lost:
        click.echo(f"  {line}")
    if not is_sure and not click.confirm("Go on?"):
        raise CommandFailed("nothing was changed")
    while not why:
        why = str(click.prompt("Why", default="", show_default=False)).strip()
    return why
