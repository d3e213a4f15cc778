"""The parts of a record."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from gameserver.records.match_record import time_of_day

LATEST_MS = 253_402_300_799_999
"""The end of the year 9999."""


@given(st.integers(0, LATEST_MS))
def test_a_time_of_day_is_written_as_the_standard_library_writes_it(wall_ms: int) -> None:
    seconds, ms = divmod(wall_ms, 1000)
    plain = datetime.fromtimestamp(seconds, UTC).replace(microsecond=1000 * ms)
    assert time_of_day(wall_ms) == plain.isoformat(timespec="milliseconds")
