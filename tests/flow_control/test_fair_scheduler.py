"""Turns of the event loop: addresses one after the other, and each kind of work in its share of time."""

import select
import socket

import pytest
import trio
import trio.testing
from attrs import define
from trio.testing import MockClock

from gameserver.flow_control.fair_scheduler import HOLD_S, SHARES, CommitGate, FairScheduler, Share, Slice
from gameserver.transport.epoll_reactor import EpollReactor

CONNECTIONS, BACKLOGS, LOOKS = SHARES["connections"], SHARES["backlogs"], SHARES["looks"]


def test_a_turn_that_begins_something_long_is_the_last_of_its_round() -> None:
    """A request is answered by a task, after the round: hundreds of them would have been begun at once."""
    turns, heard = Share(CONNECTIONS, CommitGate(), lambda: 0.0), []

    def ask() -> None:
        heard.append("page")
        turns.begin(CONNECTIONS.slice_s)

    for _ in range(3):
        turns.ask("home", ask)
    for begun in (1, 2, 3):
        assert turns.give_round() == CONNECTIONS.slice_s
        assert len(heard) == begun


def test_turn_is_charged_as_declared_unless_cancelled() -> None:
    turns, heard = Share(Slice(0.002, 0.001), CommitGate(), lambda: 0.0), []
    for number in range(6):
        turn = turns.ask(number, lambda number=number: heard.append(number), 0.001)
        if number in {0, 1}:
            turn.cancel()
    assert turns.give_round() == 0.002
    assert heard == [2, 3]
    turns.give_round()
    assert heard == [2, 3, 4, 5]


async def test_nobody_has_a_turn_while_others_are_in_a_hurry(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    scheduler, heard = FairScheduler(trio.current_time), []
    turns = scheduler.share("connections")
    nursery.start_soon(scheduler.run)
    with scheduler.commit_gate.held():
        turns.ask("home", lambda: heard.append("short"))
        await trio.sleep(HOLD_S / 2)
        assert heard == []
    await trio.testing.wait_all_tasks_blocked()
    assert heard == ["short"]
    with scheduler.commit_gate.held():
        turns.ask("home", lambda: heard.append("long"))
        await trio.sleep(2 * HOLD_S)
        assert heard == ["short", "long"]
    nursery.cancel_scope.cancel()


async def test_waiter_that_leaves_takes_no_turn(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    scheduler = FairScheduler(trio.current_time)
    turns = scheduler.share("looks")
    with trio.move_on_after(1):
        await turns.turn("page", LOOKS.slice_s)
    nursery.start_soon(scheduler.run)
    began_s = trio.current_time()
    await turns.turn("page", LOOKS.slice_s)
    assert trio.current_time() == began_s
    await turns.turn("page", LOOKS.slice_s)
    assert trio.current_time() == pytest.approx(began_s + LOOKS.rest_s)
    nursery.cancel_scope.cancel()


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="it is about the driver with epoll")
async def test_large_input_is_read_in_its_own_share_of_time(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """A line that never ends, from many: each read of it is as long as it may be, and there is always more."""
    scheduler, done = FairScheduler(trio.current_time), trio.Event()
    reactor = EpollReactor(lambda: 0, scheduler)
    took_s, rest_s = 1.2 * BACKLOGS.slice_s, BACKLOGS.rest_s
    reads: list[tuple[str, float]] = []
    addresses = {"one": "flood", "two": "flood", "other": "home", "player": "home"}
    pairs = {name: socket.socketpair() for name in addresses}

    @define(eq=False)
    class Reader:
        name: str
        address: str
        sock: socket.socket
        left: int
        session: int = 0
        wants_read: bool = True
        interest: tuple[bool, bool] = (True, False)

        def on_readable(self, now_ms: int) -> bool:
            reads.append((self.name, trio.current_time() - began_s))
            autojump_clock.jump(took_s)
            self.left -= 1
            if self.left == 0:
                self.sock.recv(100)
            if len(reads) == 10:
                done.set()
            return self.left > 0

    for name, (near, far) in pairs.items():
        reactor.add(Reader(name, addresses[name], near, left=1 if name == "player" else 3))  # type: ignore[arg-type]
        if name != "player":
            far.send(b"x")
    began_s = trio.current_time()
    nursery.start_soon(reactor.run)
    nursery.start_soon(scheduler.run)
    await trio.sleep(4 * took_s + 0.5 * rest_s)
    pairs["player"][1].send(b"x")
    await done.wait()
    nursery.cancel_scope.cancel()
    heaps = [(name, at_s) for name, at_s in reads if name != "player"]
    assert [name for name, _ in heaps[:3]] == ["one", "two", "other"], "at once when they are ready"
    assert [name for name, _ in heaps[3:]] == ["one", "other", "two", "other", "one", "two"], "addresses by turns"
    turns_s = [3 * took_s + number * (took_s + rest_s) for number in range(6)]
    assert [at_s for _, at_s in heaps[3:]] == pytest.approx(turns_s)
    (read_s,) = (at_s for name, at_s in reads if name == "player")
    assert read_s == pytest.approx(4 * took_s + 0.5 * rest_s), "who moves is read at once"
    reactor.close()
    for pair in pairs.values():
        for sock in pair:
            sock.close()
