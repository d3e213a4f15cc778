"""The lines and messages that passed between the client and the server, as people read them."""

import re
from collections import defaultdict

from attrs import Factory, define, field

from gameserver.check.report import WIRE_LINES_MAX, Failure, Heard
from gameserver.proxy.crossings import Crossing
from gameserver.proxy.faults import Direction
from gameserver.proxy.units import Conversation, Form

_KEEP_ALIVE = re.compile(r'\{"type":6\}\x1e?')
"""The ping of SignalR: it tells nothing, and there are many."""

_RECENT_US = 300_000
"""Lines that tell of the end of a silence are no older."""


@define
class WireRecord:
    """Everything that was sent on, in order. `began_us` is the beginning of the scenario on trio's clock."""

    began_us: int
    lines: list[Heard] = Factory(list)
    last_us: int = field(default=0, init=False)
    """The time of the last bytes in either direction."""
    _conversations: defaultdict[int, Conversation] = field(factory=lambda: defaultdict(Conversation), init=False)

    def note(self, crossing: Crossing) -> None:
        """Take bytes that were sent on."""
        self.last_us = crossing.at_us
        to_client = crossing.direction is Direction.TO_CLIENT
        for unit in self._conversations[crossing.connection].read(crossing.direction, crossing.data):
            if unit.form is Form.CONTROL:
                continue
            text = unit.content.decode("utf-8", "replace").rstrip("\r\n\x1e")
            if unit.form is Form.HEAD:
                text = text.splitlines()[0] if text else ""
            if text and not _KEEP_ALIVE.fullmatch(text):
                self.lines.append(Heard(crossing.at_us - self.began_us, to_client, text))

    @property
    def tail(self) -> tuple[Heard, ...]:
        """The last lines, for a report."""
        return tuple(self.lines[-WIRE_LINES_MAX:])

    def sent_from(self, place: int) -> list[str]:
        """The client's lines since there were so many in all."""
        return [heard.text for heard in self.lines[place:] if not heard.to_client]

    def answered_by(self, failure: Failure, now_us: int) -> str:
        """The line to the client that it had to answer, by how it failed; empty if none can be named."""
        found = self.lines
        if failure in {Failure.ILLEGAL, Failure.EARLY}:
            sent = [place for place, heard in enumerate(found) if not heard.to_client]
            found = found[: sent[-1]] if sent else []
        elif failure in {Failure.SILENT, Failure.SLOW}:
            found = [heard for heard in found if heard.at_us < now_us - self.began_us - _RECENT_US]
        return next((heard.text for heard in reversed(found) if heard.to_client), "")
