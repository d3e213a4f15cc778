"""Who moves in time never loses on time, whatever server and network do; who moves too late always does.

A thousand moves, with the same share of late ones:

    GAMESERVER_FAIR_MOVES=1000 python -m pytest tests/end_to_end/test_fairness.py

Pairs of bots play Reversi through a proxy that holds every byte back for 200 ms on either way, while
the server is brought to a stand for three seconds again and again, as a machine does that swaps. The
proxy knows the truth: how long after a YOURTURN had left the server the answer was brought to it. In
time is what comes within the turn, late what comes later than turn and margin; what lies between is
used by nobody here. The bots take all the time they have.
"""

import os
import random
import signal
from collections.abc import Callable, Sequence
from math import inf

import trio
from attrs import Factory, define, field

from games.reversi import GAME as REVERSI
from tests.clients.strategic import Ended, Heard, Move, Opened, StrategicClient, Turn
from tests.end_to_end.support import LOCAL

MOVES = int(os.environ.get("GAMESERVER_FAIR_MOVES", "40"))
PAIRS = 12
LATE_PAIRS = max(6, MOVES // 20)
DELAY_S = 0.2
STALL_S = 3.0
STALLS = 1 if MOVES < 200 else MOVES // 60
TURN_S = 2.0
MARGIN_S = 0.25
HASTE_S = 0.6
"""How long before the end of the turn the latest moves come, for a machine that is busy with other things."""
TOO_LATE_S = 1.0
"""How long after the margin late moves come: the server's clock may stand for a moment when the machine does."""
NAME = REVERSI.name


@define
class Delayed:
    """A connection through the proxy, as a bot has it: lines that come late, and bytes that leave late."""

    stream: trio.SocketStream
    told_s: float = inf
    """When the last YOURTURN left the server."""
    _arriving: trio.MemoryReceiveChannel[tuple[float, bytes]] | None = None

    async def carry(self, arriving: trio.MemorySendChannel[tuple[float, bytes]]) -> None:
        """Bring what the server says, each piece when its time has come."""
        async with arriving:
            async for data in self.stream:
                now_s = trio.current_time()
                if b"YOURTURN" in data:
                    self.told_s = now_s
                await arriving.send((now_s + DELAY_S, data))

    def start(self, nursery: trio.Nursery) -> None:
        sending, self._arriving = trio.open_memory_channel[tuple[float, bytes]](inf)
        nursery.start_soon(self.carry, sending)

    async def receive(self) -> bytes:
        """The next bytes; empty at the end."""
        assert self._arriving is not None
        try:
            due_s, data = await self._arriving.receive()
        except trio.EndOfChannel:
            return b""
        await trio.sleep_until(due_s)
        return data

    async def send(self, data: bytes) -> None:
        """Say something; it reaches the server after a while."""
        await trio.sleep(DELAY_S)
        await self.stream.send_all(data)


@define
class Tally:
    """What came of the moves of all pairs."""

    in_time: int = 0
    """Moves that reached the server within the turn."""
    late: int = 0
    """Those that came too late."""
    hurried: int = 0
    """Meant to be in time, and brought too late by the machine that the test runs on."""
    punished: int = 0
    lost_in_time: list[str] = Factory(list)
    unpunished: list[str] = Factory(list)
    is_enough: trio.Event = Factory(trio.Event)


@define
class Player:
    """One bot. `thinks_s` says for each move how long after YOURTURN it is to reach the server."""

    name: str
    tally: Tally
    thinks_s: Callable[[], float]
    is_late: bool
    chance: random.Random
    wants_more: Callable[[], bool]
    client: StrategicClient = field(factory=lambda: StrategicClient({NAME: REVERSI}.get), repr=False)
    took_s: float = 0.0
    has_enough: bool = False

    async def play(self, port: int, address: str) -> None:
        """Log in, and play matches for as long as more is wanted."""
        stream = await trio.open_tcp_stream(LOCAL, port, local_address=address)
        async with stream, trio.open_nursery() as nursery:
            wire = Delayed(stream)
            wire.start(nursery)
            await wire.send(self.client.say(f"login {self.name}"))
            await wire.send(self.client.say(f"subscribe {NAME}"))
            while not self.has_enough and (data := await wire.receive()):
                for heard in self.client.receive(data):
                    await self._heard(wire, heard)
            nursery.cancel_scope.cancel()

    async def _heard(self, wire: Delayed, heard: Heard) -> None:
        match heard:
            case Opened():
                self.took_s = 0.0
            case Move(self.name) if self.is_late:
                self.tally.unpunished.append(f"{self.name} after {self.took_s:.3f} s")
            case Turn():
                await self._move(wire)
            case Ended():
                self._ended(heard)
                self.has_enough = not self.wants_more()
                if not self.has_enough:
                    await wire.send(self.client.say(f"subscribe {NAME}"))

    async def _move(self, wire: Delayed) -> None:
        seen = self.client.match
        assert seen is not None
        assert seen.state is not None
        move = self.chance.choice(seen.state.legal_moves(seen.own_seat))
        told_s = wire.told_s
        await trio.sleep_until(told_s + self.thinks_s() - DELAY_S)
        await wire.send(self.client.say(f"move {move}"))
        self.took_s = trio.current_time() - told_s
        if self.is_late:
            self.tally.late += 1
        elif self.took_s <= TURN_S:
            self.tally.in_time += 1
            if self.tally.in_time == MOVES:
                self.tally.is_enough.set()
        else:
            self.tally.hurried += 1

    def _ended(self, heard: Ended) -> None:
        lost_on_time = (heard.result, heard.comment) == ("loss", "Turn timelimit reached")
        if lost_on_time and self.is_late:
            self.tally.punished += 1
        elif lost_on_time and self.took_s <= TURN_S:
            self.tally.lost_in_time.append(f"{self.name} after {self.took_s:.3f} s")


async def stall(server, times: int, pause_s: float) -> None:
    """Bring the server to a stand, over and over."""
    for _ in range(times):
        await trio.sleep(pause_s)
        server.process.send_signal(signal.SIGSTOP)
        try:
            await trio.sleep(STALL_S)
        finally:
            server.process.send_signal(signal.SIGCONT)


async def together(server, players: Sequence[Player], *, stalls: int) -> None:
    with trio.fail_after(60 + MOVES):
        async with trio.open_nursery() as nursery:
            for number, player in enumerate(players):
                nursery.start_soon(player.play, server.port, f"127.0.1.{number + 1}")
            if stalls:
                nursery.start_soon(lambda: stall(server, stalls, 1.5))


def test_moves_in_time_lose_nobody_a_match(serve):
    server = serve(match={"turn_time_s": TURN_S, "late_margin_ms": round(MARGIN_S * 1000)})
    tally, chance = Tally(), random.Random(1)

    def enough() -> bool:
        return tally.in_time >= MOVES

    def thinks_s() -> float:
        return 2 * DELAY_S if enough() else chance.uniform(2 * DELAY_S, TURN_S - HASTE_S)

    players = [
        Player(f"bot{number}", tally, thinks_s, False, random.Random(number), lambda: not enough())
        for number in range(2 * PAIRS)
    ]

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(lambda: together(server, players, stalls=STALLS))
            await tally.is_enough.wait()
            await trio.sleep(TURN_S + STALL_S)  # whoever is to lose on time has lost by then
            nursery.cancel_scope.cancel()

    trio.run(run)
    assert tally.lost_in_time == []
    assert tally.in_time >= MOVES
    assert tally.hurried <= MOVES // 10, "this machine is too busy to tell"
    assert not [match for match in server.matches() if match.reason == "late"], "nobody was late"


def test_moves_that_are_too_late_always_lose(serve):
    server = serve(match={"turn_time_s": 1.0, "late_margin_ms": round(MARGIN_S * 1000)})
    tally = Tally()
    players = [
        Player(f"bot{number}", tally, lambda: 1.0 + MARGIN_S + TOO_LATE_S, True, random.Random(number), lambda: False)
        for number in range(2 * LATE_PAIRS)
    ]
    trio.run(lambda: together(server, players, stalls=0))
    assert tally.unpunished == []
    assert tally.punished == LATE_PAIRS
    assert {match.reason for match in server.matches()} == {"late"}
