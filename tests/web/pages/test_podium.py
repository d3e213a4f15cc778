"""The page for the prize-giving, as HTML and over a socket."""

import pytest
from attrs import evolve
from trio.testing import MockClock

from gameserver.core.state.tournament import TournamentRow
from gameserver.exports.tournament_report import view_of
from gameserver.read_model.views import ListenerSummary
from gameserver.tournaments.acts import Cancel
from gameserver.tournaments.lifecycle.act_table import apply
from gameserver.tournaments.model import Tournament
from gameserver.tournaments.output.view import TournamentView
from gameserver.tournaments.presets import preset
from gameserver.web.pages.podium import PLAYERS_MAX, podium_page
from tests.tournaments.playing import finished, started
from tests.web.support import check_html, create, get, serving_pages

LEAGUE = preset("league", "Spring <cup>", "Reversi")
CUP = preset("cup", "Cup", "Reversi")


def view_at(tournament: Tournament) -> TournamentView:
    return view_of(TournamentRow(1, tournament))


def shared(view: TournamentView, count: int) -> TournamentView:
    """The first places of a tournament, shared by so many."""
    lines = (evolve(one, rank=1) if at < count else one for at, one in enumerate(view.standings))
    return evolve(view, standings=tuple(lines))


def test_everything_is_in_the_html() -> None:
    view = view_at(finished(LEAGUE, 6))
    best = view.standings[0]
    counts = {one.match: 30 for one in view.pairings if one.match} | {7: 64}
    page = podium_page(view, counts)
    check_html(page)
    assert page.count('class="step place-') == 3
    assert f"<b>{best.points}</b> points" in page
    assert page.count("Best win: ") == 3
    assert page.count("Longest match: ") == 3
    assert page.index('class="podium"') < page.index('class="standings '), "the table follows"
    assert all(one.name in page for one in view.standings)
    assert "Spring &lt;cup&gt;" in page


@pytest.mark.parametrize("count", [2, 3, PLAYERS_MAX, PLAYERS_MAX + 2])
def test_ties_are_shown_as_ties(count: int) -> None:
    page = podium_page(shared(view_at(finished(LEAGUE, 10)), count), {})
    check_html(page)
    assert page.count("<small>shared</small>") == 1
    assert page.count('class="person"') == min(count, PLAYERS_MAX) + (count < 3)
    assert ("and 2 more" in page) == (count > PLAYERS_MAX)


def test_house_player_who_won_is_named_and_has_no_step() -> None:
    over = finished(CUP, 8)
    champion = view_at(over).standings[0].name
    entrants = tuple(evolve(one, house=one.name == champion) for one in over.entrants)
    page = podium_page(view_at(evolve(over, entrants=entrants)), {})
    check_html(page)
    assert f'role="note">{champion} won the bracket, outside the places</p>' in page
    assert f'title="{champion}"' not in page.partition("<ol")[2].partition("</ol>")[0]


def test_who_is_too_early_or_in_vain_is_told_so() -> None:
    running = podium_page(view_at(started(LEAGUE, 4)), {})
    assert "is not over yet" in running
    assert 'data-next="/tournaments/1"' in running, "and back, if a game is to be replayed"
    cancelled = podium_page(view_at(apply(started(LEAGUE, 4), Cancel("Ms Reed"))), {})
    assert "was cancelled" in cancelled
    empty = podium_page(evolve(view_at(finished(LEAGUE, 4)), pairings=()), {})
    assert "before any game was decided" in empty
    for page in (running, cancelled, empty):
        check_html(page)
        assert 'class="podium"' not in page


@pytest.mark.parametrize(
    ("listens_at", "asked_as", "is_linked"),
    [
        ("127.0.0.1", "localhost", True),
        ("127.0.0.1", "school.example", False),
        ("0.0.0.0", "school.example", True),
    ],
)
async def test_the_teacher_has_a_link_to_the_files(
    autojump_clock: MockClock, listens_at: str, asked_as: str, is_linked: bool
) -> None:
    async with serving_pages() as running:
        running.server._read_model.listeners = (ListenerSummary("admin", listens_at, 8080),)
        create(running, preset("hanze", "Cup", "Tic-tac-toe"), begins=False)
        page = await get(running, "/tournaments/1/podium", host=asked_as)
        assert (f'href="http://{asked_as}:8080/tournaments/1#files"' in page.text) == is_linked
