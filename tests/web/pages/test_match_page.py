"""The page of a match, over sockets: what it shows live, afterwards, step by step, and what it never shows."""

import re

import pytest
import trio
from trio.testing import MockClock

from games.connect_four_3d import GAME as CONNECT_FOUR
from games.mastermind import GAME as MASTERMIND
from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.policies import Rules
from gameserver.tournaments.presets import preset
from tests.support.example_games import PIG
from tests.support.games import catalogue
from tests.support.serving import LineClient
from tests.web.support import check_html, create, enter, get, listening, live_pairing, serving_pages

GAMES = catalogue(TIC_TAC_TOE, REVERSI, CONNECT_FOUR, MASTERMIND)
HOSTILE = "<img-src=x-onerror=alert(1)>"


async def move(first: LineClient, second: LineClient, text: str) -> None:
    """The one who is to move plays; everything is heard."""
    await first.send(f"move {text}")
    await first.lines(2)
    await second.lines(2)


async def test_a_live_match_is_shown_and_its_page_kept_up_to_date(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        first, second = await running.match()
        await move(first, second, "4")
        page = await get(running, "/matches/1")
        check_html(page.text)
        assert page.status == 200
        assert f"{first.name} played 4" in page.text
        assert 'id="m1"' in page.text
        mark = page.mark
        async with listening(running, f"/matches/1/events?after={mark}") as events:
            await move(second, first, "0")
            news = await events.change()
            assert set(news["html"]) == {"head", "status", "board", "m2"}
            assert news["inside"] == {"m2": "moves"}
            assert f"{second.name} played 0" in news["html"]["status"]
            assert "s-last" in news["html"]["board"]


async def test_a_browser_that_comes_back_gets_what_it_missed_and_no_more(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        first, second = await running.match()
        async with listening(running, "/matches/1/events") as events:
            mark = (await events.next())["id"]
        await move(first, second, "4")
        await move(second, first, "0")
        async with listening(running, "/matches/1/events", last_event_id=mark) as events:
            changed = (await events.change())["html"].keys() - {"head"}  # the time that is left may be what it was
            assert changed == {"status", "board", "m1", "m2"}
        async with listening(running, "/matches/1/events", last_event_id=f"other-{mark}") as events:
            assert "m1" in (await events.change())["html"]


async def test_a_finished_match_can_be_stepped_through(autojump_clock: MockClock) -> None:
    async with serving_pages(games=GAMES) as running:
        first, second = await running.match()
        for number, text in enumerate(("0", "3", "1", "4")):
            await move(*((first, second) if number % 2 == 0 else (second, first)), text)
        await first.send("move 2")
        await second.until("LOSS")
        page = await get(running, "/matches/1")
        check_html(page.text)
        assert f"{first.name} won. Three in the top row" in page.text
        assert 'data-ending="three in the top row"' in page.text
        assert "data-events" not in page.text
        assert page.text.count("s-win") == 3
        earlier = await get(running, "/matches/1?move=2")
        assert "2 / 5" in earlier.text
        assert 'id="past"' not in earlier.text, "a match that is over has no newer moves to wait for"
        assert "Board: X.., O.., ..." in earlier.text
        assert "Board: X.., O.., ..." in (await get(running, "/matches/1/board?move=2")).text
        assert "Board: ..., ..., ..." in (await get(running, "/matches/1?move=0")).text


async def test_head_has_marks_and_the_score_of_the_position_that_is_shown(autojump_clock: MockClock) -> None:
    async with serving_pages(games=GAMES) as running:
        first, second = await running.match("Reversi")
        await move(first, second, "19")
        page = (await get(running, "/matches/1")).text
        assert re.findall(r'<b data-score="\d">(\d+)</b>', page) == ["4", "1"]
        assert f"{first.name}</a>\n          <small>black, seat 1" in page
        assert '<p id="past" class="past" hidden>' in page
        earlier = (await get(running, "/matches/1?move=0")).text
        assert '<p id="past" class="past"><b>Looking back at <span>move 0' in earlier
        assert "<span>1 newer move</span>" in earlier
        assert re.findall(r'<b data-score="\d">(\d+)</b>', earlier) == ["2", "2"]
        assert 'data-scores="2 2"' in (await get(running, "/matches/1/board?move=0")).text


async def test_a_narrow_screen_has_the_small_picture(autojump_clock: MockClock) -> None:
    async with serving_pages(games=GAMES) as running:
        first, second = await running.match("Connect-four-3D")
        await move(first, second, "5")
        board = (await get(running, "/matches/1/board")).text
        small = (await get(running, "/matches/1/board?small")).text
        width, narrow = (float(re.findall(r'viewBox="0 0 ([\d.]+)', one)[0]) for one in (board, small))
        assert narrow < width / 2
        assert "aria-label" in small, "it is no tile of a list, and is described"


async def test_finished_match_can_be_taken_home(autojump_clock: MockClock) -> None:
    async with serving_pages(games=GAMES) as running:
        first, second = await running.match("Reversi")
        await move(first, second, "19")
        assert (await get(running, "/matches/1/match.sgf")).status == 404, "it goes on"
        async with listening(running, "/matches/1/events") as events:
            await events.change()
            await second.send("forfeit")
            assert 'href="/matches/1/match.sgf"' in (await events.change())["html"]["files"]
        assert 'href="/matches/1/match.txt"' in (await get(running, "/matches/1")).text
        sgf = await get(running, "/matches/1/match.sgf")
        assert sgf.headers["content-disposition"] == 'attachment; filename="reversi-1.sgf"'
        assert sgf.text.startswith("(;")
        assert f"1. {first.name} 19" in (await get(running, "/matches/1/match.txt")).text
        for name in ("exe", "sgf2", "%22x"):
            assert (await get(running, f"/matches/1/match.{name}")).status == 404
        assert (await get(running, "/matches/9/match.sgf")).status == 404


async def test_match_leads_to_its_tournament_and_to_its_players_other_matches(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        clients = await enter(running, "ann", "<b>bob")
        create(running, preset("hanze", "Spring <cup>", "Tic-tac-toe", pacing="rounds"))
        live = await live_pairing(running)
        page = await get(running, "/matches/1")
        check_html(page.text)
        assert '<a href="/tournaments/1">Spring &lt;cup&gt;</a>, round 1' in page.text
        assert 'class="neighbours"' in page.text
        assert "match 2" not in page.text
        await clients[live["second"]].send("forfeit")
        await clients[live["second"]].until("LOSS")
        await clients[live["first"]].until("WIN")
        for client in clients.values():
            await client.send("subscribe Tic-tac-toe")
            await client.until("OK")
        await clients["ann"].until("MATCH")
        later = await get(running, "/matches/2")
        check_html(later.text)
        assert later.text.count('href="/matches/1"') == 2, "the last match of either"
        assert 'href="/tournaments/' not in later.text
        assert (await get(running, "/matches/1")).text.count('href="/matches/2"') == 2, "it is being played"
        await clients["ann"].send("forfeit")
        await clients["ann"].until("LOSS")
        earlier = await get(running, "/matches/1")
        assert earlier.text.count('href="/matches/2"') == 2, "it is on record"
        assert (await get(running, "/api/v1/matches/1")).json["tournament"] == 1


async def test_dice_are_rolled_and_not_drawn(autojump_clock: MockClock) -> None:
    async with serving_pages(games=catalogue(PIG)) as running:
        first, second = await running.match("Pig")
        await first.send("move roll")
        await second.until("MOVE")
        page = (await get(running, "/matches/1")).text
        assert '<span class="mover">roll</span>' in page
        assert re.search(r"roll: [1-6]", page)
        assert ">draw<" not in page


async def test_secrets_are_hidden_until_the_end(autojump_clock: MockClock) -> None:
    async with serving_pages(games=GAMES) as running:
        maker, breaker = await running.match("Mastermind")
        await maker.send("move 5151")
        await maker.lines(2)
        await breaker.lines(2)
        for path in (
            "/matches/1",
            "/matches/1?move=1",
            "/matches/1/board?move=1",
            "/matches/1/board?small&move=1",
            "/api/v1/matches/1",
        ):
            text = (await get(running, path)).text
            assert "5151" not in text, path
            assert "5 1 5 1" not in text, path
        async with listening(running, "/matches/1/events") as events:
            assert "5151" not in str(await events.change())
            await breaker.send("move 5151")
            news = await events.change()
            assert "The code 5151 was found in 1 guess" in news["html"]["status"]
        assert "5 1 5 1" in (await get(running, "/matches/1")).text


async def test_nothing_of_a_match_tells_its_seed_or_a_session(autojump_clock: MockClock) -> None:
    async with serving_pages(new_seed=lambda: "c0ffee" * 10 + "5eed") as running:
        await running.match()
        for path in ("/matches/1", "/api/v1/matches/1"):
            text = (await get(running, path)).text
            assert "c0ffee" not in text
            assert "127.0.0.1" not in text


@pytest.mark.parametrize("path", ["/matches/7", "/matches/0", f"/matches/{10**30}", "/matches/7/events", "/nowhere"])
async def test_missing_pages_say_so(path: str, autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        page = await get(running, path)
        assert page.status == 404
        check_html(page.text)
        line = await get(running, path, accept="*/*")
        assert line.status == 404
        assert line.headers["content-type"].startswith("text/plain")


async def test_every_page_forbids_what_it_does_not_need(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        await running.match()
        for path in ("/matches/1", "/nowhere", "/static/live.js", "/api/v1/matches/1"):
            headers = (await get(running, path)).headers
            assert "default-src 'none'" in headers["content-security-policy"]
            assert "unsafe-inline" not in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"


async def test_clocks_are_told_on_the_servers_axis_of_time(autojump_clock: MockClock) -> None:
    async with serving_pages(rules=Rules(first_move_pause_ms=0, turn_time_ms=30_000)) as running:
        await running.match()
        await trio.sleep(10)
        page = (await get(running, "/matches/1")).text
        now_ms = int(page.partition('data-mark="')[2].partition('"')[0].split("-")[2])
        deadline_ms = int(page.partition('data-deadline-ms="')[2].partition('"')[0])
        assert 19_000 < deadline_ms - now_ms < 20_500


async def test_public_explanation_omits_the_network(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        first, second = await running.match()
        async with listening(running, "/matches/1/events") as events:
            assert "<li" not in (await events.change())["html"]["why"]
            await trio.sleep(11)
            news = await events.change()
            while "why" not in news["html"]:
                news = await events.change()
            assert f"{first.name} lost on time" in news["html"]["why"]
        page = await get(running, "/matches/1")
        check_html(page.text)
        assert "rule: a move counts if its bytes are read by the deadline" in page.text
        assert "its deadline was at +10.000 s" in page.text
        assert "no move had been read by" in page.text
        assert "None yet" not in page.text, "the match is over, and there are no moves to come"
        assert "network" not in page.text
        assert "127.0.0.1" not in page.text
        told = (await get(running, "/api/v1/matches/1")).json["explanation"]
        assert f"the game: {first.name} lost on time" in told
        assert second.name != first.name
