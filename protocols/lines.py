"""The base of protocols of lines: a line of the peer for each question, a line to it for each event.

    receive   bytes become lines, each with the match that its sender knew of
    next      a line becomes a command, a query or a reply: `read_line`
    render    the answer becomes bytes, `answered`; then each event changes the session, `UPDATES`, and
              becomes a line, `LINES`

A protocol is functions of its session and tables of them; its adapter names them. One question is in flight at a time,
so one slot tells what an answer belongs to. An answer without a question has no words: the end of a session is decided
like a command, but the player did not ask.

A protocol that leaves out an event after some question, or tells it in several steps, has a function for that in
`STEPS`. One that answers everything by one line overrides `render`.

Telnet's commands and negotiations (RFC 854) are taken out of the bytes of a connection. The server negotiates nothing,
so nothing is answered: a client that hears no answer goes on without its option.

Which lines come out depends on the bytes alone and never on how they were cut. So a line over the limit is refused
after the lines before it were handed out, not when its bytes arrive.
"""

import json
from abc import abstractmethod
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from itertools import repeat
from typing import Any, ClassVar, Generic, TypeVar, get_args

import orjson
from attrs import Factory, define, field

from gameserver.protocol import (
    Adapter,
    Answer,
    BoardShown,
    BrokenInput,
    ChallengeClosed,
    ChallengeOpened,
    Command,
    Displaced,
    Event,
    FairnessShown,
    GamesListed,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MatchStatus,
    Output,
    OwnDrawShown,
    Peer,
    PlayersListed,
    Query,
    Reply,
    RoomsListed,
    SeatDropped,
    Seated,
    SeatReady,
    SeatReturned,
    TicketClosed,
    TicketShown,
    Unseated,
    Work,
)
from gameserver.values import value

# Groups of events, by which a protocol names those that it leaves out. A test fails for a new event in none of them.
ANSWER_EVENTS = frozenset({BoardShown, FairnessShown, GamesListed, MatchStatus, PlayersListed})
CHALLENGE_EVENTS = frozenset({ChallengeClosed, ChallengeOpened})
PRESENCE_EVENTS = frozenset({SeatDropped, SeatReturned})
READY_EVENTS = frozenset({MatchPaired, OwnDrawShown, SeatReady})
ROOM_EVENTS = frozenset({RoomsListed, Seated, Unseated})
TICKET_EVENTS = frozenset({Displaced, TicketClosed, TicketShown})

HELD_BACK = frozenset(kind for kind in get_args(Event) if hasattr(kind, "release_ms"))
"""The events that may have to wait until their `release_ms`, and what comes after them too."""

Asked = Command | Query | Reply | None
"""The request of a line; None for a line that only takes its leave."""

Steps = Mapping[type, Callable[[Sequence[Event]], Sequence[Event]]]


@define
class LineSession:
    """One connection's state in a protocol of lines; a protocol's own session adds to it."""

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
        """True if the lobby has accepted a login of this connection of lines."""
        return False

    @property
    def left(self) -> bool:
        """True if the peer of a protocol of lines is through: nothing more is read of it or told."""
        return False


@value
class OwnSeat:
    """The match that the player of a connection of lines is in, and the player's seat."""

    match: int
    seat: int
    first: int
    """The seat that moves first."""


@define
class PlayerSession(LineSession):
    """The state of a player's connection of lines: logged in or not, in a match or not.

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


_CR = 0x0D
"""A number, like `_IAC`: searched for as `bytes`, it costs a `TypeError` that CPython raises and drops inside."""


class LineEnds(Enum):
    """The ends that a line of a protocol may have."""

    LF = auto()
    """LF, with the CR before it if there is one. An empty line is a line."""
    ANY = auto()
    """LF, CRLF, a lone CR, or telnet's CR NUL. Empty lines are dropped: the LF of a CRLF ends one."""


