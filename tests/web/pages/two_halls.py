"""Two halls over one database in the test's own process, and what is played there."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import trio
from attrs import frozen

from gameserver.halls import HallSettings
from gameserver.server.live_halls import EXCHANGE_EVERY_S
from gameserver.tournaments.presets import preset
from tests.support.serving import LineClient, Running
from tests.support.shared_halls import SharedHalls
from tests.web.support import Page, check_html, create, get, serving_pages

URL = "https://reversi.example.edu"


@frozen
class Both:
    """The first hall, which has no address, and the hall `reversi`, which has one."""

    first: Running
    reversi: Running
    shared: SharedHalls


@asynccontextmanager
async def two_halls() -> AsyncIterator[Both]:
    shared = SharedHalls()
    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(serving_pages(journal=shared.journal("")))
        settings = HallSettings("reversi", URL)
        reversi = await stack.enter_async_context(serving_pages(journal=shared.journal("reversi"), hall=settings))
        await trio.sleep(2 * EXCHANGE_EVERY_S)
        yield Both(first, reversi, shared)


async def play(hall: Running, winner: str, loser: str) -> None:
    """A match that ends at once."""
    one, other = await hall.enter(winner, loser)
    for client in (one, other):
        await client.send("subscribe Tic-tac-toe")
    await one.until("MATCH")
    await other.until("MATCH")
    await other.send("forfeit")
    await one.until("WIN")
    for client in (one, other):
        await client.send("quit")
        await client.rest()
    await trio.sleep(1)


async def begin_tournament(hall: Running, name: str, *players: str, which: str = "hanze") -> list[LineClient]:
    """A tournament whose first games are being played, and its players in the order given."""
    clients = await hall.enter(*players)
    create(hall, preset(which, name, "Tic-tac-toe"))
    return clients


async def tournament(hall: Running, name: str, *players: str) -> None:
    """A tournament of two in which the first to be seated gives up."""
    first, *_ = await begin_tournament(hall, name, *players)
    await first.until("MATCH")
    await first.send("forfeit")
    await first.until("LOSS")


async def page(hall: Running, path: str) -> Page:
    found = await get(hall, path)
    check_html(found.text)
    return found
