"""Words at the terminal while the server is away: those of the pages (`web/static/outage.js`)."""

import time
from collections.abc import Callable

from attrs import define

AWAY = "The server is away. Nothing is lost; play goes on when it is back."
BACK = "The server is back."


@define
class Outage:
    """Keeps whether the server is away, and since when. `say` prints a line where no screen is updated."""

    say: Callable[[str], None]
    now_s: Callable[[], float] = time.monotonic
    _since_s: float | None = None

    def begin(self) -> None:
        """The server did not answer."""
        if self._since_s is None:
            self._since_s = self.now_s()
            self.say(AWAY)

    def end(self) -> None:
        """The server has answered."""
        if self._since_s is not None:
            self._since_s = None
            self.say(BACK)

    @property
    def note(self) -> str:
        """The words with the time since, for a screen that is updated; empty if the server is not away."""
        if self._since_s is None:
            return ""
        return f"{AWAY} {clock(self.now_s() - self._since_s)}"


def clock(seconds: float) -> str:
    """A time that is being counted: `0:42`, `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
