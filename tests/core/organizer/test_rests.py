"""Rests of players between two matches of a tournament."""

import pytest

from gameserver.core.commands import EntryMode, TournamentTimeUp
from gameserver.tournaments import model
from gameserver.tournaments.presets import PAUSE_MS, PRESETS
from tests.support.tournament_hall import GAMES, RULES, Hall


@pytest.mark.parametrize("which", PRESETS)
def test_two_players_rest_between_any_two_of_their_matches(which: str) -> None:
    hall = Hall(GAMES, RULES)
    changes = {"duration_ms": 60_000} if which == "arena" else {}
    hall.run("ann", "bob", which=which, games=2, pause_ms=PAUSE_MS, **changes)
    for _ in range(2):
        (match,) = hall.matches
        hall.end(match, 0)
        if hall.row.is_over:
            return
        assert hall.matches == []
        hall.now_ms += PAUSE_MS - 1
        hall.do(TournamentTimeUp(1))
        assert hall.matches == []
        hall.now_ms += 1
        hall.do(TournamentTimeUp(1))


def test_house_players_never_rest(hall: Hall) -> None:
    roster = (model.RegisterEntrant("house-random"), model.RegisterEntrant("house-random-2"))
    hall.create(entry=EntryMode.ROSTER, roster=roster, games=3, pause_ms=PAUSE_MS)
    hall.act(model.StartTournament(0))
    while hall.matches:
        hall.play_house(hall.matches[0])
    assert hall.row.is_over
