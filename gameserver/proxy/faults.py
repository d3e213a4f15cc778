"""The faults of a wire, and how they are written: `delay 200ms, split every-byte, drop-and-restore 30s,5s`.

The words are the options of `gameserver proxy` without their dashes. `FAULT_WORDS` is the table of them.

Durations and rates are written as people do: `200ms`, `1.5s`, `1KB/s`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from attrs import evolve

from gameserver.values import value

_US = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000}
_BYTES = {"B": 1, "KB": 1_000, "MB": 1_000_000}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(us|ms|s|min|h)")
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*(B|KB|MB)/s", re.IGNORECASE)
# By judgement: a lesson is over by then.
_DURATION_US_MAX = 24 * _US["h"]


class WrongFaults(ValueError):
    """The words name no faults of the proxy; the text is a sentence that says what is wrong and what to write."""


class Direction(Enum):
    """The direction of bytes that pass through the proxy."""

    TO_CLIENT = "to client"
    TO_SERVER = "to server"

    @property
    def other(self) -> "Direction":
        """The way back through the proxy."""
        return Direction.TO_SERVER if self is Direction.TO_CLIENT else Direction.TO_CLIENT

    @property
    def sender(self) -> str:
        """`client` or `server`: the sender of what passes through the proxy this way."""
        return self.other.receiver

    @property
    def receiver(self) -> str:
        """`client` or `server`: the receiver of what passes through the proxy this way."""
        return self.value.removeprefix("to ")


class Split(Enum):
    """The fault by which bytes that were sent at once arrive in several packets."""

    NONE = "none"
    RANDOM = "random"
    EVERY_BYTE = "every-byte"


def duration_us(text: str) -> int:
    """Read a duration of the proxy's faults, such as `200ms`, in microseconds. Raises `WrongFaults`."""
    found = _DURATION.fullmatch(text.strip())
    if found is None:
        raise WrongFaults(f"{text!r} is no duration; write one as 200ms, 1.5s or 2min")
    us = round(float(found[1]) * _US[found[2]])
    if us > _DURATION_US_MAX:
        raise WrongFaults(f"{text!r} is too long; a day is the most")
    return us


def rate_bytes_s(text: str) -> int:
    """Read a rate of the proxy's faults, such as `1KB/s`, in bytes per second.

    A KB is 1,000 bytes. Raises `WrongFaults`.
    """
    found = _RATE.fullmatch(text.strip())
    if found is None:
        raise WrongFaults(f"{text!r} is no rate; write one as 500B/s, 1KB/s or 2MB/s")
    rate = round(float(found[1]) * _BYTES[found[2].upper()])
    if rate < 1:
        raise WrongFaults(f"{text!r} is too slow; a byte in a second is the least")
    return rate


def duration_text(us: int) -> str:
    """A duration of the proxy's faults for people, which `duration_us` reads back."""
    unit, decimals = ("s", 6) if us == 0 or us >= _US["s"] else ("ms", 3) if us >= _US["ms"] else ("us", 0)
    number = f"{us / _US[unit]:.{decimals}f}"
    return f"{number.rstrip('0').rstrip('.') if decimals else number}{unit}"


def _rate_text(bytes_s: int) -> str:
    """A rate for people, which `rate_bytes_s` reads back."""
    return f"{bytes_s // 1_000}KB/s" if bytes_s % 1_000 == 0 else f"{bytes_s}B/s"


