"""The walks in ARCHITECTURE.md lead through the running server in the order in which they are told."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from gameserver.cli.effective_config import teachers_tournaments
from gameserver.endpoints import HttpEndpoint, LazyApp
from gameserver.http.listener import HttpProtocol
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.web.application import pages
from tests.admin.support import post, serving_admin
from tests.http.support import Browser
from tests.protocols.gammonx.test_rest import ANN, BOB, listening, search
from tests.server.test_tournaments import GAMES, over, play
from tests.support.serving import serving
from tests.support.socket_clients import HubClient
from tests.web.support import get as get_page
from tests.web.support import serving_pages

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
Station = tuple[str, str]


def walk(title: str) -> list[Station]:
    """The stations of the walk of this name: a file and a function of it."""
    (block,) = re.findall(rf"^\*\*{title}\*\*:.*?```\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE)
    return [(found[1], found[2]) for line in block.splitlines() if (found := re.match(r"(\S+\.py) +(\S+)", line))]


@contextmanager
def followed(stations: list[Station]) -> Iterator[None]:
    """Make sure that these are called one after the other, whatever is called in between."""
    left = [(path if path.startswith("protocols/") else f"gameserver/{path}", name) for path, name in stations]
    assert len(left) > 8

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not left:
            return
        path, name = left[0]
        code = frame.f_code
        is_it = code.co_qualname == name or code.co_qualname.startswith(f"{name}.<locals>.")
        if is_it and code.co_filename == str(ROOT / path):
            del left[0]

    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
    assert not left, f"ARCHITECTURE.md says that {left[0]} follows, which it does not"


async def test_a_round_of_a_tournament(autojump_clock: MockClock) -> None:
    tournaments = HttpEndpoint("/api/tournaments", LazyApp(teachers_tournaments))
    web = HttpProtocol([], [HttpEndpoint("/", pages())])
    async with serving_admin((tournaments,), games=GAMES, others=[web]) as running, trio.open_nursery() as bots:
        for client in await running.enter("ann", "bob"):
            bots.start_soon(play, client)
        with followed(walk("A round of a tournament")):
            wanted = {"preset": "hanze", "name": "Cup", "game": "Countdown"}
            assert (await post(running, "/api/tournaments/", wanted)).status == 201
            assert (await post(running, "/api/tournaments/1/start", {})).status == 200
            await over(running)
            page = await get_page(running, "/tournaments/1")
        assert page.status == 200
        bots.cancel_scope.cancel()


async def test_a_page(autojump_clock: MockClock) -> None:
    async with serving_pages() as running:
        await running.match()
        with followed(walk("A page")):
            page = await get_page(running, "/")
        assert page.status == 200


async def test_a_call_to_the_hub(autojump_clock: MockClock) -> None:
    async with listening(MemoryJournal()) as running:
        browser = await Browser.connect(running)
        ids = {player: (await search(browser, player))[0] for player in (ANN, BOB)}
        hubs = {player: await HubClient.connect(running, player, match) for player, match in ids.items()}
        for player, hub in hubs.items():
            await hub.until("match-started")
            await hub.invoke("StartGame", ids[player])
        for hub in hubs.values():
            await hub.until("game-started")
        with followed(walk("A call to the SignalR hub")):
            await hubs[ANN].invoke("ResignMatch", ids[ANN])
            await hubs[BOB].until("match-ended")


@pytest.mark.skipif(sys.platform != "linux", reason="the walk begins at epoll, which only Linux has")
async def test_a_move_in_the_text_protocol(autojump_clock: MockClock) -> None:
    async with serving() as running:
        mover, other = await running.match()
        with followed(walk("A move in the text protocol")):
            await mover.send("move 4")
            await other.until("YOURTURN")
