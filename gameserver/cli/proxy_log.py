"""The log of `gameserver proxy`: a file or standard output, with this machine's time of day."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import IO

import click
import trio
from attrs import define, field

from gameserver.proxy.connection import now_us
from gameserver.proxy.wire_trace import WireTrace

LOG_EVERY_S = 0.25


@define(eq=False)
class LogLines:
    """Writes the log, to a file or else to standard output. A full disk ends the log, and not the connections."""

    _file: IO[str] | None
    _has_failed: bool = field(default=False, init=False)

    @property
    def is_file(self) -> bool:
        """True if the terminal shows something else."""
        return self._file is not None

    def write(self, lines: Sequence[str]) -> None:
        """Write lines; in the file they may wait for `flush`."""
        self._attempt(lambda: self._put(lines))

    def flush(self) -> None:
        """Hand to the system what is written."""
        if self._file is not None:
            self._attempt(self._file.flush)

    def close(self) -> None:
        """Flush and close the file."""
        if self._file is not None:
            self._attempt(self._file.close)

    def _put(self, lines: Sequence[str]) -> None:
        for line in lines:
            if self._file is not None:
                self._file.write(f"{line}\n")
            else:
                click.echo(line)

    def _attempt(self, step: Callable[[], object]) -> None:
        if self._has_failed:
            return
        try:
            step()
        except OSError as error:
            self._has_failed = True
            with suppress(OSError):
                click.echo(f"gameserver: the log ends here: {error.strerror or error}", err=True)


async def show_unfinished(trace: WireTrace, log: LogLines) -> None:
    """Show lines whose ends do not come, and hand to the system what is in the log, every now and then."""
    while True:
        await trio.sleep(LOG_EVERY_S)
        log.write(trace.tick(now_us()))
        log.flush()


def stamps() -> Callable[[int], str]:
    """Makes the function that writes a time of trio's clock as this machine's time of day."""
    ahead_us = time.time_ns() // 1_000 - now_us()
    zone = datetime.now().astimezone().tzinfo

    def stamp(at_us: int) -> str:
        seconds, us = divmod(at_us + ahead_us, 1_000_000)
        return f"{datetime.fromtimestamp(seconds, zone):%H:%M:%S}.{us:06}"

    return stamp
