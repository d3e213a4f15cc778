"""Everybody against everybody, and everybody round by round, as cells of text."""

from gameserver.tournaments.model import Tournament
from gameserver.tournaments.scoring.scores import WIN, Counted, counted_games
from gameserver.tournaments.scoring.standings import StandingsRow, standings
from gameserver.values import frozen

_SYMBOLS = ("0", "½", "1")
_UNPLAYED = ("-", "=", "+")
"""A game that was decided without a move, as chess federations print it."""


@frozen
class Crosstable:
    """Rows and columns in the order of the standings; a cell has one sign a game, in the order of the meetings."""

    rows: tuple[StandingsRow, ...]
    cells: tuple[tuple[str, ...], ...]


@frozen
class RoundTable:
    """A row for each player, a column for each round. A cell is the opponent's line, the seat (1 or 2), the result."""

    rows: tuple[StandingsRow, ...]
    rounds: int
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


def round_table(tournament: Tournament) -> RoundTable:
    """Round by round, as a Swiss is shown: `3.1 1` is a win in the first seat against line 3; `bye +`."""
    rows = standings(tournament)
    lines = {row.name: number for number, row in enumerate(rows, start=1)}
    rounds = tournament.round
    cells: dict[tuple[str, int], list[str]] = {}
    for counted in counted_games(tournament):
        if counted.pairing is None:
            continue
        for side, name in enumerate(counted.players):
            line = lines.get(counted.players[1 - side], 0)
            text = f"{line or counted.players[1 - side]}.{side + 1} {_symbol(counted, side)}"
            cells.setdefault((name, counted.pairing.round), []).append(text)
    for bye in tournament.byes:
        cells.setdefault((bye.player, bye.round), []).append("bye +")
    return RoundTable(
        rows,
        rounds,
        tuple(tuple(" / ".join(cells.get((row.name, number), ())) for number in range(1, rounds + 1)) for row in rows),
    )


def _symbol(counted: Counted, side: int) -> str:
    halves = counted.halves[side]
    assert 0 <= halves <= WIN, "a result is 0, 1 or 2 halves"
    return (_SYMBOLS if counted.played else _UNPLAYED)[halves]
