"""Wrong secrets over sockets: a connection has few, guessers wait, the owner a little, everybody else not at all."""

import json
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from games.backgammon import BACKGAMMON
from games.connect_four_3d import GAME as CONNECT_FOUR_3D
from gameserver.authentication.roster import PAUSE_S, TRIES, Roster
from gameserver.authentication.secret_queue import CHECKS_PER_S, SecretQueue
from gameserver.flow_control.fair_scheduler import Timers
from gameserver.http.listener import HttpProtocol
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.gammonx import GammonXProtocol
from tests.http.support import Answer, Browser
from tests.support.games import catalogue
from tests.support.rosters import roster_on
from tests.support.serving import Closed, LineClient, Running, serving

PLAYER_ID = "fdd907ca-794a-43f4-83e6-cadfabc57c45"


SECRETS = {f"p{number:02}": f"apple-pie-{number}" for number in range(60)}
TURN_S = 1 / CHECKS_PER_S


@pytest.fixture
def roster(tmp_path: Path) -> Roster:
    return roster_on(tmp_path, {"ann": "apple-pie-1", PLAYER_ID: "plum-jam-33", **SECRETS})


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
            assert await log_in(await running.connect()) <= 1.01 * TURN_S
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


async def guess_for_ever(running: Running) -> None:
    """A program that guesses as fast as it can: over a new connection as soon as one is used up."""
    while True:
        guesser = await running.connect()
        try:
            await guesser.lines(2)
            for _ in range(3):
                await guesser.send("login ann guess")
                await guesser.line()
        except (Closed, trio.BrokenResourceError):
            pass
        guesser.stream.socket.close()
        running.clients.remove(guesser)


async def log_in(client: LineClient, name: str = "ann", secret: str = "apple-pie-1") -> float:
    """Log in with the right secret; returns the seconds that it took."""
    began_s = trio.current_time()
    await client.send(f"login {name} {secret}")
    assert (await client.lines(3))[2] == "OK"
    return trio.current_time() - began_s


async def test_owner_gets_in_beside_sixty_guessers_and_others_wait_for_nobody(
    autojump_clock: MockClock, roster: Roster
) -> None:
    async with serving(roster=roster) as running, trio.open_nursery() as nursery:
        for _ in range(60):
            nursery.start_soon(guess_for_ever, running)
        await trio.sleep(10)
        for _ in range(3):
            owner = await running.connect()
            assert await log_in(owner) == pytest.approx(60 * TURN_S, abs=0.2)
            owner.stream.socket.close()
            await trio.sleep(1)
        (attack,) = roster.throttle.under_attack(0)
        assert 0.9 <= attack.tries / (CHECKS_PER_S * trio.current_time()) <= 1.05
        for name, secret in SECRETS.items():
            assert await log_in(await running.connect(), name, secret) == 0
        nursery.cancel_scope.cancel()


async def test_guesses_of_closed_connections_hold_up_nobody(autojump_clock: MockClock, roster: Roster) -> None:
    async with serving(roster=roster) as running:
        for _ in range(200):
            guesser = await running.connect()
            await guesser.send("login ann guess")
            guesser.stream.socket.close()
        owner = await running.connect()
        assert await log_in(owner) <= 2 * TURN_S


async def test_turns_go_round_between_addresses_and_then_between_connections(autojump_clock: MockClock) -> None:
    timers, checked = Timers(), list[tuple[int, float]]()
    queue = SecretQueue(timers, lambda session: session == 9)
    asked = [("a", 1), ("a", 2), ("a", 9), ("a", 3), ("b", 4), ("b", 5), ("c", 6)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(timers.run)
        for address, session in asked:
            queue.ask("ann", address, session, lambda session=session: checked.append((session, trio.current_time())))
        queue.forget("b", 5)
        await trio.sleep(1)
        began_s = checked[0][1]
        assert [session for session, _ in checked] == [1, 2, 4, 6, 3, 9]
        assert [at_s - began_s for _, at_s in checked] == pytest.approx([TURN_S * turn for turn in range(6)])
        assert not queue._lines, "nothing is kept of names that nobody tries"
        nursery.cancel_scope.cancel()
