"""Rendering: events into lines, byte for byte as the originals' captures have them.

Clients read fields by position and some cannot read a value without quotes, so the keys keep their order, every value
is quoted, and there is one space after each colon and comma. A key that is added one day goes to the end. The format
has no escape: characters that would break the quoting are replaced here, on the way out, wherever they came from.

REASON of a LOSS is the cause in a few words. It is apart from COMMENT, whose words clients compare.

One client cannot read a value that has a comma, and the format has no escape for quotation marks and braces. So a
game's sentence is cut to its first clause, which names the rule; the rest says what would do.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from gameserver.protocol import (
    BoardShown,
    By,
    ChallengeClosed,
    ChallengeOpened,
    EndReason,
    Enter,
    Event,
    FairnessShown,
    GameEnded,
    GamesListed,
    MatchEnded,
    MatchOpened,
    MatchShown,
    MatchStatus,
    MovePlayed,
    MoveRefused,
    PastMatch,
    PlayersListed,
    Result,
    Said,
    TurnStarted,
    Why,
)
from protocols.lines import PRESENCE_EVENTS, READY_EVENTS, ROOM_EVENTS, TICKET_EVENTS, Steps
from protocols.strategic.profiles import StrategicProfile
from protocols.strategic.session import StrategicSession
from protocols.wording import echo

# By judgement: room for one rule in words. The line stays far below the 1,024 bytes at which 2OOP hangs up.
BYTES_MAX = 80

# A comma inside of a word is no end of a clause: some moves are written with it, such as h,0,0.
_CLAUSE_END = re.compile(r"[,;]\s")
_UNFIT = re.compile(r'["{}]')


OK = b"OK\r\n"
# Always with TURNMESSAGE, empty or not, as the originals had it.
_UNPROMPTED = b'SVR GAME YOURTURN {TURNMESSAGE: ""}\r\n'
"""The line of a turn for most games, which have no prompt."""
LOSS = "LOSS"
_LATE_DETAILS = "Turn timelimit reached"
_ILLEGAL_DETAILS = "Illegal move"

_BY_SERVER = By.SERVER  # once and for all: in Python 3.11 to look a member up by its class costs as much as a call

# The originals printed names raw, such as `my "odd", na{me}`, at which parsers break.
_LINE_BREAKING = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029), " ")
_QUOTE_BREAKING = _LINE_BREAKING | {ord('"'): "'"}
_LINE_BREAKING_BUT_TAB = _LINE_BREAKING | {ord("\t"): "\t"}


def _safe(text: str) -> str:
    """The text as it may stand between quotes."""
    return text if text.isprintable() and '"' not in text else text.translate(_QUOTE_BREAKING)


def err(text: str) -> bytes:
    """Writes a refusal as an ERR line of the text protocol. A tab stays, as it did in the original."""
    return _encode(f"ERR {text if text.isprintable() else text.translate(_LINE_BREAKING_BUT_TAB)}\r\n")


def _encode(text: str) -> bytes:
    """Lines as bytes; half a surrogate pair, which a JSON client can smuggle in, has no bytes of its own."""
    try:
        return text.encode()  # without arguments it takes a third of the time
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def help_lines(lines: Iterable[str]) -> bytes:
    """Renders lines of text as the bytes of SVR HELP, the text protocol's answer to `help`."""
    # An empty line is `SVR HELP ` with its blank, as captured; there is no mark of the end.
    return OK + _encode("".join(f"SVR HELP {line}\r\n" for line in lines))


def _games_line(event: GamesListed, _: StrategicSession) -> bytes:
    return _encode(f"SVR GAMELIST {_list(event.games)}\r\n")


def _players_line(event: PlayersListed, session: StrategicSession) -> bytes:
    # 2OOP asks every second, headtrixz every 5 s, wouter every 30 s, in a match as well: made once until it changes.
    told, line = session.latest[PlayersListed]
    if event is not told:
        line = _encode(f"SVR PLAYERLIST {_list(player.name for player in event.players)}\r\n")
        session.latest[PlayersListed] = event, line
    return line


