"""Durations and rates as people write them: `200ms`, `1.5s`, `1KB/s`."""

import re

_US = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000}
_BYTES = {"B": 1, "KB": 1_000, "MB": 1_000_000}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|s|min|h)")
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KB|MB)/s", re.IGNORECASE)
DURATION_US_MAX = 24 * _US["h"]


class WrongMeasure(ValueError):
    """A text is no duration, or no rate; the error's text says how one is written."""


def duration_us(text: str) -> int:
    """The microseconds of a duration such as `200ms`. Raises `WrongMeasure`."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise WrongMeasure(f"{text!r} is no duration; write one as 200ms, 1.5s or 2min")
    us = round(float(found[1]) * _US[found[2]])
    if us > DURATION_US_MAX:
        raise WrongMeasure(f"{text!r} is too long; a day is the most")
    return us


def rate_bytes_s(text: str) -> int:
    """The bytes in a second of a rate such as `1KB/s`; a KB is 1,000 bytes. Raises `WrongMeasure`."""
    found = _RATE.fullmatch(text.strip())
    if found is None:
        raise WrongMeasure(f"{text!r} is no rate; write one as 500B/s, 1KB/s or 2MB/s")
    rate = round(float(found[1]) * _BYTES[found[2].upper()])
    if rate < 1:
        raise WrongMeasure(f"{text!r} is too slow; a byte in a second is the least")
    return rate


def duration_text(us: int) -> str:
    """A duration for people, which `duration_us` reads back."""
    unit, decimals = ("s", 6) if us == 0 or us >= _US["s"] else ("ms", 3) if us >= _US["ms"] else ("us", 0)
    number = f"{us / _US[unit]:.{decimals}f}"
    return f"{number.rstrip('0').rstrip('.') if decimals else number}{unit}"


def rate_text(bytes_s: int) -> str:
    """A rate for people, which `rate_bytes_s` reads back."""
    return f"{bytes_s // 1_000}KB/s" if bytes_s % 1_000 == 0 else f"{bytes_s}B/s"
