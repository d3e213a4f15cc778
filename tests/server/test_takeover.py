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
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.reactor import Reactor
from gameserver.transport.task_reactor import TaskReactor
from protocols.gammonx import GammonXProtocol
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
