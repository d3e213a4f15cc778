"""Two servers over one database, whatever happens to them, and players that outlive it all.

A player plays with the server that leads. When another one leads it goes there, by itself if its connection ends,
else as a proxy would make it. Nothing here knows which fault comes: tests strike, and wait for what has to follow.
"""

import os
import random
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
import pytest
import trio
from attrs import Factory, define, field

from tests.end_to_end.arena import Arena
from tests.end_to_end.recorded import Recorded, read_matches
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import DEADLINE_S
from tests.end_to_end.survivors import Survivor, check_records, together

LOOK_S = 0.01
PAUSE_S = 0.02
"""Leaves the servers some of the processor."""
PLAYERS = {"Reversi": 4, "Tic-tac-toe": 6}
MOVES_AT_THE_END = 40
ROUNDS = int(os.environ.get("GAMESERVER_FAULTS", "50"))
"""Rounds of each fault with `-m slow`."""
RUNS = 2
"""The slow tests that share them, so that they can run at the same time."""
SECONDS_A_ROUND = 60.0
"""Far more than one fault and its end take."""


def rounds_of(soon: int) -> list[Any]:
    """Seeds with a number of rounds each: one for the suite, unless `soon` is 0, and slow ones."""
    cases = [(0, soon, ())] if soon else []
    cases += [(1 + run, ROUNDS // RUNS, (pytest.mark.slow,)) for run in range(RUNS)]
    return [
        pytest.param(
            *(run, rounds),
            id=f"seed {run}, {rounds} rounds",
            marks=(pytest.mark.timeout(120 + rounds * SECONDS_A_ROUND), *marks),
        )
        for run, rounds, marks in cases
    ]


class Member(Server):
    """One of the servers over a database."""

    def __init__(self, directory: Path, address: str, config: dict[str, Any], **options: Any) -> None:
        directory.mkdir()
        super().__init__(directory, config, data=address, cwd=directory, **options)

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    @property
    def leads(self) -> bool:
        """True if it has said where it listens. A server that stood by does so once it leads."""
        lines = self.printed.lines
        rows = [number for number, line in enumerate(lines) if line.startswith("strategic  ")]
        return bool(rows) and any("Ctrl-C" in line for line in lines[rows[0] :])

    async def stands_by(self) -> None:
        """Wait until it says that it stands by."""
        await trio.to_thread.run_sync(self.printed.wait_for, "standing by")

    async def stops_with_one_line(self) -> str:
        """Wait for its end, which it has decided itself; the line that tells why."""
        code = await trio.to_thread.run_sync(self.wait)
        assert code == 1, self.log.text
        assert self.log.lines[-1].startswith("gameserver: "), self.log.text
        return self.log.lines[-1]

    def rejoin(self) -> None:
        """Start it anew, after its end."""
        assert not self.is_running
        self.close()
        self.launch()


@define
class Hall(Arena):
    """The servers over one database, and the players around them."""

    members: list[Member] = Factory(list)
    takeovers_s: list[float] = Factory(list)
    """The seconds from each strike to the moment when another server leads."""
    _struck_s: float = field(default=0.0, init=False)
    _scopes: dict[trio.CancelScope, Server] = field(factory=dict, eq=False)
    _seen: set[int] = Factory(set)
    """The processes that lead, or did."""

    async def watch(self) -> None:
        """Tell the players of each server that leads, as soon as it does."""
        while True:
            for member in self.members:
                if hasattr(member, "process") and member.process.pid not in self._seen and member.leads:
                    self._seen.add(member.process.pid)
                    member.wait_until_it_listens()
                    self.server = member
                    if self.generation:
                        self.takeovers_s.append(trio.current_time() - self._struck_s)
                    self.opens(self.moves_left, self._then)
            await trio.sleep(LOOK_S)

    @property
    def leader(self) -> Member:
        """The server that was the last to begin to lead."""
        assert isinstance(self.server, Member)
        return self.server

    @property
    def standby(self) -> Member:
        """The other of two servers."""
        (other,) = (member for member in self.members if member is not self.server)
        return other

    def launch(self) -> None:
        """Start all servers, one right after the other, and wait for none of them."""
        for member in self.members:
            member.launch()

    async def lead_after(self, generation: int) -> None:
        """Wait until another server leads than the one of this generation, and is played with."""
        await self.after(generation)
        await self.moves(1)

    async def moves(self, count: int) -> None:
        """Wait until so many more moves were taken."""
        taken = trio.Event()
        self.moves_left, self._then = count, taken.set
        with trio.fail_after(DEADLINE_S):
            await taken.wait()

    async def strike(self, chance: random.Random, act: Callable[[], object]) -> None:
        """Have something happen at a moment by the clock, or at the moment when a client hears of its move."""
        if chance.random() < 0.3:
            await trio.sleep(chance.uniform(0, 0.4))
            self._struck_s = trio.current_time()
            act()
            return
        struck = trio.Event()

        def now() -> None:
            self._struck_s = trio.current_time()
            act()
            struck.set()

        self.moves_left, self._then = chance.randint(1, 60), now
        with trio.fail_after(DEADLINE_S):
            await struck.wait()

    async def live(self, survivor: Survivor) -> None:
        """Play, leader after leader, until the player has left."""
        generation = 0
        while not survivor.is_done:
            await self.after(generation)
            generation = self.generation
            with trio.CancelScope() as scope:
                self._scopes[scope] = self.server
                await survivor.converse(self.server.port)
            del self._scopes[scope]

    def end_sessions(self, server: Server) -> None:
        """End the players' connections to a server, as a proxy does that finds it dead."""
        for scope, of in self._scopes.items():
            if of is server:
                scope.cancel()


Fault = Callable[[Hall, random.Random], Awaitable[None]]


async def play_through(hall: Hall, address: str, seed: int, rounds: int, fault: Fault) -> None:
    """Everybody plays while a fault happens again and again; then each player is held to the records.

    What is checked is what `test_kill` checks: every move that was acknowledged is shown to its players when they
    return, in its place, and is on record, and nothing that was not sent is.
    """
    chance = random.Random(seed)
    bots = Survivor.several(PLAYERS, hall, chance, PAUSE_S)
    hall.launch()
    async with together(60 + rounds * SECONDS_A_ROUND) as watching:
        watching.start_soon(hall.watch)
        async with trio.open_nursery() as playing:
            for bot in bots:
                playing.start_soon(hall.live, bot)
            await hall.lead_after(0)
            for _ in range(rounds):
                await fault(hall, chance)
            await hall.moves(MOVES_AT_THE_END)
            hall.finishing = True
            for bot in bots:
                await bot.retire()
        watching.cancel_scope.cancel()
    for member in sorted(hall.members, key=lambda member: member is hall.leader):
        if member is not hall.leader:
            await member.stands_by()
        assert await trio.to_thread.run_sync(member.stop, signal.SIGTERM) == 0, member.log.text
    check_records(bots, recorded_in(address))
    if hall.takeovers_s:
        print(
            f"takeovers: {len(hall.takeovers_s)}, {median(hall.takeovers_s):.2f} s, {max(hall.takeovers_s):.2f} at most"
        )


def recorded_in(address: str) -> list[Recorded]:
    """The finished matches, as a teacher would ask for them."""
    with psycopg.connect(address) as connection:
        connection.execute("SET search_path = gameserver_hall, gameserver")
        connection.execute("SET gameserver.hall = ''")
        return read_matches(connection)
