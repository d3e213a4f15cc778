"""The names of rounds."""

import pytest

from gameserver.tournaments.knockout import round_name
from gameserver.tournaments.presets import preset
from tests.tournaments.playing import World, started


@pytest.mark.parametrize(
    ("name", "changes", "names"),
    [
        ("cup", {"games": 1}, {"Semi-final", "Final", "Match for third place"}),
        ("swiss", {"games": 1, "rounds": 2}, {"round 1", "round 2"}),
        ("league", {"cycles": 1}, {"round 1", "round 2", "round 3"}),
        ("arena", {"duration_ms": 60_000}, {""}),
    ],
)
def test_a_round_has_the_name_that_the_bracket_gives_it(name: str, changes: dict[str, int], names: set[str]) -> None:
    tournament = World(started(preset(name, "Cup", "Reversi", **changes), 4)).run()
    assert {round_name(tournament, one) for one in tournament.pairings} == names
