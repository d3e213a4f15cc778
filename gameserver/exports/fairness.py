"""The chance of matches and tournaments on record, as rows for whoever checks it; docs/fairness.md has the rule.

A row is JSON with what `kind` names: an epoch of the server, a tournament, or a match. Rows of matches have all that
is needed to verify them by themselves.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import orjson

from gameserver.chance import Contributions
from gameserver.records.match_record import DrawRecord, EpochRecord, MatchRecord
from gameserver.records.tournament_record import CONVERTER, TournamentRecord, row_of
from gameserver.tournaments.standings import standings
from gameserver.values import value

Row = Mapping[str, Any]


@value
class ChanceRow:
    """The chance of a match as it is exported: everything from which its draws follow, and the draws."""

    match: int
    game: str
    ended_at: str
    players: tuple[str, ...]
    """By seat."""
    tournament: int | None
    seed_commitment: str
    seed: str
    """Empty until it is told."""
    chance_key: str
    commitment: str
    key: str
    """Empty until it is told."""
    contributions: Contributions
    draws: tuple[DrawRecord, ...]


def epoch_rows(epochs: Iterable[EpochRecord]) -> Iterator[Row]:
    """A row of the export for each epoch of the server."""
    for one in epochs:
        yield {"kind": "epoch", **CONVERTER.unstructure(one)}


def tournament_rows(records: Iterable[TournamentRecord]) -> Iterator[Row]:
    """A row of the export for each tournament; the standings are there once the seed of their lots is told."""
    for one in records:
        lines = standings(row_of(one).state) if one.seed else ()
        shown = [{"rank": line.rank, "player": line.name, "points": line.points, "why": line.why} for line in lines]
        row = {**CONVERTER.unstructure(one), "plan": orjson.loads(one.plan), "standings": shown}
        yield {"kind": "tournament", **row}


def chance_rows(records: Iterable[MatchRecord], seeds: Mapping[str, str]) -> Iterator[Row]:
    """A row of the export for each match; `seeds` are those that were told, by their SHA-256."""
    for one in records:
        yield {"kind": "match", **CONVERTER.unstructure(chance_of(one, seeds))}


def chance_of(one: MatchRecord, seeds: Mapping[str, str]) -> ChanceRow:
    """The chance of a match on record, for the export; `seeds` are those that were told, by their SHA-256."""
    return ChanceRow(
        match=one.match,
        game=one.game,
        ended_at=one.ended_at,
        players=tuple(seat.player for seat in one.seats),
        tournament=one.tournament,
        seed_commitment=one.seed_commitment,
        seed=seeds.get(one.seed_commitment, ""),
        chance_key=one.chance_key,
        commitment=one.commitment,
        key=one.key,
        contributions=one.contributions,
        draws=one.draws,
    )
