"""The explanation of a pairing of a tournament, for a talk with a student."""

import pytest

from gameserver.core.lobby import TournamentRow
from gameserver.records.explanations import explain_pairing
from gameserver.records.tournament_record import record_of_tournament
from gameserver.tournaments.presets import preset
from tests.tournaments.playing import World, started


@pytest.mark.parametrize(("which", "where"), [("swiss", ", round 1"), ("arena", ""), ("cup", ", Semi-final")])
def test_the_round_is_named_where_there_is_one(which: str, where: str) -> None:
    world = World(started(preset(which, "Cup", "Reversi"), 4), 3)
    world.pair()
    (line, *_) = explain_pairing(record_of_tournament(None, TournamentRow(1, world.tournament)), 1, ())
    first, second = world.tournament.pairings[0].seats
    assert line.startswith(f"pairing 1 of Cup (tournament 1){where}: {first} - {second}, ")
