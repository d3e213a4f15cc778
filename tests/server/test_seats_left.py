"""A match of GammonX that both players have left: it ends, however they went, and nothing of it stays."""

import json
import socket
import struct
from collections.abc import Awaitable, Callable

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock
from websockets.frames import Frame, Opcode

from games.backgammon import GAME as BACKGAMMON
from games.tavla import GAME as TAVLA
from gameserver.core.messages.events import EndReason
from gameserver.http.listener import HttpProtocol
from protocols.gammonx import GammonXProtocol
from tests.http.support import Browser
from tests.support.games import catalogue
from tests.support.hub_client import HubClient
from tests.support.serving import NO_PAUSE, Running, serving

ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
SECONDS_LATER = 10
GRACE_S = NO_PAUSE.ticket_grace_ms / 1000
TURN_S = NO_PAUSE.ticket_turn_time_ms / 1000


async def end_the_stream(hub: HubClient) -> None:
    await hub.stream.send_eof()


async def end_after_a_call(hub: HubClient) -> None:
    await hub.invoke("GameState", hub.match_id)
    await hub.stream.send_eof()


async def end_in_a_frame(hub: HubClient) -> None:
    await hub.stream.send_all(Frame(Opcode.TEXT, b"half").serialize(mask=True)[:7])
    await hub.stream.send_eof()


async def close_the_websocket(hub: HubClient) -> None:
    await hub.stream.send_all(Frame(Opcode.CLOSE, b"\x03\xe8").serialize(mask=True))


async def stop_the_hub(hub: HubClient) -> None:
    await hub.send(b'{"type":7}\x1e')


async def reset(hub: HubClient) -> None:
    hub.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    hub.stream.socket.close()


async def fall_silent(_: HubClient) -> None:
    """As behind a proxy that goes on acknowledging."""


async def at_hub(running: Running, player: str) -> HubClient:
    body = json.dumps({"PlayerId": player, "MatchVariant": 1, "MatchModus": 0, "MatchType": 0}).encode()
    browser = await Browser.connect(running)
    answer = await browser.post("/api/matches/join", body, "Content-Type: application/json")
    return await HubClient.connect(running, player, answer.json["payload"]["matchId"])


@pytest.mark.parametrize(
    ("leave", "ends_s", "why"),
    [
        (end_the_stream, GRACE_S, "everybody left"),
        (end_after_a_call, GRACE_S, "everybody left"),
        (end_in_a_frame, GRACE_S, "everybody left"),
        (close_the_websocket, GRACE_S, "everybody left"),
        (stop_the_hub, GRACE_S, "everybody left"),
        (reset, GRACE_S, "everybody left"),
        (fall_silent, 2 * TURN_S, "nobody was ready in time"),
    ],
    ids=lambda given: getattr(given, "__name__", None),
)
async def test_match_that_both_left_is_void(
    autojump_clock: MockClock, leave: Callable[[HubClient], Awaitable[None]], ends_s: float, why: str
) -> None:
    protocol, games = HttpProtocol([GammonXProtocol()]), catalogue(BACKGAMMON, TAVLA)
    async with serving(others=[protocol], games=games) as served:
        running = evolve(served, port=served.ports["http"])
        hubs = [await at_hub(running, player) for player in (ANN, BOB)]
        for hub in hubs:
            await hub.until("match-started")
            await hub.invoke("StartGame", hub.match_id)
        for hub in hubs:
            await hub.until("game-started")
            await leave(hub)
            await trio.sleep(SECONDS_LATER)
        server = running.server
        assert server.live_matches == 1
        await trio.sleep(ends_s - 2 * SECONDS_LATER + 1)
        assert (server.live_matches, len(server.lobby.players)) == (0, 2 if leave is fall_silent else 0)
        (record,) = running.journal.read_records()
        assert (record.reason, record.why) == (EndReason.VOID, why)
