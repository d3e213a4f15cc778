"""Pages and messages that are made once for all who ask for them."""

import zlib
from typing import Any, cast

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import HTTPConnection
from trio.testing import MockClock

from gameserver.read_model.read_model import ReadModel
from gameserver.web.made_once import (
    KEPT_MAX,
    PAUSE_MAX_S,
    PAUSES,
    RenderedOnce,
    SharedPage,
    SharedPages,
    Stream,
    shared_text,
    takes_coding,
)

GALLERY = cast("ReadModel", None)


async def test_all_who_wait_are_given_the_same_page(autojump_clock: MockClock) -> None:
    made: list[float] = []
    state = 0

    async def make(_read_model: Any) -> bytes:
        made.append(trio.current_time())
        await trio.sleep(1)
        return str(state).encode()

    page, got = SharedPage(make), []

    async def ask() -> None:
        got.append(await page.get(GALLERY))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask)
        await trio.sleep(0.5)
        for _ in range(20):
            nursery.start_soon(ask)
        await trio.sleep(1)
        state = 1
    assert got == [b"0"] + [b"1"] * 20, "who asks while it is made gets the next one"
    assert len(made) == 2


async def test_a_page_that_takes_long_is_not_made_all_the_time(autojump_clock: MockClock) -> None:
    times_s: list[float] = []

    async def make(_read_model: Any) -> bytes:
        times_s.append(trio.current_time())
        autojump_clock.jump(0.005)
        return b""

    page = SharedPage(make)
    await page.get(GALLERY)
    await page.get(GALLERY)
    assert times_s[1] - times_s[0] == pytest.approx(0.005 * (1 + PAUSES))


async def test_nobody_waits_long_for_a_page_whose_work_is_done_in_a_thread(autojump_clock: MockClock) -> None:
    async def make(_read_model: Any) -> bytes:
        await trio.sleep(3)
        return b""

    page = SharedPage(make)
    await page.get(GALLERY)
    made_s = trio.current_time()
    await page.get(GALLERY)
    assert trio.current_time() - made_s == pytest.approx(PAUSE_MAX_S + 3)


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


async def test_a_page_that_fails_does_not_keep_the_next_one_from_being_made(autojump_clock: MockClock) -> None:
    failed: list[bool] = []
    got: list[bytes] = []

    async def make(_read_model: Any) -> bytes:
        await trio.sleep(1)
        if not failed:
            failed.append(True)
            raise LookupError
        return b"page"

    page = SharedPage(make)

    async def ask() -> None:
        try:
            got.append(await page.get(GALLERY))
        except LookupError:
            got.append(b"failed")

    async with trio.open_nursery() as nursery:
        for _ in range(3):
            nursery.start_soon(ask)
    assert sorted(got) == [b"failed", b"page", b"page"]


MESSAGES = [shared_text(data) for data in (b"", b"data: a\n\n", b"<td>1</td>" * 9_000, bytes(range(256)) * 300)]


@given(st.lists(st.one_of(st.binary(max_size=200), st.sampled_from(MESSAGES)), max_size=12))
def test_parts_in_any_order_make_one_stream(parts) -> None:
    streams = (Stream(is_packed=True), Stream(is_packed=False))
    written = [stream.begin() for stream in streams]
    for part in parts:
        for number, stream in enumerate(streams):
            written[number] += stream.own(part) if isinstance(part, bytes) else stream.shared(part)
    packed, plain = (text + stream.end() for text, stream in zip(written, streams, strict=True))
    assert plain == b"".join(part if isinstance(part, bytes) else part.plain for part in parts)
    assert zlib.decompress(packed) == plain, "which checks the sum at the end, too"


@pytest.mark.parametrize(
    ("accepted", "takes"),
    [
        ("gzip, deflate, br", True),
        ("DEFLATE;q=0.5", True),
        ("gzip", False),
        ("deflate; q=0", False),
        ("deflate;q=0.000", False),
        ("", False),
    ],
)
def test_only_clients_that_take_the_coding_are_sent_it(accepted: str, takes: bool) -> None:
    scope = {"type": "http", "headers": [(b"accept-encoding", accepted.encode())] if accepted else []}
    assert takes_coding(HTTPConnection(scope)) == takes


def test_markup_is_kept_for_an_object_and_not_for_its_equal() -> None:
    rendered: list[str] = []

    def render(text: str) -> str:
        rendered.append(text)
        return text

    kept: RenderedOnce[str] = RenderedOnce(2)
    first, equal = ["row"], ["row"]
    assert [kept.get(1, first, lambda: render("a")) for _ in range(3)] == ["a"] * 3
    assert kept.get(1, equal, lambda: render("b")) == "b"
    assert rendered == ["a", "b"]
    assert [kept.get(number, first, lambda: render("c")) for number in (2, 3)] == ["c", "c"]
    assert kept.get(1, equal, lambda: render("d")) == "d", "the one that was not asked for the longest is forgotten"
