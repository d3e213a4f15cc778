"""Rendering: events into messages, each a JSON object with what it `tell`s.

Keys may be added to a message; none that a client has read changes its meaning. Points in time (`_ms`) are on the
server's axis, which a client learns by `ping`.

A board's picture, and the look of its sides, are told in terms of JSON. Each value of `gameserver.drawing` becomes an
object of its attributes under their own names, without those that have their default: a shape that a game's author may
draw is one that a client may be sent. A shape's `kind` is its class in lower case. What the answer to a touch is worked
out of is always there, if only as null.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache
from typing import Any

import attrs
import orjson

from gameserver.drawing import Code, Picture, Shape
from gameserver.protocol import (
    BoardShown,
    ChallengeClosed,
    ChallengeOpened,
    EndReason,
    FairnessShown,
    GameEnded,
    GamesListed,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MatchStatus,
    MovePlayed,
    MoveRefused,
    OwnDrawShown,
    PlayersListed,
    Result,
    Said,
    SeatDropped,
    SeatReady,
    SeatReturned,
    TimeControl,
    TurnStarted,
    Why,
)
from protocols.lines import ROOM_EVENTS, TICKET_EVENTS
from protocols.web.session import WebSession

_DECIMALS = 2
"""Digits after the point of a coordinate, whose unit is about a pixel."""


# Of 27 kB of a board of 3D Connect Four nearly everything is the same at every move; to write the rest takes an
# eighth of the time (measured).
_SHAPES_KEPT = 8_192
"""Shapes whose JSON is kept: most of a picture's are the same at every move, and in every match of the game."""

_NOBODYS = frozenset({EndReason.VOID, EndReason.ABANDONED})
"""The ends of a match that nobody won or lost, and that is no draw either."""


def written(*, id: str | int | None = None, **message: Any) -> bytes:  # noqa: A002 - the key's name on the wire
    """Writes a message to a browser as a line of JSON; an answer repeats the `id` of its question, if that had one."""
    if id is not None:
        message["id"] = id
    return orjson.dumps(message, option=orjson.OPT_APPEND_NEWLINE)


def _seconds(ms: int | None) -> float | None:
    if ms is None:
        return None
    return ms // 1000 if ms % 1000 == 0 else ms / 1000


def _terms(clock: TimeControl) -> dict[str, Any]:
    """The time of a turn, and the whole clock only where it has a bank."""
    terms: dict[str, Any] = {"turn_time_s": _seconds(clock.turn_time_ms)}
    return {**terms, "clock": str(clock)} if clock.has_bank else terms


def _banks(event: TurnStarted | BoardShown) -> dict[str, Any]:
    return {"banks_ms": event.banks_ms} if event.banks_ms else {}


def _players_line(event: PlayersListed, session: WebSession) -> bytes:
    """The players with their matches, all of the house among them, and the names of the games."""
    players = [
        {"name": one.name, "protocol": one.protocol, "house": one.house, "games": one.games, "match": one.match}
        for one in (*event.players, *event.unlisted)
    ]
    # The text protocol's list has four levels of the house alone, because a client of it reads 256 bytes at once.
    return written(tell="players", players=players, games=session.context.games, id=session.id)


def _games_line(event: GamesListed, session: WebSession) -> bytes:
    """The games, each with its other names and its guide."""
    context = session.context
    games = [
        {
            "name": game,
            "aliases": [alias for alias, meant in context.aliases.items() if meant == game],
            "guide": context.guides.get(game, "") or context.built_guide(game),
        }
        for game in event.games
    ]
    return written(tell="games", games=games, id=session.id)


def _challenged_line(event: ChallengeOpened, _: WebSession) -> bytes:
    message: dict[str, Any] = {"number": event.number, "from": event.challenger, "game": event.game}
    message |= _terms(event.clock)
    if event.seat is not None:
        message["seat"] = event.seat
    return written(tell="challenged", **message)


def _challenge_closed_line(event: ChallengeClosed, _: WebSession) -> bytes:
    return written(tell="challenge closed", number=event.number)


def _paired_line(event: MatchPaired, _: WebSession) -> bytes:
    return written(
        tell="paired",
        match=event.match,
        game=event.game,
        players=event.players,
        you=event.seat,
        **_terms(event.clock),
        number=1,
        ready=(),
        ready_by_ms=event.ready_by_ms,
        commitment=event.commitment,
        seats_by=event.seats_by,
        resumed=False,
    )


def _seat_ready_line(event: SeatReady, _: WebSession) -> bytes:
    return written(tell="seat ready", match=event.match, seat=event.seat)


