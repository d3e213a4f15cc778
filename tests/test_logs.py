"""Log lines for people."""

import errno
import io
import threading

import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gameserver import logs

VALUES = st.one_of(st.text(max_size=20), st.integers(), st.none(), st.tuples(st.text(max_size=5), st.integers()))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["match", "why", "players"]), VALUES), st.sampled_from(["info", "warning"]))
def test_a_line_reads_as_structlog_writes_it(facts, level):
    event = {"timestamp": "2026-11-20T15:45:15Z", "level": level, "event": "match over", **facts}
    expected = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)(None, "", dict(event))
    # Where the last value is empty, structlog takes the blanks at the end away.
    assert logs._as_text(None, "", event).rstrip(" ") == expected


def test_a_traceback_stands_below_its_line():
    event = {"timestamp": "now", "level": "error", "event": "adapter failed", "exception": "Traceback\n  here"}
    assert logs._as_text(None, "", event) == "now [error    ] adapter failed\nTraceback\n  here"


def test_every_line_is_written_in_order_before_the_end():
    stream = io.StringIO()
    writer = logs.LineWriter(stream)
    for number in range(1000):
        writer.msg(f"line {number}")
    writer.close()
    assert stream.getvalue().splitlines() == [f"line {number}" for number in range(1000)]


class StuckStream(io.StringIO):
    """A pipe that nobody reads until `goes_on` is set."""

    def __init__(self):
        super().__init__()
        self.goes_on = threading.Event()
        self.is_stuck = threading.Event()

    def write(self, text):
        self.is_stuck.set()
        self.goes_on.wait()
        return super().write(text)


def test_lines_for_a_stuck_stream_are_dropped_and_counted(monkeypatch):
    monkeypatch.setattr(logs, "LINES_WAITING_MAX", 3)
    stream = StuckStream()
    writer = logs.LineWriter(stream)
    writer.msg("first")
    assert stream.is_stuck.wait(10)
    for number in range(10):
        writer.msg(f"line {number}")
    stream.goes_on.set()
    writer.close()
    assert stream.getvalue().splitlines() == ["first", "(7 log lines were dropped)", "line 0", "line 1", "line 2"]


class FullStream(io.StringIO):
    """A disk without room."""

    def write(self, text):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_stream_that_fails_stops_nobody():
    writer = logs.LineWriter(FullStream())
    writer.msg("lost")
    writer.close()
    assert not writer._thread.is_alive()
