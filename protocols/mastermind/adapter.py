"""One connection's side of the `Type|JSON` protocol: messages to commands, events to messages.

The server speaks only when it is spoken to, and once: every message has exactly one answer. What
happens without a question (the server voids a match) is kept to itself; the next message meets the
state that it led to.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from games.mastermind.code import read_code
from games.mastermind.feedback import Feedback
from games.mastermind.rules import BREAKER
from gameserver.protocol import (
    Accepted,
    Adapter,
    Answer,
    Command,
    EndReason,
    Enter,
    Event,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MovePlayed,
    Output,
    Query,
    Refusal,
    Rejected,
    Reply,
    Resign,
)
from protocols.line_reader import LineReader
from protocols.mastermind import schema
from protocols.mastermind.profiles import NO_ACTIVE_GAME, farewell, refusal
from protocols.mastermind.schema import Accept, AnswerType, Error, ErrorType, GameEnd
from protocols.mastermind.session import MastermindSession, Running, challenge, read_line

Said = schema.Answer | Accept | GameEnd | Error


class MastermindAdapter(Adapter):
    """Bytes to commands, answers and events to bytes."""

    def __init__(self, conversation: MastermindSession, line_bytes_max: int) -> None:
        self._conversation = conversation
        too_long = Error(f"A message has at most {line_bytes_max} bytes", ErrorType.PARSE)
        self._words_for_overlong = schema.write(too_long)
        self._lines = LineReader(line_bytes_max, skip_bom=True, too_long=self._words_for_overlong)
        self._ended = False
        self._asked: Command | Query | None = None
        self._follows: Command | None = None
        """The second command of a message that became two."""

    def greeting(self) -> bytes:
        """Nothing: the client speaks first."""
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        """Take bytes."""
        if not self._ended:
            self._lines.feed(data)

    def receive_eof(self) -> None:
        """Take what is there for complete."""
        if not self._ended:
            self._ended = True
            self._lines.end()

    def next(self) -> Command | Query | Reply | None:
        """What the next message asks for, or what the last one asks for beside its first command."""
        asked: Command | Query | Reply
        if self._follows is not None:
            asked, self._follows = self._follows, None
        else:
            line = self._lines.take()
            if line is None:
                return None
            asked = read_line(self._conversation, line)
        if not isinstance(asked, Reply):
            self._asked = asked
        return asked

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """The one answer to a message, and what follows for the game that is on."""
        conversation, asked = self._conversation, None
        if answer is not None:
            asked, self._asked = self._asked, None
        if isinstance(answer, Accepted):
            if isinstance(asked, Enter):
                conversation.entered = True
                self._follows = challenge(conversation)
                return ()
            if isinstance(asked, Resign):
                conversation.forget_tries()
        said: Said | None = None
        for event in events:
            read = _READERS.get(type(event))
            if read is not None:
                said = read(conversation, event) or said
        if asked is None:
            return ()
        if isinstance(answer, Rejected):
            said = refusal(answer)
        return (Output(schema.write(said or NO_ACTIVE_GAME)),)

    def farewell(self, refusal: Refusal) -> bytes:
        """One last Error."""
        return schema.write(farewell(refusal))

    @property
    def words_for_overlong(self) -> bytes:
        """The same Error as over TCP."""
        return self._words_for_overlong

    @property
    def pending_bytes(self) -> int:
        """Finished messages only."""
        return self._lines.pending_bytes

    @property
    def identified(self) -> bool:
        """True if the peer has shown that it speaks the protocol: there is no login."""
        return self._conversation.has_spoken

    @property
    def is_established(self) -> bool:
        """True if a game is on."""
        return self._conversation.running is not None

    @property
    def finished(self) -> bool:
        """True if the peer hung up and has been answered."""
        return self._ended and self._asked is None and self._follows is None and not self._lines


def _opened(conversation: MastermindSession, event: MatchOpened) -> Accept:
    wanted = conversation.wanted
    assert wanted is not None, "no match is opened that was not asked for"
    conversation.running = Running(event.match, wanted)
    return Accept(wanted)


def _moved(conversation: MastermindSession, event: MovePlayed) -> schema.Answer | None:
    running = conversation.running
    if running is None or running.match != event.match or event.seat is None:
        return None
    conversation.running = attrs.evolve(running, tries=running.tries + 1)
    feedback = Feedback.read(event.details)
    wrong = running.size.code_length - feedback.exact - feedback.partial
    return schema.Answer(
        (AnswerType.CORRECT_GUESS,) * feedback.exact
        + (AnswerType.COLOR_EXISTS_GUESS,) * feedback.partial
        + (AnswerType.WRONG_GUESS,) * wrong
    )


def _ended(conversation: MastermindSession, event: GameEnded) -> GameEnd | None:
    """The end of a game; of one that is abandoned or void nobody is told, as by the original."""
    running = conversation.running
    if running is None or running.match != event.match or event.reason in {EndReason.ABANDONED, EndReason.VOID}:
        return None
    return GameEnd(BREAKER in event.winners, running.tries, read_code(event.revealed))


def _over(conversation: MastermindSession, event: MatchEnded) -> None:
    if conversation.running is not None and conversation.running.match == event.match:
        conversation.running = None


_READERS: Mapping[type, Callable[[MastermindSession, Any], Said | None]] = {
    MatchOpened: _opened,
    MovePlayed: _moved,
    GameEnded: _ended,
    MatchEnded: _over,
}
"""What events mean here; the others mean nothing."""
