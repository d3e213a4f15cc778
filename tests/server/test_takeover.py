"""Names with secrets over sockets: how each protocol carries the secret, and what the connections are told."""

import json
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from games.backgammon import GAME as BACKGAMMON
from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from games.tavla import GAME as TAVLA
from gameserver.authentication.roster import Roster
from gameserver.http.listener import HttpProtocol
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.reactor import Reactor
from gameserver.transport.task_reactor import TaskReactor
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import GammonXProtocol
from tests.clients.connect_four import ConnectFourClient, Message
from tests.engine.test_commit import FailingJournal
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


@pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
async def test_a_move_that_came_in_time_behind_the_login_counts(
    autojump_clock: MockClock, roster: Roster, reactor: type[Reactor]
) -> None:
    """Login and move are read before the turn is late, and both wait for a commit that ends after that."""
    journal = FailingJournal()
    async with serving(journal=journal, roster=roster, reactor=reactor) as running:
        ann, bob, again, stranger = [await running.connect() for _ in range(4)]
        await ann.send("login ann apple", "subscribe Tic-tac-toe")
        await ann.lines(4)
        await bob.send("login bob pear", "subscribe Tic-tac-toe")
        await bob.lines(4)
        is_first = 'PLAYERTOMOVE: "ann"' in await ann.line()
        login, opponent = ("login ann apple", bob) if is_first else ("login bob pear", ann)
        match = running.server._sequencer.match(1)
        assert match is not None
        assert match.late_ms is not None
        await trio.sleep((match.late_ms - running.server.now_ms()) / 1000 - 0.08)
        journal.failing = True
        await stranger.send("login cid")
        await trio.sleep(0.01)
        await again.send(login, "move 4")
        await trio.sleep(1)
        assert match.late_ms < running.server.now_ms()
        journal.failing = False
        with trio.fail_after(5):
            assert (await again.until("SVR GAME MOVE"))[-2] == "OK"
            await opponent.until("SVR GAME YOURTURN")


async def test_connect_four(autojump_clock: MockClock, roster: Roster) -> None:
    async with serving(protocol=CONNECT_FOUR, games=catalogue(CONNECT_FOUR_3D), roster=roster) as running:

        async def came(name: str, **more: Any) -> Room:
            room = Room((await running.connect()).stream)
            await room.say("connect", name=name, **more)
            return room

        refused = await (await came("ann")).hear()
        assert "belongs to somebody with a secret" in refused["message"]
        assert "not the secret of ann" in (await (await came("ann", secret="pear")).hear())["message"]
        ann, bob = await came("ann", secret="apple"), await came("bob:pear")
        for player in (ann, bob):
            assert (await player.hear())["event"] == "lobby"
            await player.say("join", room_number=3)
            await player.say("start")
        await ann.until("started")
        again = await came("ann:apple")
        assert OVER in (await ann.until("error"))["message"]
        assert (await again.hear())["event"] == "lobby"
        await again.say("join", room_number=3)
        await again.say("start")
        await again.until("started")
        await again.until("make move")
        await again.say("move", move="a0")
        await bob.until("make move")


async def test_text(autojump_clock: MockClock, roster: Roster) -> None:
    async with serving(roster=roster) as running:
        ann, bob, thief = [await running.connect() for _ in range(3)]
        await ann.send("login ann apple", "subscribe Tic-tac-toe")
        await bob.send("login bob pear", "subscribe Tic-tac-toe")
        assert (await ann.lines(4))[2:] == ["OK", "OK"]
        assert (await bob.lines(4))[2:] == ["OK", "OK"]
        matched = await ann.line()
        await thief.send("login ann", "login ann pear", "login ANN", "get playerlist")
        said = (await thief.lines(7))[2:]
        how = "if it is you: login ann SECRET (capital letters count)"
        assert said[0] == f"ERR The name 'ann' belongs to somebody with a secret; {how}"
        assert said[1] == "ERR That is not the secret of 'ann'; ask the teacher if you do not know yours"
        assert said[2].startswith("ERR The name 'ANN' belongs to somebody with a secret")
        assert said[4].startswith('SVR PLAYERLIST ["ann", "bob"')
        again = await running.connect()
        await again.send("login ann apple")
        assert (await again.lines(4))[2:] == ["OK", matched]
        assert (await ann.rest())[-1] == f"ERR {OVER}"
        if 'PLAYERTOMOVE: "ann"' in matched:
            assert (await again.line()).startswith("SVR GAME YOURTURN")
            await again.send("move 4")
            assert await again.line() == "OK"
        rows = b"".join(row.body for row in running.journal.read_from(1))
        assert b"apple" not in rows
        assert b"pear" not in rows
        assert b'"standing":"proven"' in rows
