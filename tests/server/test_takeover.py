"""Names with secrets over sockets: how each protocol carries the secret, and what the connections are told."""

import json
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from games.backgammon import GAME as BACKGAMMON
from games.tavla import GAME as TAVLA
from gameserver.authentication.roster import Roster
from gameserver.http.listener import HttpProtocol
from protocols.gammonx import GammonXProtocol
from tests.clients.connect_four import ConnectFourClient, Message
from tests.http.support import Browser
from tests.support.games import catalogue
from tests.support.rosters import roster_on
from tests.support.serving import serving

PLAYER_ID = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
OVER = "You have logged in on another connection, so this one ends"


@pytest.fixture
def roster(tmp_path: Path) -> Roster:
    return roster_on(tmp_path, {"ann": "apple", "bob": "pear", PLAYER_ID: "plum"})


class Room:
    """Somebody who speaks in JSON lines."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._client = ConnectFourClient()
        self._heard: list[Message] = []

    async def say(self, action: str, **more: Any) -> None:
        await self._stream.send_all(self._client.say(action, **more))

    async def hear(self) -> Message:
        while not self._heard:
            received = await self._stream.receive_some()
            assert received, "the end"
            self._heard += self._client.receive(bytes(received))
        return self._heard.pop(0)

    async def until(self, event: str) -> Message:
        while (heard := await self.hear())["event"] != event:
            pass
        return heard


async def test_gammonx(autojump_clock: MockClock, roster: Roster) -> None:
    protocol = HttpProtocol([GammonXProtocol()])
    async with serving(protocol=protocol, games=catalogue(BACKGAMMON, TAVLA), roster=roster) as running:
        body = {"PlayerId": PLAYER_ID, "MatchVariant": 1, "MatchModus": 0, "MatchType": 2}

        async def join(*headers: str) -> Any:
            browser = await Browser.connect(running)
            answer = await browser.post(
                "/api/matches/join", json.dumps(body).encode(), "Content-Type: application/json", *headers
            )
            return answer.text

        assert f"The PlayerId {PLAYER_ID} belongs to somebody with a secret" in await join()
        assert "That is not the secret" in await join("Authorization: Bearer pear")
        assert "gx." in await join("Authorization: Bearer plum")
