"""One connection's side of the text protocol: it joins the parts, and decides nothing.

`lines` makes lines of bytes, `dialogue` asks of the lobby what a line asks for, `rendering` says
what comes back. One question is under way at a time, so a single slot tells what an answer belongs
to. An answer without a question has no words: the end of a session is decided like a command, but
the player did not ask.
"""

from collections import deque
from collections.abc import Sequence
from itertools import repeat

from gameserver.adapter import (
    Adapter,
    Answer,
    Command,
    Enter,
    Event,
    MatchShown,
    Output,
    Query,
    Refusal,
    Rejected,
    Reply,
)
from protocols.strategic import rendering
from protocols.strategic.conversation import CONSEQUENCES, Conversation
from protocols.strategic.dialogue import read_line
from protocols.strategic.lines import Lines


class StrategicAdapter(Adapter):
    """Bytes to commands, answers and events to bytes."""

    def __init__(self, conversation: Conversation, line_bytes_max: int) -> None:
        self._conversation = conversation
        self._lines = Lines(line_bytes_max)
        self._read_in: deque[int | None] = deque()
        """For each line that waits, the match that it is meant for."""
        self._ended = False
        self._asked: Command | Query | None = None

    def greeting(self) -> bytes:
        """The banner. Nothing else is said before the peer has spoken."""
        return self._conversation.profile.greeting

    def receive(self, data: bytes, at_ms: int) -> None:
        """Take bytes; a line that grows too long is complained of by `next`, after the lines before it."""
        if not self._ended and not self._conversation.left:
            self._conversation.read_ms = at_ms
            self._lines.feed(data)
            self._note_match()

    def receive_eof(self) -> None:
        """Take what is there for complete."""
        if not self._ended:
            self._ended = True
            self._lines.end()
            self._note_match()

    def next(self) -> Command | Query | Reply | None:
        """What the next line asks for."""
        line = None if self._conversation.left else self._lines.take()
        if line is None:
            return None
        self._conversation.read_in = self._read_in.popleft()
        asked = read_line(self._conversation, line)
        if asked is not None and not isinstance(asked, Reply):
            self._asked = asked
        return asked

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """The answer, then a line for each event; what an event holds back, and what follows it, apart."""
        if self.finished:
            return ()
        text = "" if answer is None else self._answered(answer)
        conversation, outputs, release_ms = self._conversation, [], 0
        if MatchShown in map(type, events):
            events = _unfolded(events)
        for event in events:
            kind = type(event)
            held_ms = getattr(event, "release_ms", 0)
            if held_ms > release_ms:
                if text:
                    outputs.append(Output(rendering.encode(text), release_ms))
                    text = ""
                release_ms = held_ms
            text += rendering.LINES[kind](event, conversation)
            if kind in CONSEQUENCES:
                CONSEQUENCES[kind](conversation, event)
        if text:
            outputs.append(Output(rendering.encode(text), release_ms))
        return outputs

    def _note_match(self) -> None:
        match = self._conversation.match
        self._read_in.extend(repeat(match, len(self._lines) - len(self._read_in)))

    def _answered(self, answer: Answer) -> str:
        asked, self._asked = self._asked, None
        if asked is None:
            return ""
        if isinstance(answer, Rejected):
            return rendering.err(self._conversation.profile.refusal(answer))
        if isinstance(asked, Enter):
            self._conversation.entered = True
        return rendering.OK

    def farewell(self, refusal: Refusal) -> bytes:
        """One last ERR."""
        return rendering.encode(rendering.err(refusal.why))

    @property
    def pending_bytes(self) -> int:
        """Finished lines only: to hand out an unfinished one, more has to be read."""
        return 0 if self._conversation.left else self._lines.pending_bytes

    @property
    def identified(self) -> bool:
        """Whether the lobby has accepted a login."""
        return self._conversation.entered

    @property
    def finished(self) -> bool:
        """Whether the peer said goodbye, or hung up and has been answered."""
        return self._conversation.left or (self._ended and self._asked is None and not self._lines)


def _unfolded(events: Sequence[Event]) -> Sequence[Event]:
    """The events, each match that is shown followed by its moves."""
    return [step for event in events for step in (event, *(event.moves if type(event) is MatchShown else ()))]
