"""The log of a proxy for people: both directions, line by line, with the time to the microsecond.

    10:31:07.123456  1 client > login ann
    10:31:07.330112  1 server > OK  [206.6 ms late, in 3 pieces over 4.1 ms]
    10:31:37.101020  1 proxy  * reset, for the client and the server, after 30s

A line has the time at which its last byte was sent on; what the faults did to it stands in brackets. WebSocket messages
are one line each, and requests and responses of HTTP several. Whatever is no text is counted. Secrets are masked by the
patterns that it is given. Nothing here writes or looks at a clock.

The summary at its end counts what the proxy passed on and did.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from attrs import define, evolve, field
from websockets.frames import Opcode

from gameserver.proxy.faults import Direction
from gameserver.proxy.relay import Crossing, Incident, Kind
from gameserver.proxy.units import Conversation, Unit, UnitForm
from gameserver.wire_log.redaction import Redactor

_TEXT_CHARACTERS_MAX = 2_000
"""Characters of a line that are shown."""
_LINES_MAX = 20
"""Lines of a body that are shown: JSON has one, and a page of HTML hundreds."""
_BYTES_SHOWN = 16
_LATE_US_MIN = 1_000
"""Less than this is the machine, not a fault."""
_UNFINISHED_US = 1_000_000
"""After so long a line without an end is shown as far as it has come."""
_LINE_END_NAMES = {b"\n": "LF", b"\r\n": "CR LF"}
_KINDS = {
    Kind.RESET: "connections that were reset",
    Kind.HALF_OPENED: "connections that were left half open",
    Kind.DROPPED: "times that the network went away",
    Kind.REFUSED: "new connections that met no network",
    Kind.LOST: "connections that a client or the server reset itself",
    Kind.NOT_REACHED: "connections for which the server did not answer",
}
"""Reported where there was any."""


@define(eq=False)
class _Side:
    """One direction of a connection: the packets since the last unit, and the line ends so far."""

    redactor: Redactor
    began_us: int = 0
    late_us: int = 0
    pieces: int = 0
    last_us: int = 0
    line_end: bytes = b"\n"
    goes_on: bool = False
    """True if the beginning of the line was shown already."""
    opaque: bytes = b""
    """Bytes that are neither lines nor messages, of which more were read at once."""


@define(eq=False)
class _Traced:
    """A connection."""

    conversation: Conversation
    sides: dict[Direction, _Side]


@define(eq=False)
class WireTrace:
    """The log of a proxy, as lines for people. `stamp` writes a time of trio's clock."""

    _stamp: Callable[[int], str]
    _secrets: Sequence[re.Pattern[bytes]] = ()
    _connections: dict[int, _Traced] = field(factory=dict, init=False)

    def crossing(self, crossing: Crossing) -> list[str]:
        """The lines of the proxy's log that are whole with these bytes."""
        traced = self._connections.get(crossing.connection)
        if traced is None:
            sides = {direction: _Side(Redactor(self._secrets)) for direction in Direction}
            traced = self._connections[crossing.connection] = _Traced(Conversation(), sides)
        side, direction = traced.sides[crossing.direction], crossing.direction
        if not side.pieces:
            side.began_us, side.late_us = crossing.at_us, crossing.at_us - crossing.piece.came_us
        side.pieces += 1
        side.last_us = crossing.at_us
        lines: list[str] = []
        for number, read in enumerate(traced.conversation.read(direction, crossing.piece.data)):
            unit = _gathered(side, crossing, read)
            if unit is None:
                continue
            notes = [*(self._notes(side, crossing) if number == 0 else _same_packet(unit)), *self._end_note(side, unit)]
            lines += self._lines(crossing.connection, direction, crossing.at_us, _texts(unit, side.redactor), notes)
            side.pieces = 0
        if traced.conversation.has_rest(direction) and not side.pieces:
            side.began_us, side.late_us, side.pieces = crossing.at_us, crossing.at_us - crossing.piece.came_us, 1
        return lines

    def incident(self, incident: Incident) -> list[str]:
        """The line of the proxy's log for something else that happened."""
        lines = []
        if incident.kind is Kind.CLOSED:
            lines = self._unfinished(incident.connection, incident.at_us, "the connection ended here", is_over=True)
            self._connections.pop(incident.connection, None)
        number = incident.connection or "-"
        return [*lines, f"{self._stamp(incident.at_us)} {number:>2} proxy  * {incident.text}"]

    def tick(self, now_us: int) -> list[str]:
        """The lines of the proxy's log for lines whose ends have not come for a while."""
        return [line for number in self._connections for line in self._unfinished(number, now_us, "no line end yet")]

    def _unfinished(self, number: int, now_us: int, note: str, *, is_over: bool = False) -> list[str]:
        traced = self._connections.get(number)
        if traced is None:
            return []
        lines: list[str] = []
        for direction, side in traced.sides.items():
            texts = _texts(Unit(UnitForm.BYTES, b"", side.opaque), side.redactor) if is_over and side.opaque else []
            is_due = is_over or now_us - side.last_us >= _UNFINISHED_US
            if is_due and (unfinished := traced.conversation.unfinished(direction)):
                traced.conversation.rest(direction)
                texts = [_printable(side.redactor.masked(unfinished))]
                side.goes_on, side.pieces = True, 0
            lines += self._lines(number, direction, side.last_us, texts, [note])
        return lines

    def _notes(self, side: _Side, crossing: Crossing) -> Iterator[str]:
        if side.goes_on:
            side.goes_on = False
            yield "goes on from above"
        if side.late_us >= _LATE_US_MIN:
            yield f"{_ms(side.late_us)} late"
        if side.pieces > 1:
            yield f"in {side.pieces} pieces over {_ms(crossing.at_us - side.began_us)}"

    def _end_note(self, side: _Side, unit: Unit) -> Iterator[str]:
        """Tell how a line ends where the one before it ended in another way."""
        end = b"\r\n" if unit.content.endswith(b"\r\n") else b"\n"
        if unit.form is UnitForm.LINE and end != side.line_end:
            side.line_end = end
            yield _LINE_END_NAMES[end]

    def _lines(
        self,
        number: int,
        direction: Direction,
        at_us: int,
        texts: Sequence[str],
        notes: Sequence[str],
    ) -> list[str]:
        noted = ", ".join(notes)
        stamp = f"{self._stamp(at_us)} {number:>2} {direction.sender} >"
        first, *rest = texts or [""]
        if not texts:
            return []
        return [f"{stamp} {first}{f'  [{noted}]' if noted else ''}", *(f"{stamp}   {text}" for text in rest)]


