"""A match of the records as its games understand it, and step by step for a terminal.

After each move: what happened, when, and the board.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from cattrs.preconf.orjson import make_converter

from gameserver.game import Game, PlayedGame, PlayedMatch, Seat
from gameserver.records.match_record import MatchRecord, MoveRecord
from gameserver.values import value

_CONVERTER = make_converter()


class NotReadable(Exception):
    """The games that are installed cannot make sense of this match; the text says why, in a sentence."""


def played_match(record: MatchRecord, games: Mapping[str, Game[Any]]) -> PlayedMatch:
    """The match; `games` are those there are, by name in lower case. Raises `NotReadable`."""
    game = _known(record.game, record.game_version, games)
    return PlayedMatch(
        number=record.match,
        game=game,
        options=_options(game, record.options),
        players=tuple(seat.player for seat in record.seats),
        opened_at=record.opened_at,
        games=tuple(_played_games(record, games)),
    )


def _played_games(record: MatchRecord, games: Mapping[str, Game[Any]]) -> Iterator[PlayedGame]:
    for one in record.games:
        game = _known(one.game, one.game_version, games)
        steps = tuple((move.seat, move.move) for move in record.moves if move.game == one.number)
        yield PlayedGame(game, _options(game, one.options), steps, one.points, one.winners, one.reason)


def _known(name: str, version: int, games: Mapping[str, Game[Any]]) -> Game[Any]:
    game = games.get(name.lower())
    if game is None:
        raise NotReadable(f"the game {name} is not installed")
    if game.version != version:
        raise NotReadable(f"it was played by version {version} of {name}, and version {game.version} is installed")
    return game


def _options(game: Game[Any], text: str) -> Any:
    try:
        return _CONVERTER.structure(orjson.loads(text), game.options_type)
    except Exception as error:
        raise NotReadable(f"its options are not those of {game.name}: {text}") from error


@value
class Frame:
    """One moment of a match; `board` is empty where the installed games cannot show it."""

    heading: str
    happened: str
    board: str


def frames(record: MatchRecord, games: Mapping[str, Game[Any]], viewer: Seat | None) -> tuple[Frame, ...]:
    """Every moment, from the first position to the result. `viewer` is the seat that looks on; None hides secrets."""
    return tuple(_frames(record, games, viewer))


def _frames(record: MatchRecord, games: Mapping[str, Game[Any]], viewer: Seat | None) -> Iterator[Frame]:
    players = " - ".join(seat.player for seat in record.seats)
    title = f"match {record.match}, {record.game}: {players}"
    board = ""
    try:
        match = played_match(record, games)
    except NotReadable as error:
        yield Frame(title, f"the boards cannot be shown: {error}", "")
        for move in record.moves:
            yield Frame(title, _happened(record, move), "")
    else:
        several = len(match.games) > 1
        for number, game in enumerate(match.games, start=1):
            heading = f"{title}, game {number} ({game.game.name})" if several else title
            for happened, board in _positions(record, number, game, viewer):
                yield Frame(heading, happened, board)
    yield Frame(title, _result(record), board)


def _positions(record: MatchRecord, number: int, game: PlayedGame, viewer: Seat | None) -> Iterator[tuple[str, str]]:
    moves = [move for move in record.moves if move.game == number]
    happened = ["the beginning", *(_happened(record, move) for move in moves)]
    for what, state in zip(happened, game.positions(), strict=True):
        yield what, state.board(viewer)


def _happened(record: MatchRecord, move: MoveRecord) -> str:
    at = f"at +{move.at_ms / 1000:.3f} s"
    if move.seat is None:
        return f"{move.number}. the dice show {move.move}, {at}"
    player = record.seats[move.seat].player
    if move.by == "server":
        return f"{move.number}. {player} was late, the server played {move.move}, {at}"
    stalled = f", the server stood still for {move.stall_ms} ms" if move.stall_ms else ""
    return f"{move.number}. {player} played {move.move} after {move.think_ms / 1000:.3f} s, {at}{stalled}"


def _result(record: MatchRecord) -> str:
    points = ", ".join(f"{seat.player} {seat.points} ({seat.result})" for seat in record.seats)
    why = f" ({record.why})" if record.why else ""
    return f"the end, {record.reason}{why}: {points}"