class LineReader:
    """The lines of one connection, cut out of its bytes, in order and without their ends.

    `telnet` takes telnet's commands out of the bytes. `skip_bom` drops a UTF-8 byte order mark at the
    very beginning, which some editors and .NET's writers put there. `too_long` are the last words to
    a peer whose line exceeds `max_bytes`.
    """

    def __init__(
        self,
        max_bytes: int,
        *,
        ends: LineEnds = LineEnds.LF,
        telnet: bool = False,
        skip_bom: bool = False,
        too_long: bytes = b"",
    ) -> None:
        self._max_bytes = max_bytes
        self._ends_at_cr = ends is LineEnds.ANY
        self._end_bytes = 0 if self._ends_at_cr else 1
        self._telnet = _TelnetFilter(max_bytes) if telnet else None
        self._may_have_bom = skip_bom
        self.too_long = too_long
        self._after_cr = False
        self._unfinished = bytearray()
        self._finished: deque[bytes] = deque()
        self.is_broken = False
        """True once a line, or a telnet negotiation, grew too long; what comes after it is not read."""
        self.pending_bytes = 0
        """Bytes of the lines that `take` has not handed out; where empty lines are lines, with one for each end."""

    def __bool__(self) -> bool:
        """True if `take` has something to say: a line, or that one is too long."""
        return bool(self._finished) or self.is_broken

    def __len__(self) -> int:
        """The number of lines that `take` can hand out."""
        return len(self._finished)

    def feed(self, data: bytes) -> int:
        """Cuts bytes into lines and tells how many are finished. What follows one over the limit is dropped."""
        if self.is_broken:
            return 0
        telnet, ends_at_cr = self._telnet, self._ends_at_cr
        # Most of what is read is whole lines of plain text, which need none of these steps.
        if self._may_have_bom or (telnet is not None and (_IAC in data or not telnet.is_in_text)):
            data = self._text_of(data)
        if ends_at_cr and (self._after_cr or _CR in data):
            data = self._with_lf(data)
        *finished, begun = data.split(b"\n")
        if finished and self._unfinished:
            finished[0] = bytes(self._unfinished) + finished[0]
            self._unfinished.clear()
        kept = 0
        for ended in finished:
            line = ended if ends_at_cr else ended.removesuffix(b"\r")
            size = len(line)
            if size > self._max_bytes:
                self._break_off()
                return kept
            if size or not ends_at_cr:
                self._finished.append(line)
                self.pending_bytes += size + self._end_bytes
                kept += 1
        if begun:
            self._begin(begun)
        if telnet is not None and telnet.is_too_long:
            self._break_off()
        return kept

    def end(self) -> int:
        """Takes the unfinished line for a whole one, as no more bytes will come. Tells how many that finished."""
        if not self._unfinished:
            return 0
        line = bytes(self._unfinished).removesuffix(b"\r")
        self._unfinished.clear()
        self._finished.append(line)
        self.pending_bytes += len(line) + self._end_bytes
        return 1

    def take(self) -> bytes | None:
        """Hands out the next line; None where there is none. Raises `BrokenInput` for a line over the limit."""
        if self._finished:
            line = self._finished.popleft()
            self.pending_bytes -= len(line) + self._end_bytes
            return line
        if self.is_broken:
            raise BrokenInput(f"a line of more than {self._max_bytes} bytes", self.too_long)
        return None

    def _text_of(self, data: bytes) -> bytes:
        """Drops telnet's commands and the byte order mark, whose bytes may come one by one."""
        if self._telnet is not None:
            data = self._telnet.text_of(data)
        if not self._may_have_bom:
            return data
        # The mark's three bytes may come one by one: what came before them is looked at again.
        data = bytes(self._unfinished) + data
        self._unfinished.clear()
        if len(data) < len(BOM_UTF8) and BOM_UTF8.startswith(data):
            return data
        self._may_have_bom = False
        return data.removeprefix(BOM_UTF8)

    def _with_lf(self, data: bytes) -> bytes:
        """Writes every line end as LF. The second byte of a CR NUL may come in the next piece."""
        if not data:
            return data
        if self._after_cr and data[0] == 0:
            data = data[1:]
        self._after_cr = data.endswith(b"\r")
        # The LF of a CRLF may stay: it ends an empty line, and those are dropped.
        return data.replace(b"\r\0", b"\n").replace(b"\r", b"\n")

    def _begin(self, begun: bytes) -> None:
        """Keeps the beginning of a line, unless it is too long already. A CR at the end may be half of the line's."""
        self._unfinished += begun
        if len(self._unfinished) - begun.endswith(b"\r") > self._max_bytes:
            self._break_off()

    def _break_off(self) -> None:
        self.is_broken = True
        self._unfinished.clear()