def _gathered(side: _Side, crossing: Crossing, unit: Unit) -> Unit | None:
    """The unit; bytes that are neither lines nor messages together with those that were read with them."""
    if unit.form is not UnitForm.BYTES:
        return unit
    content, side.opaque = side.opaque + unit.content, b""
    if crossing.piece.is_cut:
        # TLS cut into single bytes had a line of the log for each of them.
        side.opaque = content
        return None
    return evolve(unit, content=content)


def _same_packet(unit: Unit) -> list[str]:
    return ["same packet"] if unit.form in {UnitForm.LINE, UnitForm.MESSAGE} else []


def _texts(unit: Unit, redactor: Redactor) -> list[str]:
    if unit.form is UnitForm.CONTROL:
        return [_control(unit)]
    if unit.form is UnitForm.BYTES and not _is_text(unit.content):
        shown = unit.content[:_BYTES_SHOWN].hex(" ")
        dots = " ..." if unit.content[_BYTES_SHOWN:] else ""
        return [f"({len(unit.content):,} byte{'s' * (len(unit.content) > 1)}, no text: {shown}{dots})"]
    if unit.form is UnitForm.LINE:
        return [_printable(redactor.masked(unit.content).rstrip(b"\r\n"))]
    if not unit.content:
        return []
    lines = redactor.masked(unit.content + b"\n").rstrip(b"\r\n").split(b"\n")
    most = len(lines) if unit.form is UnitForm.HEAD else _LINES_MAX
    more = [f"... and {len(lines) - most:,} lines more"] if len(lines) > most else []
    return [_printable(line.rstrip(b"\r")) for line in lines[:most]] + more


def _control(unit: Unit) -> str:
    if unit.opcode is not Opcode.CLOSE:
        return f"({unit.opcode.name.lower()})"
    code, reason = int.from_bytes(unit.content[:2], "big"), _printable(unit.content[2:])
    return f"(close{f' {code}' if code else ''}{f' {reason}' if reason else ''})"


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    # U+001E ends SignalR's messages, so it is text here.
    return not re.search(rb"[\x00-\x08\x0e-\x1d]", data)


def _printable(data: bytes) -> str:
    """Text that does nothing to a terminal, and not too much of it."""
    text = data.decode(errors="backslashreplace")
    shown = text[:_TEXT_CHARACTERS_MAX]
    more = len(text) - len(shown)
    if not shown.isprintable():
        shown = "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in shown)
    return f"{shown} ... and {more:,} characters more" if more else shown


def _ms(us: int) -> str:
    return f"{us / 1_000:,.1f} ms"


@define(eq=False)
class Tally:
    """The counts for the summary at the end of the proxy's log."""

    _sent: Counter[Direction] = field(factory=Counter, init=False)
    _bytes: Counter[Direction] = field(factory=Counter, init=False)
    _kinds: Counter[Kind] = field(factory=Counter, init=False)
    _cuts: int = field(default=0, init=False)
    _joined: int = field(default=0, init=False)
    _late: int = field(default=0, init=False)
    _late_us: int = field(default=0, init=False)
    _latest_us: int = field(default=0, init=False)

    def crossing(self, crossing: Crossing) -> None:
        """Count bytes that pass, for the summary of the proxy's log."""
        self._sent[crossing.direction] += 1
        self._bytes[crossing.direction] += len(crossing.piece.data)
        self._cuts += crossing.piece.is_cut
        self._joined += crossing.piece.joined
        late_us = crossing.at_us - crossing.piece.came_us
        if late_us >= _LATE_US_MIN:
            self._late += 1
            self._late_us += late_us
            self._latest_us = max(self._latest_us, late_us)

    def incident(self, incident: Incident) -> None:
        """Count an incident for the summary of the proxy's log."""
        self._kinds[incident.kind] += 1

    def lines(self) -> list[str]:
        """The summary of the proxy's log, a fact a line."""
        opened = self._kinds[Kind.OPENED]
        lines = [_counted(opened, "connection")]
        lines += [
            f"to the {way.receiver}: {_counted(self._bytes[way], 'byte')}, {_counted(self._sent[way], 'send')}"
            for way in (Direction.TO_SERVER, Direction.TO_CLIENT)
        ]
        if self._late:
            mean_ms, most_ms = self._late_us / self._late / 1_000, self._latest_us / 1_000
            sends = _counted(self._late, "send")
            lines.append(f"delayed: {sends}, by {mean_ms:,.1f} ms on average and {most_ms:,.1f} ms at most")
        if self._cuts:
            lines.append(f"cut: in {_counted(self._cuts, 'place')}")
        if self._joined:
            lines.append(f"joined: {_counted(self._joined, 'read')} to the one before")
        return lines + [f"{text}: {self._kinds[kind]:,}" for kind, text in _KINDS.items() if self._kinds[kind]]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
