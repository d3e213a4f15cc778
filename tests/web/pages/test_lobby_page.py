"""The lobby, the records and the players, as pages and as JSON."""

import pytest
from trio.testing import MockClock

from gameserver.core.messages.commands import Conduct
from gameserver.read_model.lobby_view import LobbyView
from gameserver.tournaments.acts import Cancel
from gameserver.tournaments.output.view import tournament_summary
from gameserver.tournaments.presets import preset
from gameserver.web.pages.lobby import TOURNAMENTS_MAX, lobby_page
from tests.support.browser import obstacles
from tests.tournaments.playing import started
from tests.web.pages.test_screens import NAMES, OVERLAPS, PHONE, PROJECTOR, scrolls_sideways
from tests.web.support import check_html, create, enter, get, listening, serving_pages

HOSTILE = "</td><script>alert(1)</script>"


async def test_the_lobby_shows_who_is_here_what_is_open_and_what_is_played(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        first, second = await running.match()
        (cleo,) = await running.enter("cleo")
        await cleo.send("subscribe Reversi")
        await cleo.line()
        page = await get(running, "/")
        check_html(page.text)
        for words in (
            first.name,
            second.name,
            "looking for Reversi",
            'href="/play?game=Reversi"',
            'href="/matches/1"',
            "0 moves",
        ):
            assert words in page.text
        mark = page.mark
        async with listening(running, f"/events?after={mark}") as events:
            await first.send("move 4")
            assert set((await events.change())["html"]) == {"t1"}
            await first.lines(2)
            await second.send("forfeit")
            news = await events.change()
            assert news["order"] == {"tiles": []}
            assert "Playing now" in news["html"]["live-title"]


async def test_names_are_text_in_every_list(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        ann, bob = await running.enter(HOSTILE, "bob")
        await ann.send('challenge "bob" "Reversi"')
        await bob.until("CHALLENGE")
        for path in ("/", f"/players/{HOSTILE.replace('/', '%2F')}"):
            page = await get(running, path)
            assert page.status == 200
            check_html(page.text)
            assert "<script>" not in page.text
            assert "&lt;script&gt;" in page.text
        assert (await get(running, "/api/v1/lobby")).json["offers"][0]["players"] == [HOSTILE]


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


async def test_a_player_has_a_page_with_results_and_times(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        first, second = await running.match()
        await first.send("move 4")
        await first.lines(2)
        await second.until("YOURTURN")
        await second.send("move 4")
        await second.until("LOSS")
        page = await get(running, f"/players/{second.name}")
        check_html(page.text)
        assert "illegal move: 1" in page.text
        career = (await get(running, f"/api/v1/players/{first.name}")).json["career"]
        assert [(one["game"], one["result"], one["count"]) for one in career["tallies"]] == [("Tic-tac-toe", "win", 1)]
        assert career["moves"] == 1
        assert career["think"].keys() == {"p50_ms", "p95_ms", "p99_ms"}


@pytest.mark.parametrize("name", ["a/b", "a?b=c", "..", ".", "ä#%"])
async def test_any_name_has_a_page(name: str, autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        await running.enter(name)
        lobby = (await get(running, "/")).text
        address = lobby.partition('class="name" href="')[2].partition('"')[0]
        page = await get(running, address)
        assert page.status == 200
        assert "Connected by strategic" in page.text


async def test_nobody_of_this_name(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        assert (await get(running, "/players/nobody")).status == 404
        assert (await get(running, "/players/house-random")).status == 200


async def test_a_running_tournament_is_the_first_thing(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        clients = await enter(running, "ann", "bob")
        create(running, preset("hanze", "Next <cup>", "Reversi"), begins=False)
        create(running, preset("hanze", "Spring <cup>", "Tic-tac-toe"), number=2)
        create(running, preset("hanze", "Fire alarm", "Tic-tac-toe"), begins=False)
        running.server._sequencer.submit(Conduct(3, Cancel("Ms Reed")), running.server.now_ms())
        page = await get(running, "/")
        check_html(page.text)
        places = [page.text.find(words) for words in ("Spring &lt;cup&gt;</a>", "Next &lt;cup&gt;</a>", "Playing now")]
        assert places == sorted(places)
        assert places[0] > 0
        assert 'href="/tournaments/2">Spring' in page.text
        assert "<b>0</b> of 1 games played" in page.text
        assert "Fire alarm" not in page.text
        told = (await get(running, "/api/v1/lobby")).json["tournaments"]
        assert [(one["number"], one["phase"]) for one in told] == [(2, "running"), (1, "gathering")]
        mark = (await get(running, "/")).mark
        async with listening(running, f"/events?after={mark}") as events:
            await clients["bob"].send("forfeit")
            html: dict[str, str] = {}
            while "tournaments" not in html:
                html |= (await events.change())["html"]
            assert 'Last tournament: <a class="name" dir="auto" href="/tournaments/2">' in html["tournaments"]
            assert 'href="/tournaments/2/podium"' in html["tournaments"]
            assert "Next &lt;cup&gt;" in html["tournaments"]


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
