"""The columns of the records' tables, in the order in which they are written and read back, and conditions on them."""

from gameserver.values import value

NUMBER_MAX = (1 << 63) - 1
"""That of a column: nothing has a higher number, and none may be asked for."""

MATCH = (
    "match, game, game_version, options, opened_at, ended_at, reason, reason_text, why, rated, "
    "turn_time_ms, opened_ms, tournament, round, public_id"
)
SEAT = (
    "match, seat, player, protocol, points, result, rating, deviation, "
    "round_trip_us, round_trip_deviation_us, segments_resent"
)
GAME = (
    "match, number, game, game_version, options, reason, reason_text, why, points, winners, by_seat, "
    "turn_began_ms, deadline_ms, margin_ms, decided_ms, read_ms, stall_ms"
)
MOVE = "match, number, seat, move, by, at_ms, think_ms, game, lag_ms, stall_ms"
RATING = "game, player, rating, deviation, matches"


@value
class Chosen:
    """A condition and its values, for a query."""

    where: str
    values: tuple[object, ...]


def chosen_by(*conditions: tuple[str, object]) -> Chosen:
    """The conditions whose value is not None, all of which have to hold."""
    given = [(condition, value) for condition, value in conditions if value is not None]
    return Chosen(" AND ".join(condition for condition, _ in given) or "TRUE", tuple(value for _, value in given))
