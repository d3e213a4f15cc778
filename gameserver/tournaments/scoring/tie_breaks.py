"""Tie-breaks, which separate players who are level: each criterion as a figure, and in words.

A round without a game (a bye, a no-show, a round before a late entry) counts in a Swiss as an opponent
with the player's own points, which is FIDE's dummy opponent; where everybody meets everybody, it counts
as the opponent it should have been. Games that were not played are no wins for `wins`.
"""

from collections.abc import Callable, Mapping, Sequence

from gameserver.tournaments.formats.lots import by_lot
from gameserver.tournaments.plan import TieBreak
from gameserver.tournaments.scoring.scores import WIN, Ledger, ScoreShare, points_of

EXPLANATIONS: Mapping[TieBreak, str] = {
    TieBreak.DIRECT_ENCOUNTER: "points from the games among the tied players, if all of them have met",
    TieBreak.SONNEBORN_BERGER: "the points of every opponent beaten, and half the points of every opponent drawn with",
    TieBreak.BUCHHOLZ: "the sum of the opponents' points",
    TieBreak.BUCHHOLZ_CUT_1: "the sum of the opponents' points without the lowest",
    TieBreak.BUCHHOLZ_CUT_2: "the sum of the opponents' points without the two lowest",
    TieBreak.MEDIAN_BUCHHOLZ: "the sum of the opponents' points without the highest and the lowest",
    TieBreak.WINS: "games won in play",
    TieBreak.WINS_WORSE_SEAT: "games won in play from the seat that is considered worse",
    TieBreak.MARGIN: "winning margins in the game's own points (discs, guesses), minus losing margins",
    TieBreak.LOT: "drawn by lot from the tournament's seed",
}
"""For the foot of the standings."""

Figure = int | None
"""A criterion's value in its smallest unit; None where it does not apply."""


def figures(ledger: Ledger, kind: TieBreak, level: Sequence[str]) -> Mapping[str, Figure]:
    """The criterion's value for each of these players, who are level on all before it. More is better."""
    if kind is TieBreak.DIRECT_ENCOUNTER:
        return _direct_encounter(ledger, level)
    if kind is TieBreak.LOT:
        order = by_lot(level, ledger.tournament.seed, "tie")
        return {name: -place for place, name in enumerate(order, start=1)}
    return {name: _OF_ONE[kind](ledger, name) for name in level}


def shown(ledger: Ledger, kind: TieBreak, figure: Figure) -> str:
    """The value as it is printed."""
    if figure is None:
        return "-"
    if kind is TieBreak.LOT:
        return str(-figure)
    return in_units(figure, _divisor(ledger, kind))


def in_units(amount: int, unit: int) -> str:
    """An amount of small units as points: `7.5`, `3`. Exact for halves and quarters, else to two places."""
    if amount % unit == 0:
        return str(amount // unit)
    hundredths = (abs(amount) * 200 // unit + 1) // 2
    sign = "-" if amount < 0 else ""
    return f"{sign}{hundredths // 100}.{hundredths % 100:02}".rstrip("0")


def _divisor(ledger: Ledger, kind: TieBreak) -> int:
    unit = ledger.tournament.plan.scoring.unit
    if kind is TieBreak.SONNEBORN_BERGER:
        return 2 * unit
    if kind in (TieBreak.WINS, TieBreak.WINS_WORSE_SEAT, TieBreak.MARGIN):
        return 1
    return unit


def _direct_encounter(ledger: Ledger, level: Sequence[str]) -> Mapping[str, Figure]:
    among = frozenset(level)
    games = {name: [share for share in ledger.shares[name] if share.opponent in among] for name in level}
    if any(len({share.opponent for share in games[name]}) < len(level) - 1 for name in level):
        return dict.fromkeys(level)
    scoring = ledger.tournament.plan.scoring
    return {name: sum(points_of(scoring, share.halves) for share in games[name]) for name in level}


def _opponents(ledger: Ledger, name: str) -> list[int]:
    """The points of each opponent, once an encounter, the lowest first."""
    own = ledger.points[name]
    plan = ledger.tournament.plan
    met: dict[tuple[str, int], int] = {}
    for index, share in enumerate(ledger.shares[name]):
        where = (
            -index if share.pairing is None else share.pairing.number if plan.is_open_to_all else share.pairing.round
        )
        if share.seat is not None or plan.is_open_to_all:
            met[share.opponent, where] = ledger.points[share.opponent]
        else:
            met.setdefault((share.opponent, where), own)
    rounds_without = (ledger.byes[name] + ledger.missed[name]) // plan.games
    return sorted([*met.values(), *([own] * rounds_without)])


def _sonneborn_berger(ledger: Ledger, name: str) -> int:
    in_place = ledger.tournament.plan.has_fixtures
    own = ledger.points[name]
    games = sum(
        share.halves * (ledger.points[share.opponent] if share.seat is not None or in_place else own)
        for share in ledger.shares[name]
    )
    return games + WIN * own * ledger.byes[name]


def _buchholz(lowest: int, highest: int) -> Callable[[Ledger, str], int]:
    def add_up(ledger: Ledger, name: str) -> int:
        opponents = _opponents(ledger, name)
        return sum(opponents[lowest : max(lowest, len(opponents) - highest)])

    return add_up


def _wins(ledger: Ledger, name: str) -> int:
    return sum(share.halves == WIN and share.seat is not None for share in ledger.shares[name])


def _wins_worse_seat(ledger: Ledger, name: str) -> int:
    worse = ledger.tournament.plan.worse_seat
    return sum(share.halves == WIN and share.seat == worse for share in ledger.shares[name])


def _margin(ledger: Ledger, name: str) -> int:
    return sum(_points_won_by(share) for share in ledger.shares[name])


def _points_won_by(share: ScoreShare) -> int:
    if share.pairing is None or share.seat is None:
        return 0
    points = share.pairing.points
    return points[share.seat] - points[1 - share.seat]


_OF_ONE: Mapping[TieBreak, Callable[[Ledger, str], int]] = {
    TieBreak.SONNEBORN_BERGER: _sonneborn_berger,
    TieBreak.BUCHHOLZ: _buchholz(0, 0),
    TieBreak.BUCHHOLZ_CUT_1: _buchholz(1, 0),
    TieBreak.BUCHHOLZ_CUT_2: _buchholz(2, 0),
    TieBreak.MEDIAN_BUCHHOLZ: _buchholz(1, 1),
    TieBreak.WINS: _wins,
    TieBreak.WINS_WORSE_SEAT: _wins_worse_seat,
    TieBreak.MARGIN: _margin,
}
