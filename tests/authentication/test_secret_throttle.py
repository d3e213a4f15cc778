"""Wrong secrets over sockets: a connection has few of them, and nobody else's count against it."""

import json
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from games.backgammon import GAME as BACKGAMMON
from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from gameserver.authentication.roster import Roster
from gameserver.authentication.secret_queue import CHECKS_PER_S
from gameserver.authentication.secret_throttle import PAUSE_S, TRIES
from gameserver.http.listener import HttpProtocol
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import GammonXProtocol
from tests.http.support import Answer, Browser
from tests.support.games import catalogue
from tests.support.rosters import roster_on
from tests.support.serving import LineClient, Running, serving

PLAYER_ID = "fdd907ca-794a-43f4-83e6-cadfabc57c45"


@pytest.fixture
def roster(tmp_path: Path) -> Roster:
    return roster_on(tmp_path, {"ann": "apple-pie-1", "bob": "pear-tree-2", PLAYER_ID: "plum-jam-33"})


async def guessed(running: Running, times: int) -> LineClient:
    """A connection that has given wrong secrets for ann."""
    guesser = await running.connect()
    await guesser.lines(2)
    for number in range(times):
        await guesser.send(f"login ann guess{number}")
        assert (await guesser.line()).startswith("ERR That is not the secret of 'ann'")
    return guesser


async def test_last_wrong_secret_is_answered_late_and_ends_the_connection(
    autojump_clock: MockClock, roster: Roster
) -> None:
    async with serving(roster=roster) as running:
        began_s = trio.current_time()
        guesser = await guessed(running, TRIES)
        assert trio.current_time() == pytest.approx(began_s, abs=0.5)
        began_s = trio.current_time()
        await guesser.send("login ann guess", "login ann apple-pie-1", "get gamelist")
        last = await guesser.line()
        assert trio.current_time() - began_s == pytest.approx(PAUSE_S, abs=0.1)
        assert last.startswith("ERR That is not the secret of 'ann' either, and this connection ends")
        assert await guesser.rest() == []
        await trio.sleep(3)
        assert roster.throttle._by_session == {}, "forgotten with the connection"


async def test_right_secret_gets_in_on_a_connection_with_wrong_ones(autojump_clock: MockClock, roster: Roster) -> None:
    async with serving(roster=roster) as running:
        for wrong in range(TRIES + 1):
            ann = await guessed(running, wrong)
            await ann.send("login ann apple-pie-1", "get playerlist")
            assert await ann.line() == "OK", f"after {wrong} wrong ones"
            await ann.until("PLAYERLIST")


async def test_right_secret_gets_in_beside_a_flood_of_wrong_ones(autojump_clock: MockClock, roster: Roster) -> None:
    async with serving(roster=roster) as running:
        for _ in range(50):
            await guessed(running, TRIES)
            ann = await running.connect()
            began_s = trio.current_time()
            await ann.send("login ann apple-pie-1")
            assert (await ann.lines(3))[2] == "OK"
            assert trio.current_time() - began_s <= 1.01 / CHECKS_PER_S
        (attack,) = roster.throttle.under_attack(0)
        assert (attack.name, attack.tries, attack.addresses) == ("ann", 50 * TRIES, ("127.0.0.1",))


async def test_connect_four_ends_each_connection_with_its_first_refusal(
    autojump_clock: MockClock, roster: Roster
) -> None:
    async with serving(protocol=CONNECT_FOUR, games=catalogue(CONNECT_FOUR_3D), roster=roster) as running:

        async def connect(secret: str) -> dict[str, str]:
            stream = (await running.connect()).stream
            await stream.send_all(json.dumps({"action": "connect", "name": "ann", "secret": secret}).encode() + b"\n")
            heard: dict[str, str] = json.loads(await stream.receive_some())
            if heard["event"] == "error":
                assert await stream.receive_some() == b""
            return heard

        for _ in range(20):
            assert "not the secret of ann" in (await connect("guess"))["message"]
        assert (await connect("apple-pie-1"))["event"] == "lobby"


async def test_bearer_secrets_over_rest(autojump_clock: MockClock, roster: Roster) -> None:
    protocol = HttpProtocol([GammonXProtocol()])
    body = json.dumps({"PlayerId": PLAYER_ID, "MatchVariant": 0, "MatchModus": 0, "MatchType": 2}).encode()
    async with serving(protocol=protocol, games=catalogue(BACKGAMMON), roster=roster) as running:

        async def join(browser: Browser, secret: str) -> Answer:
            headers = ("Content-Type: application/json", f"Authorization: Bearer {secret}")
            return await browser.post("/api/matches/join", body, *headers)

        guesser = await Browser.connect(running)
        for _ in range(TRIES):
            assert "not the secret" in (await join(guesser, "guess")).text
        began_s = trio.current_time()
        last = await join(guesser, "guess")
        assert "either, and this connection ends" in last.text
        assert (last.status, last.headers["connection"]) == (400, "close")
        assert trio.current_time() - began_s == pytest.approx(PAUSE_S, abs=0.1)
        assert "gx." in (await join(await Browser.connect(running), "plum-jam-33")).text
