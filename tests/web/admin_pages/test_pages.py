"""The teacher's pages over HTTP: forms do what the requests do, and pages follow what happens."""

import re

import pytest
from trio.testing import MockClock

from gameserver.core.state.tournament import TournamentRow
from gameserver.endpoints import HttpEndpoint
from gameserver.exports.tournament_report import view_of
from gameserver.http.listener import HttpProtocol
from gameserver.tournaments.output.shared_dice import WARNING
from gameserver.tournaments.presets import preset
from gameserver.web.admin_pages.tournament import listed_games
from gameserver.web.pages.application import pages as web_pages
from tests.admin.support import serving_admin
from tests.tournaments.playing import World, started
from tests.web.admin_pages.teacher_pages import CUP, Stream, acts, hall, look, submit, teachers
from tests.web.support import check_html


async def test_a_tournament_by_forms_alone() -> None:
    async with hall() as running:
        assert "There are no tournaments yet" in await look(running)
        assert "<dt>hanze</dt><dd>format=round-robin, tie_breaks," in await look(running)
        ann, bob = await running.enter("ann", "bob")
        made = await submit(running, "/tournaments", CUP | {"why": "the last week", "turn_time_s": "7"})
        assert (made.status, made.headers["location"]) == (303, "/tournaments/1?done=create")
        assert "is created" in await look(running, made.headers["location"])
        reed = "Cookie: gameserver-teacher=Ms%20Reed"
        assert (await submit(running, "/tournaments/1/start", {"why": ""}, reed)).status == 303
        for act in ("pause", "resume"):
            answer = await submit(running, f"/tournaments/1/{act}", {"why": "lunch"}, reed)
            assert answer.headers["location"] == f"/tournaments/1?done={act}"
        page = await look(running, "/tournaments/1")
        assert "ann" in page
        assert "by Ms Reed: lunch" in page
        first, second = re.search(r">(ann|bob) \S (ann|bob) \(playing\)<", page).groups()  # type: ignore[union-attr]
        await {"ann": ann, "bob": bob}[second].send("forfeit")
        await {"ann": ann, "bob": bob}[first].until("WIN")
        correction = {"pairing": "1", "verdict": "draw", "why": "the board was wet"}
        assert (await submit(running, "/tournaments/1/correct", correction, reed)).status == 303
        page = await look(running, "/tournaments/1")
        assert "½-½" in page
        assert "the board was wet" in page
        assert {body["act"]["by"] for body in acts(running, "conduct") if body["act"]["act"] == "pause"} == {"Ms Reed"}
        assert ">over, 1 played" in re.sub(r"\s+", " ", await look(running))


async def test_players_come_and_go_by_forms() -> None:
    async with hall() as running:
        await running.enter("ann", "bob", "cyd")
        await submit(running, "/tournaments", CUP | {"entry": "roster", "roster": "ann\r\nbob,1650\r\n"})
        assert (await submit(running, "/tournaments/1/add", {"player": "cyd", "rating": "900"})).status == 303
        assert (await submit(running, "/tournaments/1/start", {})).status == 303
        assert (await submit(running, "/tournaments/1/void", {"pairing": "1", "why": "dead mouse"})).status == 303
        assert (await submit(running, "/tournaments/1/drop", {"player": "bob", "why": "ill"})).status == 303
        assert (await submit(running, "/tournaments/1/disqualify", {"player": "cyd", "why": "cheat"})).status == 303
        page = await look(running, "/tournaments/1")
        assert all(why in page for why in ("dead mouse", "ill", "cheat"))


async def test_the_lobby_by_forms() -> None:
    async with hall() as running:
        first, second = await running.match()
        page = await look(running)
        (number,) = re.findall(r'<option value="(\d+)">\d+: ', page)
        voided = await submit(running, "/void", {"match": number, "why": "x"})
        assert voided.headers["location"] == "/?done=void-match"
        assert "No match is being played" in await look(running)
        assert (await submit(running, "/kick", {"player": first.name, "why": "asleep"})).status == 303
        await first.rest()
        assert f'<option value="{second.name}">' in await look(running)
        assert f'<option value="{first.name}">' not in await look(running)
        assert (await submit(running, "/drain", {"within_s": "60", "why": "the evening"})).status == 303
        assert [body["within_ms"] for body in acts(running, "drain")] == [60_000]


async def test_a_page_follows_what_happens(autojump_clock: MockClock) -> None:
    async with hall() as running:
        ann, bob = await running.enter("ann", "bob")
        await submit(running, "/tournaments", CUP)
        for path in ("/", "/tournaments/1"):
            page = await look(running, path)
            check_html(page)
            events, mark = re.findall(r' data-events="(.*?)" data-mark="(.*?)"', page)[0]
            stream = await Stream.open(running, f"{events}{'&' if '?' in events else '?'}after={mark}")
            if path == "/":
                (cyd,) = await running.enter("cyd")
                assert ">cyd</a></th>" in await stream.until("players")
                await cyd.send("logout")
            else:
                await submit(running, "/tournaments/1/start", {})
                assert "Pause" in await stream.until("life")
                assert "(playing)" in await stream.until("pairings")
            stream.close()
        assert ann is not bob


@pytest.mark.parametrize("is_served", [True, False])
async def test_the_projectors_page_is_a_click_away(*, is_served: bool) -> None:
    others = [HttpProtocol([], [HttpEndpoint("/", web_pages())])] if is_served else []
    async with serving_admin(teachers(), others=others) as running:
        await submit(running, "/tournaments", CUP)
        address = f'href="http://127.0.0.1:{running.ports.get("http")}/tournaments/1"'
        for path in ("/", "/tournaments/1"):
            assert (address in await look(running, path)) == is_served


async def test_the_teacher_is_warned_of_dice_that_are_known_beforehand() -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"name": "Fair"})
        await submit(running, "/tournaments", CUP | {"name": "Known", "settings": "same_chance=true"})
        assert WARNING not in await look(running, "/tournaments/1")
        assert WARNING in await look(running, "/tournaments/2")


@pytest.mark.parametrize(("which", "is_warned"), [("hanze", False), ("swiss", False), ("cup", True), ("arena", True)])
async def test_grades_come_with_a_warning_where_they_mean_little(which: str, *, is_warned: bool) -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP | {"preset": which})
        assert ("Mind that grades mean little after a" in await look(running, "/tournaments/1")) is is_warned


def test_open_games_are_listed_however_many_there_are() -> None:
    running = World(started(preset("league", "Cup", "Reversi"), 12), 3)
    for _ in range(4):
        running.tick()
    view = view_of(TournamentRow(1, running.tournament))
    listed = listed_games(view, 10)
    assert {one.number for one in view.pairings if not one.result} <= {one.number for one in listed}
    assert len(listed) == 10
    assert [one.number for one in listed] == sorted((one.number for one in listed), reverse=True)
    assert len(listed_games(view, None)) == len(view.pairings) > 10
