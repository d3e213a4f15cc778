#!/usr/bin/env python3
"""A bot with random legal moves for the GammonX protocol: Backgammon, Tavla and Tavli over REST and SignalR.

    pip install pysignalr
    python3 gammonx_bot.py --variant 2 --modus 2      a match of Tavli against the house

--variant is 0 Backgammon, 1 Tavla, 2 Tavli; --modus 0 anybody, 1 somebody of your rating, 2 the house;
--type 0 to five points, 1 to seven, 2 cash: one game, or one each of Tavli's three.

It does what the last event allows, whatever happened before. So a lost connection costs nothing: when
it is made again, JoinMatch has the state told once more.
"""

import argparse
import asyncio
import json
import logging
import random
import sys
import urllib.error
import urllib.request
import uuid
from contextlib import suppress
from typing import Any

from pysignalr.client import SignalRClient
from websockets.exceptions import ConnectionClosed

PAUSE_S = 0.5
FAILURES_MAX = 120
"""So often the bot tries to come back before it gives up: for a minute."""
STATES = ("match-started", "game-started", "game-state", "double-offered", "game-ended")


def join(url: str, player: str, variant: int, modus: int, kind: int) -> dict[str, Any]:
    """Look for an opponent; the payload, with the match's id and the token."""
    wishes = {"PlayerId": player, "MatchVariant": variant, "MatchModus": modus, "MatchType": kind}
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/matches/join", json.dumps(wishes).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)["payload"]
    except urllib.error.HTTPError as error:
        sys.exit(f"the server refused: {error.read().decode()}")
    except urllib.error.URLError as error:
        sys.exit(f"no server at {url}: {error.reason}")


class Bot:
    """One match."""

    def __init__(self, url: str, player: str, match_id: str, token: str) -> None:
        self.url, self.player, self.match_id, self.token = url, player, match_id, token
        self.is_over = asyncio.Event()
        self.failures = 0
        self.hub = self.new_hub()

    def new_hub(self) -> SignalRClient:
        """A connection, not made yet."""
        self.hub = SignalRClient(f"{self.url}/matchhub", access_token_factory=lambda: self.token, retry_sleep=0.2)
        self.hub.on_open(self.join)
        for event in STATES:
            self.hub.on(event, self.on_state)
        self.hub.on("error", self.on_error)
        self.hub.on("match-ended", self.on_end)
        self.hub.on("force-disconnect", self.on_leave)
        return self.hub

    async def ask(self, method: str, *arguments: Any) -> None:
        """Invoke a method. What is lost with a connection is asked for again when the state is told again."""
        with suppress(RuntimeError, ConnectionClosed):
            await self.hub.send(method, [self.match_id, *arguments])

    async def join(self) -> None:
        """Come to the match, or come back."""
        await self.ask("JoinMatch", self.player)

    async def on_state(self, arguments: list[Any]) -> None:
        """Do the first thing that is allowed and is not giving up."""
        self.failures = 0
        payload = arguments[0]["payload"]
        command = next((name for name in payload["allowedCommands"] if not name.startswith("Resign")), None)
        if command == "Move":
            step = random.choice(payload["moveSequences"])["moves"][0]
            await self.ask("Move", step["from"], step["to"])
        elif command is not None:
            await self.ask(command)

    async def on_error(self, arguments: list[Any]) -> None:
        """Tell what was wrong."""
        print("{code}: {message}".format(**arguments[0]["payload"]), flush=True)

    async def on_end(self, arguments: list[Any]) -> None:
        """Tell how it ended."""
        payload = arguments[0]["payload"]
        own, other = payload["player1"], payload["player2"]
        if own["id"] != self.player:
            own, other = other, own
        print(f"match over, {own['score']} to {other['score']}", flush=True)

    async def on_leave(self, _: list[Any]) -> None:
        """Nothing is left to do."""
        self.is_over.set()

    async def play(self) -> None:
        """Play to the end. The library gives up where nobody listens, so it is started again for a while."""
        over = asyncio.create_task(self.is_over.wait())
        while not self.is_over.is_set() and self.failures < FAILURES_MAX:
            running = asyncio.create_task(self.new_hub().run())
            await asyncio.wait({running, over}, return_when=asyncio.FIRST_COMPLETED)
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            if not self.is_over.is_set():
                self.failures += 1
                await asyncio.sleep(PAUSE_S)


async def main() -> None:
    """Join and play."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--url", default="http://localhost:8080")
    options.add_argument("--player", default=str(uuid.uuid4()), help="a GUID, which is you")
    options.add_argument("--variant", type=int, default=0)
    options.add_argument("--modus", type=int, default=0)
    options.add_argument("--type", type=int, default=2)
    given = options.parse_args()
    logging.disable()  # pysignalr warns of every event that nobody listens to
    joined = join(given.url, given.player, given.variant, given.modus, given.type)
    print(f"joined match {joined['matchId']}", flush=True)
    await Bot(given.url, given.player, joined["matchId"], joined["token"]).play()


if __name__ == "__main__":
    asyncio.run(main())