def _list(names: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{_safe(name)}"' for name in names) + "]"


def _challenge_line(event: ChallengeOpened, _: StrategicSession) -> bytes:
    """A challenge. TURNTIME is always there, and last."""
    return _encode(
        # Every value is quoted: the document's sample without quotes breaks mg2002 and RobbinKok (measured).
        # AlphaReversi cannot read a CHALLENGE without TURNTIME, rhouwen's client none that ends with the number.
        f'SVR GAME CHALLENGE {{CHALLENGER: "{_safe(event.challenger)}", CHALLENGENUMBER: "{event.number}", '
        f'GAMETYPE: "{_safe(event.game)}", TURNTIME: "{(event.clock.without_bank().turn_time_ms or 0) // 1000}"}}\r\n'
    )


def _challenge_closed_line(event: ChallengeClosed, _: StrategicSession) -> bytes:
    return _encode(f'SVR GAME CHALLENGE CANCELLED {{CHALLENGENUMBER: "{event.number}"}}\r\n')


def _match_line(event: MatchOpened | MatchShown, _: StrategicSession) -> bytes:
    """The beginning of a game, or of the story of one. Of three and more players the others are listed.

    A player who comes back while the next game waits is told of it when it begins.
    """
    if isinstance(event, MatchShown) and event.ready is not None:
        return b""
    # ITV2S2-Groep-2 begins if its own name is anywhere in the line, so no other key may have the receiver's name
    # (TicTacToeMainMenuScene.java:138-139).
    opponents = ", ".join([name for seat, name in enumerate(event.players) if seat != event.seat])
    return _encode(
        # The order in which the originals' hash map printed the keys, and not the document's, at which mg2002,
        # DowneyX and 2OOP break (measured): they read fields by position.
        f'SVR GAME MATCH {{PLAYERTOMOVE: "{_safe(event.players[event.first])}", '
        f'GAMETYPE: "{_safe(event.game)}", OPPONENT: "{_safe(opponents)}"}}\r\n'
    )


def _turn_line(event: TurnStarted, session: StrategicSession) -> bytes:
    """The player's turn; another's is silent."""
    view = session.view
    if view is None or view.match != event.match or view.seat not in event.seats:
        return b""
    if not event.prompt:
        return _UNPROMPTED
    return _encode(f'SVR GAME YOURTURN {{TURNMESSAGE: "{_safe(event.prompt)}"}}\r\n')


def _move_line(event: MovePlayed, session: StrategicSession) -> bytes:
    """A move. A draw by chance has no line: the game's prompt and reaction tell of it."""
    # Clients know no line for a draw, and a move of nobody would be one of the opponent's to them.
    if event.seat is None:
        return b""
    told, line = session.latest[MovePlayed]
    if event is not told:
        player, details = _safe(event.player), event.details and _safe(event.details)
        if event.by is _BY_SERVER:
            details = _LATE_DETAILS
        move = _safe(event.text) if event.number is None else event.number
        # DETAILS is always there: hayo, DowneyX and 2OOP lose track of the game without it (measured).
        line = _encode(f'SVR GAME MOVE {{PLAYER: "{player}", MOVE: "{move}", DETAILS: "{details}"}}\r\n')
        session.latest[MovePlayed] = event, line
    return line


def _refused_move_line(event: MoveRefused, _: StrategicSession) -> bytes:
    """A move that costs the match, as it was sent; a very long one is cut, for the opponent's sake."""
    said = _safe(echo(event.said))
    return _encode(
        f'SVR GAME MOVE {{PLAYER: "{_safe(event.player)}", MOVE: "{said}", DETAILS: "{_ILLEGAL_DETAILS}"}}\r\n'
    )


