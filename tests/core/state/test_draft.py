"""A table as a decision sees it."""

from hypothesis import given
from hypothesis import strategies as st

from gameserver.core.state.draft import Overlay

KEYS = st.integers(0, 5)
WRITES = st.lists(st.tuples(KEYS, st.none() | st.integers()))


@given(st.dictionaries(KEYS, st.integers()), WRITES)
def test_overlay_equals_the_written_table_and_leaves_it_unchanged(below, writes):
    before, expected = dict(below), dict(below)
    overlay = Overlay(below)
    for key, row in writes:
        overlay[key] = row
        if row is None:
            expected.pop(key, None)
        else:
            expected[key] = row
    assert sorted(overlay.values()) == sorted(expected.values())
    assert len(overlay) == len(expected)
    assert {key: overlay.get(key) for key in range(6)} == {key: expected.get(key) for key in range(6)}
    assert below == before
