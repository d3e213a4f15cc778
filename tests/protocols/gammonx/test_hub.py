"""GammonX at the real listener: the Python SignalR client, lost connections, and a flood of joins."""

import asyncio
import json
import random
import urllib.request
from contextlib import suppress
from typing import Any

import trio
from pysignalr.client import SignalRClient
from websockets.exceptions import ConnectionClosed

from gameserver.http.listener import HttpProtocol
from protocols.gammonx import GammonXProtocol
from tests.http.support import Browser
from tests.protocols.gammonx.test_rest import ANN, BOB, GAMES, JSON, join, wishes
from tests.support.serving import serving

DEADLINE_S = 60
EVENTS = ("match-started", "game-started", "game-state", "double-offered", "game-ended")


def listening() -> Any:
    return serving(games=GAMES, protocol=HttpProtocol([GammonXProtocol()]))


class Player:
    """A client that does whatever the last event allows, on pysignalr."""

    def __init__(self, port: int, player: str, variant: int) -> None:
        self.url, self.player, self.chance = f"http://127.0.0.1:{port}", player, random.Random(player)
        request = urllib.request.Request(
            f"{self.url}/api/matches/join", wishes(player=player, variant=variant), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=20) as response:
            joined = json.load(response)["payload"]
        self.match_id, token = joined["matchId"], joined["token"]
        self.client = SignalRClient(f"{self.url}/matchhub?token={token}", retry_count=20, retry_sleep=0.05)
        self.connections = 0
        self.moves = 0
        self.errors: list[Any] = []
        self.ended: Any = None
        self.is_over = asyncio.Event()
        for event in EVENTS:
            self.client.on(event, self.on_state)
        self.client.on("error", self.on_error)
        self.client.on("match-ended", self.on_end)
        self.client.on_open(self.on_open)

    async def on_open(self) -> None:
        self.connections += 1
        await self.send("JoinMatch", self.player)

    async def send(self, method: str, *arguments: Any) -> None:
        """Ask for something. What is lost with the connection is asked for again when the state is told again."""
        with suppress(RuntimeError, ConnectionClosed):
            await self.client.send(method, [self.match_id, *arguments])

    async def on_error(self, arguments: Any) -> None:
        self.errors.append(arguments[0]["payload"])

    async def on_end(self, arguments: Any) -> None:
        self.ended = arguments[0]["payload"]
        self.is_over.set()

    async def on_state(self, arguments: Any) -> None:
        payload = arguments[0]["payload"]
        command = next(iter(payload["allowedCommands"]), "ResignGame")
        if command == "Move":
            self.moves += 1
            step = self.chance.choice(payload["moveSequences"])["moves"][0]
            await self.send("Move", step["from"], step["to"])
        elif command != "ResignGame":
            await self.send(command)

    async def play(self) -> None:
        running = asyncio.ensure_future(self.client.run())
        try:
            await asyncio.wait_for(self.is_over.wait(), DEADLINE_S)
        finally:
            running.cancel()
            websocket = self.client._transport._ws
            await asyncio.gather(running, return_exceptions=True)
            if websocket is not None:
                await websocket.close()  # the client has no stop of its own


async def test_two_python_clients_play_a_match_over_lost_connections() -> None:
    """Pysignalr runs on asyncio, in a thread; the server's connections are cut under it from here."""
    players: list[Player] = []

    async def both(port: int) -> None:
        players.extend(Player(port, player, 1) for player in (ANN, BOB))
        await asyncio.gather(*(player.play() for player in players))

    async with listening() as running:
        with trio.fail_after(DEADLINE_S):
            async with trio.open_nursery() as nursery:

                async def clients() -> None:
                    await trio.to_thread.run_sync(asyncio.run, both(running.port))
                    nursery.cancel_scope.cancel()

                nursery.start_soon(clients)
                for cut in (20, 40, 60):
                    while len(players) < 2 or min(each.moves for each in players) < cut:  # noqa: ASYNC110 - they are in a thread
                        await trio.sleep(0.005)
                    connections = list(running.server._connections.values())
                    connections[cut % len(connections)].abort("the test cuts it")
                await trio.sleep_forever()
    one, two = players
    assert one.ended["gameRounds"] == two.ended["gameRounds"]
    assert one.ended["gameRounds"][0]["winner"] in {ANN, BOB}
    assert one.connections + two.connections > 2, "somebody came back"


async def test_a_flood_of_joins_has_an_answer_each(autojump_clock: Any) -> None:
    async with listening() as running:
        browser = await Browser.connect(running)
        body = wishes()
        head = f"POST /api/matches/join HTTP/1.1\r\nHost: t\r\n{JSON}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        await browser.send((head + body) * 50)
        answers = await browser.answers(*["POST"] * 50)
        assert [answer.status for answer in answers] == [200] + [400] * 49
        other = await Browser.connect(running)
        assert (await join(other, player=BOB)).json["payload"]["status"] == 1