def _result_line(event: GameEnded, session: StrategicSession) -> bytes:
    """The result. The format has two scores: with three and more players, those of the first mover and the next."""
    view, profile = session.view, session.profile
    if view is None or view.match != event.match:
        return b""
    over = event.result
    comment = over.reason_text if over.reason is EndReason.PLAYED else profile.comments[over.reason]
    points = _points(over, profile)
    # Player one is the one who moved first, not the receiver, as captured.
    one, two = points[view.first], points[(view.first + 1) % len(points)]
    result = over.for_seat(view.seat).upper()
    reason = ""
    if event.why is not None and result == LOSS and not profile.is_imitation:
        # A key at the end hurts none of eleven clients (measured); the words of COMMENT do, as some are compared.
        reason = f', REASON: "{_safe(fitted(_cause_of(event, event.why)))}"'
    return _encode(
        f'SVR GAME {result} {{PLAYERONESCORE: "{one}", PLAYERTWOSCORE: "{two}", '
        f'COMMENT: "{_safe(comment)}"{reason}}}\r\n'
    )


def _points(result: Result, profile: StrategicProfile) -> tuple[int, ...]:
    """The game's own points where they count, the profile's where they do not."""
    if result.reason in profile.scored:
        return result.points
    if not result.winners:
        return (0,) * len(result.points)
    won, lost = profile.forfeit_points
    return tuple(won if seat in result.winners else lost for seat in range(len(result.points)))


def _message_line(event: Said, _: StrategicSession) -> bytes:
    """A chat line. Quotes become spaces, as the original had it."""
    text = _safe(event.text.replace('"', " "))
    return _encode(f'SVR MESSAGE {{PLAYERNAME: "{_safe(event.sender)}", MESSAGE: "{text}"}}\r\n')


def _board_lines(event: BoardShown, _: StrategicSession) -> bytes:
    """The position, a line for each of its own."""
    return _encode("".join(f"SVR BOARD {line if line.isprintable() else _safe(line)}\r\n" for line in event.lines))


def _standing_line(event: MatchStatus, session: StrategicSession) -> bytes:
    """The state of the match. TIMELEFT is in seconds, and empty if no clock runs."""
    awaited = ", ".join(event.players[seat] for seat in event.awaited)
    own = event.players[event.seat]
    opponents = ", ".join(name for seat, name in enumerate(event.players) if seat != event.seat)
    time = {"turn": awaited, "time_left": _tenths(event.left_ms), "banks": _banks(event)}
    return _own_match_line(session, own, event.match, event.game, opponents, **time)


def _banks(event: MatchStatus) -> str:
    """The keys of a match with a bank; that of the house, which has none, is empty."""
    if not event.banks_ms:
        return ""
    others = ", ".join(_tenths(bank_ms) for seat, bank_ms in enumerate(event.banks_ms) if seat != event.seat)
    return f', CLOCK: "{event.clock}", BANK: "{_tenths(event.banks_ms[event.seat])}", OPPONENTBANK: "{others}"'


def _tenths(ms: int | None) -> str:
    return "" if ms is None else f"{ms / 1000:.1f}"


def _fairness_line(event: FairnessShown, _: StrategicSession) -> bytes:
    """The SHA-256 of what is secret still, in the middle that of the own match, and the last seed that was told."""
    added = ", ".join(f"{_safe(name)} {data}" for name, data in event.contributions)
    return _encode(
        f'SVR FAIRNESS {{EPOCH: "{event.epoch}", COMMITMENT: "{event.commitment}", MATCHNUMBER: "{event.match or ""}", '
        f'MATCHCOMMITMENT: "{event.match_commitment}", SEATSBY: "{event.seats_by}", CONTRIBUTIONS: "{added}", '
        f'TOLDEPOCH: "{event.told_epoch or ""}", TOLDSEED: "{event.told_seed}"}}\r\n'
    )


def past_match_line(past: PastMatch, player: str, session: StrategicSession) -> bytes:
    """Writes the SVR MATCH line of a match on record: it is nobody's turn."""
    opponents = ", ".join(past.opponents)
    return _own_match_line(session, player, past.match, past.game, opponents, result=past.result.upper())


