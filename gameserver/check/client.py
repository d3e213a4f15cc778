"""The client: a program that the check starts, or one that its user starts by hand."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import define, field

from gameserver.check.report import OUTPUT_LINES_MAX
from gameserver.program import Program, filled

MEMORY_EVERY_S = 0.25
OUTPUT_BYTES_MAX = 1_000_000_000
"""A program that prints in an endless loop would fill the disk."""


class CannotStart(Exception):
    """The client's program cannot be started; the text says why."""


@define
class Client:
    """The program of one scenario. Without a command its user is told where to connect (`tell`)."""

    command: tuple[str, ...]
    game: str
    protocol: str
    output: Path
    tell: Callable[[str], None]
    memory_max_bytes: int
    program: Program | None = field(default=None, init=False)
    _looked_s: float = field(default=0.0, init=False)
    _memory_bytes: int = field(default=0, init=False)

    @property
    def is_by_hand(self) -> bool:
        """True if its user starts it."""
        return not self.command

    def start(self, name: str, place: str, games: int) -> None:
        """Start it under a name; `place` is HOST:PORT. Raises `CannotStart`, and `WrongPlaceholder`."""
        if self.is_by_hand:
            host, _, port = place.rpartition(":")
            self.tell(f"\n  start your client now, or again if it has ended: host {host}, port {port}, name {name}")
            return
        facts = {"name": name, "game": self.game, "games": str(games)}
        command = filled(self.command, facts, {self.protocol: place, "http": place}, self.protocol)
        found = shutil.which(command[0])
        try:
            self.program = Program.start(name, [found or command[0], *command[1:]], self.output)
        except OSError as error:
            what = error.filename or command[0]
            raise CannotStart(f"{what} cannot be started: {error.strerror}") from error

    @property
    def exit_code(self) -> int | None:
        """The exit code, if it has ended."""
        return None if self.program is None else self.program.process.poll()

    @property
    def end(self) -> str | None:
        """The way in which it ended, if it did."""
        return None if self.program is None else self.program.end

    def output_lines(self) -> Sequence[str]:
        """The last lines that it printed."""
        return () if self.program is None else self.program.tail(OUTPUT_LINES_MAX)

    @property
    def prints_too_much(self) -> bool:
        """True if it has printed more than a disk should have to hold."""
        return self.program is not None and self.program.output.stat().st_size > OUTPUT_BYTES_MAX

    def uses_too_much_memory(self, now_s: float) -> int | None:
        """The bytes in use, if they are too many. It looks now and then: to look costs a millisecond or two."""
        if self.program is None or now_s - self._looked_s < MEMORY_EVERY_S:
            return None
        self._looked_s = now_s
        used = self.program.memory_bytes
        return used if used > self.memory_max_bytes else None

    def kill(self) -> None:
        """End it, with everything that it has started."""
        if self.program is not None:
            self.program.kill()
