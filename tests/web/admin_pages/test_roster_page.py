"""The teacher's page of the roster: who is here, who is missing, and who is here under another name."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from gameserver.authentication.roster import Roster
from gameserver.endpoints import HttpEndpoint
from gameserver.web.admin_pages.application import pages
from tests.admin.support import serving_admin
from tests.support.serving import Running
from tests.web.admin_pages.teacher_pages import Stream, look
from tests.web.support import check_html

GUID = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
CSV = f"name,secret,id,gammonx_id\nann,,s1001,{GUID}\nbob,,s1002,\n<cyd>,a long secret,s1003,\n"


@asynccontextmanager
async def hall(tmp_path: Path) -> AsyncIterator[Running]:
    (tmp_path / "class.csv").write_text(CSV, encoding="utf-8")
    roster = Roster(tmp_path / "class.csv", trio.current_time)
    roster.load()
    async with serving_admin((HttpEndpoint("/", pages()),), roster=roster) as running:
        yield running


async def test_the_page_says_who_is_where(tmp_path: Path) -> None:
    async with hall(tmp_path) as running:
        assert "<b>0</b> of 3 here" in await look(running, "/roster")
        await running.enter("ann", "bobb", "eve")
        page = await look(running, "/roster")
        check_html(page)
        assert "<b>1</b> of 3 here" in page
        nearly, _, rest = page.partition("Nearly a student")[2].partition("Missing")
        assert ">bobb</a> is here" in nearly
        assert 'it may be <b class="name">bob</b>' in nearly
        assert "perhaps here as bobb" in rest
        assert '<b class="warning">2</b> missing' in page
        assert "&lt;cyd&gt;" in page.partition("Missing")[2].partition("Here")[0]
        assert GUID in page
        assert "eve" in page.partition("Not on the roster")[2]
        for kept in ("a long secret", "s1001", "s1003"):
            assert kept not in page, "no page shows secrets or the school's ids"
        assert 'href="/roster"' in await look(running)


async def test_the_page_follows(tmp_path: Path) -> None:
    async with hall(tmp_path) as running:
        stream = await Stream.open(running, "/roster/events")
        try:
            with trio.fail_after(30):
                await stream.until("roll")
                await running.enter("bob")
                assert "<b>1</b> of 3 here" in await stream.until("roll")
        finally:
            stream.close()


async def test_server_without_a_roster_says_so() -> None:
    async with serving_admin((HttpEndpoint("/", pages()),)) as running:
        assert "This server has no roster" in await look(running, "/roster")