def _own_draw_line(event: OwnDrawShown, _: WebSession) -> bytes:
    """The player's own value of a draw that waits for the others."""
    return written(tell="own draw", match=event.match, value=event.value)


def _match_line(event: MatchOpened, _: WebSession) -> bytes:
    return written(
        tell="match",
        match=event.match,
        game=event.game,
        players=event.players,
        you=event.seat,
        first=event.first,
        **_terms(event.clock),
        number=event.number,
        moves=[_move(move) for move in event.draws],
        played=(),
        commitment=event.commitment,
        seats_by=event.seats_by,
        resumed=False,
    )


def _shown_line(event: MatchShown, _: WebSession) -> bytes:
    """A match that the player is back in; between two games, what it waits for."""
    seat, terms = event.seat, _terms(event.clock)
    played = [
        {
            "number": game.number,
            "result": _for_seat(game.result, seat),
            "reason": game.result.reason,
            "points": game.result.points,
            "winners": game.result.winners,
        }
        for game in event.played
    ]
    # Told here alone: after a reload nothing else says so until the opponent comes back, or the match is lost.
    away = [{"seat": number, "return_by_ms": return_by_ms} for number, return_by_ms in event.away]
    if event.ready is not None:
        return written(
            tell="paired",
            match=event.match,
            game=event.paired.game,
            players=event.players,
            you=seat,
            **terms,
            number=event.number,
            ready=event.ready,
            ready_by_ms=event.paired.ready_by_ms,
            played=played,
            away=away,
            commitment=event.paired.commitment,
            seats_by=event.paired.seats_by,
            resumed=True,
        )
    return written(
        tell="match",
        match=event.match,
        game=event.game,
        # After a reload a rematch would ask for the current game alone.
        whole=event.paired.game,
        players=event.players,
        you=seat,
        first=event.first,
        **terms,
        number=event.number,
        moves=[_move(move) for move in event.moves],
        played=played,
        away=away,
        commitment=event.paired.commitment,
        seats_by=event.paired.seats_by,
        resumed=True,
    )


def _turn_line(event: TurnStarted, _: WebSession) -> bytes:
    return written(
        tell="turn",
        match=event.match,
        turn=event.turn,
        seats=event.seats,
        prompt=event.prompt,
        deadline_ms=event.deadline_ms,
        **_banks(event),
    )


def _moved_line(event: MovePlayed, _: WebSession) -> bytes:
    """A move, or a draw by chance, which no seat made."""
    return written(tell="moved", match=event.match, **_move(event))


def _move(move: MovePlayed) -> dict[str, Any]:
    told = {"seat": move.seat, "player": move.player, "move": move.text, "details": move.details, "by": move.by}
    # For people; the words that a page would only repeat are left out.
    if move.words:
        told["words"] = move.words
    if move.details_words != move.details:
        told["details_words"] = move.details_words
    return told


def _refused_line(event: MoveRefused, _: WebSession) -> bytes:
    return written(
        tell="refused", match=event.match, seat=event.seat, player=event.player, move=event.said, why=event.why
    )


def _for_seat(result: Result, seat: int | None) -> str:
    if result.reason in _NOBODYS:
        return "void"
    return result.for_seat(seat)


def _game_over_line(event: GameEnded, session: WebSession) -> bytes:
    """The end of a game, and for its loser why."""
    over = event.result
    result = _for_seat(over, session.seat_in(event.match))
    return written(
        tell="game over",
        match=event.match,
        number=event.number,
        result=result,
        reason=over.reason,
        reason_text=over.reason_text,
        points=over.points,
        winners=over.winners,
        by=over.by,
        revealed=over.revealed,
        why=_words(event, event.why) if event.why is not None and result == "loss" else "",
        ready_by_ms=event.ready_by_ms,
    )


def _words(event: GameEnded, why: Why) -> str:
    """The reason of a loss, in a sentence."""
    match event.result.reason:
        case EndReason.ILLEGAL:
            # The player's own moves, too: a client that did not keep those plays on with a wrong board.
            told_again = "; after the restart all moves, your own too, were told again" if why.after_restart else ""
            return f"Your move was illegal: {why.rule}{told_again}"
        case EndReason.LATE if why.is_bank:
            came = "no move came" if why.late_ms is None else f"your move came {why.late_ms / 1000:g} s later"
            return f"Your bank of {why.clock.bank_text} was used up: {came}"
        case EndReason.LATE if why.late_ms is not None:
            return f"Your move came {why.late_ms / 1000:g} s after the {_seconds(why.clock.turn_time_ms)} s of the turn"
        case EndReason.LATE:
            return f"No move came within the {_seconds(why.clock.turn_time_ms)} s of your turn"
        case EndReason.RESIGNED:
            return "You resigned"
        case EndReason.DROPPED:
            return "Your connection was lost for too long"
    return event.result.reason_text