SessionT = TypeVar("SessionT", bound=LineSession)


class LineAdapter(Adapter, Generic[SessionT]):
    """The adapter of a protocol of lines: a line in for each question, a line out for each event."""

    LINES: ClassVar[Mapping[type, Callable[[Any, Any], bytes]]]
    """Renders each event: a function of the event and the session, called when the event has changed the session."""
    SILENT: ClassVar[frozenset[type]]
    """The events that the protocol does not tell."""
    UPDATES: ClassVar[Mapping[type, Callable[[Any, Any], None]]]
    """Changes of the session by events: functions of the session and the event. The others change nothing."""
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
        """Says the answer to the question of a line, and keeps what follows from it."""

    def greeting(self) -> bytes:
        """Greets with nothing: in most protocols of lines, clients speak first."""
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        """Takes bytes of lines; `next` complains of one that is too long, after the lines before it."""
        session = self.session
        if not (self._ended or session.left):
            session.read_ms = at_ms
            lines = self._reader.feed(data)
            # Noted now and not when the line is taken: the match may end, and the next one begin, while the line
            # waits.
            self._read_in.extend(repeat(session.match, lines))
            self.pending_bytes = self._reader.pending_bytes

    def receive_eof(self) -> None:
        """Takes the line at the end of the bytes for complete."""
        session = self.session
        if not (self._ended or session.left):
            self._read_in.extend(repeat(session.match, self._reader.end()))
            self.pending_bytes = self._reader.pending_bytes
        # Lines that have come are still answered: a client may close its side and read on, as `nc` does at the end of
        # its input.
        self._ended = True

    def next(self) -> Command | Query | Reply | Work | None:
        """Gives the request of the next line, or the rest of the last one."""
        session, reader = self.session, self._reader
        # Before the next line: answers keep the order of their questions.
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
        """Says the answer, then a line for each event; what an event holds back, and what follows it, apart."""
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
            # Later events wait with the one that is held back: no client may read of a consequence before its cause.
            if kind in HELD_BACK and event.release_ms > release_ms:
                if data:
                    outputs.append(Output(data, release_ms))
                    data = b""
                release_ms = event.release_ms
            # First the session, then the line: a line says how things stand after its event.
            if kind in updates:
                updates[kind](session, event)
            if kind in lines:
                data += lines[kind](event, session)
        if data:
            outputs.append(Output(data, release_ms))
        return outputs

    @property
    def words_for_overlong(self) -> bytes:
        """The last words for a WebSocket message that is too long: the same as for a line."""
        return self._reader.too_long

    @property
    def is_waiting(self) -> bool:
        """True if every line was taken, none is too long, and more may come."""
        is_idle = self.session.follow_up is None and not (self._read_in or self._reader.is_broken)
        return is_idle and not (self._ended or self.session.left)

    @property
    def identified(self) -> bool:
        """True if the lobby has accepted a login by a line."""
        return self.session.entered

    @property
    def finished(self) -> bool:
        """True if the peer of a protocol of lines said goodbye, or hung up and has been answered."""
        session = self.session
        if session.left:
            return True
        return self._ended and self.asked is None and session.follow_up is None and not self._reader

    def _next_of(self, follow_up: Callable[[], Command | Reply | Work | None]) -> Command | Reply | Work | None:
        item = follow_up()
        if item is not None and not isinstance(item, Reply | Work):
            self.asked = item
        return item


# By judgement: a person types a line in two seconds. At 1,000 commands a second, a program could fill an opponent's
# input with chat.
MESSAGES_MAX = 20
"""The most chat lines of a connection within `_WINDOW_MS`; its protocol refuses more."""

