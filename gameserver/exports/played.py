"""A match out of the records as the games understand it, so that its positions can be shown again."""

from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from cattrs.preconf.orjson import make_converter

from gameserver.game import Game, PlayedGame, PlayedMatch
from gameserver.records.model import GameRecord, MatchRecord

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
    for one in record.games or _the_only_game(record):
        game = _known(one.game, one.game_version, games)
        steps = tuple((move.seat, move.move) for move in record.moves if move.game == one.number)
        yield PlayedGame(game, _options(game, one.options), steps, one.points, one.winners, one.reason)


def _the_only_game(record: MatchRecord) -> tuple[GameRecord, ...]:
    """Older versions kept no games apart: of a match of several, nobody knows what they were."""
    if not record.moves:
        return ()
    if any(move.game > 1 for move in record.moves):
        raise NotReadable("an older version of the server recorded it without its single games")
    winners = tuple(seat.seat for seat in record.seats if seat.result == "win")
    points = tuple(seat.points for seat in record.seats)
    head = (1, record.game, record.game_version, record.options)
    return (GameRecord(*head, record.reason, record.reason_text, record.why, points, winners),)


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
