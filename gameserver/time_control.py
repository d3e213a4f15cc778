"""The clock of a match as people write it: a limit for each turn, a bank of time for the whole match, or both.

    turn 10s             each turn has ten seconds
    5m                   a bank: five minutes for all of a player's turns together (sudden death)
    3m+2s                a bank, and two seconds more for each turn (Fischer)
    2m, 3 x 10s          a bank, then three periods of ten seconds (byo-yomi)
    5m, turn 60s         a bank, and no turn may take longer than a minute

A period that a turn does not use up is whole again for the next turn. What is left of a bank is told as one number, the
time until its player would lose: with periods that is the rest before them and all that are left.
"""

import re
from typing import Self

from attrs import evolve, frozen

DAY_MS = 86_400_000
_PERIODS_MAX = 100
_LENGTH_MAX = 60
_UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000}
_DURATION = r"\d{1,9}(?:\.\d{1,3})?\s*(?:ms|s|m|h)"
# ASCII alone: `\d` is also the digits of other scripts, whose units would not be found.
_TURN = re.compile(rf"turn\s+({_DURATION})", re.ASCII)
_PERIODS = re.compile(rf"(\d{{1,9}})\s*x\s*({_DURATION})", re.ASCII)
_BANK = re.compile(rf"({_DURATION})(?:\s*\+\s*({_DURATION}))?", re.ASCII)
# Two forms that leave out the bank, which people write by mistake; told apart only for the sake of the message.
_LONE_INCREMENT = re.compile(rf"\+\s*{_DURATION}", re.ASCII)
_EXAMPLES = 'write for example "turn 10s", "3m+2s" or "2m, 3 x 10s"'


