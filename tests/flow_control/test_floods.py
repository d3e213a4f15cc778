"""Beside who floods the server, the others have their turn."""

import select
import socket
from collections.abc import Callable
from itertools import pairwise
from time import perf_counter

import pytest
import trio
import trio.lowlevel
import trio.testing
from attrs import define
from trio.testing import MockClock

from gameserver.core.messages.commands import ListGames, ListPlayers, Play, Seek, Withdraw
from gameserver.core.messages.events import Answer
from gameserver.engine.batch import Submission
from gameserver.engine.command_priority import BATCH_COMMANDS_MAX, CommandQueue
from gameserver.flow_control.connection_limiter import ConnectionLimiter
from gameserver.flow_control.fair_scheduler import HOLD_S, CommitGate, Cooldown, FairScheduler, Share
from gameserver.flow_control.limits import Limits
from gameserver.flow_control.shares import MATCH_REQUESTS_PART, SHARES, Slice
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.listener import Address, accept_forever, open_listeners
from tests.admin.support import BEARER, get, serving_admin
from tests.support.serving import serving

BATCH, MATCH_REQUESTS, QUERIES = SHARES["batch"], SHARES["match requests"], SHARES["queries"]
CONNECTIONS, BACKLOGS, LOOKS = SHARES["connections"], SHARES["backlogs"], SHARES["looks"]
NEWCOMERS = SHARES["newcomers"]


async def test_flood_of_questions_leaves_room_for_others(autojump_clock: MockClock) -> None:
    """Queries need no commit, which would let the loop go round: the sequencer has to do so by itself."""

    class Nagger:
        asked = 0

        def deliver(self, answer: Answer | None, events: object) -> None:
            self.asked += 1

        def flush(self) -> None: ...

        def resume(self) -> None:
            if self.asked < 50_000:
                running.server._sequencer.submit(ListGames(1), 0, self)  # type: ignore[arg-type]

    async with serving() as running:
        nagger = Nagger()
        nagger.resume()
        for _ in range(20):
            await trio.lowlevel.checkpoint()
        assert 0 < nagger.asked < 1_000


