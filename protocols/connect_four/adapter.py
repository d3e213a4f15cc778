"""One connection's side of the protocol: it joins the parts, and decides little.

`line_reader` makes lines of bytes, `handlers` asks of the lobby what a line asks for, `rendering` says
what comes back. An accepted action has no words of its own: what it brought about is the answer, or
there is none, as after a move. One question is under way at a time, so a single slot tells what an
answer belongs to.

Three things are left out of what the lobby says, each because a client would take it for the answer
to something else:

* a move out of turn, or for a game that is over, is dropped, as by the original;
* who leaves a running game is told of the lobby, not of having lost;
* who is refused because the server had put it back into the lobby in that moment has its answer.
"""

from collections import deque
from collections.abc import Sequence
from itertools import repeat
from typing import Any

from attrs import evolve

from gameserver.protocol import (
    Accepted,
    Adapter,
    Answer,
    Code,
    Command,
    Depart,
    Event,
    GameEnded,
    Output,
    Play,
    Query,
    Ready,
    Refusal,
    Reply,
)
from protocols.connect_four.handlers import NO_COLUMN, SILENCE, read_line
from protocols.connect_four.profiles import REFUSALS, WHAT_A_MOVE_IS
from protocols.connect_four.rendering import LINES
from protocols.connect_four.schema import Error, NoObject, Reason, write
from protocols.connect_four.session import ConnectFourSession, Stage
from protocols.line_reader import LineReader

_DROPPED = {Code.NOT_YOUR_TURN, Code.TURN_NOT_BEGUN, Code.TOO_LATE, Code.NOT_IN_MATCH, Code.STALE}
"""What happens to a move that is nobody's fault."""


_HOLD_BACK = frozenset(kind for kind in LINES if hasattr(kind, "release_ms"))
"""The events that may have to wait until their `release_ms`, and what comes after them too."""

_LEFT = Stage.LEFT  # once and for all: in Python 3.11 to look a member up by its class costs more than a call


class ConnectFourAdapter(Adapter):
    """Bytes to commands, answers and events to bytes."""

    # An attribute, because it is looked at several times for each line.
    pending_bytes: int = 0
    """Finished lines only: to hand out an unfinished one, more has to be read."""

    def __init__(self, conversation: ConnectFourSession, line_bytes_max: int) -> None:
        self._conversation = conversation
        why = f"a line has at most {line_bytes_max} bytes; end each object with a line feed"
        too_long = conversation.profile.error(Reason.MISSING_KEYS, why)
        self._lines = LineReader(line_bytes_max, skip_bom=True, too_long=too_long)
        self._read_in: deque[int] = deque()
        """For each line that waits, the match that it is meant for."""
        self._ended = False
        self._asked: Command | Query | None = None
        self._discarded = 0

    def greeting(self) -> bytes:
        """Nothing: clients speak first."""
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        """Take bytes; a line that grows too long is complained of by `next`, after the lines before it."""
        if not self._ended and not self._left:
            self._lines.feed(data)
            self._note_lines()

    def receive_eof(self) -> None:
        """Take what is there for complete."""
        if not self._ended:
            self._ended = True
            if not self._left:
                self._lines.end()
                self._note_lines()

    def next(self) -> Command | Query | Reply | None:
        """What the next line asks for."""
        line = None if self._left else self._lines.take()
        if line is None:
            return None
        self._conversation.read_in = self._read_in.popleft()
        try:
            asked = read_line(self._conversation, line)
        except NoObject:
            self._discarded += 1
            asked = SILENCE
        self.pending_bytes = 0 if self._left else self._lines.pending_bytes
        if asked is not None and not isinstance(asked, Reply):
            self._asked = asked
        return asked

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """The answer, if it has words, then a line for each event; what is held back, and what follows it, apart."""
        if self.finished:
            return ()
        asked = None
        if answer is not None:
            asked, self._asked = self._asked, None
        data = b"" if asked is None or answer is None else self._answered(asked, answer)
        conversation, outputs, release_ms = self._conversation, [], 0
        steps: Sequence[Any] = events
        for event in steps:
            kind = type(event)
            if kind is GameEnded and isinstance(asked, Depart):
                continue
            if kind in _HOLD_BACK and event.release_ms > release_ms:
                if data:
                    outputs.append(Output(data, release_ms))
                    data = b""
                release_ms = event.release_ms
            conversation.told(event)
            data += LINES[kind](event, conversation)
        if data:
            outputs.append(Output(data, release_ms))
        return outputs

    def farewell(self, refusal: Refusal) -> bytes:
        """One last error. The reason is the only one of the document's that ends a connection."""
        return write(Error(Reason.LOBBY_ENTRY_DENIED, message=refusal.why))

    @property
    def is_waiting(self) -> bool:
        """True if every line was taken, none is too long, and more may come."""
        return not (self._read_in or self._ended or self._lines or self._left)

    @property
    def discarded(self) -> int:
        """How many lines were no JSON objects."""
        return self._discarded

    @property
    def identified(self) -> bool:
        """True if the lobby has accepted a name."""
        return self._conversation.entered

    @property
    def finished(self) -> bool:
        """Whether the peer said goodbye or was denied entry, or hung up and has been answered."""
        return self._left or (self._ended and self._asked is None and not self._lines)

    @property
    def _left(self) -> bool:
        return self._conversation.stage is _LEFT

    def _note_lines(self) -> None:
        match = self._conversation.match
        self._read_in.extend(repeat(match, len(self._lines) - len(self._read_in)))
        self.pending_bytes = self._lines.pending_bytes

    def _answered(self, asked: Command | Query, answer: Answer) -> bytes:
        conversation = self._conversation
        if isinstance(answer, Accepted):
            conversation.accepted(asked)
            return b""
        if self._needs_no_words(asked, answer.code):
            return b""
        if REFUSALS[answer.code][0] is Reason.LOBBY_ENTRY_DENIED:
            conversation.stage = Stage.LEFT
            self.pending_bytes = 0
        if not isinstance(asked, Play):
            return conversation.profile.refusal(answer)
        if asked.move == NO_COLUMN and answer.code is Code.ILLEGAL_MOVE:
            answer = evolve(answer, facts={**answer.facts, "why": WHAT_A_MOVE_IS})
        return conversation.profile.refusal(answer, conversation.said)

    def _needs_no_words(self, asked: Command | Query, code: Code) -> bool:
        if isinstance(asked, Play):
            return code in _DROPPED
        crossed = isinstance(asked, Ready | Depart) and code is Code.NOT_AT_TABLE
        return crossed and self._conversation.stage is Stage.LOBBY
