"""Everything on record of a player, for the player: CSV files, a small data file, the wire log; in a ZIP archive."""

import io
import zipfile
from collections.abc import Iterable, Sequence

from gameserver.read_model.views import OwnLog
from gameserver.records.match_record import MatchRecord
from gameserver.records.player_stats import OwnMove
from gameserver.records.reader import MatchHead
from gameserver.records.store import small_file
from gameserver.tournaments.csv_text import csv_text

MATCH_COLUMNS = (
    *("match", "game", "opened_at", "ended_at", "opponents", "result", "points", "reason", "why"),
    *("round_trip_us", "round_trip_deviation_us", "segments_resent"),
)
MOVE_COLUMNS = ("match", "game", "number", "move", "think_ms", "lag_ms", "limit_ms")


def own_file(
    player: str,
    heads: Sequence[MatchHead],
    moves: Sequence[OwnMove],
    records: Iterable[MatchRecord],
    log: OwnLog | None,
    why_no_log: str,
) -> bytes:
    """The archive. `records` are matches to be played again at home. Without a wire log it says why there is none."""
    of_moves = [(m.match, m.game, m.number, m.move, m.think_ms, m.lag_ms, m.limit_ms) for m in moves]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("matches.csv", csv_text([MATCH_COLUMNS, *(_row_of(player, head) for head in heads)]))
        file.writestr("moves.csv", csv_text([MOVE_COLUMNS, *of_moves]))
        file.writestr("matches.sqlite3", small_file(records))
        if log is None:
            file.writestr("no wire log.txt", f"{why_no_log}.\n")
        else:
            file.writestr("wire.log", log.text)
    return packed.getvalue()


def _row_of(player: str, head: MatchHead) -> Sequence[object]:
    own = next(seat for seat in head.seats if seat.player == player)
    opponents = ", ".join(seat.player for seat in head.seats if seat is not own)
    return (
        *(head.match, head.game, head.opened_at, head.ended_at, opponents, own.result.value, own.points),
        *(head.reason, head.why, own.round_trip_us, own.round_trip_deviation_us, own.segments_resent),
    )
