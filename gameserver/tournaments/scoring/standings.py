"""Standings, each place with its reason: points first (in a knockout, how far a player came), then the tie-breaks.

Where the plan's list runs out, a place is shared. House players, those who were disqualified and those
whose results were struck out are listed below without a rank. The note of a house player who won says so.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise, takewhile

from attrs import evolve

from gameserver.tournaments.formats import knockout
from gameserver.tournaments.formats.history import History
from gameserver.tournaments.model import Entrant, EntrantStatus, Tournament
from gameserver.tournaments.plan import Effect, TieBreak
from gameserver.tournaments.scoring.scores import DRAW, LOSS, WIN, Ledger, effect_on
from gameserver.tournaments.scoring.tie_breaks import EXPLANATIONS, Figure, figures, in_units, shown
from gameserver.values import value

HOUSE_AHEAD = "house, outside the places"
"""The note of a house player who came out ahead of the first place."""


@value
class StandingsRow:
    """One line of the standings. `rank` is None for a player without one; equal ranks are a shared place."""

    rank: int | None
    name: str
    points: int
    """In the plan's units; `points_text` is what is shown."""
    points_text: str
    played: int
    wins: int
    draws: int
    losses: int
    unplayed: int
    """Games and rounds decided without a move: byes, no-shows, walkovers."""
    tie_breaks: tuple[str, ...]
    """The plan's, in its order, as they are shown; `-` where one does not apply."""
    note: str = ""
    """Withdrawn, disqualified, a house player, with a word where one came out ahead of the first place."""
    why: str = ""
    """The reason for which this player stands below the one above."""


@value
class _Block:
    """Players who are level, and what separates them from the block above."""

    names: tuple[str, ...]
    why: str = ""


def standings(tournament: Tournament) -> tuple[StandingsRow, ...]:
    """The standings as of now."""
    ledger = Ledger.of(tournament)
    ranked = [entrant for entrant in tournament.entrants if _is_ranked(tournament, entrant)]
    rows: list[StandingsRow] = []
    for block in _blocks(ledger, [entrant.name for entrant in ranked]):
        rank = len(rows) + 1
        rows += [_row(ledger, name, rank, block.why if number == 0 else "") for number, name in enumerate(block.names)]
    others = [entrant for entrant in tournament.entrants if entrant not in ranked]
    others.sort(
        key=lambda one: (not one.house, one.standing is EntrantStatus.DISQUALIFIED, -ledger.points[one.name], one.name)
    )
    rows += [_row(ledger, entrant.name, None, "") for entrant in others]
    ahead = _ahead_of_places(ledger, rows)
    rows = [evolve(row, note=HOUSE_AHEAD) if row.name in ahead else row for row in rows]
    columns = _columns(ledger, rows)
    return tuple(
        evolve(row, tie_breaks=tuple(shown(ledger, kind, column[row.name]) for kind, column in columns)) for row in rows
    )


def _ahead_of_places(ledger: Ledger, rows: Sequence[StandingsRow]) -> frozenset[str]:
    """The house players who came out ahead of the first place, which goes to a player who is not of the house.

    Where the house plays among itself, they are those who won.
    """
    house = [entrant.name for entrant in ledger.tournament.entrants if entrant.house]
    if not house or not any(row.played for row in rows):
        return frozenset()
    ranked = {row.name for row in rows if row.rank is not None}
    blocks = _blocks(ledger, [*ranked, *house])
    ahead = takewhile(lambda block: ranked.isdisjoint(block.names), blocks) if ranked else blocks[:1]
    return frozenset(name for block in ahead for name in block.names)


def explanations(tournament: Tournament) -> tuple[str, ...]:
    """The order in which places are given, each step as a sentence, for the foot of the page."""
    first = "how far in the bracket" if tournament.plan.is_bracket else "points"
    steps = [f"{kind}: {EXPLANATIONS[kind]}" for kind in tournament.plan.tie_breaks]
    last = [] if TieBreak.LOT in tournament.plan.tie_breaks else ["those who are still level share the place"]
    return (first, *steps, *last)


def _is_ranked(tournament: Tournament, entrant: Entrant) -> bool:
    if entrant.house or entrant.standing is EntrantStatus.DISQUALIFIED:
        return False
    return effect_on(tournament, entrant) is not Effect.ANNUL


