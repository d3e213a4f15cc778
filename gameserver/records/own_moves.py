"""One player's moves, each with its time and the limit it was made under: for the player's own page."""

from collections.abc import Iterable, Iterator, Mapping

from gameserver.core.events import By
from gameserver.database.connection import Connection
from gameserver.records.match_record import MatchRecord
from gameserver.records.schema import chosen_by
from gameserver.values import value

OWN_MOVES_MAX = 20_000


@value
class OwnMove:
    """A move that the player made. `think_ms` is charged, and counts against `limit_ms`; `lag_ms` is the server's."""

    match: int
    game: str
    number: int
    move: str
    think_ms: int
    lag_ms: int
    limit_ms: int | None
    """The longest that a turn may take; None without a limit."""

    @property
    def share(self) -> float:
        """The part of the limit that the move took; 0 without a limit."""
        return self.think_ms / self.limit_ms if self.limit_ms else 0.0


@value
class ThinkTimes:
    """A match's moves in a line: how many there are, and the median and longest time of one."""

    moves: int
    median_ms: int
    longest_ms: int
    share: float
    """The part of the limit that the longest move took."""


def read_own_moves(connection: Connection, player: str, before: int | None) -> tuple[OwnMove, ...]:
    """The latest moves of a player, the last match first, from the tables."""
    chosen = chosen_by(("player = ?", player), ("by = ?", By.PLAYER.value), ("match < ?", before))
    rows = connection.execute(
        "SELECT match, match.game, number, move, think_ms, lag_ms, turn_time_ms "
        "FROM seat JOIN match USING (match) JOIN move USING (match, seat) "
        f"WHERE {chosen.where} ORDER BY match DESC, number LIMIT ?",
        (*chosen.values, OWN_MOVES_MAX),
    )
    return tuple(OwnMove(*row) for row in rows)


def own_moves_in(records: Iterable[MatchRecord], player: str, before: int | None) -> tuple[OwnMove, ...]:
    """The same from records in memory."""
    fitting = [one for one in records if before is None or one.match < before]
    return tuple(_moves_of(sorted(fitting, key=lambda one: -one.match), player))[:OWN_MOVES_MAX]


def _moves_of(records: Iterable[MatchRecord], player: str) -> Iterator[OwnMove]:
    for record in records:
        own = {seat.seat for seat in record.seats if seat.player == player}
        for move in record.moves:
            if move.seat in own and move.by == By.PLAYER:
                times = (move.think_ms, move.lag_ms, record.turn_time_ms)
                yield OwnMove(record.match, record.game, move.number, move.move, *times)


def think_times(moves: Iterable[OwnMove]) -> Mapping[int, ThinkTimes]:
    """The times of each match, by its number."""
    by_match: dict[int, list[OwnMove]] = {}
    for move in moves:
        by_match.setdefault(move.match, []).append(move)
    return {match: _times_of(own) for match, own in by_match.items()}


def _times_of(moves: list[OwnMove]) -> ThinkTimes:
    ordered = sorted(moves, key=lambda move: move.think_ms)
    longest = ordered[-1]
    return ThinkTimes(len(ordered), ordered[(len(ordered) - 1) // 2].think_ms, longest.think_ms, longest.share)
