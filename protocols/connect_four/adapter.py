"""One connection's side of the protocol: it joins the parts, and decides little.

`handlers` asks of the lobby what a line asks for, `rendering` says what comes back. An accepted
action has no words of its own: what it brought about is the answer, or there is none, as after a
move.

Three things are left out of what the lobby says, each because a client would take it for the answer
to something else:

* a move out of turn, or for a game that is over, is dropped, as by the original;
* a player who leaves a running game is told of the lobby, not of having lost;
* a player who is refused because the server had put them back into the lobby in that moment has the answer already.
"""

from collections.abc import Sequence

from attrs import evolve

from gameserver.protocol import (
    Accepted,
    Answer,
    Code,
    Command,
    Depart,
    Event,
    GameEnded,
    Play,
    Query,
    Ready,
    Refusal,
)
from protocols.connect_four import handlers, rendering
from protocols.connect_four.handlers import NO_COLUMN
from protocols.connect_four.profiles import REFUSALS, WHAT_A_MOVE_IS
from protocols.connect_four.schema import Error, Reason, write
from protocols.connect_four.session import UPDATES, ConnectFourSession, Stage
from protocols.line_adapter import LineAdapter
from protocols.line_reader import LineReader

_DROPPED = {Code.NOT_YOUR_TURN, Code.TURN_NOT_BEGUN, Code.TOO_LATE, Code.NOT_IN_MATCH, Code.STALE}
"""What happens to a move that is nobody's fault."""


class ConnectFourAdapter(LineAdapter[ConnectFourSession]):
    """Actions in, events out, a JSON object a line."""

    LINES = rendering.LINES
    SILENT = rendering.SILENT
    UPDATES = UPDATES
    read_line = staticmethod(handlers.read_line)

    def __init__(self, session: ConnectFourSession, line_bytes_max: int) -> None:
        why = f"a line has at most {line_bytes_max} bytes; end each object with a line feed"
        too_long = session.profile.error(Reason.MISSING_KEYS, why)
        super().__init__(session, LineReader(line_bytes_max, skip_bom=True, too_long=too_long))

    def answered(self, asked: Command | Query, answer: Answer) -> bytes:
        """An error, if the lobby refused and the client does not know it already."""
        session = self.session
        if isinstance(answer, Accepted):
            session.accepted(asked)
            return b""
        if self._needs_no_words(asked, answer.code):
            return b""
        if REFUSALS[answer.code][0] is Reason.LOBBY_ENTRY_DENIED:
            session.stage = Stage.LEFT
            self.pending_bytes = 0
        if not isinstance(asked, Play):
            return session.profile.refusal(answer)
        if asked.move == NO_COLUMN and answer.code is Code.ILLEGAL_MOVE:
            answer = evolve(answer, facts={**answer.facts, "why": WHAT_A_MOVE_IS})
        return session.profile.refusal(answer, session.said)

    def steps(self, asked: Command | Query | None, events: Sequence[Event]) -> Sequence[Event]:
        """The events, but for the end of a game that its player has just left."""
        if isinstance(asked, Depart):
            return [event for event in events if not isinstance(event, GameEnded)]
        return events

    def farewell(self, refusal: Refusal) -> bytes:
        """One last error. The reason is the only one of the document's that ends a connection."""
        return write(Error(Reason.LOBBY_ENTRY_DENIED, message=refusal.why))

    @property
    def discarded(self) -> int:
        """How many lines were no JSON objects."""
        return self.session.discarded

    def _needs_no_words(self, asked: Command | Query, code: Code) -> bool:
        if isinstance(asked, Play):
            return code in _DROPPED
        crossed = isinstance(asked, Ready | Depart) and code is Code.NOT_AT_TABLE
        return crossed and self.session.stage is Stage.LOBBY
