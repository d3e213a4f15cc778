"""Pages that keep themselves up to date, without a browser."""

import re
from collections.abc import Callable, Hashable
from contextlib import aclosing
from typing import Any, cast

import h11
import pytest
import trio
from attrs import define
from trio.testing import MockClock

from gameserver.read_model.read_model import LobbyView, ReadModel, Select
from gameserver.web.live_pages import (
    MESSAGES_MAX,
    QUIET_S,
    LivePage,
    Region,
    Regions,
    ServerSentEvent,
    Streams,
    WatchedPage,
)
from tests.web.support import serving_pages, visit


def test_page_keeps_few_messages_whatever_its_viewers_resume_from() -> None:
    page = LivePage()
    page.update(10_000, {"head": Region("<h1>Cup</h1>")})
    messages = {page.message(after) for after in range(9_000)}
    assert len(messages) == 1
    assert messages != {None}
    assert len(page._messages) <= MESSAGES_MAX
    page.update(10_001, {"head": Region("<h1>Cup of May</h1>")})
    message = page.message(10_000)
    assert message is not None
    assert b"Cup of May" in message.plain
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


@define
class OneChange:
    """A read model in which the lobby's second version is the last one."""

    looked: int = 0

    def now_ms(self) -> int:
        return 7_000 + self.looked

    async def change(self, topic: Hashable, select: Select, seen: int) -> LobbyView:
        if seen >= 2:
            await trio.sleep_forever()
        self.looked += 1
        return LobbyView(2, 0)


async def test_a_change_is_rendered_and_compressed_once_for_all_viewers(autojump_clock: MockClock) -> None:
    made: list[int] = []

    async def make(_read_model: ReadModel, lobby_view: LobbyView) -> tuple[Callable[[], Regions], bool]:
        made.append(lobby_view.version)
        await trio.sleep(1)
        return lambda: {"head": Region("<h1>Cup</h1>")}, False

    read_model = cast("ReadModel", OneChange())
    streams = Streams("epoch")
    watched = WatchedPage("cup", lambda lobby_view: lobby_view.version, make)
    heard: list[ServerSentEvent] = []

    async def follow() -> None:
        async with aclosing(cast("Any", streams._events(read_model, watched, -1))) as events:
            async for event in events:
                if event.name == "change":
                    heard.append(event)
                    return

    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(follow)
    assert made == [2]
    assert len(heard) == 5
    assert len({id(event.data) for event in heard}) == 1
