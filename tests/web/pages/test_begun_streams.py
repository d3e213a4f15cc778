"""A page and the stream behind it leave no gap: what happens while the page is made is on it, or is sent."""

import json
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest
import trio
from trio.testing import MockClock

from gameserver.read_model.lobby_view import LobbyView, ReadModel
from gameserver.tournaments.presets import preset
from gameserver.web.ui.live_pages import Streams, WatchedPage
from tests.support.serving import LineClient, Running
from tests.web.support import create, get, listening, live_pairing, serving_pages


async def playing(running: Running) -> tuple[LineClient, LineClient]:
    """A tournament's match between two players, the first to move first."""
    ann, bob = await running.enter("ann", "bob")
    create(running, preset("hanze", "Cup", "Tic-tac-toe"))
    live = await live_pairing(running)
    return (ann, bob) if live["first"] == "ann" else (bob, ann)


def meanwhile(monkeypatch: pytest.MonkeyPatch, happen: Callable[[], Awaitable[object]]) -> None:
    """Have something happen once, at the moment when a page is about to be rendered for its stream."""
    begin, left = Streams.begin, [happen]

    async def begin_later(streams: Streams, read_model: ReadModel, watched: WatchedPage, lobby_view: LobbyView) -> str:
        while left:
            await left.pop()()
        return await begin(streams, read_model, watched, lobby_view)

    monkeypatch.setattr(Streams, "begin", begin_later)


async def shown(running: Running, path: str, events: str) -> str:
    """The page, and all that its stream says about what happened before."""
    page = (await get(running, path)).text
    mark = page.partition('data-mark="')[2].partition('"')[0]
    said = page
    with trio.move_on_after(5), suppress(EOFError):
        async with listening(running, f"{events}?after={mark}") as stream:
            while (fields := await stream.next())["event"] == "change":
                said += "".join(json.loads(fields["data"])["html"].values())
    return said


@pytest.mark.parametrize(("path", "words"), [("", '<td class="n points">1</td>'), ("/podium", "place-1")])
async def test_a_tournament_that_ends_meanwhile_is_over_on_its_pages(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch, path: str, words: str
) -> None:
    async with serving_pages() as running:
        _, loser = await playing(running)

        async def lose() -> None:
            await loser.send("forfeit")
            await loser.until("LOSS")

        meanwhile(monkeypatch, lose)
        assert words in await shown(running, f"/tournaments/1{path}", f"/tournaments/1{path}/events")
