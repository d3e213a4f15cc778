"""Log lines for people."""

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
