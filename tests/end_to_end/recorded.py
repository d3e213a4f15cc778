"""Finished matches, read from the database as a teacher would."""

from typing import Any

from attrs import Factory, define


@define
class Recorded:
    """A finished match as the tables `match`, `seat` and `move` have it; the first player began.

    A move is who played it, nobody where the server drew, and what it was.
    """

    match: int
    game: str
    reason: str
    players: list[str] = Factory(list)
    points: list[int] = Factory(list)
    results: list[str] = Factory(list)
    moves: list[tuple[str, str]] = Factory(list)


def read_matches(connection: Any) -> list[Recorded]:
    """The finished matches, by a connection to the database that has them."""
    heads = connection.execute("SELECT match, game, reason FROM match ORDER BY match")
    found = {match: Recorded(match, game, reason) for match, game, reason in heads}
    for match, player, points, result in connection.execute(
        "SELECT match, player, points, result FROM seat ORDER BY match, seat"
    ):
        found[match].players.append(player)
        found[match].points.append(points)
        found[match].results.append(result)
    for match, seat, move in connection.execute("SELECT match, seat, move FROM move ORDER BY match, number"):
        found[match].moves.append(("" if seat is None else found[match].players[seat], move))
    return list(found.values())
