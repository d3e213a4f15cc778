"""The ladders on record: which matches were theirs, and the ranking of each night.

SELECT place, player, rating FROM ranking WHERE game = 'Reversi' AND night = '2026-09-01' ORDER BY place
"""

from collections.abc import Iterable
from datetime import datetime

from gameserver.core.commands import KeepRanking
from gameserver.database.connection import DatabaseConnection
from gameserver.ladder import LadderResult
from gameserver.records.store import ON_LADDER

_RANKING = "game, night, place, player, rating, deviation, matches"


def insert(connection: DatabaseConnection, rankings: Iterable[KeepRanking]) -> None:
    """Writes rankings of ladders into the records, within the caller's transaction; one that is there stands."""
    rows = [(one.game, one.night, place, *line) for one in rankings for place, line in enumerate(one.lines, start=1)]
    connection.insert("ranking", _RANKING, rows, key=("game", "night", "place"))


def read_results(connection: DatabaseConnection, game: str, since: str) -> list[LadderResult]:
    """Reads the results of a game's ladder from the records, since a time of day, in the order of their ends."""
    query = (
        "SELECT ladder.match, ended_at, first.player, second.player, first.result, second.result"
        " FROM match AS ladder"
        " JOIN seat AS first ON first.match = ladder.match AND first.seat = 0"
        " JOIN seat AS second ON second.match = ladder.match AND second.seat = 1"
        f" WHERE {ON_LADDER} AND game = ? AND ended_at >= ? ORDER BY ended_at, ladder.match"
    )
    return [
        LadderResult(match, _wall_ms(ended_at), (first, second), (own, others))
        for match, ended_at, first, second, own, others in connection.execute(query, (game, since))
    ]


def _wall_ms(time_of_day: str) -> int:
    return round(datetime.fromisoformat(time_of_day).timestamp() * 1000)


def read_ratings(connection: DatabaseConnection, game: str) -> dict[str, tuple[float, float]]:
    """Reads everybody's rating at the game of a ladder, and its standard deviation."""
    query = "SELECT player, rating, deviation FROM rating WHERE game = ?"
    return {player: (rating, deviation) for player, rating, deviation in connection.execute(query, (game,))}


def read_nights(connection: DatabaseConnection, game: str, count: int) -> list[str]:
    """Reads from the records the last nights at which the ranking of a game's ladder was kept, the latest first."""
    query = "SELECT DISTINCT night FROM ranking WHERE game = ? ORDER BY night DESC LIMIT ?"
    return [night for (night,) in connection.execute(query, (game, count))]


def read_ranking(connection: DatabaseConnection, game: str, night: str) -> list[tuple[str, float, float, int]]:
    """Reads a ranking from the records, with lines as those of `KeepRanking`; empty if there is none."""
    query = "SELECT player, rating, deviation, matches FROM ranking WHERE game = ? AND night = ? ORDER BY place"
    return [tuple(row) for row in connection.execute(query, (game, night))]
