"""What holds of the record of a match: it agrees with itself and with the rules of its game."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import orjson

from gameserver.game import Game, Outcome
from gameserver.records.match_record import MatchRecord, MoveRecord
from tests.simulation.violation import Violation


def check_record(record: MatchRecord, games: Mapping[str, Game[Any]]) -> None:
    """One result, no clock below zero, and what the game itself says of the moves."""
    results = sorted(seat.result.value for seat in record.seats)
    if record.reason in {"void", "abandoned"}:
        good = results == ["void", "void"] and not record.rated and all(seat.points == 0 for seat in record.seats)
    else:
        good = results in (["loss", "win"], ["draw", "draw"])
    if not good:
        raise Violation("a match has one result, and a void one no loser", repr(record))
    if any(move.think_ms < 0 or move.at_ms < 0 for move in record.moves):
        raise Violation("clocks are never negative", repr(record))
    if record.game.startswith("Broken"):
        return
    game = games[record.game.lower()]
    options = game.options_type(**orjson.loads(record.options))
    if game.series(options) is None:
        _check_outcome(record, _outcome_of(game, options, record.moves))
    else:
        _check_series(record, game, options)


def _check_outcome(record: MatchRecord, outcome: Outcome | None) -> None:
    points = tuple(seat.points for seat in record.seats)
    winners = tuple(seat.seat for seat in record.seats if seat.result == "win")
    if (outcome is not None) != (record.reason == "played"):
        raise Violation("a result follows from the moves", repr(record))
    if outcome is not None and (points, winners) != (outcome.points, outcome.winners):
        raise Violation("a result follows from the moves", repr(record))


def _check_series(record: MatchRecord, game: Game[Any], options: Any) -> None:
    """Follow the games as far as they were played to their ends; of one that was given up the moves say nothing."""
    series = game.series(options)
    assert series is not None, "asked by the caller"
    for moves in _games(record.moves):
        following = series.next_game
        if following is None:
            raise Violation("a result follows from the moves", f"there is a game too many in {record}")
        outcome = _outcome_of(*following, moves)
        if outcome is None:
            return
        series = series.after(outcome)
    if series.next_game is None:
        _check_outcome(record, series.outcome)
    elif record.reason == "played":
        raise Violation("a result follows from the moves", f"there is a game too few in {record}")


def _games(moves: tuple[MoveRecord, ...]) -> Iterator[tuple[MoveRecord, ...]]:
    for _, played in groupby(moves, key=lambda move: move.game):
        yield tuple(played)


def _outcome_of(game: Game[Any], options: Any, moves: tuple[MoveRecord, ...]) -> Outcome | None:
    """What the game itself says of the moves on record."""
    state = game.start(options)
    for move in moves:
        if move.seat is None:
            state = state.drawn(tuple(int(number) for number in move.move.split()))
        else:
            state = state.play(move.seat, game.read_move(move.move))
    return state.outcome
