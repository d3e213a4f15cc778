"""The page of an arena in Chromium: its clock, and who plays whom, are seen on every screen and lie upon nothing."""

from functools import cache

import pytest

from gameserver.core.messages.capabilities import Capability
from gameserver.core.state.lobby import Player
from gameserver.core.state.tournament import TournamentRow
from gameserver.exports.tournament_report import view_of
from gameserver.read_model.lobby_view import LobbyView
from gameserver.tournaments.acts import Pause, RegisterEntrant, StartTournament
from gameserver.tournaments.lifecycle.act_table import apply
from gameserver.tournaments.model import Tournament
from gameserver.tournaments.presets import preset
from gameserver.web.pages.tournament import tournament_page
from tests.support.browser import obstacles
from tests.tournaments.playing import SEED, World
from tests.web.pages.test_screens import LAPTOP, NAMES, OUTSIDE, OVERLAPS, PHONE, PROJECTOR, scrolls_sideways

MARK = "0-1-12000"
"""The server's clock shows 12 s."""


@cache
def html_of(players: int, *, is_paused: bool = False) -> str:
    tournament = Tournament(preset("arena", "Friday arena", "Reversi", duration_ms=3_600_000), SEED)
    for number in range(players):
        name = NAMES[number] if number < len(NAMES) else f"player-{number + 1:02}"
        tournament = apply(tournament, RegisterEntrant(name, rating=3000 - number))
    world = World(apply(tournament, StartTournament(0)), 5)
    for _ in range(12):
        world.tick()
    world.pair()
    state = apply(world.tournament, Pause(world.now_ms)) if is_paused else world.tournament
    row = TournamentRow(1, state)
    here = tuple(
        Player(one.name, number, "strategic", "", (Capability.CHALLENGE,))
        for number, one in enumerate(state.active)
        if number % 5
    )
    lobby_view = LobbyView(0, world.now_ms, tournaments=(row,), players=here)
    return tournament_page(view_of(row, row.timing(world.now_ms)), lobby_view, "" if is_paused else MARK)


@pytest.mark.parametrize("players", [2, pytest.param(24, marks=pytest.mark.slow), 60])
def test_the_clock_and_the_duels_are_seen(show, players) -> None:
    page = show(html_of(players), PROJECTOR)
    assert page.locator(".duels li").count() == players // 2
    for width, height in (PROJECTOR, LAPTOP, PHONE):
        page.set_viewport_size({"width": width, "height": height})
        assert not scrolls_sideways(page)
        assert page.evaluate(OUTSIDE, ".countdown, h1") == []
        assert page.evaluate(OVERLAPS, ".countdown, h1, .facts > *") == []
        assert page.evaluate(OVERLAPS, ".duels :is(.name, .rank, .tag)") == []
        if (width, height) != PHONE:
            assert page.evaluate(OUTSIDE, ".duels li, .streaks li") == []
        assert page.locator(".countdown b").bounding_box()["height"] >= height / 30, "legible from the last row"


def test_the_clock_counts_on_the_servers_clock_and_stands_in_a_pause(show) -> None:
    page = show(html_of(10), LAPTOP, java_script_enabled=True)
    clock = page.locator(".countdown b")
    page.evaluate("[serverMs, heardMs] = [3_595_000, performance.now()]; showClocks()")
    assert clock.inner_text() in {"0:05", "0:04"}
    assert "short" in clock.get_attribute("class")
    paused = show(html_of(10, is_paused=True), LAPTOP, java_script_enabled=True)
    before = paused.locator(".countdown b").inner_text()
    paused.evaluate("[serverMs, heardMs] = [3_595_000, performance.now()]; showClocks()")
    assert paused.locator(".countdown b").inner_text() == before == "59:48"


def test_nothing_stands_in_anybodys_way(show) -> None:
    page = show(html_of(10), PHONE, java_script_enabled=True)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert obstacles(page) == {}, scheme