_WINDOW_MS = 10_000


@define
class MessagePace:
    """Counts the chat lines of a connection in the last ten seconds."""

    _sent_ms: list[int] = Factory(list)

    def allows(self, at_ms: int) -> bool:
        """True if a connection may send one more chat line now; if so, it counts as sent."""
        sent_ms = self._sent_ms
        if len(sent_ms) == MESSAGES_MAX:
            if at_ms - sent_ms[0] < _WINDOW_MS:
                return False
            del sent_ms[0]
        sent_ms.append(at_ms)
        return True


def read_json(text: bytes) -> object:
    r"""Reads the JSON of a line, lone surrogates too. Raises `ValueError`.

    orjson refuses lone surrogates, which RFC 8259 section 8.2 lets in, as `"\ud800"`; each is read as a question
    mark. A player who has sent one is to be answered.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        # Only an escaped surrogate is worth the slow way: any other fault of the JSON is one to Python's reader, too.
        if b"\\ud" not in text.lower():
            raise
    try:
        # Encoding with "replace" is what turns each surrogate into a question mark.
        return orjson.loads(json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("the JSON text is nested too deeply") from error


_IAC = 0xFF
"""The byte that begins every telnet command. No UTF-8 text contains it."""

# RFC 854: a subnegotiation goes from SB to SE, and SE is the lowest of all commands.
_SB, _SE = 0xFA, 0xF0

_COMMANDS_FROM = 0xF0

_OPTION_COMMANDS = range(0xFB, 0xFF)
"""WILL, WONT, DO and DONT: an option follows. A command that is neither one of these nor SB stands alone."""

_TEXT, _COMMAND, _OPTION, _NEGOTIATION, _NEGOTIATION_COMMAND = range(5)

_TRANSITIONS = (
    bytes(_COMMAND if byte == _IAC else _TEXT for byte in range(256)),
    bytes(_NEGOTIATION if byte == _SB else _OPTION if byte in _OPTION_COMMANDS else _TEXT for byte in range(256)),
    bytes(_TEXT for _ in range(256)),
    bytes(_NEGOTIATION_COMMAND if byte == _IAC else _NEGOTIATION for byte in range(256)),
    bytes(_TEXT if byte == _SE else _NEGOTIATION for byte in range(256)),
)
"""The state that each byte leads to: `_TRANSITIONS[state][byte]`."""


class _TelnetFilter:
    """Takes telnet commands out of the bytes; all others pass.

    An escaped 255 passes as the byte that it stands for. One that begins no telnet command passes
    with the byte behind it: the line is no UTF-8 then, and is refused as such. A negotiation, from
    SB to SE, has the limit of a line, because a peer can go on with it without end as well.
    """

    def __init__(self, negotiation_bytes_max: int) -> None:
        self.is_in_text = True
        """True if no command is under way: data without an `_IAC` passes as it is."""
        self.is_too_long = False
        """True once a negotiation grew over the limit; nothing behind it passes."""
        self._state = _TEXT
        self._negotiation_bytes_max = negotiation_bytes_max
        self._negotiation_bytes = 0

    def text_of(self, data: bytes) -> bytes:
        """Takes the commands out of what was read next."""
        state, negotiation_bytes = self._state, self._negotiation_bytes
        text = bytearray()
        for byte in data:
            before, state = state, _TRANSITIONS[state][byte]
            if state >= _NEGOTIATION:
                negotiation_bytes += 1
                if negotiation_bytes > self._negotiation_bytes_max:
                    self.is_too_long = True
                    break
            else:
                negotiation_bytes = 0
                if before == _COMMAND and byte < _COMMANDS_FROM:
                    # Kept, so that the line is no UTF-8 and is refused, and not read as another one.
                    text += bytes((_IAC, byte))
                elif before == state == _TEXT or (before == _COMMAND and byte == _IAC):
                    text.append(byte)
        self._state, self._negotiation_bytes = state, negotiation_bytes
        self.is_in_text = state == _TEXT
        return bytes(text)
