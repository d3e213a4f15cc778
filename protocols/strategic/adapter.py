"""One connection's side of the text protocol: it joins the parts, and decides nothing.

`handlers` asks of the lobby what a line asks for, `rendering` says what comes back.
"""

from collections.abc import Sequence
from functools import partial

from gameserver.protocol import (
    Answer,
    Code,
    Command,
    Enter,
    Event,
    MatchShown,
    Query,
    Refusal,
    Rejected,
    Reply,
    ShowMatch,
    Work,
)
from protocols.line_adapter import LineAdapter
from protocols.line_reader import LineEnds, LineReader
from protocols.strategic import handlers, rendering
from protocols.strategic.last_match import LastMatch
from protocols.strategic.parsing import GameNames
from protocols.strategic.session import UPDATES, StrategicSession
from protocols.strategic.suggestions import closest, suggested, way_out

TOO_LONG = b"ERR Payload too large\r\n"


class StrategicAdapter(LineAdapter[StrategicSession]):
    """Lines of text in, OK, ERR and SVR lines out."""

    LINES = rendering.LINES
    SILENT = rendering.SILENT
    UPDATES = UPDATES
    read_line = staticmethod(handlers.read_line)

    def __init__(self, session: StrategicSession, line_bytes_max: int) -> None:
        super().__init__(session, LineReader(line_bytes_max, ends=LineEnds.ANY, telnet=True, too_long=TOO_LONG))

    def greeting(self) -> bytes:
        """The banner. Nothing else is said before the peer has spoken."""
        return self.session.profile.greeting

    def answered(self, asked: Command | Query, answer: Answer) -> bytes:
        """OK, or ERR and why. For a player in no match, `get match` goes on in the records."""
        if isinstance(answer, Rejected):
            return self._refused(asked, answer)
        if isinstance(asked, Enter):
            self.session.entered = True
        return rendering.OK

    def steps(self, asked: Command | Query | None, events: Sequence[Event]) -> Sequence[Event]:
        """The events, each match that is shown followed by its moves."""
        for event in events:
            if type(event) is MatchShown:
                return [step for each in events for step in (each, *(each.moves if type(each) is MatchShown else ()))]
        return events

    def farewell(self, refusal: Refusal) -> bytes:
        """One last ERR."""
        return rendering.err(refusal.why)

    def _refused(self, asked: Command | Query, rejected: Rejected) -> bytes:
        session = self.session
        if isinstance(asked, ShowMatch) and rejected.code is Code.NOT_IN_MATCH:
            self.follow_up = partial(self._go_on, LastMatch(session, rejected.facts.get("player", "")))
            return b""
        if rejected.code is Code.PROOF_TOO_OFTEN:
            session.left = True
            self.pending_bytes = 0
        text = session.profile.refusal(rejected)
        if not session.profile.is_imitation:
            text = suggested(text, _meant(rejected, session.games)) + way_out(rejected, session.games)
        return rendering.err(text)

    def _go_on(self, look_up: LastMatch) -> Work | Reply | None:
        item = look_up.next()
        if isinstance(item, Reply):
            self.follow_up = None
        return item


def _meant(rejected: Rejected, games: GameNames) -> str | None:
    """The name that may have been meant instead of one that is unknown."""
    if rejected.code is Code.UNKNOWN_GAME:
        return closest(rejected.facts.get("game", ""), games.known)
    return rejected.facts.get("like")
