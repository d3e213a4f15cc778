"""Everybody against everybody, as cells of text."""

from gameserver.tournaments.model import Tournament
from gameserver.tournaments.scoring.scores import WIN, Counted, counted_games
from gameserver.tournaments.scoring.standings import StandingsRow, standings
from gameserver.values import value

_SYMBOLS = ("0", "½", "1")
UNPLAYED = ("-", "=", "+")
"""A game that was decided without a move, as chess federations print it."""


@value
class Crosstable:
    """Rows and columns in the order of the standings; a cell has one sign a game, in the order of the meetings."""

    rows: tuple[StandingsRow, ...]
    cells: tuple[tuple[str, ...], ...]


def crosstable(tournament: Tournament) -> Crosstable:
    """The matrix of results: `1`, `½`, `0`; `+`, `=`, `-` where nothing was played; `*` on the diagonal."""
    rows = standings(tournament)
    cells: dict[tuple[str, str], list[str]] = {}
    for counted in counted_games(tournament):
        for side, name in enumerate(counted.players):
            cells.setdefault((name, counted.players[1 - side]), []).append(_symbol(counted, side))
    return Crosstable(
        rows,
        tuple(
            tuple("*" if row is column else "".join(cells.get((row.name, column.name), ())) for column in rows)
            for row in rows
        ),
    )


def _symbol(counted: Counted, side: int) -> str:
    halves = counted.halves[side]
    assert 0 <= halves <= WIN, "a result is 0, 1 or 2 halves"
    return (_SYMBOLS if counted.played else UNPLAYED)[halves]
