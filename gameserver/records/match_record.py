"""A finished match as a fact: what is written once, with the command that ended the match.

Results are never worked out again from moves; rules may change, what happened does not.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Any

import orjson
from attrs import astuple, evolve
from cattrs.preconf.orjson import make_converter

from gameserver.chance import Contributions, commitment
from gameserver.core.events import EndReason, Result, SeatsBy, TurnTimeout
from gameserver.core.lobby import Epoch
from gameserver.core.match import GamePlayed, Match, PlayedMove
from gameserver.database.connection import EPOCH, DatabaseConnection
from gameserver.game import NoOptions
from gameserver.time_control import NO_TIME_LIMIT, TimeControl
from gameserver.values import value

_COLUMNS = "boot, at_ms, last_decision_at, up_at"
_CONVERTER = make_converter()
# Most matches have one of a few clocks.
_clock_text = lru_cache(maxsize=16)(str)
# Neither is rated, nor counted as won or lost.
HOUSE_PROTOCOL = "house"
"""The protocol of a house player's seat."""
_NOBODYS_FAULT = frozenset({EndReason.VOID, EndReason.ABANDONED})
"""The reasons for which a match ends without a result."""


class SeatResult(StrEnum):
    """The result of a recorded match for one seat."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"
    VOID = "void"


# Without slots, so that `evolved` can copy it: ratings are entered into each record once more.
@value(slots=False)
class SeatRecord:
    """The part of a match record for one seat: its player, and what came of it."""

    seat: int
    player: str
    protocol: str
    points: int
    result: SeatResult
    rating: float | None = None
    """The player's rating in this game after the match; None where the match is not rated."""
    deviation: float | None = None
    """Its standard deviation: 1.96 times as much to both sides holds 95 times of 100."""
    round_trip_us: int | None = None
    """The network's round trip when the match ended, as the kernel measured it."""
    round_trip_deviation_us: int | None = None
    segments_resent: int | None = None
    """TCP segments to the player that had to be sent again over the life of the connection."""


@value
class MoveRecord:
    """The part of a match record for one move or draw.

    Times are in milliseconds; `at_ms`, its decision, counts from the opening of the match.

    `think_ms` runs from the start of the turn to the reading of the bytes, `lag_ms` from there to the
    decision, and `stall_ms` is how long the server stood still meanwhile. Only the first is charged.
    `sides`, `lot` and `bank_ms` are those of `PlayedMove`.
    """

    number: int
    seat: int | None
    move: str
    by: str
    at_ms: int
    think_ms: int
    game: int = 1
    """The number of its game, in a match of several games."""
    lag_ms: int = 0
    stall_ms: int = 0
    sides: int | None = None
    lot: int | None = None
    bank_ms: int | None = None

    @property
    def turn_began_ms(self) -> int:
        """The beginning of the turn in which a recorded move was made."""
        return self.at_ms - self.lag_ms - self.think_ms


@value
class LapseRecord(TurnTimeout):
    """The part of a match record for a turn that ran out of time. All points count from the opening of the match."""

    stall_ms: int = 0
    """The time for which the server stood still meanwhile."""


@value
class GameRecord:
    """The part of a match record for one of its games, from 1.

    `by` is the seat that ended it, where one did; `options` is JSON.
    """

    number: int
    game: str
    game_version: int
    options: str
    reason: str
    reason_text: str
    why: str
    points: tuple[int, ...]
    winners: tuple[int, ...]
    by: int | None = None
    lapse: LapseRecord | None = None


@value
class DrawRecord:
    """The part of a match record for one number that chance drew, from 1 to `sides`; `chance` has the rule."""

    purpose: str
    n: int
    sides: int
    value: int


@value
class EpochRecord:
    """The record of an epoch of the server: the matches outside of tournaments whose chance follows from one seed.

    SELECT number, commitment, seed, first_match, last_match FROM epoch ORDER BY begun_at
    """

    commitment: str
    """The SHA-256 of the seed."""
    number: int
    first_match: int
    last_match: int | None
    """None while it lasts; lower than the first of an epoch without a match."""
    begun_at: str
    seed: str = ""
    """Empty until no live match draws from it."""
    told_at: str | None = None


@value
class RestartRecord:
    """One restart of the server on record, for the pages of matches. The times of day are ISO 8601 in UTC.

    From when to when nobody could play. The server's own clock stands still meanwhile, so the time is charged to
    nobody.

    SELECT last_decision_at, up_at FROM restart ORDER BY boot
    """

    boot: int
    """The number of the start, from 1; the first start on a file is no restart."""
    at_ms: int
    """The point on the server's own clock, which does not move while the server is away."""
    last_decision_at: str
    """The last sign of life before: a server that is killed leaves no other."""
    up_at: str

    @property
    def away_ms(self) -> int:
        """The time between a restart's last decision and its end: the most that the server can have been away."""
        away = datetime.fromisoformat(self.up_at) - datetime.fromisoformat(self.last_decision_at)
        # The clock of the machine may have been set back meanwhile.
        return max(0, round(away.total_seconds() * 1000))


