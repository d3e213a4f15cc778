"""Changes what passes between the client and the server, as a scenario wants it: line by line, message by message."""

from collections.abc import Callable, Sequence

from attrs import Factory, define

from gameserver.check.scenario import Rewrite, Scenario
from gameserver.proxy.faults import Direction

_LINE_ENDS = "\r\n\x1e"
"""The ends of lines, and of SignalR's messages."""


@define
class Editor:
    """The relay's `edit`. `is_move` tells whether the client makes a move by what it sends."""

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
        """Give the lines or messages that are sent in place of this one."""
        if direction is Direction.TO_CLIENT:
            return self._to_client(content)
        return self._to_server(content)

    def let_go(self) -> Sequence[bytes]:
        """Take the lines that were held back; from here on lines pass again."""
        held, self.held, self.holds_back = self.held, [], ""
        return held

    def hand_over(self) -> Sequence[bytes]:
        """Take the move that was kept back and all that came after it; from here on lines pass again."""
        kept, self.kept, self.keeps_move = self.kept, [], False
        return kept

    def _to_client(self, content: bytes) -> Sequence[bytes]:
        text = self._rewritten(content, self.scenario.rewrites)
        if self.scenario.line_end and text.endswith("\n"):
            text = text.rstrip(_LINE_ENDS) + self.scenario.line_end
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
