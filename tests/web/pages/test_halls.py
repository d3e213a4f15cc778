"""The page of all halls, the records of other halls, and players' pages over all of them."""

import pytest
import trio
from trio.testing import MockClock

from gameserver.records.reader import Wanted
from gameserver.server.live_halls import EXCHANGE_EVERY_S
from gameserver.web.pages.across_halls import before_in, before_text
from tests.web.pages.two_halls import URL, begin_tournament, page, play, tournament, two_halls
from tests.web.support import get, listening, serving_pages


async def test_one_hall_speaks_of_no_other(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        await play(running, "ann", "bob")
        for path in ("/", "/matches", "/matches/1", "/players/ann", "/tournaments", "/api/v1/players/ann"):
            assert "hall" not in (await get(running, path)).text, path
        assert "First hall" in (await page(running, "/halls")).text
        (only,) = (await get(running, "/api/v1/halls")).json
        assert (only["name"], only["is_here"], only["away_since"]) == ("", True, None)
        assert (await get(running, "/halls/reversi/matches")).status == 404


async def test_each_hall_shows_what_goes_on_in_all(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        await both.reversi.match()
        await trio.sleep(2 * EXCHANGE_EVERY_S)
        lines = (await get(both.first, "/api/v1/halls")).json
        assert [(one["name"], one["players"], one["matches"], one["url"]) for one in lines] == [
            ("", 0, 0, ""),
            ("reversi", 2, 1, URL),
        ]
        shown = (await page(both.first, "/halls")).text
        assert f'<a href="{URL}/">Hall reversi</a>' in shown
        assert "<b>1</b> live match<" in shown
        assert "no known address" not in shown
        assert (await get(both.reversi, "/api/v1/halls")).json[1]["url"] == URL
        shown = (await page(both.reversi, "/halls")).text
        assert "First hall</h2>" in shown
        assert "no known address" in shown
        lobby = (await page(both.first, "/")).text
        assert '<p>See <a href="/halls">the other halls</a>.</p>' in lobby
        assert '<a href="/halls">All halls</a>' in lobby


async def test_pages_show_what_was_heard_last_while_the_database_is_away(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        both.shared.is_away = True
        await trio.sleep(2 * EXCHANGE_EVERY_S)
        assert "Hall reversi" in (await page(both.first, "/halls")).text
        both.shared.is_away = False
        await both.reversi.match()
        await trio.sleep(2 * EXCHANGE_EVERY_S)
        assert (await get(both.first, "/api/v1/halls")).json[1]["matches"] == 1


async def test_records_of_another_hall_have_their_own_addresses(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        await play(both.reversi, "ann", "bob")
        await play(both.first, "carla", "dan")
        await tournament(both.reversi, "The cup", "eve", "fay")
        for path, has in (
            ("/halls/reversi/matches", '<a href="/halls/reversi/matches/1">'),
            ("/halls/reversi/matches/1", 'href="/halls/reversi/matches/1/match.txt"'),
            ("/halls/reversi/matches/2", 'href="/halls/reversi/tournaments/1"'),
            ("/halls/reversi/tournaments", 'href="/halls/reversi/tournaments/1"'),
            ("/halls/reversi/tournaments/1", 'href="/halls/reversi/matches/2"'),
            ("/halls/reversi/tournaments/1/podium", 'href="/halls/reversi/tournaments/1"'),
        ):
            shown = (await page(both.first, path)).text
            assert has in shown, path
            assert f'<a href="{URL}{path.removeprefix("/halls/reversi")}">Live, on its own pages</a>' in shown
            assert "carla" not in shown
            assert 'href="/matches/' not in shown
            assert 'href="/tournaments/' not in shown
        assert "no known address" in (await page(both.reversi, "/halls/first/matches")).text
        found = (await get(both.first, "/halls/reversi/api/v1/matches/1")).json
        assert [seat["player"] for seat in found["seats"]] in (["ann", "bob"], ["bob", "ann"])
        assert (await get(both.first, "/halls/reversi/matches/1/board?move=0")).status == 200
        assert "ann" in (await get(both.first, "/halls/reversi/matches/1/match.txt")).text
        missing = await page(both.first, "/halls/reversi/matches/9")
        assert missing.status == 404
        assert "There is no match 9 on record in hall reversi" in missing.text
        assert (await page(both.first, "/halls/chess/matches")).status == 404


async def test_a_tournament_that_is_played_elsewhere_is_shown_as_far_as_it_is_on_record(
    autojump_clock: MockClock,
) -> None:
    async with two_halls() as both:
        await begin_tournament(both.reversi, "The cup", "eve", "fay", "gus")
        await trio.sleep(2 * EXCHANGE_EVERY_S)
        (_, line) = (await get(both.first, "/api/v1/halls")).json
        assert [(one["number"], one["phase"], one["players"]) for one in line["tournaments"]] == [(1, "running", 3)]
        assert f'href="{URL}/tournaments/1">The cup</a>' in (await page(both.first, "/halls")).text
        shown = (await page(both.first, "/halls/reversi/tournaments/1")).text
        assert f'<a href="{URL}/tournaments/1">Live, on its own pages</a>' in shown
        assert "data-events" not in shown
        assert (await get(both.first, "/halls/reversi/api/v1/tournaments/1")).json["phase"] == "running"


async def test_the_own_hall_is_at_the_short_addresses(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        moved = await get(both.reversi, "/halls/reversi/matches?game=Reversi")
        assert (moved.status, moved.headers["location"]) == (302, "/matches?game=Reversi")
        assert (await get(both.first, "/halls/first//evil.example.com")).headers["location"] == "/evil.example.com"
        moved = await get(both.first, "/halls/first/tournaments/1")
        assert moved.headers["location"] == "/tournaments/1"
        assert (await get(both.first, "/halls/reversi/players/ann")).headers["location"] == "/players/ann"


async def test_a_players_page_is_over_all_halls(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        await play(both.first, "ann", "bob")
        await trio.sleep(1)
        await play(both.reversi, "ann", "bob")
        await play(both.reversi, "bob", "ann")
        await tournament(both.reversi, "The cup", "ann", "eve")
        for hall in (both.first, both.reversi):
            shown = (await get(hall, "/api/v1/players/ann")).json
            assert sum(one["count"] for one in shown["career"]["tallies"]) == 4
            assert [(one["hall"], one["match"]) for one in shown["matches"]] == [
                ("reversi", 3),
                ("reversi", 2),
                ("reversi", 1),
                ("", 1),
            ]
            (line,) = shown["tournaments"]
            assert (line["name"], line["place"]["name"]) == ("The cup", "ann")
        shown = (await page(both.first, "/players/ann")).text
        assert '<a href="/halls/reversi/matches/3">' in shown
        assert '<a href="/matches/1">' in shown
        assert 'href="/halls/reversi/tournaments/1">The cup</a>' in shown
        assert '<br><span class="tag">Hall reversi</span>' in shown
        assert "Not connected to this hall" in shown
        shown = (await page(both.reversi, "/players/bob")).text
        assert '<a href="/halls/first/matches/1">' in shown
        assert '<a href="/matches/2">' in shown


async def test_a_name_may_be_in_several_halls_at_once(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        for hall in (both.first, both.reversi):
            await hall.match()
        await trio.sleep(2 * EXCHANGE_EVERY_S)
        for hall in (both.first, both.reversi):
            lines = (await get(hall, "/api/v1/halls")).json
            assert [(one["players"], one["matches"]) for one in lines] == [(2, 1), (2, 1)]
            assert (await get(hall, "/api/v1/players/ann")).json["here"]["match"] == 1
            assert "playing match 1" in (await page(hall, "/players/ann")).text


async def test_matches_of_all_halls_page_by_page(autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameserver.web.pages.halls.wanted_in", lambda _: Wanted(player="ann", count=2))
    async with two_halls() as both:
        await play(both.first, "ann", "bob")
        for hall in (both.reversi, both.first, both.reversi, both.reversi):
            await trio.sleep(1)
            await play(hall, "ann", "bob")
        seen, before = [], ""
        while True:
            found = (await get(both.first, f"/halls/api/v1/matches?player=ann&before={before}")).json
            seen += [(one["hall"], one["match"]) for one in found["matches"]]
            before = found["before"]
            if not found["matches"]:
                break
        assert seen == [("reversi", 3), ("reversi", 2), ("", 2), ("reversi", 1), ("", 1)]
        shown = (await page(both.first, "/halls/matches?player=ann")).text
        assert '<form class="filter" method="get" action="/halls/matches">' in shown
        assert 'href="/halls/matches?player=ann&amp;before=reversi.2"' in shown


async def test_an_open_page_of_the_halls_is_kept_up_to_date(autojump_clock: MockClock) -> None:
    async with two_halls() as both:
        mark = (await page(both.first, "/halls")).mark
        async with listening(both.first, f"/halls/events?after={mark}") as events:
            await both.reversi.match()
            while "<b>1</b> live match<" not in (change := await events.change())["html"]["halls"]:
                pass
            assert list(change["html"]) == ["halls"]


def test_addresses_of_pages_over_all_halls_read_back() -> None:
    before = {"": 12, "reversi": 3, "chess-960": 7}
    assert before_in(before_text(before)) == before
    assert before_in("first.x,Bad.3,reversi.,.5,go.4") == {"go": 4}
