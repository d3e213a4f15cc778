"""Bots that a command starts, watches and ends: programs of other people, in any language.

The last of what a bot has printed is shown when it fails.

Bots often look for the next opponent the moment a match is over, and so meet each other once more when
their series has ended. `Crew.end` therefore has them stand still first, and has the caller take away what
they have begun by then, so that nobody loses a match because we ended a bot.
"""

import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import click
from attrs import Factory, define

from gameserver import system
from gameserver.cli.common import CommandFailed, WrongSettings, kept_directory
from gameserver.system import PLACEHOLDERS, Program, WrongPlaceholder, filled
from gameserver.values import value

_END_S = 3.0
"""The time that a bot that was told to end may take."""
_TAIL_LINES = 10  # by judgement: the end of a stack trace


@value
class Launch:
    """A bot that a command is to start: the name that it plays under, and its command, with placeholders."""

    name: str
    command: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Launch":
        """Reads a bot's `NAME=COMMAND`; the command is split as a shell does. Raises `WrongSettings`."""
        name, equals, command = text.partition("=")
        try:
            words = tuple(system.words_of(command))
        except ValueError as error:
            raise WrongSettings(f"--bot {text!r}: {error}") from None
        if not equals or not name.strip() or not words:
            raise WrongSettings(f"--bot takes NAME=COMMAND, such as 'ann=python3 bot.py --port {{port}}', not {text!r}")
        return cls(name.strip(), words)

    def filled(self, listening: Mapping[str, str], game: str, games: int) -> tuple[str, ...]:
        """Fills in the placeholders in a bot's command.

        `listening` is where each protocol is reached, as HOST:PORT, with `tls://` before it where that is spoken.
        Raises `WrongSettings` for a placeholder that there is not, and a protocol that is not listened for.
        """
        facts = {"name": self.name, "game": game, "games": str(games)}
        try:
            return filled(self.command, facts, listening)
        except WrongPlaceholder as wrong:
            raise WrongSettings(f"--bot {self.name}: {wrong}") from None


@define
class Bot(Program):
    """The process of a bot that was started for a command."""

    is_in: bool = False
    """True if it has been seen in the lobby."""

    def failed(self, how: str) -> CommandFailed:
        """Reports on a bot that cannot go on: how its process ended, and its last lines."""
        lines = self.tail(_TAIL_LINES)
        said = "; its last output:" if lines else ", without any output"
        return CommandFailed("\n    ".join([f"{self.name} {how}{said}", *lines]))


@define
class Crew:
    """The bots that one command has started."""

    directory: Path
    bots: list[Bot] = Factory(list)
    give_up_s: float = 0.0
    """Until when everybody has to be in the lobby, by `time.monotonic`."""

    def start(self, name: str, command: Sequence[str]) -> None:
        """Start the process of a bot. Raises `CommandFailed`."""
        # Windows refuses `:` and `?` in a file's name, and a name may have any character.
        output = self.directory / f"{re.sub(r'[^A-Za-z0-9_-]', '_', name)}.log"
        try:
            self.bots.append(Bot.start(name, command, output))
        except OSError as error:
            raise CommandFailed(
                f"{name} cannot be started: {error.filename or command[0]}: {error.strerror}"
            ) from error

    @property
    def awaited(self) -> list[Bot]:
        """The started bots that have not been in the lobby yet."""
        return [bot for bot in self.bots if not bot.is_in]

    @property
    def ended(self) -> list[Bot]:
        """The started bots whose processes have ended by now."""
        return [bot for bot in self.bots if bot.end is not None]

    def check(self, ended: Sequence[Bot], done: int, games: int) -> None:
        """See that all started bots can go on; `ended` had ended before the games were counted.

        Raises `CommandFailed`.
        """
        if done >= games:
            return
        for bot in ended:
            after = f"after {done} of {games} games" if bot.is_in else "before it had logged in"
            raise bot.failed(f"{bot.end} {after}")
        for bot in self.awaited:
            if time.monotonic() > self.give_up_s:
                raise bot.failed("did not log in in time (--login-time)")

    def end(self, clear_up: Callable[[], None]) -> None:
        """End all bots of a command; `clear_up` takes away what they have begun, while they stand still."""
        if not self.bots:
            return
        try:
            for bot in self.bots:
                # Bots look for the next opponent the moment a match is over: those of one command would begin another
                # one here.
                system.hold(bot.process)
            clear_up()
        finally:
            for bot in self.bots:
                # Closed only now: bots that wait in a thread for a key to end on ended at once when their input was
                # closed from the start.
                bot.end_input()
                system.ask_to_end(bot.process)
            give_up_s = time.monotonic() + _END_S
            for bot in self.bots:
                with suppress(subprocess.TimeoutExpired):
                    bot.process.wait(max(0.0, give_up_s - time.monotonic()))
                bot.kill()


@contextmanager
def crew_of(directory: Path | None, login_time_s: float, clear_up: Callable[[], None]) -> Iterator[Crew]:
    """Starts and ends a command's bots with a block; their output goes to this directory, or is not kept."""
    with kept_directory(directory, "bots") as kept, told_to_end():
        crew = Crew(kept, give_up_s=time.monotonic() + login_time_s)
        try:
            yield crew
        finally:
            crew.end(clear_up)


@contextmanager
def told_to_end() -> Iterator[None]:
    """Takes SIGTERM, the end of the terminal and Ctrl-Break as Ctrl-C: no bot is to be left behind."""

    def interrupt(_number: int, _frame: object) -> None:
        # Not `raise KeyboardInterrupt`: trio takes Ctrl-C where that breaks nothing, and nothing else.
        signal.raise_signal(signal.SIGINT)

    # SIGBREAK is the one that Windows sends to a process that was started in a group of its own.
    names = ("SIGTERM", "SIGHUP", "SIGBREAK")
    numbers = [number for name in names if (number := getattr(signal, name, None)) is not None]
    before = {number: signal.signal(number, interrupt) for number in numbers}
    # A shell has its background jobs ignore Ctrl-C.
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


bot_option = click.option(
    "--bot",
    "bots",
    multiple=True,
    metavar="NAME=COMMAND",
    help=f"Start this player for the match, and stop it afterwards. The command may contain {PLACEHOLDERS}.",
)
bot_log_option = click.option(
    "--bot-log",
    "bot_log",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIRECTORY",
    help="Keep what the bots print, in NAME.log.",
)
login_time_option = click.option(
    "--login-time",
    "login_time_s",
    type=click.FloatRange(1, 3600),
    default=30.0,
    show_default=True,
    help="Seconds that a bot has to log in.",
)