def _blocks(ledger: Ledger, names: Sequence[str]) -> list[_Block]:
    if ledger.tournament.plan.is_bracket:
        reached = knockout.progress(History.of(ledger.tournament))
        parts = _split(names, reached, lambda _below, _above: "out of the bracket earlier")
    else:
        parts = _split(names, ledger.points, partial(_points_words, ledger))
    kinds = ledger.tournament.plan.tie_breaks
    return [found for level, why in parts for found in _broken(ledger, level, why, kinds)]


def _points_words(ledger: Ledger, below: str, above: str) -> str:
    unit = ledger.tournament.plan.scoring.unit
    return f"points: {in_units(ledger.points[below], unit)}, after {in_units(ledger.points[above], unit)}"


def _broken(ledger: Ledger, level: Sequence[str], why: str, kinds: Sequence[TieBreak]) -> list[_Block]:
    """Players who are level, put in order by the first criterion that separates any of them, and so on.

    The direct encounter is asked anew among those whom it leaves level: it is another comparison then.
    """
    if len(level) == 1 or not kinds:
        return [_Block(tuple(sorted(level)), why)]
    kind = kinds[0]
    values = figures(ledger, kind, level)

    def words(below: str, above: str) -> str:
        if kind is TieBreak.LOT:
            return "drawn by lot"
        return f"{kind}: {shown(ledger, kind, values[below])}, after {shown(ledger, kind, values[above])}"

    parts = _split(level, values, words)
    if len(parts) == 1:
        return _broken(ledger, level, why, kinds[1:])
    again = kinds if kind is TieBreak.DIRECT_ENCOUNTER else kinds[1:]
    found: list[_Block] = []
    for number, (part, reason) in enumerate(parts):
        found += _broken(ledger, part, why if number == 0 else reason, again)
    return found


def _split(
    names: Sequence[str], values: Mapping[str, Figure], words: Callable[[str, str], str]
) -> list[tuple[list[str], str]]:
    """Groups of equal value, the best first, each with the words for what separates it from the one above.

    A criterion applies to all who are level or to none of them, so values are all there or all None.
    """
    groups: dict[int, list[str]] = {}
    for name in names:
        groups.setdefault(values[name] or 0, []).append(name)
    ordered = [groups[value] for value in sorted(groups, reverse=True)]
    reasons = [words(below[0], above[0]) for above, below in pairwise(ordered)]
    return list(zip(ordered, ["", *reasons], strict=True)) if ordered else []


def _columns(ledger: Ledger, rows: Sequence[StandingsRow]) -> list[tuple[TieBreak, Mapping[str, Figure]]]:
    """The figures shown for each criterion; the direct encounter is among players with the same points and a rank."""
    columns: list[tuple[TieBreak, Mapping[str, Figure]]] = []
    names = [row.name for row in rows]
    for kind in ledger.tournament.plan.tie_breaks:
        if kind is TieBreak.DIRECT_ENCOUNTER:
            groups: dict[int, list[str]] = {}
            for row in rows:
                if row.rank is not None:
                    groups.setdefault(row.points, []).append(row.name)
            merged: dict[str, Figure] = dict.fromkeys(names)
            for group in groups.values():
                merged |= figures(ledger, kind, group) if len(group) > 1 else dict.fromkeys(group)
            columns.append((kind, merged))
        else:
            columns.append((kind, dict(figures(ledger, kind, names))))
    return columns


def _row(ledger: Ledger, name: str, rank: int | None, why: str) -> StandingsRow:
    shares = ledger.shares[name]
    played = [share.halves for share in shares if share.seat is not None]
    entrant = ledger.tournament.entrant(name)
    assert entrant is not None, "rows are of entrants"
    note = "house" if entrant.house else "" if not entrant.is_out else entrant.standing.value
    if entrant.standing is EntrantStatus.WITHDRAWN and effect_on(ledger.tournament, entrant) is Effect.ANNUL:
        note = "withdrawn, results struck out"
    return StandingsRow(
        rank=rank,
        name=name,
        points=ledger.points[name],
        points_text=in_units(ledger.points[name], ledger.tournament.plan.scoring.unit),
        played=len(played),
        wins=played.count(WIN),
        draws=played.count(DRAW),
        losses=played.count(LOSS),
        unplayed=len(shares) - len(played) + ledger.byes[name],
        tie_breaks=(),
        note=note,
        why=why,
    )
