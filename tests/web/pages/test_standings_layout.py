"""Standings on a projector: every player is on one of the pages, and the podium on each."""

from attrs import evolve

from gameserver.core.state.tournament import TournamentRow
from gameserver.exports.tournament_report import view_of
from gameserver.tournaments.output.podium_race import CHASING
from gameserver.tournaments.output.view import StandingView
from gameserver.tournaments.presets import preset
from tests.tournaments.playing import World, entered, finished, started
from tests.web.pages.test_tournament_page import page_of

SWISS = preset("swiss", "Swiss", "Reversi")


def standings(players: int, *, chasers: int = 0) -> tuple[StandingView, ...]:
    lines = view_of(TournamentRow(1, entered(SWISS, players))).standings
    return tuple(
        evolve(line, rank=at, chances=CHASING if 3 < at <= 3 + chasers else "")
        for at, line in enumerate(lines, start=1)
    )


def test_while_it_is_played_places_are_at_risk_and_afterwards_none() -> None:
    world = World(started(SWISS, 24), 3)
    world.tick()
    assert 'title="place at risk"' in page_of(world.tournament)
    over = page_of(finished(SWISS, 24))
    assert 'title="place at risk"' not in over
    assert 'title="one win from the podium"' not in over