@value(slots=False)
class MatchRecord:
    """The record of a finished match, as it goes into the tables.

    `options` is JSON; the times of day are ISO 8601 in UTC.
    """

    match: int
    game: str
    game_version: int
    options: str
    opened_at: str
    ended_at: str
    reason: str
    reason_text: str
    why: str
    seats: tuple[SeatRecord, ...]
    moves: tuple[MoveRecord, ...]
    rated: bool = False
    """True if the result counts for the players' ratings."""
    games: tuple[GameRecord, ...] = ()
    """The games that were begun."""
    clock: str = str(NO_TIME_LIMIT)
    """The terms, as `TimeControl.read` takes them."""
    opened_ms: int = 0
    """The server's own time at the opening."""
    tournament: int | None = None
    """The tournament that had it played; `round` is 0 outside of one."""
    round: int = 0
    public_id: str = ""
    """The id that clients called it by; empty where their protocol has none."""
    seed_commitment: str = ""
    """The SHA-256 of the seed from which its chance follows, that of an epoch or of its tournament."""
    chance_key: str = ""
    """The match's number, or the label of a pair of games with the same chance."""
    commitment: str = ""
    """The SHA-256 of its secret `key`, which its players were told at the opening."""
    key: str = ""
    """Empty until no other match can have the same chance."""
    contributions: Contributions = ()
    seat_lots: tuple[int, ...] = ()
    """The lots by which the players got their seats; empty where these were given."""
    seats_by: SeatsBy = SeatsBy.UNKNOWN
    moves_pruned: int = 0
    """The number of its players' moves, if they were removed from the records: then `moves` is empty."""
    restarts: tuple[RestartRecord, ...] = ()
    """The restarts of the server during the match. They are on record by themselves, and not written with it."""

    @property
    def is_ladder(self) -> bool:
        """True if the ladder of the game of a match on record paired the players."""
        return self.seats_by is SeatsBy.LADDER

    @property
    def time_control(self) -> TimeControl:
        """The clock of a match on record."""
        return TimeControl.read(self.clock)

    @property
    def draws(self) -> tuple[DrawRecord, ...]:
        """All numbers that chance drew for a match on record, each purpose in the order of `n`."""
        seats = [("seats", len(self.seats) - n, lot) for n, lot in enumerate(self.seat_lots)]
        dice = [("draw", one.sides, int(text)) for one in self.moves if one.seat is None for text in one.move.split()]
        late = [("late", one.sides, one.lot) for one in self.moves if one.lot is not None]
        return tuple(
            DrawRecord(purpose, n, sides or 0, value)
            for drawn in (seats, dice, late)
            for n, (purpose, sides, value) in enumerate(drawn)
        )


@value
class RatingRecord:
    """The record of a player's rating in a game after a number of rated matches."""

    game: str
    player: str
    rating: float
    deviation: float
    matches: int


def record_of(match: Match, ended_wall_ms: int) -> MatchRecord:
    """Makes the match record of a match that is over."""
    result = match.result
    assert result is not None, "only a match that is over has a record"
    whole = match.whole
    scheduled = match.scheduled
    options = _json(whole.options)
    return MatchRecord(
        match=match.id,
        game=whole.game.name,
        game_version=whole.game.version,
        options=options,
        opened_at=time_of_day(match.opened_wall_ms),
        ended_at=time_of_day(ended_wall_ms),
        reason=str(result.reason),
        reason_text=result.reason_text,
        why=result.why,
        seats=_seat_records(match, result),
        moves=_all_moves(match),
        rated=match.policies.rated and _tells_strength(result),
        games=_game_records(match, options),
        clock=_clock_text(match.policies.clock),
        opened_ms=match.opened_ms,
        tournament=None if scheduled is None else scheduled.tournament,
        round=0 if scheduled is None else scheduled.round,
        public_id=match.public_id,
        seed_commitment=commitment(match.chance.seed),
        chance_key=match.chance.key,
        commitment=match.chance.commitment,
        key="" if match.chance.is_shared else match.chance.secret,
        contributions=match.chance.contributions,
        seat_lots=match.seat_lots,
        seats_by=match.seats_by,
    )


def _all_moves(match: Match) -> tuple[MoveRecord, ...]:
    """The moves of all games, numbered through."""
    records: list[MoveRecord] = []
    for game, played in enumerate(match.games, start=1):
        records += _move_records(played.moves, game, len(records) + 1, match.opened_ms)
    return tuple(records)


def _move_records(moves: Iterable[PlayedMove], game: int, first: int, opened_ms: int) -> list[MoveRecord]:
    """The moves of one game; the first has this number."""
    return [
        MoveRecord(
            number,
            step.seat,
            step.text,
            str(step.by),
            step.at_ms - opened_ms,
            step.think_ms,
            game,
            step.lag_ms,
            0,
            step.sides,
            step.lot,
            step.bank_ms,
        )
        for number, step in enumerate(moves, start=first)
    ]


