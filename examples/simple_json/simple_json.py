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

The parts: what a message asks of the lobby (`asked_by`), what the client hears of an event (`LINES`), and the adapter,
which joins the two. `gameserver.protocol` explains every command and event.
"""

import json
import re
from typing import Any

from gameserver import protocol as lobby
from protocols.lines import SEAT_UPDATES, LineAdapter, LineReader, PlayerSession

USAGE = (
    'write {"do": "login", "name": TEXT}, {"do": "games"}, {"do": "find", "game": TEXT}, {"do": "accept", '
    '"number": NUMBER}, {"do": "move", "move": TEXT}, {"do": "resign"} or {"do": "bye"}, each on a line'
)


def line_of(**message: Any) -> bytes:
    """A message as it is sent."""
    return json.dumps(message).encode() + b"\n"


def asked_by(session: PlayerSession, message: object) -> lobby.Command | lobby.Query | lobby.Reply | None:
    """The request of a message; a `Reply` to an unknown one."""
    number, match = session.peer.session, session.read_in
    match message:
        case {"do": "login", "name": str(name), **rest}:
            # With CHALLENGE others can challenge the player, and tournaments can seat them.
            can, secret = (lobby.Capability.CHALLENGE,), str(rest.get("secret", ""))
            return lobby.Enter(number, name, "simple-json", session.peer.address, can, secret=secret)
        case {"do": "games"}:
            return lobby.ListGames(number)
        case {"do": "find", "game": str(game)}:
            return lobby.Seek(number, game)
        case {"do": "accept", "number": int(offer)}:
            return lobby.Accept(number, offer)
        case {"do": "move", "move": str(move)}:
            return lobby.Play(number, move, match)
        case {"do": "resign"}:
            return lobby.Resign(number, match=match)
        case {"do": "bye"}:
            session.left = True
            return None
    return lobby.Reply(line_of(tell="error", why=USAGE))


def match_line(event: lobby.MatchOpened | lobby.MatchShown, _: PlayerSession) -> bytes:
    """A match that begins, or goes on after the player was away."""
    moves = [[move.player, move.text] for move in event.moves] if isinstance(event, lobby.MatchShown) else []
    return line_of(tell="match", game=event.game, players=event.players, you=event.seat, moves=moves)


def end_line(event: lobby.GameEnded, session: PlayerSession) -> bytes:
    """A result, as this player has it."""
    result = "" if session.view is None else event.result.for_seat(session.view.seat)
    return line_of(tell="over", result=result, reason=event.result.reason.value)


LINES = {
    lobby.GamesListed: lambda event, _: line_of(tell="games", games=event.games),
    lobby.ChallengeOpened: lambda event, _: line_of(
        **{"tell": "challenge", "number": event.number, "from": event.challenger, "game": event.game}
    ),
    lobby.MatchOpened: match_line,
    lobby.MatchShown: match_line,
    lobby.TurnStarted: lambda event, _: line_of(tell="your turn", hint=event.prompt),
    lobby.MovePlayed: lambda event, _: line_of(
        tell="move", player=event.player, move=event.text, details=event.details
    ),
    lobby.MoveRefused: lambda event, _: line_of(tell="illegal", player=event.player, move=event.said, why=event.why),
    lobby.GameEnded: end_line,
}


class SimpleJsonAdapter(LineAdapter[PlayerSession]):
    """One connection: lines to commands, answers and events to lines."""

    LINES = LINES
    UPDATES = SEAT_UPDATES

    @staticmethod
    def read_line(session: PlayerSession, line: bytes) -> lobby.Command | lobby.Query | lobby.Reply | None:
        """The request of a line."""
        try:
            return asked_by(session, json.loads(line))
        except (ValueError, RecursionError):
            return asked_by(session, None)

    @staticmethod
    def answered(session: PlayerSession, asked: lobby.Command | lobby.Query, answer: lobby.Answer) -> bytes:
        """`ok`, or why not."""
        if isinstance(answer, lobby.Rejected):
            return line_of(tell="error", why=answer.code.value, about=dict(answer.facts))
        session.entered = session.entered or isinstance(asked, lobby.Enter)
        return line_of(tell="ok")

    def farewell(self, refusal: lobby.Refusal) -> bytes:
        """One last error."""
        return line_of(tell="error", why=refusal.why)


class SimpleJson(lobby.WireProtocol):
    """The protocol as such."""

    name = "simple-json"
    title = "Simple JSON"
    default_port = 7795
    guide = __doc__ or ""
    secrets = (re.compile(rb'"secret"\s*:\s*"([^"]*)"'),)
    try_it = 'nc {host} {port}, then type: {{"do": "games"}}'

    def adapter(self, peer: lobby.Peer, context: lobby.Context) -> lobby.Adapter:
        """A new connection's adapter."""
        too_long = line_of(tell="error", why=f"a line has at most {context.line_bytes_max} bytes")
        reader = LineReader(context.line_bytes_max, skip_bom=True, too_long=too_long)
        return SimpleJsonAdapter(PlayerSession(peer), reader)


PROTOCOL = SimpleJson()