@frozen(cache_hash=True)
class TimeControl:
    """The time that the players of a match have. Neither a turn's time nor a bank: nobody is on a clock."""

    turn_time_ms: int | None = None
    bank_ms: int | None = None
    increment_ms: int = 0
    periods: int = 0
    period_ms: int = 0

    @classmethod
    def read(cls, text: "str | Self") -> Self:
        """Reads a clock as it is written in a setting or a challenge. Raises ValueError with one sentence."""
        if isinstance(text, cls):
            return text
        if not isinstance(text, str) or not text.strip():
            raise _unreadable(text, "it names no time")
        if len(text) > _LENGTH_MAX:
            raise _unreadable(text, "it is too long")
        if text == _NONE:
            return cls()
        found: dict[str, int] = {}
        for part in text.lower().split(","):
            fields = _fields_of(text, part.strip())
            if not found.keys().isdisjoint(fields):
                raise _unreadable(text, "it names the same thing twice")
            found |= fields
        if "period_ms" in found and "bank_ms" not in found:
            raise _unreadable(text, "periods follow a bank")
        if "period_ms" in found and "increment_ms" in found:
            raise _unreadable(text, "it has both an increment and periods, choose one")
        clock = cls(**found)
        # The whole of it is the limit of a turn where a client cannot see a bank, and has to be readable as such.
        if clock.has_bank and clock.full_bank_ms > DAY_MS:
            raise _unreadable(text, "its bank and periods together are longer than a day")
        return clock

    def __str__(self) -> str:
        """The clock as `read` takes it, in its one spelling."""
        parts = []
        if self.bank_ms is not None:
            parts.append(_written(self.bank_ms) + (f"+{_written(self.increment_ms)}" if self.increment_ms else ""))
        if self.periods:
            parts.append(f"{self.periods} x {_written(self.period_ms)}")
        if self.turn_time_ms is not None:
            parts.append(f"turn {_written(self.turn_time_ms)}")
        return ", ".join(parts) or _NONE

    @property
    def bank_text(self) -> str:
        """The bank as a sentence names it, without the limit of a turn: "3m+2s", "2m and 3 x 10s"."""
        return str(evolve(self, turn_time_ms=None)).replace(",", " and")

    @property
    def has_bank(self) -> bool:
        """True if the players of the match have a bank of time for the whole of it."""
        return self.bank_ms is not None

    @property
    def full_bank_ms(self) -> int:
        """The time until a player who never moves would lose by the bank; only for a clock that has one."""
        assert self.bank_ms is not None, "asked of clocks with a bank"
        return self.bank_ms + self.periods * self.period_ms

    def spent(self, left_ms: int, elapsed_ms: int) -> int:
        """The time left of a bank after a turn of this length, without the increment."""
        before_periods_ms = max(0, left_ms - self.periods * self.period_ms)
        over_ms = elapsed_ms - before_periods_ms
        if over_ms <= 0 or not self.period_ms:
            return max(0, left_ms - elapsed_ms)
        periods = (left_ms - before_periods_ms) // self.period_ms
        # Just used up still counts as in time, as the last millisecond of a turn does.
        return max(0, periods - (over_ms - 1) // self.period_ms) * self.period_ms

    def stages(self, left_ms: int) -> tuple[int, int]:
        """The rest of a bank before its periods, and the number of its periods that are left."""
        before_periods_ms = max(0, left_ms - self.periods * self.period_ms)
        return before_periods_ms, -(-(left_ms - before_periods_ms) // self.period_ms) if self.period_ms else 0

    def longest_ms(self, turns: int) -> int | None:
        """The most that one player's turns, so many of them, can take together; None if nothing bounds it."""
        limits = []
        if self.turn_time_ms is not None:
            limits.append(turns * self.turn_time_ms)
        if self.bank_ms is not None:
            limits.append(self.full_bank_ms + turns * (self.increment_ms + self.period_ms))
        return min(limits, default=None)

    def without_bank(self) -> "TimeControl":
        """The clock by the turn alone: its limit, or the whole bank where that is shorter or the only one."""
        # A bank that increments fill may come to outlast the limit.
        if not self.has_bank or (self.turn_time_ms is not None and self.increment_ms):
            return TimeControl(self.turn_time_ms)
        return TimeControl(min(self.turn_time_ms or self.full_bank_ms, self.full_bank_ms))

    def with_turn_limit(self) -> "TimeControl":
        """The clock for a match of a client that cannot see a bank, and has to be told a time for the turn."""
        return evolve(self, turn_time_ms=self.without_bank().turn_time_ms)


_NONE = "none"
NO_TIME_LIMIT = TimeControl()


def _fields_of(text: str, part: str) -> dict[str, int]:
    if match := _TURN.fullmatch(part):
        return {"turn_time_ms": _milliseconds(text, match[1])}
    if match := _PERIODS.fullmatch(part):
        if not 1 <= int(match[1]) <= _PERIODS_MAX:
            raise _unreadable(text, f"it can have 1 to {_PERIODS_MAX} periods")
        return {"periods": int(match[1]), "period_ms": _milliseconds(text, match[2])}
    if match := _BANK.fullmatch(part):
        bank = {"bank_ms": _milliseconds(text, match[1])}
        return bank if match[2] is None else {**bank, "increment_ms": _milliseconds(text, match[2])}
    if _LONE_INCREMENT.fullmatch(part):
        raise _unreadable(text, "an increment needs a bank before it")
    raise _unreadable(text, f"{part[:60]!r} is neither a bank, periods nor a turn")


def _milliseconds(text: str, duration: str) -> int:
    unit = duration.lstrip("0123456789.").strip()
    time_ms = round(float(duration.removesuffix(unit)) * _UNITS_MS[unit])
    if not 1 <= time_ms <= DAY_MS:
        raise _unreadable(text, f"{duration!r} is not between a millisecond and a day")
    return time_ms


def _written(time_ms: int) -> str:
    minutes, rest_ms = divmod(time_ms, _UNITS_MS["m"])
    return f"{minutes}m" if minutes and not rest_ms else f"{time_ms / 1000:.10g}s"


def _unreadable(text: object, why: str) -> ValueError:
    said = text[:_LENGTH_MAX] if isinstance(text, str) else text
    return ValueError(f"{said!r} is no clock: {why}; {_EXAMPLES}")
