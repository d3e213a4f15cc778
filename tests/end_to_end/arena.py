"""A server that is killed and started again, over and over, and players that outlive it."""

import random
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest
import trio
from attrs import Factory, define

from tests.end_to_end.server_process import Server
from tests.end_to_end.support import DEADLINE_S

if TYPE_CHECKING:
    from tests.end_to_end.survivors import Survivor

RUNS = 2
"""The kills are shared by this many tests, so that they can run at the same time."""
KILLS_AT_LENGTH = 200
"""As many for the slow tests."""
SECONDS_A_KILL = 30.0
"""Far more than a kill and a start take."""


def shared(kills: int) -> list[Any]:
    """The seeds of the tests that share the kills, each with its part; then of the slow ones, which have more."""
    soon = [_case(run, kills // RUNS + (run < kills % RUNS)) for run in range(RUNS)]
    return soon + [_case(run, KILLS_AT_LENGTH // RUNS, pytest.mark.slow) for run in range(RUNS, 2 * RUNS)]


def _case(run: int, kills: int, *marks: pytest.MarkDecorator) -> Any:
    patience = pytest.mark.timeout(120 + kills * SECONDS_A_KILL)
    return pytest.param(run, kills, id=f"seed {run}, {kills} kills", marks=(patience, *marks))


@define
class Arena:
    """The server of the moment, and the players around it."""

    server: Server
    generation: int = 0
    """The number of servers so far."""
    finishing: bool = False
    moves_left: int = 0
    """The number of moves to be taken until something happens."""
    _then: Callable[[], None] | None = None
    _changed: trio.Event = Factory(trio.Event)

    def opens(self, moves: int, then: Callable[[], None]) -> None:
        """A server listens; when so many moves were taken, `then` is called at once."""
        self.moves_left, self._then = moves, then
        self.generation += 1
        self._changed.set()
        self._changed = trio.Event()

    def a_move_was_taken(self) -> None:
        """A client hears that a move was taken."""
        self.moves_left -= 1
        if self.moves_left == 0:
            assert self._then is not None
            self._then()

    async def after(self, generation: int) -> None:
        """Wait for a server after this one."""
        with trio.fail_after(DEADLINE_S):
            while self.generation <= generation:
                await self._changed.wait()


async def play_through_kills(
    arena: Arena,
    survivors: "Sequence[Survivor]",
    nursery: trio.Nursery,
    chance: random.Random,
    kills: int,
    moves_after: int,
) -> None:
    """Everybody plays while the server is killed so often, and then until so many more moves were taken."""
    for survivor in survivors:
        nursery.start_soon(_live, survivor, arena)
    for _ in range(kills):
        await _kill_some_time(arena, chance)
    played_enough = trio.Event()
    await trio.to_thread.run_sync(arena.server.start)
    arena.opens(moves_after, played_enough.set)
    await played_enough.wait()
    arena.finishing = True


async def _live(survivor: "Survivor", arena: Arena) -> None:
    """Play, server after server, until the player has left."""
    generation = 0
    while not survivor.is_done:
        await arena.after(generation)
        generation = arena.generation
        await survivor.converse(arena.server.port)


async def _kill_some_time(arena: Arena, chance: random.Random) -> None:
    """One life of the server, to its violent end; now and then, one before it that ends before it has begun."""
    server = arena.server
    if chance.random() < 0.2:
        server.launch()
        await trio.sleep(chance.uniform(0, 0.5))
        server.kill()
    moves = chance.choice([0, chance.randint(1, 100)])
    await trio.to_thread.run_sync(server.start)
    arena.opens(moves, server.process.kill)
    if moves == 0:
        await trio.sleep(chance.uniform(0, 0.4))
        server.kill()
    else:
        with trio.fail_after(SECONDS_A_KILL):
            await trio.to_thread.run_sync(server.process.wait, abandon_on_cancel=True)
