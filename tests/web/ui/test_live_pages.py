"""Pages that keep themselves up to date, without a browser."""

import re

import h11
import pytest
import trio
from trio.testing import MockClock

from gameserver.web.ui.live_pages import MESSAGES_MAX, QUIET_S, LivePage, Region
from tests.web.support import serving_pages, visit


def test_page_keeps_few_messages_whatever_its_viewers_resume_from() -> None:
    page = LivePage()
    page.update(10_000, {"head": Region("<h1>Cup</h1>")})
    messages = {page.message(after) for after in range(9_000)}
    assert len(messages) == 1
    assert messages != {None}
    assert len(page._messages) <= MESSAGES_MAX
    page.update(10_001, {"head": Region("<h1>Cup of May</h1>")})
    assert b"Cup of May" in (page.message(10_000) or b"")
    assert page.message(10_001) is None


async def test_a_quiet_stream_gives_signs_of_life_with_the_time_of_the_server(autojump_clock: MockClock) -> None:
    async with serving_pages() as running, visit(running, "/events") as visited:
        began_s, said = trio.current_time(), ""
        while said.count("event: here") < 3:
            event = await visited.event()
            said += bytes(event.data).decode() if isinstance(event, h11.Data) else ""
        assert trio.current_time() - began_s == pytest.approx(2 * QUIET_S, abs=1)
        first, *_, last = (int(now) for now in re.findall(r"^event: here\ndata: (\d+)$", said, re.MULTILINE))
        assert last - first == pytest.approx(2 * QUIET_S * 1000, abs=1000)
