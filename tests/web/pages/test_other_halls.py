"""Pages about another hall: they say whose they are, and lead to what that hall shows live."""

import pytest
import trio
from trio.testing import MockClock

from gameserver.server.live_halls import EXCHANGE_EVERY_S
from tests.web.pages.two_halls import URL, begin_tournament, page, play, two_halls
from tests.web.support import Page, get


def title(shown: Page) -> str:
    return shown.text.partition("<title>")[2].partition("</title>")[0]


async def test_titles_name_the_hall(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        await play(both.reversi, "ann", "bob")
        await begin_tournament(both.reversi, "The cup", "eve", "fay")
        for path in ("matches", "matches/1", "tournaments", "tournaments/1", "tournaments/1/podium"):
            shown = await page(both.first, f"/halls/reversi/{path}")
            assert title(shown).endswith(" · Hall reversi"), path
            assert "Hall" not in title(await page(both.reversi, f"/{path}")), path
        assert title(await page(both.first, "/halls/matches")) == "Matches in all halls · gameserver"
        assert title(await page(both.first, "/halls/matches?player=ann")) == "Matches in all halls · ann · gameserver"


@pytest.mark.parametrize("end", ["", "/"])
async def test_address_of_a_hall_leads_to_its_matches(end: str, autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        for hall, word, to in (
            (both.first, "reversi", "/halls/reversi/matches"),
            (both.first, "first", "/matches"),
            (both.reversi, "first", "/halls/first/matches"),
            (both.reversi, "reversi", "/matches"),
        ):
            for query in ("", "?player=ann"):
                found = await get(hall, f"/halls/{word}{end}{query}")
                assert (found.status, found.headers.get("location")) == (302, f"{to}{query}")
        unknown = await page(both.first, f"/halls/chess{end}")
        assert (unknown.status, "There is no hall chess" in unknown.text) == (404, True)
        line = await get(both.first, f"/halls/chess{end}", accept="*/*")
        assert (line.status, line.text.startswith("There is no hall chess"), line.text.count("\n")) == (404, True, 1)


async def test_error_page_of_another_hall_stands_in_its_line(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        for path in ("matches/9", "tournaments/9", "matches/9/match.sgf", "nothing"):
            missing = await page(both.first, f"/halls/reversi/{path}")
            assert (missing.status, title(missing)) == (404, "Not Found · gameserver · Hall reversi"), path
            assert "<b>Hall reversi</b>" in missing.text
            assert '<a href="/halls">All halls</a>' in missing.text
            assert missing.headers["content-security-policy"]
        assert "There is nothing at /halls/reversi/nothing<" in missing.text
        for path in ("/matches/9", "/nothing", "/halls/chess"):
            missing = await page(both.first, path)
            assert (missing.status, title(missing)) == (404, "Not Found · gameserver"), path
            assert '<a href="/halls">All halls</a>' in missing.text


async def test_missing_match_of_another_hall_leads_to_what_is_live_there(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        missing = (await page(both.first, "/halls/reversi/matches/9")).text
        assert f'what is live there is on <a href="{URL}/matches/9">{URL}/matches/9</a>' in missing
        line = await get(both.first, "/halls/reversi/matches/9", accept="*/*")
        why = "There is no match 9 on record in hall reversi"
        assert line.text == f"{why}; what is live there is on {URL}/matches/9\n"
        unknown = (await page(both.first, "/halls/chess/matches")).text
        assert 'There is no hall chess; all of them are on <a href="/halls">/halls</a>' in unknown


@pytest.mark.parametrize("which", ["hanze", "arena"])
async def test_live_games_of_another_hall_lead_to_its_own_pages(which: str, autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        first, *_ = await begin_tournament(both.reversi, "The cup", "eve", "fay", "gus", "hal", which=which)
        await first.until("MATCH")
        await first.send("forfeit")
        await first.until("LOSS")
        pairings = (await get(both.first, "/halls/reversi/api/v1/tournaments/1")).json["pairings"]
        shown = (await page(both.first, "/halls/reversi/tournaments/1")).text
        assert {one["status"] for one in pairings if one["match"]} == {"playing", "done"}
        for one in (one for one in pairings if one["match"]):
            is_live = one["status"] == "playing"
            assert (f'href="{URL}/matches/{one["match"]}"' in shown) is is_live
            assert (f'href="/halls/reversi/matches/{one["match"]}"' in shown) is not is_live
        assert 'href="/matches/' not in shown


@pytest.mark.parametrize("which", ["hanze", "cup", "arena"])
async def test_boards_of_another_hall_are_where_they_are_live(which: str, autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        for hall in (both.first, both.reversi):
            await begin_tournament(hall, "The cup", "eve", "fay", which=which)
        theirs = (await page(both.first, "/halls/reversi/tournaments/1")).text
        assert f'The hall shows them on <a href="{URL}/tournaments/1">its own pages</a>.' in theirs
        unknown = (await page(both.reversi, "/halls/first/tournaments/1")).text
        assert "The hall shows them on its own pages, which have no known address." in unknown
        for shown in (theirs, unknown):
            assert "<b>1</b> being played" in shown
            assert "No game is being played." not in shown
            assert "tiles.js" not in shown, "it needs the boards"
        own = (await page(both.first, "/tournaments/1")).text
        assert 'id="t1" class="tile"' in own
        assert "The hall shows them" not in own


async def test_nothing_leads_to_the_pages_of_a_hall_that_is_away(autojump_clock: MockClock) -> None:
    since = '<time datetime="2026-11-23T09:00:00.000+00:00">2026-11-23 09:00 UTC</time>'
    async with two_halls() as both:
        await play(both.reversi, "ann", "bob")
        await begin_tournament(both.reversi, "The cup", "eve", "fay")
        both.shared.silent_s = {"reversi": 60.0, "": 60.0}
        await trio.sleep(2 * EXCHANGE_EVERY_S)
        for path in ("", "/reversi/matches", "/reversi/matches/1", "/reversi/tournaments/1", "/reversi/matches/9"):
            shown = (await page(both.first, f"/halls{path}")).text
            assert f"Away since {since}" in shown, path
            assert URL not in shown, path
        assert '<h2 id="hall-2">Hall reversi</h2>' in (await page(both.first, "/halls")).text
        assert '<a href="/halls/reversi/matches">' in (await page(both.first, "/halls")).text
        assert "The hall is away." in (await page(both.first, "/halls/reversi/tournaments/1")).text
        line = await get(both.first, "/halls/reversi/matches/9", accept="*/*")
        assert (
            line.text
            == "There is no match 9 on record in hall reversi, which has been away since 2026-11-23 09:00 UTC\n"
        )
        assert "no known address" not in (await page(both.reversi, "/halls")).text
        assert "no known address" not in (await page(both.reversi, "/halls/first/matches")).text