def _game_records(match: Match, options: str) -> tuple[GameRecord, ...]:
    """The games that were begun; `options` are those of the whole match, as JSON."""
    if match.contest is None:
        # The game that was asked for is the one that is played: its options need not be written out once more.
        return () if match.game_result is None else (_game_record(match, 1, match, match.game_result, options),)
    before = match.contest.played
    records = [
        _game_record(match, number, played, played.result, _json(played.options))
        for number, played in enumerate(before, start=1)
    ]
    if match.game_result is not None:
        records.append(_game_record(match, len(before) + 1, match, match.game_result, _json(match.options)))
    return tuple(records)


def _game_record(match: Match, number: int, played: GamePlayed | Match, result: Result, options: str) -> GameRecord:
    return GameRecord(
        number=number,
        game=played.game.name,
        game_version=played.game.version,
        options=options,
        reason=str(result.reason),
        reason_text=result.reason_text,
        why=result.why,
        points=result.points,
        winners=result.winners,
        by=result.by,
        lapse=None if result.lapse is None else _lapse_record(result.lapse, match.opened_ms),
    )


def _lapse_record(lapse: TurnTimeout, opened_ms: int) -> LapseRecord:
    return LapseRecord(
        lapse.began_ms - opened_ms,
        lapse.deadline_ms - opened_ms,
        lapse.margin_ms,
        lapse.decided_ms - opened_ms,
        None if lapse.read_ms is None else lapse.read_ms - opened_ms,
        is_bank=lapse.is_bank,
    )


def _json(options: Any) -> str:
    return "{}" if type(options) is NoOptions else orjson.dumps(_CONVERTER.unstructure(options)).decode()


def _seat_records(match: Match, result: Result) -> tuple[SeatRecord, ...]:
    points = result.points
    records = [
        SeatRecord(seat, holder.player, holder.protocol, points[seat], _seat_result(seat, result))
        for seat, holder in enumerate(match.seats)
    ]
    return tuple(records)


def _seat_result(seat: int, result: Result) -> SeatResult:
    if result.reason in _NOBODYS_FAULT:
        return SeatResult.VOID
    if not result.winners:
        return SeatResult.DRAW
    return SeatResult.WIN if seat in result.winners else SeatResult.LOSS


def _tells_strength(result: Result) -> bool:
    """True if the result tells the strength of the sides. A game that both gave up does not."""
    if result.reason in _NOBODYS_FAULT:
        return False
    return bool(result.winners) or result.reason is EndReason.PLAYED


def time_of_day(wall_ms: int) -> str:
    """Writes a time of day as the record of a finished match has it, ISO 8601 in UTC."""
    wall_s, ms = divmod(wall_ms, 1000)
    return f"{_second(wall_s)}.{ms:03}+00:00"


@lru_cache(maxsize=16)
def _second(wall_s: int) -> str:
    """A second without its zone. Matches that are opened and end within one share it."""
    return datetime.fromtimestamp(wall_s, UTC).isoformat()[:-6]


def records_of_epochs(before: tuple[Epoch, ...], now: tuple[Epoch, ...], wall_ms: int) -> list[EpochRecord]:
    """Makes the records of the epochs that a decision began, or whose seeds it let be told, out of those untold."""
    current = now[-1]
    told = [one for one in before if one.number not in [other.number for other in now]]
    ended = [evolve(one, last_match=current.first_match - 1) if one.last_match is None else one for one in told]
    return [_epoch_record(one) for one in now] + [
        evolve(_epoch_record(one), seed=one.seed, told_at=time_of_day(wall_ms)) for one in ended
    ]


def _epoch_record(one: Epoch) -> EpochRecord:
    return EpochRecord(one.commitment, one.number, one.first_match, one.last_match, time_of_day(one.begun_wall_ms))


def insert_epochs(connection: DatabaseConnection, records: Iterable[EpochRecord]) -> None:
    """Writes epochs into the records, within the caller's transaction; the latest of each stands."""
    rows = [astuple(one) for one in records]
    connection.insert("epoch", EPOCH, rows, key=("commitment",), update=("last_match", "seed", "told_at"))


def insert(connection: DatabaseConnection, records: Iterable[RestartRecord]) -> None:
    """Writes restarts down as facts for the records of finished matches, within the caller's transaction."""
    connection.insert("restart", _COLUMNS, [astuple(one) for one in records], key=("boot",))


def read_restarts(connection: DatabaseConnection, since_ms: int) -> tuple[RestartRecord, ...]:
    """Reads the restarts for a match record, those since a point on the server's own clock, in order."""
    rows = connection.execute(f"SELECT {_COLUMNS} FROM restart WHERE at_ms >= ? ORDER BY boot", (since_ms,))
    return tuple(RestartRecord(*row) for row in rows)


def until(restarts: Iterable[RestartRecord], ended_at: str) -> tuple[RestartRecord, ...]:
    """The restarts to go into a match record: those that were over by a time of day, such as the match's end."""
    return tuple(one for one in restarts if one.up_at <= ended_at)
