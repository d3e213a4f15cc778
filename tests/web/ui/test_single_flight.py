"""A page is made once for all who ask for it at the time, and shows what was when they asked."""

from typing import Any, cast

import pytest
import trio
from trio.testing import MockClock

from gameserver.read_model.lobby_view import ReadModel
from gameserver.web.ui.single_flight import KEPT_MAX, SharedPages

GALLERY = cast("ReadModel", None)


async def test_pages_with_different_keys_do_not_wait_for_each_other(autojump_clock: MockClock) -> None:
    made: list[int] = []

    async def make(_read_model: Any, key: int) -> int:
        await trio.sleep(1)
        made.append(key)
        return key

    pages = SharedPages(make)
    async with trio.open_nursery() as nursery:
        for key in (1, 2, 1, 2):
            nursery.start_soon(pages.get, GALLERY, key)
    assert trio.current_time() == pytest.approx(1)
    assert sorted(made) == [1, 2]
    for key in range(3, 3 + 2 * KEPT_MAX):
        assert await pages.get(GALLERY, key) == key
    assert len(pages._pages) == KEPT_MAX