async def test_queries_do_not_keep_what_plays_waiting(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is answered between two batches, and all of them in the end, in their order."""
    monkeypatch.setattr("gameserver.engine.command_priority.QUERIES_SLICE", Slice(-1.0, QUERIES.rest_s))
    answered: list[str] = []

    @define(eq=False)
    class Asker:
        what: str

        def deliver(self, answer: Answer | None, events: object) -> None:
            answered.append(self.what)

        def flush(self) -> None: ...

        def resume(self) -> None: ...

    async with serving() as running:
        sequencer = running.server._sequencer
        sequencer._waiting._now_s = lambda: 0.0  # on a busy machine each match request could be a batch
        for number in range(100):
            sequencer.submit(ListPlayers(number), 0, Asker(f"query {number}"))
        for number in range(3):
            sequencer.submit(Seek(1000 + number, "Reversi"), 0, Asker(f"command {number}"))
        assert sequencer.metrics.queue_depth() == 103
        await trio.sleep(100 * QUERIES.rest_s + 1)
    assert answered == [
        *(f"command {number}" for number in range(3)),
        *(f"query {number}" for number in range(100)),
    ]


@define(eq=False)
class Timed:
    """Notes when it is answered. To put that into words takes `takes_s` on the clock of the work."""

    name: str
    work_s: list[float]
    answered: dict[str, float]
    takes_s: float = 0.0
    then: Callable[[], None] = lambda: None

    def deliver(self, answer: Answer | None, events: object) -> None:
        self.work_s[0] += self.takes_s
        self.answered[self.name] = trio.current_time()

    def flush(self) -> None: ...

    def resume(self) -> None:
        self.then()


async def test_long_answers_rest_and_let_a_move_through(autojump_clock: MockClock) -> None:
    """To say a list of five hundred players takes longer than to find it: both count."""
    work_s, answered = [0.0], dict[str, float]()
    async with serving() as running:
        sequencer = running.server._sequencer
        sequencer._waiting._now_s = sequencer._waiting.work_s = lambda: work_s[0]

        def a_move_comes() -> None:
            sequencer.submit(Withdraw(1000), 0, Timed("move", work_s, answered))

        for number in range(5):
            then = a_move_comes if number == 0 else lambda: None
            sequencer.submit(ListPlayers(number), 0, Timed(f"query {number}", work_s, answered, 0.001, then))
        await trio.sleep(1)
    assert list(answered) == ["query 0", "move", *(f"query {number}" for number in range(1, 5))]
    assert answered["move"] == answered["query 0"]
    times = [answered[f"query {number}"] for number in range(5)]
    assert all(later - earlier >= QUERIES.rest_s * 0.999 for earlier, later in pairwise(times))


async def test_match_requests_rest_and_let_moves_through(autojump_clock: MockClock) -> None:
    """A match takes long to begin: most moves beside a flood of them are in a batch without any."""
    work_s, answered = [0.0], dict[str, float]()

    def now_s() -> float:
        work_s[0] += MATCH_REQUESTS.slice_s
        return work_s[0]

    async with serving() as running:
        sequencer = running.server._sequencer
        sequencer._waiting._now_s = sequencer._waiting.work_s = now_s
        for number in range(6):
            sequencer.submit(Seek(number, "Reversi"), 0, Timed(f"request {number}", work_s, answered))
        sequencer.submit(Withdraw(1000), 0, Timed("move 0", work_s, answered))
        while len(answered) < 2:
            await trio.lowlevel.checkpoint()
        began = len(answered)
        for number in range(1, 4):
            sequencer.submit(Withdraw(1000), 0, Timed(f"move {number}", work_s, answered))
            while f"move {number}" not in answered:
                await trio.lowlevel.checkpoint()
        assert len(answered) == began + 3  # moves only
        await trio.sleep(1)
    assert next(iter(answered)) == "move 0"
    times = sorted({answered[f"request {number}"] for number in range(6)})
    assert len(times) >= 3
    assert all(later - earlier >= MATCH_REQUESTS.rest_s * 0.999 for earlier, later in pairwise(times))


def test_match_requests_have_their_share_of_a_long_batch() -> None:
    """Where many play, few batches are decided a second; matches must begin in them all the same."""
    now = [0.0]
    waiting = CommandQueue(lambda: now[0])
    for number in range(10):
        waiting.add(Submission(Play(number, "1"), 0))
    for number in range(200):
        waiting.add(Submission(Seek(number, "Reversi"), 0))
    requests = 0
    for taken in waiting.batch():
        now[0] += 0.001 if isinstance(taken.command, Play) else MATCH_REQUESTS.slice_s / 4
        requests += isinstance(taken.command, Seek)
    assert (
        0.010 * MATCH_REQUESTS_PART
        <= requests * MATCH_REQUESTS.slice_s / 4
        <= 0.010 * MATCH_REQUESTS_PART + MATCH_REQUESTS.slice_s
    )


def test_a_batch_ends_when_its_time_is_up() -> None:
    waiting = CommandQueue()
    for number in range(600):
        waiting.add(Submission(Withdraw(number), 0))
    assert [taken.command.session for taken in waiting.batch()] == list(range(BATCH_COMMANDS_MAX))
    slow = waiting.batch()
    assert next(slow).command.session == BATCH_COMMANDS_MAX
    end_s = perf_counter() + BATCH.slice_s
    while perf_counter() < end_s:
        pass
    assert list(slow) == []
    assert len(waiting) == 600 - BATCH_COMMANDS_MAX - 1


def test_moves_are_decided_before_match_requests() -> None:
    waiting = CommandQueue()
    for number in range(3):
        waiting.add(Submission(Seek(number, "Reversi"), 0))
        waiting.add(Submission(Play(10 + number, "4"), 0))
    taken = waiting.batch()
    assert [next(taken).command for _ in range(4)] == [
        *(Play(10 + number, "4") for number in range(3)),
        Seek(0, "Reversi"),
    ]
    end_s = perf_counter() + MATCH_REQUESTS.slice_s
    while perf_counter() < end_s:
        pass
    assert list(taken) == []
    assert [one.command for one in waiting.batch()] == [Seek(1, "Reversi"), Seek(2, "Reversi")], "nobody waits for ever"


async def test_search_of_a_closed_connection_leads_to_nothing(autojump_clock: MockClock) -> None:
    async with serving() as running:
        ann, bob = await running.enter("ann", "bob")
        await ann.send("subscribe Reversi")
        await ann.line()
        await bob.send("subscribe Reversi")
        await bob.stream.aclose()
        await trio.sleep(1)
        await ann.send("get playerlist")
        said = await ann.until("PLAYERLIST")
        assert '"bob"' not in said[-1]


def test_addresses_take_turns_whatever_each_has_to_ask() -> None:
    turns, heard = Share(CONNECTIONS, CommitGate(), perf_counter), []
    for number in range(100):
        turns.ask("flood", lambda number=number: heard.append(f"flood {number}"))
    turns.ask("home", lambda: heard.append("home"))
    turns.ask("nobody", lambda: heard.append("cancelled")).cancel()
    while len(heard) < 101:
        turns.give_round()
    assert heard[:3] == ["flood 0", "home", "flood 1"]
    assert heard[3:] == [f"flood {number}" for number in range(2, 100)]


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


async def test_turns_rest_for_longer_than_they_take(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    scheduler, times_s = FairScheduler(trio.current_time), []
    turns, other = scheduler.share("connections"), scheduler.share("looks")
    took_s = 1.2 * CONNECTIONS.slice_s
    nursery.start_soon(scheduler.run)

    def toil() -> None:
        autojump_clock.jump(took_s)
        times_s.append(trio.current_time())

    for _ in range(5):
        turns.ask("home", toil)
    await trio.sleep(1.5 * took_s)
    began_s = trio.current_time()
    await other.turn("home")
    assert trio.current_time() == began_s, "one share rests, and no other"
    await trio.sleep(1)
    apart_s = [later - earlier for earlier, later in pairwise(times_s)]
    assert apart_s == pytest.approx([took_s + CONNECTIONS.rest_s] * 4)
    nursery.cancel_scope.cancel()


async def test_turns_take_no_virtual_time(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    """Or what a test sees would depend on how busy the machine is."""
    scheduler, heard = FairScheduler(trio.current_time), []
    turns = scheduler.share("connections")
    nursery.start_soon(scheduler.run)

    def toil() -> None:
        end_s = perf_counter() + CONNECTIONS.slice_s
        while perf_counter() < end_s:
            pass
        heard.append(trio.current_time())

    began_s = trio.current_time()
    for _ in range(5):
        turns.ask("home", toil)
    await trio.sleep(1)
    assert heard == [began_s] * 5
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


async def test_refused_connection_that_returns_has_to_wait(autojump_clock: MockClock) -> None:
    came, heard = trio.open_memory_channel[float](3)
    stays: list[bool] = []

    def accepted(sock: socket.socket, address: str) -> bool:
        sock.close()
        came.send_nowait(trio.current_time())
        stays.append(len(stays) == 0)
        return stays[-1]

    (listener,) = open_listeners(Address("127.0.0.1", 0))
    port = listener.getsockname()[1]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_forever, listener, accepted)
        times_s = []
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port)):
                times_s.append(await heard.receive())
        nursery.cancel_scope.cancel()
    first_s, second_s, third_s = times_s
    assert second_s == first_s
    assert third_s - second_s == pytest.approx(NEWCOMERS.rest_s)


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


async def test_nobody_is_accepted_while_others_are_in_a_hurry(autojump_clock: MockClock) -> None:
    hold, came = CommitGate(), trio.Event()

    def accepted(sock: socket.socket, address: str) -> bool:
        sock.close()
        came.set()
        return True

    (listener,) = open_listeners(Address("127.0.0.1", 0))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_forever, listener, accepted, hold)
        with hold.held(), socket.create_connection(("127.0.0.1", listener.getsockname()[1])):
            await trio.sleep(HOLD_S / 2)
            assert not came.is_set()
        await came.wait()
        nursery.cancel_scope.cancel()


async def test_many_commands_at_once_are_answered_completely_and_in_order(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(commands_per_s=1_000_000)) as running:
        ann, bob = await running.enter("ann", "bob")
        began_s = trio.current_time()
        await ann.send(*["get gamelist"] * 500, "nonsense")
        await bob.send("get gamelist")
        assert (await bob.lines(2))[0] == "OK"
        lines = await ann.lines(1001)
        assert lines[:1000:2] == ["OK"] * 500
        assert lines[-1] == "ERR Unsupported command: 'nonsense'"
        assert trio.current_time() - began_s < CONNECTIONS.rest_s, "work takes no virtual time"


async def test_beginning_match_after_match_is_slowed_down_and_nothing_else(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(commands_per_s=100, offers_per_s=2)) as running:
        (ann,) = await running.enter("ann")
        began_s = trio.current_time()
        await ann.send(*["subscribe Reversi"] * 24)
        assert await ann.lines(24) == ["OK"] * 24
        assert 9 < trio.current_time() - began_s < 11
        await trio.sleep(10)
        began_s = trio.current_time()
        await ann.send(*["get gamelist"] * 100)
        await ann.lines(200)
        assert trio.current_time() - began_s < 0.5


async def test_matches_begun_from_one_address_are_slowed_down_together(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(address_offers_per_s=2)) as running:
        ann, bob = await running.enter("ann", "bob")
        began_s = trio.current_time()
        for client, game in ((ann, "Reversi"), (bob, "Tic-tac-toe")):
            await client.send(*[f"subscribe {game}", "unsubscribe"] * 12)
        for client in (ann, bob):
            assert await client.lines(24) == ["OK"] * 24
        assert 9 < trio.current_time() - began_s < 12, "24 searches, of which a burst of four is at once"
        (tim,) = await running.enter("tim")
        began_s = trio.current_time()
        await tim.send(*["get gamelist"] * 100)
        await tim.lines(200)
        assert trio.current_time() - began_s < 0.5, "who begins no match does not wait for those who do"


async def test_a_class_behind_one_router_is_not_slowed_down(autojump_clock: MockClock) -> None:
    """Forty bots, each of which looks for ten matches a second."""
    async with serving() as running:
        players = await running.enter(*(f"bot{number}" for number in range(40)))
        began_s = trio.current_time()
        for _ in range(5):
            for player in players:
                await player.send("subscribe Reversi", "forfeit")
                await player.until("OK")
            await trio.sleep(0.1)
        assert trio.current_time() - began_s < 1


async def test_connections_come_at_a_rate(autojump_clock: MockClock) -> None:
    async with serving_admin(limits=Limits(connections_per_address_max=3, new_connections_per_s=1)) as running:

        async def comes() -> list[str]:
            client = await running.connect()
            said = [await client.line()]
            if not said[0].startswith("ERR"):
                client.stream.socket.close()
                await trio.lowlevel.checkpoint()
            return said

        for _ in range(6):
            assert not (await comes())[0].startswith("ERR")
        refused = await comes()
        assert refused[0].startswith("ERR Too many connections from 127.0.0.1 in so short a time")
        assert "(new_connections_per_s); wait a little" in refused[0]
        assert (await get(running, "/api/status", BEARER)).status == 200, "the teacher always comes in"
        await trio.sleep(2)
        assert not (await comes())[0].startswith("ERR")


async def test_the_teacher_comes_in_where_everything_is_full(autojump_clock: MockClock) -> None:
    async with serving_admin(limits=Limits(connections_max=1)) as running:
        await running.enter("ann")
        full = await running.connect()
        assert (await full.line()).startswith("ERR The server is full")
        assert (await get(running, "/api/status", BEARER)).status == 200


async def test_input_of_an_ended_connection_is_not_read_forever(autojump_clock: MockClock) -> None:
    async with serving() as running:
        client = await running.connect()

        async def drown() -> None:
            for _ in range(1_000):
                await client.stream.send_all(b"x" * 65_536)

        with pytest.raises(trio.BrokenResourceError):
            await drown()


def test_addresses_are_forgotten_before_they_fill_the_memory(autojump_clock: MockClock) -> None:
    async def main() -> None:
        admission = ConnectionLimiter(Limits(), lambda: 0, lambda: False)
        for number in range(20_001):
            assert admission.receive(str(number)) is None
        assert len(admission._rates) <= 10_000

    trio.run(main)


def test_time_taken_long_ago_brings_no_cooldown() -> None:
    """A lone player's third challenge of the day must not wait for the first two."""
    rest = Cooldown(MATCH_REQUESTS)
    for hour in range(1, 9):
        rest.count(MATCH_REQUESTS.slice_s * 0.9, hour * 3600.0)
    assert rest.over_s == 0
    rest.count(MATCH_REQUESTS.slice_s * 0.2, 8 * 3600.0 + MATCH_REQUESTS.rest_s / 2)
    assert rest.over_s > 8 * 3600


async def test_nothing_rests_in_virtual_time(autojump_clock: MockClock) -> None:
    """Work takes no time there. A test that waits for its answers need not have the clock moved."""
    answered = dict[str, float]()
    async with serving() as running:
        for number in range(20):
            asker = Timed(f"request {number}", [0.0], answered)
            running.server._sequencer.submit(Seek(number, "Reversi"), 0, asker)
            while asker.name not in answered:
                await trio.lowlevel.checkpoint()
