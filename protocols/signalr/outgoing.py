"""Output of one connection: records that gather until the server takes them, and the last one."""

from attrs import define, field

from gameserver.protocol import Output


@define(eq=False)
class Speech:
    """Records on their way out, in order. What is taken together goes out in one WebSocket message."""

    _said: list[Output] = field(factory=list, init=False)
    _last: bytes | None = field(default=None, init=False)
    is_over: bool = field(default=False, init=False)
    """True once the last record has been taken."""

    def __bool__(self) -> bool:
        """True if there is something to take."""
        return bool(self._said)

    @property
    def is_ending(self) -> bool:
        """True if the last record is known."""
        return self._last is not None

    def say(self, record: bytes, release_ms: int = 0) -> None:
        """Say a record, not before `release_ms`; it waits behind what was said before it anyway."""
        last = self._said[-1] if self._said else None
        if last is not None and last.release_ms >= release_ms:
            self._said[-1] = Output(last.data + record, last.release_ms)
        else:
            self._said.append(Output(record, release_ms))

    def end(self, record: bytes = b"") -> None:
        """Make this the last record, after everything that belongs before it. The first one counts."""
        if self._last is None:
            self._last = record

    def take(self, *, is_idle: bool) -> list[Output]:
        """Takes the records so far; where nothing is under way, the last record too. After that there are none."""
        if self.is_over:
            return []
        if self._last is not None and is_idle:
            self.is_over = True
            if self._last:
                self.say(self._last)
        said, self._said = self._said, []
        return said
