"""The rate of attempts on one name: guessers wait, the owner waits a little, and everybody else not at all."""

from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from gameserver.authentication.roster import Roster
from gameserver.authentication.secret_queue import CHECKS_PER_S, SecretQueue
from gameserver.flow_control.timers import Timers
from tests.support.rosters import roster_on
from tests.support.serving import Closed, LineClient, Running, serving

PAUSE_S = 1 / CHECKS_PER_S
NAMES = [f"p{number:02}" for number in range(60)]


@pytest.fixture
def roster(tmp_path: Path) -> Roster:
    return roster_on(tmp_path, {name: f"apple-pie-of-{name}" for name in ["ann", *NAMES]})


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


async def log_in(client: LineClient, name: str) -> float:
    """Log in with the right secret; returns the seconds that it took."""
    began_s = trio.current_time()
    await client.send(f"login {name} apple-pie-of-{name}")
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
            assert await log_in(owner, "ann") == pytest.approx(60 * PAUSE_S, abs=0.2)
            owner.stream.socket.close()
            await trio.sleep(1)
        (attack,) = roster.throttle.under_attack(0)
        assert 0.9 <= attack.tries / (CHECKS_PER_S * trio.current_time()) <= 1.05
        for name in NAMES:
            assert await log_in(await running.connect(), name) == 0
        nursery.cancel_scope.cancel()


async def test_guesses_of_closed_connections_hold_up_nobody(autojump_clock: MockClock, roster: Roster) -> None:
    async with serving(roster=roster) as running:
        for _ in range(200):
            guesser = await running.connect()
            await guesser.send("login ann guess")
            guesser.stream.socket.close()
        owner = await running.connect()
        assert await log_in(owner, "ann") <= 2 * PAUSE_S


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
        assert [at_s - began_s for _, at_s in checked] == pytest.approx([PAUSE_S * turn for turn in range(6)])
        assert not queue._lines, "nothing is kept of names that nobody tries"
        nursery.cancel_scope.cancel()
