"""Who met whom with which result, as cells of text: everybody against everybody, by rounds, or by opponent."""

from collections.abc import Sequence

from gameserver.tournaments.model import Tournament
from gameserver.tournaments.scoring.scores import WIN, Counted, counted_games
from gameserver.tournaments.scoring.standings import StandingsRow
from gameserver.values import value

_SYMBOLS = ("0", "½", "1")
UNPLAYED = ("-", "=", "+")
"""A game that was decided without a move, as chess federations print it."""


@value
class RoundCell:
    """A round of a player of a Swiss. `text` is `5w1`: the opponent's line in the standings, the seat, the result.

    The first seat is `w` and the second `b`, as white and black of chess; with several games it is `5w1b½`. An
    opponent without a line is left out; the text is `bye`, or `late` for a round before a late entry, without one.
    """

    opponent: str
    text: str


@value
class OpponentScore:
    """The games of a player of an arena against one other, in the order in which they were played: `1½0`."""

    opponent: str
    results: str
    score: tuple[str, str]
    """The sums of the results, the player's own first."""


def round_table(tournament: Tournament, rows: Sequence[StandingsRow]) -> tuple[tuple[RoundCell | None, ...], ...]:
    """A row for each line of the standings, with a cell for each round; None where a player took no part."""
    names = [row.name for row in rows]
    numbers = {name: str(number) for number, name in enumerate(names, start=1)}
    cells: dict[tuple[str, int], RoundCell] = {}
    for counted in counted_games(tournament):
        for side, name in enumerate(counted.players):
            opponent = counted.players[1 - side]
            before = cells.get((name, counted.round))
            text = numbers.get(opponent, "") if before is None else before.text
            cells[name, counted.round] = RoundCell(opponent, f"{text}{'wb'[side]}{_symbol(counted, side)}")
    cells |= {(bye.player, bye.round): RoundCell("", "bye") for bye in tournament.byes}
    for entrant in tournament.entrants:
        cells |= {(entrant.name, number): RoundCell("", "late") for number in range(1, entrant.from_round)}
    return tuple(tuple(cells.get((name, at)) for at in range(1, tournament.round + 1)) for name in names)


def opponent_scores(tournament: Tournament, rows: Sequence[StandingsRow]) -> tuple[tuple[OpponentScore, ...], ...]:
    """The opponents of each line of the standings, in the order of the standings."""
    names = [row.name for row in rows]
    games: dict[str, dict[str, list[Counted]]] = {name: {} for name in names}
    for counted in counted_games(tournament):
        for name, opponent in (counted.players, counted.players[::-1]):
            games.setdefault(name, {}).setdefault(opponent, []).append(counted)
    order = [*names, *(name for name in games if name not in names)]
    return tuple(tuple(_score(name, one, games[name][one]) for one in order if one in games[name]) for name in names)


def _score(name: str, opponent: str, games: Sequence[Counted]) -> OpponentScore:
    sides = [(one, one.players.index(name)) for one in games]
    sums = (sum(one.halves[side] for one, side in sides), sum(one.halves[1 - side] for one, side in sides))
    return OpponentScore(
        opponent,
        "".join(_symbol(one, side) for one, side in sides),
        (_halves_text(sums[0]), _halves_text(sums[1])),
    )


def _halves_text(halves: int) -> str:
    whole = str(halves // WIN) if halves >= WIN or not halves else ""
    return whole + ("½" if halves % WIN else "")


def crosstable(tournament: Tournament, rows: Sequence[StandingsRow]) -> tuple[tuple[str, ...], ...]:
    """The matrix of results, rows and columns in the order of the standings; a cell has one sign a game.

    `1`, `½`, `0`; `+`, `=`, `-` where nothing was played; `*` on the diagonal.
    """
    cells: dict[tuple[str, str], list[str]] = {}
    for counted in counted_games(tournament):
        for side, name in enumerate(counted.players):
            cells.setdefault((name, counted.players[1 - side]), []).append(_symbol(counted, side))
    return tuple(
        tuple("*" if row is column else "".join(cells.get((row.name, column.name), ())) for column in rows)
        for row in rows
    )


def _symbol(counted: Counted, side: int) -> str:
    halves = counted.halves[side]
    assert 0 <= halves <= WIN, "a result is 0, 1 or 2 halves"
    return (_SYMBOLS if counted.played else UNPLAYED)[halves]
