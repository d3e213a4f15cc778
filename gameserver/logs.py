"""Logs: one event a line, for people on a terminal, as JSON for machines.

Lines are written by a thread of their own, through a bounded queue. A log that nobody reads, a full disk or a closed
pipe must not stop the server or make a player wait: what cannot be written is dropped and counted. Tracebacks are
plain, without the values of variables, because those may be secret.
"""

import atexit
import logging
import queue
import re
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

import orjson


def first_error(error: BaseException) -> BaseException:
    """The first error in a group of groups, for a line of the log, or the error itself."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


@contextmanager
def _without(module: str) -> Iterator[None]:
    """Have an import of this module fail, as if it were not installed."""
    hidden = module not in sys.modules
    if hidden:
        sys.modules[module] = None  # type: ignore[assignment]  # what the import system documents for this
    try:
        yield
    finally:
        if hidden:
            del sys.modules[module]


# structlog imports rich where it can, to draw tracebacks with it. Ours are plain, and rich takes a tenth of a start.
with _without("rich"):
    import structlog

get_logger = structlog.get_logger

# By judgement: some seconds of the busiest server.
LINES_WAITING_MAX = 10_000
GATHER_S = 0.02
"""The time that the writer rests after it wrote: to wake it for each line would cost the server more than the line."""
# A log that nobody reads must not keep a server from stopping.
FLUSH_AT_EXIT_S = 1.0


class LineWriter:
    """The writer of the log's lines in the background. It is the logger that structlog's processors end in."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        # Not `queue.Queue`: its locks are Python's own, and made a line three times as dear.
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._dropped = 0
        self._thread = threading.Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def msg(self, line: str) -> None:
        """Queue a line of the log; never waits and never raises."""
        if self._lines.qsize() < LINES_WAITING_MAX:
            self._lines.put(line)
        else:
            self._dropped += 1

    debug = info = warning = error = critical = exception = msg

    def close(self) -> None:
        """Write the lines of the log that are left, if they can be written at once."""
        self._lines.put(None)
        self._thread.join(FLUSH_AT_EXIT_S)

    def _write(self) -> None:
        goes_on = True
        while goes_on:
            lines = self._waiting_lines()
            goes_on = lines[-1] is not None
            dropped, self._dropped = self._dropped, 0
            notice = [f"({dropped} log lines were dropped)"] if dropped else []
            text = "".join(f"{line}\n" for line in (*notice, *lines) if line is not None)
            with suppress(OSError, ValueError):
                self._stream.write(text)
                self._stream.flush()
            if goes_on:
                time.sleep(GATHER_S)

    def _waiting_lines(self) -> list[str | None]:
        """The lines that wait, as soon as there is one; None behind them is the end."""
        lines = [self._lines.get()]
        while lines[-1] is not None and not self._lines.empty():
            lines.append(self._lines.get())
        return lines


def configure(level: str, *, as_json: bool) -> LineWriter:
    """Configure the log: to standard error, from this level on.

    A caller that prints a last message closes the writer first.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if sys.stderr.isatty() and not as_json:
        plain = structlog.dev.plain_traceback
        final: list[structlog.typing.Processor] = [
            structlog.dev.ConsoleRenderer(pad_event_to=0, exception_formatter=plain)
        ]
    else:
        # structlog's own renderer takes 28 us a line, these take 8: two lines a match were 7 us a move.
        final = [_with_traceback, _as_json if as_json else _as_text]
    writer = LineWriter(sys.stderr)
    atexit.register(writer.close)
    structlog.configure(
        processors=[*shared, *final],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=lambda *_: writer,
        cache_logger_on_first_use=True,
    )
    return writer


def _with_traceback(logger: Any, method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Hardly any line has a traceback, so structlog is asked for those only."""
    return structlog.processors.format_exc_info(logger, method, event) if "exc_info" in event else event


def _as_json(_logger: Any, _method: str, event: structlog.typing.EventDict) -> str:
    return orjson.dumps(event, default=repr).decode()


def _as_text(_logger: Any, _method: str, event: structlog.typing.EventDict) -> str:
    """The line that `ConsoleRenderer` writes without colours, in a quarter of its time."""
    head = f"{event.pop('timestamp')} [{event.pop('level'):<9}] {event.pop('event')}"
    traceback = event.pop("exception", None)
    line = " ".join([head, *[f"{key}={_value(event[key])}" for key in sorted(event)]])
    return line if traceback is None else f"{line}\n{traceback}"


_UNCLEAR = re.compile("[ \t=\r\n\"']")


def _value(value: object) -> str:
    """A text as it is, if it is clear where it ends; anything else as Python writes it."""
    # Most texts are names; to search for signs that end a value takes longer than to see that there are none at all.
    return value if isinstance(value, str) and (value.isalnum() or not _UNCLEAR.search(value)) else repr(value)
