"""The base of protocols of lines: what the peer sends is a line for each question, what it hears a line for each event.

    receive   bytes become lines, each with the match that its sender knew of
    next      a line becomes a command, a query or a reply: `read_line`
    render    the answer becomes bytes, `answered`; then each event changes the session, `UPDATES`, and
              becomes a line, `LINES`

A protocol is functions of its session and tables of them; its adapter names them. One question is in
flight at a time, so one slot tells what an answer belongs to. An answer without a question has no
words: the end of a session is decided like a command, but the player did not ask.

A protocol that leaves out an event after some question, or tells it in several steps, has a function for
that in `STEPS`. One that answers everything by one line overrides `render`.
"""

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, ClassVar, Generic, TypeVar, get_args

from attrs import define, field

from gameserver.protocol import (
    Adapter,
    Answer,
    Command,
    Event,
    MatchEnded,
    MatchOpened,
    MatchShown,
    Output,
    Peer,
    Query,
    Reply,
    Work,
)
from gameserver.values import value
from protocols.line_reader import LineReader

HELD_BACK = frozenset(kind for kind in get_args(Event) if hasattr(kind, "release_ms"))
"""The events that may have to wait until their `release_ms`, and what comes after them too."""

Asked = Command | Query | Reply | None
"""The request of a line; None for a line that only takes its leave."""

Steps = Mapping[type, Callable[[Sequence[Event]], Sequence[Event]]]


@define
class LineSession:
    """One connection's state, apart from bytes on their way; a protocol's own session adds to it."""

    read_ms: int = field(default=0, init=False)
    """The time at which the latest bytes were read."""
    read_in: int | None = field(default=0, init=False)
    """The match that the peer had been told of when the line at hand was read; 0 for none.

    A line that was written in one match must not count in the next, which may begin while the line is on its way.
    """
    follow_up: Callable[[], Command | Reply | Work | None] | None = field(default=None, init=False)
    """Gives what comes before the next line. `answered` sets it; with the last that it gives, it sets this to None."""

    @property
    def match(self) -> int | None:
        """The match that a line which is read now is meant for, as in `read_in`."""
        return 0

    @property
    def entered(self) -> bool:
        """True if the lobby has accepted a login."""
        return False

    @property
    def left(self) -> bool:
        """True if the peer is through: nothing more is read of it or told."""
        return False


@value
class OwnSeat:
    """The match that a player is in, and the player's seat."""

    match: int
    seat: int
    first: int
    """The seat that moves first."""


@define
class PlayerSession(LineSession):
    """The state of a player's connection: logged in or not, in a match or not.

    The protocol's `answered` sets `entered`, its `read_line` sets `left`, and `SEAT_UPDATES` keep the rest.
    """

    peer: Peer
    entered: bool = field(default=False, init=False)
    left: bool = field(default=False, init=False)
    view: OwnSeat | None = field(default=None, init=False)

    @property
    def match(self) -> int | None:
        """As in `read_in`; None before the login: a player who comes back and moves at once means the match there."""
        if not self.entered:
            return None
        return 0 if self.view is None else self.view.match


def _take_seat(session: PlayerSession, event: MatchOpened | MatchShown) -> None:
    session.view = OwnSeat(event.match, event.seat, event.first)


def _leave_seat(session: PlayerSession, event: MatchEnded) -> None:
    if session.view is not None and session.view.match == event.match:
        session.view = None


SEAT_UPDATES: Mapping[type, Callable[[PlayerSession, Any], None]] = {
    MatchOpened: _take_seat,
    MatchShown: _take_seat,
    MatchEnded: _leave_seat,
}
"""The `LineAdapter.UPDATES` of a `PlayerSession`."""

SessionT = TypeVar("SessionT", bound=LineSession)


