r"""Simple JSON: a whole wire protocol in one file. Copy it, and change the words.

Every message is one JSON object on a line of its own. A client says what to do, and each time hears
`ok` or `error` first; everything else comes by itself, as it happens.

    {"do": "login", "name": "ann"}           {"tell": "ok"}
    {"do": "games"}                          {"tell": "ok"} {"tell": "games", "games": ["Reversi", ...]}
    {"do": "find", "game": "Reversi"}        {"tell": "ok"}; later, when there is an opponent:
                                             {"tell": "match", "game": "Reversi", "players": ["bob", "ann"], "you": 1,
                                              "moves": []}
                                             {"tell": "move", "player": "bob", "move": "d3", "details": ""}
                                             {"tell": "your turn", "hint": "..."}
    {"do": "move", "move": "c3"}             {"tell": "ok"} {"tell": "move", "player": "ann", ...}
    {"do": "move", "move": "z9"}             {"tell": "error", "why": "illegal move", "about": {"why": "..."}}
    {"do": "resign"}                         {"tell": "ok"} {"tell": "over", "result": "loss", "reason": "resigned"}
                                             {"tell": "challenge", "number": 3, "from": "bob", "game": "Reversi"}
    {"do": "accept", "number": 3}            {"tell": "ok"} {"tell": "match", ...}
    {"do": "bye"}                            (the connection ends)

The parts: what a message asks of the lobby (`asked`), what an event is called (`told`), and the adapter, which makes
lines of bytes and joins the two. `gameserver.protocol` explains every command and event.
"""

import json
import re
from collections import deque
from collections.abc import Sequence
from typing import Any, ClassVar

from gameserver.protocol import (
    Accept,
    Adapter,
    Answer,
    Capability,
    Command,
    Context,
    Enter,
    Event,
    GameEnded,
    GamesListed,
    ListGames,
    MatchEnded,
    MatchOpened,
    MatchShown,
    MovePlayed,
    MoveRefused,
    OfferOpened,
    Output,
    Peer,
    Play,
    Query,
    Refusal,
    Rejected,
    Reply,
    Resign,
    Seek,
    TurnStarted,
    WireProtocol,
)
from protocols.line_reader import LineReader

USAGE = (
    'write {"do": "login", "name": TEXT}, {"do": "games"}, {"do": "find", "game": TEXT}, {"do": "accept", '
    '"number": NUMBER}, {"do": "move", "move": TEXT}, {"do": "resign"} or {"do": "bye"}, each on a line'
)


def asked_by(message: object, peer: Peer, match: int) -> Command | Query | None:
    """What a message asks of the lobby; None for one that is not known. `match` is that in which it was read."""
    session = peer.session
    match message:
        case {"do": "login", "name": str(name), **rest}:
            # With CHALLENGE others can challenge the player, and tournaments can seat them.
            can = (Capability.CHALLENGE,)
            return Enter(session, name, "simple-json", peer.address, can, secret=str(rest.get("secret", "")))
        case {"do": "games"}:
            return ListGames(session)
        case {"do": "find", "game": str(game)}:
            return Seek(session, game)
        case {"do": "accept", "number": int(number)}:
            return Accept(session, number)
        case {"do": "move", "move": str(move)}:
            return Play(session, move, match)
        case {"do": "resign"}:
            return Resign(session, match=match)
    return None


def told_of(event: Event, seat: int) -> dict[str, Any] | None:
    """What the client hears of an event, if anything; `seat` is the player's own."""
    match event:
        case GamesListed():
            return {"tell": "games", "games": event.games}
        case OfferOpened():
            return {"tell": "challenge", "number": event.number, "from": event.challenger, "game": event.game}
        case MatchOpened() | MatchShown():
            moves = [[move.player, move.text] for move in event.moves] if isinstance(event, MatchShown) else []
            return {"tell": "match", "game": event.game, "players": event.players, "you": event.seat, "moves": moves}
        case TurnStarted():
            return {"tell": "your turn", "hint": event.prompt}
        case MovePlayed():
            return {"tell": "move", "player": event.player, "move": event.text, "details": event.details}
        case MoveRefused():
            return {"tell": "illegal", "player": event.player, "move": event.said, "why": event.why}
        case GameEnded():
            result = "draw" if not event.winners else "win" if seat in event.winners else "loss"
            return {"tell": "over", "result": result, "reason": event.reason.value}
    return None


