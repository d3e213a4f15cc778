"""Evidence for the teacher: how a match was lost, the network, and wire logs."""

import re
from pathlib import Path

import trio
from trio.testing import MockClock

from gameserver.wire_log.files import WireLogSettings
from tests.admin.support import BEARER, get, serving_admin
from tests.web.admin_pages.teacher_pages import hall, look, teachers
from tests.web.support import check_html


async def test_a_match_is_explained_with_the_network(autojump_clock: MockClock) -> None:
    async with hall() as running:
        first, _ = await running.match()
        live = await look(running, "/matches/1")
        check_html(live)
        assert "This match is still being played" in live
        await trio.sleep(11)
        await first.until("LOSS")
        page = await look(running, "/matches/1")
        check_html(page)
        assert f"{first.name} lost on time" in page
        assert "the round trip" in page
        for path in ("/matches/9", f"/matches/{1 << 80}", "/players?name=zed"):
            assert (await get(running, path, BEARER, "Accept: text/html")).status == 404


async def test_a_wire_log_is_shown_and_downloaded(tmp_path: Path) -> None:
    async with serving_admin(teachers(), wire_log=WireLogSettings(str(tmp_path))) as running:
        ann, _ = await running.enter("ann <1>", "bob")
        await ann.send("get gamelist")
        await ann.until("GAMELIST")
        running.server._wire_log.flush()
        page = await look(running, "/players?name=ann+%3C1%3E")
        check_html(page)
        assert re.search(r"\d\d:\d\d\.\d{6}Z +\d+ strategic &lt; b&#39;get gamelist", page)
        assert "login bob" not in page
        (address,) = re.findall(r'href="(/api/wire-log\?.*?)"', page)
        file = await get(running, address, BEARER)
        assert file.headers["content-disposition"] == 'attachment; filename="wire-log-ann1.txt"'
        assert "get gamelist" in file.text
        assert (await get(running, address)).status == 401
        assert (await get(running, "/api/wire-log?player=zed", BEARER)).status == 404


async def test_without_wire_logs_the_page_says_how_to_have_them() -> None:
    async with hall() as running:
        await running.enter("ann")
        assert "wire_log.directory" in await look(running, "/players?name=ann")
