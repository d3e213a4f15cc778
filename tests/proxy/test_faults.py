"""The words for faults, and what they mean."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.proxy.faults import FAULT_WORDS, Faults, Split, WrongFaults, faults_of
from gameserver.proxy.measures import WrongMeasure, duration_us, rate_bytes_s


@pytest.mark.parametrize(
    ("words", "faults"),
    [
        ("", Faults()),
        ("clean", Faults()),
        ("delay 200ms", Faults(delay_us=200_000)),
        ("delay 200ms, jitter 50ms", Faults(delay_us=200_000, jitter_us=50_000)),
        ("split", Faults(split=Split.RANDOM)),
        ("split random", Faults(split=Split.RANDOM)),
        ("split every-byte,coalesce", Faults(split=Split.EVERY_BYTE, coalesce_us=20_000)),
        ("split every byte", Faults(split=Split.EVERY_BYTE)),
        ("coalesce 1.5s", Faults(coalesce_us=1_500_000)),
        ("reset-after 2min", Faults(reset_after_us=120_000_000)),
        ("half-open", Faults(half_open_after_us=30_000_000)),
        ("half-open 0s", Faults(half_open_after_us=0)),
        ("slow-read 1KB/s", Faults(slow_read_bytes_s=1_000)),
        ("slow-read 0.5 kb/s", Faults(slow_read_bytes_s=500)),
        ("drop-and-restore", Faults(drop_after_us=30_000_000, restore_us=5_000_000)),
        ("drop-and-restore 10s", Faults(drop_after_us=10_000_000, restore_us=5_000_000)),
        ("drop-and-restore 10s,3s, delay 1ms", Faults(delay_us=1_000, drop_after_us=10_000_000, restore_us=3_000_000)),
    ],
)
def test_words_are_faults(words: str, faults: Faults) -> None:
    assert faults_of(words) == faults
    assert faults_of(faults.words) == faults


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("dely 200ms", "there is no fault 'dely'; there are delay, jitter, "),
        ("delay", "delay needs a value, such as delay 200ms"),
        ("delay 200", "delay: '200' is no duration; write one as 200ms, 1.5s or 2min"),
        ("delay -1s", "delay: '-1s' is no duration"),
        ("delay 48h", "delay: '48h' is too long"),
        ("split 7788", "split: '7788' is no way to split; write random or every-byte"),
        ("slow-read 1KB", "slow-read: '1KB' is no rate; write one as 500B/s"),
        ("slow-read 0.1B/s", "slow-read: '0.1B/s' is too slow"),
        ("drop-and-restore 10s,", "drop-and-restore: '' is no duration"),
        ("delay 1s, delay 2s", "delay is there twice"),
    ],
)
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
    with pytest.raises(WrongMeasure):
        duration_us("1 day")