@value
class Faults:
    """The proxy's faults for one direction. The times of `..._after_us` run from the beginning of a connection."""

    delay_us: int = 0
    jitter_us: int = 0
    """Each read is delayed by `delay_us`, more or less by up to this."""
    split: Split = Split.NONE
    coalesce_us: int = 0
    """Whatever comes within this time is passed on at once."""
    reset_after_us: int | None = None
    half_open_after_us: int | None = None
    """From then on nothing is read or written, and nothing is closed."""
    slow_read_bytes_s: int | None = None
    drop_after_us: int | None = None
    """All connections are reset, and new ones too for `restore_us`."""
    restore_us: int = 5_000_000

    @property
    def words(self) -> str:
        """The proxy's faults in the words that `faults_of` reads; `clean` if there are none."""
        parts = {
            "delay": self.delay_us and duration_text(self.delay_us),
            "jitter": self.jitter_us and duration_text(self.jitter_us),
            "split": self.split is not Split.NONE and self.split.value,
            "coalesce": self.coalesce_us and duration_text(self.coalesce_us),
            "reset-after": self.reset_after_us is not None and duration_text(self.reset_after_us),
            "half-open": self.half_open_after_us is not None and duration_text(self.half_open_after_us),
            "slow-read": self.slow_read_bytes_s and _rate_text(self.slow_read_bytes_s),
            "drop-and-restore": self.drop_after_us is not None
            and f"{duration_text(self.drop_after_us)},{duration_text(self.restore_us)}",
        }
        return ", ".join(f"{name} {text}" for name, text in parts.items() if text) or "clean"


@value
class FaultWord:
    """A word for one kind of fault of the proxy: the form of its value, the bare word's value, what it changes."""

    form: str
    default: str
    """Empty where the word needs a value."""
    read: Callable[[str], Mapping[str, Any]]


def _duration(field: str) -> Callable[[str], Mapping[str, Any]]:
    return lambda text: {field: duration_us(text)}


def _split(text: str) -> Mapping[str, Any]:
    known = {"random": Split.RANDOM, "every-byte": Split.EVERY_BYTE, "every byte": Split.EVERY_BYTE}
    if text not in known:
        raise WrongFaults(f"{text!r} is no way to split; write random or every-byte")
    return {"split": known[text]}


def _drop(text: str) -> Mapping[str, Any]:
    after, comma, away = text.partition(",")
    restored = {"restore_us": duration_us(away)} if comma else {}
    return {"drop_after_us": duration_us(after), **restored}


FAULT_WORDS: Mapping[str, FaultWord] = {
    "delay": FaultWord("200ms", "", _duration("delay_us")),
    "jitter": FaultWord("50ms", "", _duration("jitter_us")),
    "split": FaultWord("random|every-byte", "random", _split),
    "coalesce": FaultWord("20ms", "20ms", _duration("coalesce_us")),
    "reset-after": FaultWord("30s", "", _duration("reset_after_us")),
    "half-open": FaultWord("30s", "30s", _duration("half_open_after_us")),
    "slow-read": FaultWord("1KB/s", "", lambda text: {"slow_read_bytes_s": rate_bytes_s(text)}),
    "drop-and-restore": FaultWord("30s[,5s]", "30s,5s", _drop),
}


def faults_of(words: str) -> Faults:
    """Read the proxy's faults from words separated by commas; `clean` and nothing at all are none.

    Raises `WrongFaults`.
    """
    words = words.strip()
    if words in {"", "clean"}:
        return Faults()
    # A comma between two durations belongs to the fault before it.
    return with_faults([_name_and_text(part) for part in re.split(r",\s*(?=[a-z])", words)])


def with_faults(named: Sequence[tuple[str, str]]) -> Faults:
    """The proxy's faults of these words with their values, an empty value for the default. Raises `WrongFaults`."""
    faults, seen = Faults(), set[str]()
    for name, text in named:
        word = FAULT_WORDS.get(name)
        if word is None:
            raise WrongFaults(f"there is no fault {name!r}; there are {', '.join(FAULT_WORDS)}")
        if name in seen:
            raise WrongFaults(f"{name} is there twice")
        seen.add(name)
        if not (text or word.default):
            raise WrongFaults(f"{name} needs a value, such as {name} {word.form}")
        try:
            faults = evolve(faults, **word.read(text or word.default))
        except WrongFaults as error:
            raise WrongFaults(f"{name}: {error}") from error
    return faults


def _name_and_text(part: str) -> tuple[str, str]:
    name, _, text = part.strip().partition(" ")
    return name, text.strip()
