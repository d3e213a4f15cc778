"""A WebSocket behind a proxy, which acknowledges for its client: when silence is death, and for whom."""

import json
from typing import Any

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from games.backgammon import BACKGAMMON, TAVLA
from gameserver.flow_control.limits import Limits
from gameserver.http.listener import HttpProtocol
from gameserver.transport.liveness import SILENCE_S, WAIT_S
from gameserver.transport.tcp_info import LastContact
from protocols.gammonx import GammonXProtocol
from protocols.gammonx.schema import MatchModus
from tests.http.support import Browser
from tests.support.games import catalogue
from tests.support.proxies import header
from tests.support.serving import LineClient, Running, serving
from tests.support.socket_clients import HubClient

PROXY = "127.0.0.2"
ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
NORMAL, BOT = MatchModus.NORMAL, MatchModus.BOT
PONG_S = 8.0
TAKEN = "Another connection of this player"


async def join(running: Running, player: str, modus: MatchModus) -> Any:
    body = {"PlayerId": player, "MatchVariant": 1, "MatchModus": modus.value, "MatchType": 2}
    browser = await Browser.connect(running)
    return (await browser.post("/api/matches/join", json.dumps(body).encode(), "Content-Type: application/json")).json


async def by_proxy(running: Running) -> trio.SocketStream:
    """A connection that the proxy passes on from this machine, where the joins come from."""
    stream = await trio.open_tcp_stream("127.0.0.1", running.port, local_address=PROXY)
    running.clients.append(LineClient(stream))
    await stream.send_all(header("127.0.0.1"))
    return stream


@pytest.mark.parametrize(
    ("modus", "is_by_proxy", "has_token", "pongs", "waits_s", "gets_in"),
    [
        pytest.param(BOT, True, False, False, SILENCE_S, True, id="id that nobody else has"),
        pytest.param(BOT, True, False, True, PONG_S, False, id="pong"),
        pytest.param(BOT, False, False, False, WAIT_S, False, id="acknowledged by the machine itself"),
        pytest.param(NORMAL, True, False, False, WAIT_S, False, id="id that the opponent has too"),
        pytest.param(NORMAL, True, True, False, 0, True, id="token"),
    ],
)
async def test_silent_seat_goes_to_its_player(
    autojump_clock: MockClock,
    modus: MatchModus,
    is_by_proxy: bool,
    has_token: bool,
    pongs: bool,
    waits_s: float,
    gets_in: bool,
) -> None:
    heard_s = 0.0

    def contact(_: object) -> LastContact:
        return LastContact(trio.current_time() - heard_s, 0, 0, 0)

    protocol, games = HttpProtocol([GammonXProtocol()]), catalogue(BACKGAMMON, TAVLA)
    limits = Limits(trusted_proxies=(PROXY,))
    async with serving(others=[protocol], games=games, limits=limits, last_contact=contact) as served:
        running = evolve(served, port=served.ports["http"])
        payload = (await join(running, ANN, modus))["payload"]
        match_id, token = payload["matchId"], payload["token"] if has_token else ""
        if modus is NORMAL:
            await join(running, BOB, modus)
            bob = await HubClient.connect(running, BOB, match_id)
            await bob.until("match-lobby-waiting")
        old = await HubClient.connect(running, ANN, match_id, stream=await by_proxy(running) if is_by_proxy else None)
        await old.until("match-started")
        await trio.sleep(1)
        for _ in range(2):  # a refusal does not keep the player from trying again
            began_s = trio.current_time()
            again = await HubClient.connect(running, ANN, match_id, token=token, stream=await by_proxy(running))
            if pongs:
                await trio.sleep(PONG_S)
                heard_s = trio.current_time()
            told = await again.until("match-lobby-found", "error")
            waited_s = trio.current_time() - began_s
            assert (TAKEN not in told.get("message", ""), abs(waited_s - waits_s) < 0.2) == (gets_in, True), waited_s
            if gets_in or waits_s == WAIT_S:
                break