def _own_match_line(
    session: StrategicSession,
    player: str,
    match: int,
    game: str,
    opponents: str,
    *,
    turn: str = "",
    time_left: str = "",
    result: str = "",
    banks: str = "",
) -> bytes:
    page = f"{session.pages_url}/matches/{match}" if session.pages_url else ""
    link = session.own_page_of(player, session.peer.session)
    own_page = f', OWNPAGE: "{link}"' if link else ""
    return _encode(
        f'SVR MATCH {{MATCHNUMBER: "{match}", GAMETYPE: "{_safe(game)}", OPPONENT: "{_safe(opponents)}", '
        f'TURN: "{_safe(turn)}", TIMELEFT: "{time_left}", RESULT: "{result}", PAGE: "{page}"{own_page}{banks}}}\r\n'
    )


def _cause_of(event: GameEnded, why: Why) -> str:
    """The cause of the receiver's loss."""
    match event.result.reason:
        case EndReason.ILLEGAL if why.after_restart:
            return f"after the restart all moves (your own too) were told again: {why.rule}"
        case EndReason.ILLEGAL:
            return why.rule
        case EndReason.LATE if why.is_bank:
            came = "no move came before" if why.late_ms is None else f"the move came {_seconds(why.late_ms)} s after"
            return f"{came} the bank of {why.clock.bank_text} was used up"
        case EndReason.LATE if why.late_ms is not None:
            return f"the move came {_seconds(why.late_ms)} s after the {_seconds(why.clock.turn_time_ms)} s of the turn"
        case EndReason.LATE:
            return f"no move came within {_seconds(why.clock.turn_time_ms)} s of YOURTURN"
        case EndReason.RESIGNED:
            return "the match was forfeited"
        case EndReason.DROPPED:
            return "the connection was lost"
    return event.result.reason_text or "the game was played to its end"


def _seconds(ms: int | None) -> str:
    return "?" if ms is None else f"{ms / 1000:g}"


def fitted(text: str) -> str:
    """Shortens a sentence to the clause that fits the REASON of the text protocol's LOSS line."""
    clause = " ".join(_UNFIT.sub("", _CLAUSE_END.split(text)[0]).replace(",", " ").split())
    if clause.count("(") > clause.count(")"):
        clause = ": ".join(clause.rsplit(" (", 1))
    while len(clause.encode("utf-8", "replace")) > BYTES_MAX:
        clause = _shorter(clause)
    return clause


def _shorter(clause: str) -> str:
    """The clause without its last part, or its last word, or its last letter where it is one word."""
    for separator in (": ", " (", " "):
        head, found, _ = clause.rpartition(separator)
        if found:
            return head
    return clause[:-1]


def _with_moves(events: Sequence[Event]) -> Sequence[Event]:
    """The events, each match that is shown followed by its moves."""
    return [step for event in events for step in (event, *(event.moves if type(event) is MatchShown else ()))]


STEPS: Steps = {Enter: _with_moves}
"""A player who comes back is shown the match."""

LINES: Mapping[type, Callable[[Any, StrategicSession], bytes]] = {
    BoardShown: _board_lines,
    FairnessShown: _fairness_line,
    GameEnded: _result_line,
    GamesListed: _games_line,
    MatchOpened: _match_line,
    MatchShown: _match_line,
    MatchStatus: _standing_line,
    MovePlayed: _move_line,
    MoveRefused: _refused_move_line,
    ChallengeClosed: _challenge_closed_line,
    ChallengeOpened: _challenge_line,
    PlayersListed: _players_line,
    Said: _message_line,
    TurnStarted: _turn_line,
}
"""The line of each event."""

SILENT = PRESENCE_EVENTS | READY_EVENTS | ROOM_EVENTS | TICKET_EVENTS | {MatchEnded}
"""Clients know no line for these, and some do not survive one that they do not know."""