def line_of(**message: Any) -> bytes:
    """A message as it is sent."""
    return json.dumps(message).encode() + b"\n"


class SimpleJsonAdapter(Adapter):
    """One connection: bytes to lines, lines to commands, answers and events to lines."""

    identified = False

    def __init__(self, peer: Peer, line_bytes_max: int) -> None:
        self._peer = peer
        too_long = line_of(tell="error", why=f"a line has at most {line_bytes_max} bytes")
        self._lines = LineReader(line_bytes_max, skip_bom=True, too_long=too_long)
        self._read_in: deque[int] = deque()
        """The match in which each waiting line was read: a move for one match must not count in the next."""
        self._match, self._seat = 0, 0
        self._asked: Command | Query | None = None
        self._has_ended, self._has_left = False, False

    def greeting(self) -> bytes:
        """Nothing: the client speaks first."""
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        """Make lines of bytes, in whatever pieces they come."""
        self._read_in.extend([self._match] * self._lines.feed(data))

    def receive_eof(self) -> None:
        """Take what is there for a line: its end may be missing."""
        self._has_ended = True
        self._read_in.extend([self._match] * self._lines.end())

    def next(self) -> Command | Query | Reply | None:
        """What the next line asks for."""
        line = None if self._has_left else self._lines.take()
        if line is None:
            return None
        match = self._read_in.popleft()
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            message = None
        if isinstance(message, dict) and message.get("do") == "bye":
            self._has_left = True
            return None
        self._asked = asked_by(message, self._peer, match)
        return self._asked or Reply(line_of(tell="error", why=USAGE))

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """The answer, then the events. What an event holds back waits for its time, and so does what follows it."""
        outputs, release_ms = [], 0
        if answer is not None and self._asked is not None:
            asked, self._asked = self._asked, None
            if isinstance(answer, Rejected):
                outputs.append(Output(line_of(tell="error", why=answer.code.value, about=dict(answer.facts))))
            else:
                self.identified = self.identified or isinstance(asked, Enter)
                outputs.append(Output(line_of(tell="ok")))
        for event in events:
            if isinstance(event, MatchOpened | MatchShown):
                self._match, self._seat = event.match, event.seat
            elif isinstance(event, MatchEnded):
                self._match = 0
            release_ms = max(release_ms, getattr(event, "release_ms", 0))
            told = told_of(event, self._seat)
            if told is not None:
                outputs.append(Output(line_of(**told), release_ms))
        return outputs

    def farewell(self, refusal: Refusal) -> bytes:
        """One last error."""
        return line_of(tell="error", why=refusal.why)

    @property
    def pending_bytes(self) -> int:
        """The lines that wait; the server reads no more until they are taken."""
        return 0 if self._has_left else self._lines.pending_bytes

    @property
    def finished(self) -> bool:
        """True if the peer said bye, or hung up and has its answers."""
        return self._has_left or (self._has_ended and not self._lines and self._asked is None)


class SimpleJson(WireProtocol):
    """The protocol as such."""

    name: ClassVar[str] = "simple-json"
    title: ClassVar[str] = "Simple JSON"
    default_port: ClassVar[int] = 7795
    guide: ClassVar[str] = __doc__ or ""
    secrets: ClassVar[Sequence[re.Pattern[bytes]]] = (re.compile(rb'"secret"\s*:\s*"([^"]*)"'),)
    try_it: ClassVar[str] = 'nc {host} {port}, then type: {{"do": "games"}}'

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        """A new connection's adapter."""
        return SimpleJsonAdapter(peer, context.line_bytes_max)


PROTOCOL = SimpleJson()
