"""One connection's side of the text protocol: it joins the parts, and decides nothing.

`line_reader` makes lines of bytes, `handlers` asks of the lobby what a line asks for, `rendering` says
what comes back. One question is under way at a time, so a single slot tells what an answer belongs
to. An answer without a question has no words: the end of a session is decided like a command, but
the player did not ask.
"""

from collections import deque
from collections.abc import Sequence
from itertools import repeat
from typing import Any

from gameserver.protocol import (
    Adapter,
    Answer,
    Code,
    Command,
    Enter,
    Event,
    MatchShown,
    Output,
    Query,
    Refusal,
    Rejected,
    Reply,
    ShowMatch,
    Work,
)
from protocols.line_reader import LineEnds, LineReader
from protocols.strategic import rendering
from protocols.strategic.handlers import read_line
from protocols.strategic.last_match import LastMatch
from protocols.strategic.parsing import GameNames
from protocols.strategic.rendering import LINES
from protocols.strategic.session import CONSEQUENCES, StrategicSession
from protocols.strategic.suggestions import closest, suggested, way_out

TOO_LONG = b"ERR Payload too large\r\n"

HOLD_BACK = frozenset(kind for kind in LINES if hasattr(kind, "release_ms"))
"""The events that may have to wait until their `release_ms`, and what comes after them too."""


class StrategicAdapter(Adapter):
    """Bytes to commands, answers and events to bytes."""

    # An attribute, because it is looked at several times for each line.
    pending_bytes: int = 0
    """Finished lines only: to hand out an unfinished one, more has to be read."""

    def __init__(self, conversation: StrategicSession, line_bytes_max: int) -> None:
        self._conversation = conversation
        self._lines = LineReader(line_bytes_max, ends=LineEnds.ANY, telnet=True, too_long=TOO_LONG)
        self._read_in: deque[int | None] = deque()
        """For each line that waits, the match that it is meant for."""
        self._ended = False
        self._asked: Command | Query | None = None
        self._looked_up: LastMatch | None = None
        """What is looked up in the records; its answer comes before the next line is taken."""

    def greeting(self) -> bytes:
        """The banner. Nothing else is said before the peer has spoken."""
        return self._conversation.profile.greeting

    def receive(self, data: bytes, at_ms: int) -> None:
        """Take bytes; a line that grows too long is complained of by `next`, after the lines before it."""
        conversation = self._conversation
        if not self._ended and not conversation.left:
            conversation.read_ms = at_ms
            self._note(self._lines.feed(data))

    def receive_eof(self) -> None:
        """Take what is there for complete."""
        if not self._ended:
            self._ended = True
            if not self._conversation.left:
                self._note(self._lines.end())

    def next(self) -> Command | Query | Reply | Work | None:
        """What the next line asks for."""
        conversation, lines = self._conversation, self._lines
        if self._looked_up is not None:
            return self._next_of_look_up(self._looked_up)
        line = None if conversation.left else lines.take()
        if line is None:
            return None
        conversation.read_in = self._read_in.popleft()
        asked = read_line(conversation, line)
        self.pending_bytes = 0 if conversation.left else lines.pending_bytes
        if asked is not None and not isinstance(asked, Reply):
            self._asked = asked
        return asked

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """The answer, then a line for each event; what an event holds back, and what follows it, apart."""
        conversation = self._conversation
        if conversation.left or (self._ended and self.finished):
            return ()
        text = "" if answer is None else self._answered(answer)
        outputs, release_ms = [], 0
        steps: Sequence[Any] = _unfolded(events) if MatchShown in map(type, events) else events
        for event in steps:
            kind = type(event)
            if kind in HOLD_BACK and event.release_ms > release_ms:
                if text:
                    outputs.append(Output(rendering.encode(text), release_ms))
                    text = ""
                release_ms = event.release_ms
            text += LINES[kind](event, conversation)
            if kind in CONSEQUENCES:
                CONSEQUENCES[kind](conversation, event)
        if text:
            outputs.append(Output(rendering.encode(text), release_ms))
        return outputs

    def _note(self, lines: int) -> None:
        """Take notice of lines that have come."""
        self._read_in.extend(repeat(self._conversation.match, lines))
        self.pending_bytes = self._lines.pending_bytes

    def _answered(self, answer: Answer) -> str:
        asked, self._asked = self._asked, None
        if asked is None:
            return ""
        if isinstance(answer, Rejected):
            return self._refused(asked, answer)
        if isinstance(asked, Enter):
            self._conversation.entered = True
        return rendering.OK

    def _refused(self, asked: Command | Query, rejected: Rejected) -> str:
        conversation = self._conversation
        if isinstance(asked, ShowMatch) and rejected.code is Code.NOT_IN_MATCH:
            self._looked_up = LastMatch(conversation, rejected.facts.get("player", ""))
            return ""
        if rejected.code is Code.PROOF_TOO_OFTEN:
            conversation.left = True
            self.pending_bytes = 0
        text = conversation.profile.refusal(rejected)
        if not conversation.profile.is_imitation:
            text = suggested(text, _meant(rejected, conversation.games)) + way_out(rejected, conversation.games)
        return rendering.err(text)

    def _next_of_look_up(self, looked_up: LastMatch) -> Work | Reply | None:
        item = looked_up.next()
        if isinstance(item, Reply):
            self._looked_up = None
        return item

    def farewell(self, refusal: Refusal) -> bytes:
        """One last ERR."""
        return rendering.encode(rendering.err(refusal.why))

    @property
    def is_waiting(self) -> bool:
        """True if every line was taken, none is too long, and more may come."""
        is_idle = not (self._read_in or self._ended or self._lines.is_broken or self._conversation.left)
        return is_idle and self._looked_up is None

    @property
    def identified(self) -> bool:
        """True if the lobby has accepted a login."""
        return self._conversation.entered

    @property
    def finished(self) -> bool:
        """Whether the peer said goodbye, or hung up and has been answered."""
        if self._conversation.left:
            return True
        return self._ended and self._asked is None and self._looked_up is None and not self._lines


def _meant(rejected: Rejected, games: GameNames) -> str | None:
    """The name that may have been meant instead of one that is unknown."""
    if rejected.code is Code.UNKNOWN_GAME:
        return closest(rejected.facts.get("game", ""), games.known)
    return rejected.facts.get("like")


def _unfolded(events: Sequence[Event]) -> Sequence[Event]:
    """The events, each match that is shown followed by its moves."""
    return [step for event in events for step in (event, *(event.moves if type(event) is MatchShown else ()))]