class LineAdapter(Adapter, Generic[SessionT]):
    """Bytes to commands, answers and events to bytes."""

    LINES: ClassVar[Mapping[type, Callable[[Any, Any], bytes]]]
    """Renders each event: a function of the event and the session, called when the event has changed the session."""
    SILENT: ClassVar[frozenset[type]]
    """The events that the protocol does not tell."""
    UPDATES: ClassVar[Mapping[type, Callable[[Any, Any], None]]]
    """How events change the session: functions of the session and the event. The others change nothing."""
    STEPS: ClassVar[Steps] = {}
    """Rewrites the events that come with an answer, by the question; without a function they are told as they are."""

    # An attribute, because it is looked at several times for each line.
    pending_bytes: int = 0
    """Finished lines only: to hand out an unfinished one, more has to be read."""

    def __init__(self, session: SessionT, reader: LineReader) -> None:
        self.session = session
        self.asked: Command | Query | None = None
        """The question in flight."""
        self._reader = reader
        self._read_in: deque[int | None] = deque()
        """For each line that waits, the match that it is meant for."""
        self._ended = False

    @staticmethod
    @abstractmethod
    def read_line(session: Any, line: bytes) -> Asked:
        """Tells what a line asks for, and what changes by that alone."""

    @staticmethod
    @abstractmethod
    def answered(session: Any, asked: Command | Query, answer: Answer) -> bytes:
        """Says the answer to a question, and keeps what follows from it."""

    def greeting(self) -> bytes:
        """Nothing: clients speak first."""
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        """Take bytes; a line that grows too long is complained of by `next`, after the lines before it."""
        session = self.session
        if not (self._ended or session.left):
            session.read_ms = at_ms
            lines = self._reader.feed(data)
            self._read_in.extend(repeat(session.match, lines))
            self.pending_bytes = self._reader.pending_bytes

    def receive_eof(self) -> None:
        """Take what is there for complete."""
        session = self.session
        if not (self._ended or session.left):
            self._read_in.extend(repeat(session.match, self._reader.end()))
            self.pending_bytes = self._reader.pending_bytes
        self._ended = True

    def next(self) -> Command | Query | Reply | Work | None:
        """The request of the next line, or the rest of the last one."""
        session, reader = self.session, self._reader
        if session.follow_up is not None:
            return self._next_of(session.follow_up)
        line = None if session.left else reader.take()
        if line is None:
            return None
        session.read_in = self._read_in.popleft()
        asked = self.read_line(session, line)
        self.pending_bytes = 0 if session.left else reader.pending_bytes
        if asked is not None and not isinstance(asked, Reply):
            self.asked = asked
        return asked

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """The answer, then a line for each event; what an event holds back, and what follows it, apart."""
        session = self.session
        if (self._ended or session.left) and self.finished:
            return ()
        data = b""
        if answer is not None and self.asked is not None:
            asked, self.asked = self.asked, None
            data = self.answered(session, asked, answer)
            self.pending_bytes = 0 if session.left else self._reader.pending_bytes
            if type(asked) in self.STEPS:
                events = self.STEPS[type(asked)](events)
        updates, lines = self.UPDATES, self.LINES
        outputs, release_ms = [], 0
        event: Any
        for event in events:
            kind = type(event)
            if kind in HELD_BACK and event.release_ms > release_ms:
                if data:
                    outputs.append(Output(data, release_ms))
                    data = b""
                release_ms = event.release_ms
            if kind in updates:
                updates[kind](session, event)
            if kind in lines:
                data += lines[kind](event, session)
        if data:
            outputs.append(Output(data, release_ms))
        return outputs

    @property
    def words_for_overlong(self) -> bytes:
        """The same as for a line over the limit."""
        return self._reader.too_long

    @property
    def is_waiting(self) -> bool:
        """True if every line was taken, none is too long, and more may come."""
        is_idle = self.session.follow_up is None and not (self._read_in or self._reader.is_broken)
        return is_idle and not (self._ended or self.session.left)

    @property
    def identified(self) -> bool:
        """True if the lobby has accepted a login."""
        return self.session.entered

    @property
    def finished(self) -> bool:
        """True if the peer said goodbye, or hung up and has been answered."""
        session = self.session
        if session.left:
            return True
        return self._ended and self.asked is None and session.follow_up is None and not self._reader

    def _next_of(self, follow_up: Callable[[], Command | Reply | Work | None]) -> Command | Reply | Work | None:
        item = follow_up()
        if item is not None and not isinstance(item, Reply | Work):
            self.asked = item
        return item
