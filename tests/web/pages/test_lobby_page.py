"""The lobby, the records and the players, as pages and as JSON."""

import pytest
from trio.testing import MockClock

from gameserver.read_model.lobby_view import LobbyView
from gameserver.tournaments.output.view import tournament_summary
from gameserver.tournaments.presets import preset
from gameserver.web.pages.lobby import TOURNAMENTS_MAX, lobby_page
from tests.support.browser import obstacles
from tests.tournaments.playing import started
from tests.web.pages.test_screens import NAMES, OVERLAPS, PHONE, PROJECTOR, scrolls_sideways
from tests.web.support import check_html, get, serving_pages


async def test_finished_matches_are_listed_page_by_page(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        first, second = await running.match()
        for client in (first, second):
            client.stream.socket.setsockopt(6, 1, 1)
        for _ in range(60):
            await first.send("forfeit")
            await first.until("LOSS")
            await second.until("WIN")
            for client in (first, second):
                await client.send("subscribe Tic-tac-toe")
            opened = (await first.until("MATCH"))[-1]
            await second.until("MATCH")
            if f'PLAYERTOMOVE: "{first.name}"' not in opened:
                first, second = second, first
            await first.until("YOURTURN")
        page = await get(running, "/matches?player=ann&game=Tic-tac-toe")
        check_html(page.text)
        assert page.text.count('href="/matches/') == 50
        assert "resigned" in page.text
        older = page.text.partition('rel="next" href="')[2].partition('"')[0].replace("&amp;", "&")
        rest = await get(running, older)
        assert rest.text.count('href="/matches/') == 10
        assert 'rel="next"' not in rest.text
        assert "None on record" in (await get(running, "/matches?player=nobody")).text
        assert len((await get(running, "/api/v1/matches?before=3")).json) == 2


@pytest.mark.parametrize("size", [PROJECTOR, PHONE])
def test_tournaments_come_first_on_every_screen(show, size) -> None:
    names = ("Spring cup", *NAMES, "Summer cup")
    on = [
        tournament_summary(started(preset("swiss" if number % 2 else "cup", name, "Reversi"), 24), number=number)
        for number, name in enumerate(names, start=1)
    ]
    html = lobby_page(LobbyView(0, 0), {}, tournaments=on[::-1])
    shown = show(html, size, java_script_enabled=True)
    assert not scrolls_sideways(shown)
    assert shown.evaluate(OVERLAPS, ".event :is(.name, .facts > *, progress)") == []
    assert shown.locator(".event").count() == TOURNAMENTS_MAX
    first, players = (shown.locator(one).first.bounding_box() for one in (".event", "#live-title"))
    assert first["y"] + first["height"] < size[1] / 2
    assert first["y"] < players["y"]
    assert shown.get_by_text("And 1 more").is_visible()
    assert obstacles(shown) == {}
    shown.locator(".event").first.click(position={"x": 5, "y": 5}, no_wait_after=True)
    shown.wait_for_url(f"**/tournaments/{len(on)}")