def _match_over_line(event: MatchEnded, session: WebSession) -> bytes:
    over = event.result
    return written(
        tell="match over",
        match=event.match,
        result=_for_seat(over, session.seat_in(event.match)),
        reason=over.reason,
        points=over.points,
        winners=over.winners,
        by=over.by,
    )


def _dropped_line(event: SeatDropped, _: WebSession) -> bytes:
    return written(
        tell="dropped", match=event.match, seat=event.seat, player=event.player, return_by_ms=event.return_by_ms
    )


def _returned_line(event: SeatReturned, _: WebSession) -> bytes:
    return written(
        tell="returned", match=event.match, seat=event.seat, player=event.player, ready_by_ms=event.ready_by_ms
    )


def _said_line(event: Said, _: WebSession) -> bytes:
    return written(**{"tell": "said", "from": event.sender, "text": event.text})


def _board_line(event: BoardShown, session: WebSession) -> bytes:
    """The position, as the player may see it."""
    return written(
        tell="board",
        match=event.match,
        game=event.game,
        step=event.step,
        lines=event.lines,
        picture=None if event.picture is None else orjson.Fragment(picture_json(event.picture)),
        moves=event.moves,
        moves_total=event.moves_total,
        sides=[_object(side) for side in event.sides],
        awaited=event.awaited,
        turn=event.turn,
        prompt=event.prompt,
        deadline_ms=event.deadline_ms,
        **_banks(event),
        id=session.id,
    )


def picture_json(picture: Picture) -> bytes:
    """Renders a board's picture as the web protocol's JSON for a browser, its shapes in the order they are drawn in."""
    content = _object(picture)
    content.setdefault("touches", [])
    content.setdefault("buttons", None)
    code = picture.code
    content["code"] = None if code is None else _code(code)
    return orjson.dumps(content)[:-1] + b',"shapes":[' + b",".join(map(_shape_json, picture.shapes)) + b"]}"


@lru_cache(maxsize=_SHAPES_KEPT)
def _shape_json(shape: Shape) -> bytes:
    return orjson.dumps({"kind": type(shape).__name__.lower(), **_object(shape)})


def _code(code: Code) -> Mapping[str, Any]:
    """The row of values to be chosen, with its defaults: a client composes the move of them."""
    return {
        "places": code.places,
        "values": [_object(one) for one in code.values],
        "separator": code.separator,
        "purpose": code.purpose,
    }


def _object(drawn: attrs.AttrsInstance) -> dict[str, Any]:
    content = {}
    for name, default in _fields_of(drawn.__class__):
        found = getattr(drawn, name)
        if found is not None and found != default:
            content[name] = _json(found)
    return content


def _json(found: Any) -> Any:
    kind = type(found)
    if kind is float:
        rounded = round(found, _DECIMALS)
        return int(rounded) if rounded.is_integer() else rounded
    if kind is str or kind is int or kind is bool:
        return found
    if isinstance(found, Enum):
        return found.value
    if attrs.has(kind):
        return _object(found)
    if isinstance(found, Sequence):
        return [_json(one) for one in found]
    raise TypeError(f"a picture has no {kind.__name__}")


@cache
def _fields_of(kind: type[attrs.AttrsInstance]) -> tuple[tuple[str, Any], ...]:
    """The names of a class's attributes, each with its default."""
    return tuple((known.name, known.default) for known in attrs.fields(kind) if known.name != "shapes")


LINES: Mapping[type, Callable[[Any, WebSession], bytes]] = {
    BoardShown: _board_line,
    ChallengeClosed: _challenge_closed_line,
    ChallengeOpened: _challenged_line,
    GameEnded: _game_over_line,
    GamesListed: _games_line,
    MatchEnded: _match_over_line,
    MatchOpened: _match_line,
    MatchPaired: _paired_line,
    MatchShown: _shown_line,
    MovePlayed: _moved_line,
    MoveRefused: _refused_line,
    OwnDrawShown: _own_draw_line,
    PlayersListed: _players_line,
    Said: _said_line,
    SeatDropped: _dropped_line,
    SeatReady: _seat_ready_line,
    SeatReturned: _returned_line,
    TurnStarted: _turn_line,
}
"""The message of each event, as it is after the event has changed the session."""

SILENT = ROOM_EVENTS | TICKET_EVENTS | {FairnessShown, MatchStatus}
"""Rooms, tickets, and questions that its clients do not ask; `Displaced` is told by the goodbye that follows."""
