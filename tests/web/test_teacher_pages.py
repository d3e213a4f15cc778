"""The teacher's pages as far as `tests/web/visits` cannot tell: cookies, floods, links, and who guesses secrets."""

import html
import re
from base64 import b64encode
from datetime import datetime
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from gameserver.authentication.secret_queue import CHECKS_PER_S
from gameserver.core.lobby import TournamentRow
from gameserver.endpoints import HttpEndpoint
from gameserver.exports.tournament_report import view_of
from gameserver.http.listener import HttpProtocol
from gameserver.read_model.troubles import GUESSES_MIN
from gameserver.tournaments.presets import preset
from gameserver.web.application import pages as web_pages
from gameserver.web.teacher_pages import TROUBLES_MAX, listed_games
from gameserver.wire_log.files import WireLogSettings
from tests.admin.support import BEARER, get, serving_admin
from tests.http.support import Browser
from tests.support.rosters import roster_on
from tests.support.serving import Running
from tests.tournaments.playing import World, started
from tests.web.admin_pages.teacher_pages import CUP, acts, following, hall, look, submit, teachers
from tests.web.support import check_html


async def test_the_teachers_name_is_kept(autojump_clock: MockClock) -> None:
    async with hall() as running:
        for name in ("Ms Reed", "Zoë; Path=/x", ""):
            answer = await submit(running, "/name", {"name": name})
            cookie, *flags = answer.headers["set-cookie"].split("; ")
            assert {"HttpOnly", "SameSite=strict"} <= set(flags)
            await submit(running, "/tournaments", CUP | {"name": f"Cup by {name}"}, f"Cookie: {cookie}")
            assert acts(running, "create-tournament")[-1]["by"] == (name or "the teacher's page")


async def test_without_a_page_for_the_projector_none_is_linked(autojump_clock: MockClock) -> None:
    async with hall() as running:
        await submit(running, "/tournaments", CUP)
        for path in ("/", "/tournaments/1"):
            assert 'href="http://127.0.0.1:' not in await look(running, path)


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


async def test_a_flood_of_trouble_is_counted(autojump_clock: MockClock) -> None:
    async with hall() as running:
        await running.enter("ann")
        roster = "\r\n".join(f"p{number:02}" for number in range(2 * TROUBLES_MAX))
        await submit(running, "/tournaments", CUP | {"entry": "roster", "roster": roster, "preset": "swiss"})
        await submit(running, "/tournaments/1/start", {})
        page = await look(running, "/tournaments/1")
        assert page.count(" is not here") == TROUBLES_MAX
        assert f"And {TROUBLES_MAX} more" in re.sub(r"<[^>]*>", "", page)


def mark_of(page: str) -> str:
    return page.partition('data-mark="')[2].partition('"')[0]


def wall_ms() -> int:
    return 1_700_000_000_000 + round(trio.current_time() * 1000)


async def test_names_under_attack_are_shown_with_count_address_and_time(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    roster, began_ms = roster_on(tmp_path, {"ann": "apple-pie-1", "<b>": "pear-tree-2"}), wall_ms()
    async with serving_admin(teachers(), roster=roster, wall_ms=wall_ms) as running:
        before = await look(running)
        assert "Wrong secrets" not in before
        async with following(running, f"/events?after={mark_of(before)}") as stream:
            for line in ("login ann guess", "login ann guess2", "login <b> guess"):
                client = await running.connect()
                await client.send(line)
                assert "not the secret" in (await client.lines(3))[2]
            assert "ann" in (await stream.news("attacks"))["html"]["attacks"], "without loading the page again"
        page = await look(running)
        check_html(page)
        (table,) = re.findall(r'<div id="attacks">.*?</table>', page, re.DOTALL)
        rows = [re.sub(r"<[^>]*>", " ", row).split() for row in re.findall("<tr>.*?</tr>", table)[1:]]
        ann, other = (await get(running, "/api/status", BEARER)).json["attacks"]
        since, last = (datetime.fromtimestamp(ann[key] / 1000).astimezone() for key in ("since_ms", "last_ms"))
        assert rows[0] == ["ann", "2", "127.0.0.1", f"{since:%H:%M:%S}", f"{last:%H:%M:%S}"]
        assert rows[1][:3] == ["&lt;b&gt;", "1", "127.0.0.1"]
        assert (ann["tries"], ann["addresses"], other["name"]) == (2, ["127.0.0.1"], "<b>")
        assert began_ms <= ann["since_ms"] <= ann["last_ms"] <= wall_ms()
        assert "guess" not in table


async def guess(running: Running) -> None:
    """Guess ann's secret at a page of hers."""
    browser = await Browser.connect(running, running.ports["http"])
    given = f"Authorization: Basic {b64encode(b'ann:guess').decode()}"
    assert (await browser.get("/wire-log", [given])).status == 401


async def test_a_secret_guessed_at_a_page_shows_on_the_teachers_page_at_once(
    autojump_clock: MockClock, tmp_path: Path
) -> None:
    """Nothing is asked of the lobby then, and the page is brought up to date all the same."""
    setup = {
        "roster": roster_on(tmp_path, {"ann": "apple-pie-1"}),
        "others": [HttpProtocol([], [HttpEndpoint("/", web_pages())])],
        "wire_log": WireLogSettings(str(tmp_path / "logs")),
    }
    async with (
        serving_admin(teachers(), **setup) as running,
        following(running, f"/events?after={mark_of(await look(running))}") as stream,
    ):
        await guess(running)
        with trio.fail_after(5):
            assert "ann" in (await stream.news("attacks"))["html"]["attacks"]


async def test_guessing_needs_attention_and_slips_do_not(autojump_clock: MockClock, tmp_path: Path) -> None:
    names = [f"<p{number}>" for number in range(5)]
    roster = roster_on(tmp_path, dict.fromkeys(names, "apple-pie-12"))
    async with serving_admin(teachers(), roster=roster) as running:
        for name in names:
            for _ in range(3 * GUESSES_MIN):
                roster.throttle.note(name, "10.1.2.3")
        for number in range(GUESSES_MIN - 1):
            roster.throttle.note("slips", f"10.0.0.{number}")
        began_s = trio.current_time()
        for _ in range(GUESSES_MIN):
            assert (await get(running, "/api/status", "Authorization: Bearer wrong")).status == 401
            assert (await get(running, "/api/status", BEARER)).status == 200, "the right token never waits"
        assert trio.current_time() - began_s == pytest.approx((GUESSES_MIN - 1) / CHECKS_PER_S, abs=0.05)
        page = await look(running)
        check_html(page)
        (section,) = re.findall('<section class="troubles".*?</section>', page, re.DOTALL)
        said = " ".join(html.unescape(re.sub("<[^>]*>", "", section)).replace("\u2013", "-").split())
        assert "<p0> - <p1> - <p2> and 2 more were tried with 150 wrong secrets, from 10.1.2.3." in said
        assert "This listener was tried with 10 wrong tokens, from 127.0.0.1." in said
        assert "slips" not in said
        assert [one["name"] for one in (await get(running, "/api/status", BEARER)).json["attacks"]] == [*names, "slips"]
