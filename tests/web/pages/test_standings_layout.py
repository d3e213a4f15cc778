"""Standings on a projector: every player is on one of the pages, and the podium on each."""

import pytest
from attrs import evolve

from gameserver.core.state.tournament import TournamentRow
from gameserver.exports.tournament_report import view_of
from gameserver.tournaments.output.podium_race import CHASING
from gameserver.tournaments.output.view import StandingView
from gameserver.tournaments.presets import preset
from gameserver.web.pages.standings_layout import (
    COLUMN_LINES_MAX,
    StandingsLayout,
    layout_of,
)
from tests.tournaments.playing import World, entered, finished, started
from tests.web.pages.test_tournament_page import page_of

SWISS = preset("swiss", "Swiss", "Reversi")


def standings(players: int, *, chasers: int = 0) -> tuple[StandingView, ...]:
    lines = view_of(TournamentRow(1, entered(SWISS, players))).standings
    return tuple(
        evolve(line, rank=at, chances=CHASING if 3 < at <= 3 + chasers else "")
        for at, line in enumerate(lines, start=1)
    )


def names_on(layout: StandingsLayout, page: int | None) -> list[str]:
    return [line.name for part in layout.parts if part.page == page for line in part.lines]


@pytest.mark.parametrize(
    ("players", "columns", "pages"),
    [(2, 1, 1), (COLUMN_LINES_MAX, 1, 1), (24, 2, 1), (2 * COLUMN_LINES_MAX, 2, 1), (60, 2, 2), (100, 2, 3)],
)
def test_columns_come_before_pages(players: int, columns: int, pages: int) -> None:
    layout = layout_of(standings(players))
    assert (layout.columns, layout.pages) == (columns, pages)
    assert layout.rows <= COLUMN_LINES_MAX
    stays = names_on(layout, None)
    for page in range(pages) if columns == 2 else ():
        assert len(stays) + len(names_on(layout, page)) <= 2 * layout.rows


@pytest.mark.parametrize(("chasers", "stays"), [(0, 3), (2, 5), (3, 6), (9, 6)])
def test_the_podium_and_those_one_win_behind_it_always_stay(chasers: int, stays: int) -> None:
    lines = standings(60, chasers=chasers)
    assert names_on(layout_of(lines), None) == [line.name for line in lines[:stays]]


def test_while_it_is_played_places_are_at_risk_and_afterwards_none() -> None:
    world = World(started(SWISS, 24), 3)
    world.tick()
    assert 'title="place at risk"' in page_of(world.tournament)
    over = page_of(finished(SWISS, 24))
    assert 'title="place at risk"' not in over
    assert 'title="one win from the podium"' not in over
