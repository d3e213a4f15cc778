"""Finished matches from their records, as spectators saw them.

The record states the result. Its moves are played again only to show the positions.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from cattrs.preconf.orjson import make_converter

from gameserver.core.events import By
from gameserver.core.match import PlayedMove
from gameserver.game import Game
from gameserver.read_model.replay import GameReplay, MatchReplay, game_replay_of, restart_views, steps_of
from gameserver.read_model.views import ClockView, MatchView, ResultView, SeatView, StepView
from gameserver.records.explanations import explanation
from gameserver.records.match_record import MatchRecord, SeatRecord, SeatResult

_CONVERTER = make_converter()
HOUSE = "house"
"""The protocol of house players on record."""


def recorded_replay(record: MatchRecord, games: Mapping[str, Game[Any]]) -> MatchReplay:
    """The match of a record. `games` are by name in lower case. A game that is no longer installed has no positions."""
    game_replays = tuple(_game_replays(record, games))
    is_whole = sum(len(game_replay.moves) for game_replay in game_replays) == len(record.moves)
    shown = steps_of(game_replays, opened_ms=0, is_over=True) if is_whole else _bare_steps(record)
    files = tuple(sorted(games[record.game.lower()].exports)) if is_whole and record.game.lower() in games else ()
    return MatchReplay(_view_of(record, shown, files), game_replays if is_whole else ())


def _view_of(record: MatchRecord, steps: tuple[StepView, ...], files: tuple[str, ...]) -> MatchView:
    return MatchView(
        id=record.match,
        game=record.game,
        current=record.games[-1].game if record.games else record.game,
        game_number=max(1, len(record.games)),
        seats=tuple(SeatView(seat.player, seat.protocol, seat.protocol == HOUSE) for seat in record.seats),
        acting=(),
        clock=ClockView(),
        phase="over",
        steps=steps,
        result=result_of(record.reason, record.seats, record.reason_text, record.why),
        opened_at=record.opened_at,
        ended_at=record.ended_at,
        explanation=explanation(record),
        public_id=record.public_id,
        restarts=restart_views(record.restarts, record.opened_ms, steps),
        tournament=record.tournament,
        round=record.round,
        files=files,
    )


def result_of(reason: str, seats: tuple[SeatRecord, ...], reason_text: str, why: str) -> ResultView:
    """The result of a match on record. If it was lost otherwise than by play, `by` is the seat that lost."""
    losers = [seat.seat for seat in seats if seat.result is SeatResult.LOSS]
    return ResultView(
        reason=reason,
        points=tuple(seat.points for seat in seats),
        winners=tuple(seat.seat for seat in seats if seat.result is SeatResult.WIN),
        by=losers[0] if reason != "played" and len(losers) == 1 else None,
        reason_text=reason_text,
        why=why,
    )


def _bare_steps(record: MatchRecord) -> tuple[StepView, ...]:
    return tuple(
        StepView(
            number=move.number,
            game=move.game,
            seat=move.seat,
            text=move.move,
            details="",
            by=move.by,
            think_ms=move.think_ms,
            at_ms=move.at_ms,
            noun="draw" if move.seat is None else "",
        )
        for move in record.moves
    )


def _game_replays(record: MatchRecord, games: Mapping[str, Game[Any]]) -> Iterator[GameReplay]:
    """The games of the match, as far as they can be played again."""
    for one in record.games:
        game = games.get(one.game.lower())
        if game is None or game.version != one.game_version:
            return
        try:
            options: Any = _CONVERTER.loads(one.options, game.options_type)
        except Exception:  # noqa: BLE001 - options of a plug-in that has changed; the moves are shown without positions
            return
        moves = tuple(
            PlayedMove(move.seat, move.move, By(move.by), move.at_ms, move.think_ms)
            for move in record.moves
            if move.game == one.number
        )
        yield game_replay_of(game, options, one.number, moves)
