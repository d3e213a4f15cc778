"""Standings on a projector: every player is on one of the pages, and the podium on each."""

import pytest
from attrs import evolve

from gameserver.core.state.tournament import TournamentRow
from gameserver.exports.tournament_report import view_of
from gameserver.tournaments.output.podium_race import AT_RISK, CHASING
from gameserver.tournaments.output.view import StandingView
from gameserver.tournaments.presets import preset
from gameserver.web.pages.standings_layout import (
    COLUMN_LINES_MAX,
    PINNED_MAX,
    TURNED_PAGES_MAX,
    StandingsLayout,
    in_columns,
    layout_of,
)
from gameserver.web.pages.tournament import tournament_page
from tests.tournaments.playing import World, entered, finished, started
from tests.web.pages.test_tournament_page import NOTHING, page_of
from tests.web.support import check_html

SWISS = preset("swiss", "Swiss", "Reversi")


def standings(players: int, *, chasers: int = 0) -> tuple[StandingView, ...]:
    lines = view_of(TournamentRow(1, entered(SWISS, players))).standings
    return tuple(
        evolve(line, rank=at, chances=CHASING if 3 < at <= 3 + chasers else "")
        for at, line in enumerate(lines, start=1)
    )


def names_on(layout: StandingsLayout, page: int | None) -> list[str]:
    return [line.name for part in layout.parts if part.page == page for line in part.lines]


@pytest.mark.parametrize("players", [0, 1, 2, 10, 22, 23, 24, 43, 44, 45, 60, 100, 200])
def test_every_player_is_there_once_and_in_order(players: int) -> None:
    lines = standings(players, chasers=2)
    for layout in (layout_of(lines), in_columns(lines)):
        assert [line for part in layout.parts for line in part.lines] == list(lines)


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


def test_a_podium_that_everybody_shares_leaves_room_for_the_pages() -> None:
    lines = tuple(evolve(line, rank=1) for line in standings(60))
    assert len(names_on(layout_of(lines), None)) == PINNED_MAX


def test_pages_can_be_turned_if_there_are_several() -> None:
    button = '<button type="button" class="turn"'
    assert button not in page_of(entered(SWISS, 24))
    page = page_of(entered(SWISS, 60))
    check_html(page)
    assert f'{button} data-pages="2" hidden>' in page, "it comes with the script"
    assert button not in page_of(entered(SWISS, TURNED_PAGES_MAX * 2 * COLUMN_LINES_MAX)), "too many to wait for"


def test_a_possible_rank_is_said_in_words() -> None:
    world = World(started(preset("league", "League", "Reversi", cycles=1), 10), 3)
    for _ in range(4):
        world.tick()
    page = page_of(world.tournament)
    lines = [line for line in view_of(TournamentRow(1, world.tournament)).standings if line.best != line.worst]
    first = next(line for line in lines if (line.best, line.worst) != (1, 10))
    assert f'<td class="n tag possible">{first.best}\N{EN DASH}{first.worst}</td>' in page
    assert f"<b>{first.best}\N{EN DASH}{first.worst}</b>: rank by strength, 95 %" in page
    assert {(line.best, line.worst) for line in lines} & {(1, 10)}
    assert ">any</td>" in page
    assert "1\N{EN DASH}10" not in page, "it stands as `any`, and explains nothing"


def test_before_the_first_result_nobody_has_a_rank() -> None:
    for tournament, title in ((entered(SWISS, 10), "Players"), (started(SWISS, 10), "Standings")):
        page = page_of(tournament)
        assert f'<h2 id="standings-title">{title} ' in page
        assert page.count('<td class="n rank">\N{EN DASH}</td>') == 10
        assert "by strength" not in page.lower()


def test_the_race_for_the_podium_has_its_legend() -> None:
    view = view_of(TournamentRow(1, World(started(SWISS, 24), 3).tournament))
    at_risk, chasing = 'role="img" title="place at risk">', 'role="img" title="one win from the podium">'
    for chasers, marked in ((0, 0), (2, 2), (8, 8), (9, 0)):
        lines = tuple(
            evolve(line, chances=AT_RISK if at < 3 and chasers else CHASING if 3 <= at < 3 + chasers else "")
            for at, line in enumerate(view.standings)
        )
        page = tournament_page(evolve(view, standings=lines, done=20), NOTHING)
        assert page.count(at_risk) == (3 if chasers else 0)
        assert page.count(chasing) == marked, "everybody is a win behind: a mark tells nothing"
        assert ("</b> place at risk</span>" in page) == (chasers > 0)
        assert ("</b> one win from the podium</span>" in page) == (marked > 0)


def test_while_it_is_played_places_are_at_risk_and_afterwards_none() -> None:
    world = World(started(SWISS, 24), 3)
    world.tick()
    assert 'title="place at risk"' in page_of(world.tournament)
    over = page_of(finished(SWISS, 24))
    assert 'title="place at risk"' not in over
    assert 'title="one win from the podium"' not in over
