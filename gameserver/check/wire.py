"""Changes what passes between the client and the server, as a scenario wants it: line by line, message by message.

It keeps the lines and messages that passed, as people read them.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence

from attrs import Factory, define, field

from gameserver.check.report import WIRE_LINES_MAX, Failure, Heard
from gameserver.check.scenario import Rewrite, Scenario
from gameserver.proxy.faults import Direction
from gameserver.proxy.relay import Crossing
from gameserver.proxy.units import Conversation, UnitForm

_LINE_ENDS = "\r\n\x1e"
"""The ends of lines, and of SignalR's messages."""


@define
class Editor:
    """Edits what passes on the wire of a check. `is_move` tells whether the client makes a move by what it sends."""

    scenario: Scenario
    is_move: Callable[[bytes], bool]
    is_heard_twice: bool = False
    """True if the client's next move is to reach the server twice."""
    replacement: str = ""
    """The line that the server hears in place of the client's next move; empty for the move itself."""
    keeps_move: bool = False
    """True if the client's next move is to be kept back, with all that the client sends after it."""
    kept: list[bytes] = Factory(list)
    """The lines that the client has sent since then."""
    holds_back: str = ""
    """The word at which the next line to the client is held back, with all that come after it; empty for none."""
    held: list[bytes] = Factory(list)
    """The lines that are held back."""

    has_rewritten: bool = False
    """True if a rewrite of the scenario has found its line."""

    def edit(self, content: bytes, direction: Direction) -> Sequence[bytes]:
        """Gives the lines or messages that pass on the wire of a check in place of this one."""
        if direction is Direction.TO_CLIENT:
            return self._to_client(content)
        return self._to_server(content)

    def let_go(self) -> Sequence[bytes]:
        """Takes the lines that the check's wire held back from the client; from here on lines pass again."""
        held, self.held, self.holds_back = self.held, [], ""
        return held

    def hand_over(self) -> Sequence[bytes]:
        """Takes the client's move that the check's wire kept back, and all that came after it.

        From here on lines pass again.
        """
        kept, self.kept, self.keeps_move = self.kept, [], False
        return kept

    def _to_client(self, content: bytes) -> Sequence[bytes]:
        text = self._rewritten(content, self.scenario.rewrites)
        if self.scenario.line_end and text.endswith("\n"):
            text = text.rstrip(_LINE_ENDS) + self.scenario.line_end
        # Bytes that are no UTF-8 pass as they came: what they do to the client is not for the check to change.
        edited = text.encode("utf-8", "surrogateescape")
        if self.held or (self.holds_back and self.holds_back in text):
            self.held.append(edited)
            return []
        return [edited]

    def _to_server(self, content: bytes) -> Sequence[bytes]:
        edited = self._rewritten(content, self.scenario.rewrites_to_server).encode("utf-8", "surrogateescape")
        if self.kept:
            self.kept.append(edited)
            return []
        if not (self.is_heard_twice or self.replacement or self.keeps_move) or not self.is_move(content):
            return [edited]
        if self.keeps_move:
            self.kept.append(edited)
            return []
        if self.replacement:
            end = content[len(content.rstrip(_LINE_ENDS.encode())) :]
            replaced, self.replacement = self.replacement.encode() + end, ""
            return [replaced]
        self.is_heard_twice = False
        return [edited, edited]

    def _rewritten(self, content: bytes, rewrites: Sequence[Rewrite]) -> str:
        text = content.decode("utf-8", "surrogateescape")
        line = text.rstrip(_LINE_ENDS)
        end = text[len(line) :]
        for rewrite in rewrites:
            self.has_rewritten = self.has_rewritten or rewrite.pattern.search(line) is not None
            line = rewrite.applied(line)
        return line + end


_KEEP_ALIVE = re.compile(r'\{"type":6\}\x1e?')
"""The ping of SignalR: it tells nothing, and there are many."""

_RECENT_US = 300_000  # by judgement: the check notices within a moment
"""Lines that tell of the end of a silence are no older."""


@define
class WireRecord:
    """Records everything that passed on the wire of a check, in order.

    `began_us` is the beginning of the scenario on trio's clock.
    """

    began_us: int
    lines: list[Heard] = Factory(list)
    last_us: int = field(default=0, init=False)
    """The time of the last bytes in either direction."""
    _conversations: defaultdict[int, Conversation] = field(factory=lambda: defaultdict(Conversation), init=False)

    def note(self, crossing: Crossing) -> None:
        """Records bytes that passed on the wire of a check, as lines and messages."""
        self.last_us = crossing.at_us
        to_client = crossing.direction is Direction.TO_CLIENT
        for unit in self._conversations[crossing.connection].read(crossing.direction, crossing.piece.data):
            if unit.form is UnitForm.CONTROL:
                continue
            text = unit.content.decode("utf-8", "replace").rstrip("\r\n\x1e")
            # Of an HTTP request the first line says what is asked; its headers would hide the rest of the tail.
            if unit.form is UnitForm.HEAD:
                text = text.splitlines()[0] if text else ""
            if text and not _KEEP_ALIVE.fullmatch(text):
                self.lines.append(Heard(crossing.at_us - self.began_us, to_client, text))

    @property
    def tail(self) -> tuple[Heard, ...]:
        """The last lines of the wire, for the report of a check."""
        return tuple(self.lines[-WIRE_LINES_MAX:])

    def sent_from(self, place: int) -> list[str]:
        """The client's lines on the wire of a check since there were so many in all."""
        return [heard.text for heard in self.lines[place:] if not heard.to_client]

    def answered_by(self, failure: Failure, now_us: int) -> str:
        """Finds the line on the wire that the client had to answer, by how it failed; empty if none can be named."""
        found = self.lines
        if failure in {Failure.ILLEGAL, Failure.EARLY}:
            sent = [place for place, heard in enumerate(found) if not heard.to_client]
            found = found[: sent[-1]] if sent else []
        elif failure in {Failure.SILENT, Failure.SLOW}:
            found = [heard for heard in found if heard.at_us < now_us - self.began_us - _RECENT_US]
        return next((heard.text for heard in reversed(found) if heard.to_client), "")
