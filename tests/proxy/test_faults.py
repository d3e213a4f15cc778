"""The words for faults, and what they mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.proxy.faults import FAULT_WORDS, Faults, Split, WrongFaults, duration_us, faults_of, rate_bytes_s
from tests.support.tables import table


@pytest.mark.parametrize(("words", "fields"), table(__file__, "words, and the fields of their faults"))
def test_words_are_faults(words: str, fields: str) -> None:
    given = (field.split("=") for field in fields.split())
    faults = Faults(**{name: Split(value) if name == "split" else int(value) for name, value in given})
    assert faults_of(words) == faults
    assert faults_of(faults.words) == faults


@pytest.mark.parametrize(("words", "why"), table(__file__, "wrong words, and what is said"))
def test_wrong_words_are_refused_with_what_to_write(words: str, why: str) -> None:
    with pytest.raises(WrongFaults) as refused:
        faults_of(words)
    assert str(refused.value).startswith(why)


@given(
    st.builds(
        Faults,
        delay_us=st.integers(0, 10**8),
        jitter_us=st.integers(0, 10**8),
        split=st.sampled_from(Split),
        coalesce_us=st.integers(0, 10**8),
        reset_after_us=st.none() | st.integers(0, 10**9),
        half_open_after_us=st.none() | st.integers(0, 10**9),
        slow_read_bytes_s=st.none() | st.integers(1, 10**7),
        drop_after_us=st.none() | st.integers(0, 10**9),
    )
)
def test_faults_in_words_are_the_same_faults(faults: Faults) -> None:
    assert faults_of(faults.words) == faults


def test_each_default_can_be_read() -> None:
    for name, word in FAULT_WORDS.items():
        assert not word.default or faults_of(name) == faults_of(f"{name} {word.default}")


def test_measures() -> None:
    assert [duration_us(text) for text in ("1us", "20 ms", "1.5s", "2min", "1h")] == [
        1,
        20_000,
        1_500_000,
        120_000_000,
        3_600_000_000,
    ]
    assert [rate_bytes_s(text) for text in ("1B/s", "1KB/s", "2.5MB/s")] == [1, 1_000, 2_500_000]
    with pytest.raises(WrongFaults):
        duration_us("1 day")
