"""What goes wrong: one function for each kind of misfortune, drawn from that kind's own numbers.

Each acts on the network, the disk, the power or the clock of the machine, or is what a person does; none reaches into
the server.
"""

from collections.abc import Awaitable, Callable
from random import Random
from typing import TYPE_CHECKING

from gameserver.core.commands import Drain, Kick, Void
from tests.simulation import faults
from tests.simulation.faults import DRAIN_MS_MAX, STALL_MS_MAX
from tests.simulation.power import POINTS
from tests.simulation.witness import BUGS

if TYPE_CHECKING:
    from tests.simulation.world import World

Misfortune = Callable[["World", Random], "Awaitable[None] | None"]
MEETINGS_MAX = 6


def teacher(world: "World", chance: Random) -> None:
    """The teacher ends a connection, or a match without a loser."""
    process = world.process
    if process is None or not process.serves:
        return
    lobby = process.lobby
    if lobby.matches and chance.random() < 0.5:
        process.ask(Void(chance.choice(list(lobby.matches)), "so says the teacher", by="teacher"))
    elif lobby.players:
        process.ask(Kick(chance.choice(list(lobby.players)), "enough", by="teacher"))


def bug(world: "World", chance: Random) -> None:
    """A protocol's code fails with a player, the next time that this part of it is asked."""
    process = world.process
    if process is None:
        return
    here = [witness for session, witness in process.witnesses.items() if session in process.lobby.sessions]
    if here:
        chance.choice(here).planted = chance.choice(BUGS)


async def stall(world: "World", chance: Random) -> None:
    """The server's process stands still; the rest of the world does not."""
    await world.pass_time(int(STALL_MS_MAX * chance.random() ** 3), served=False)


def slow_commit(world: "World", chance: Random) -> None:
    """From now on commits take so long, while the server goes on reading."""
    world.disk.commit_s = chance.choice((0.0, 0.0002, 0.03, 0.3, 2.0, 5.0))


def failing_commit(world: "World", chance: Random) -> None:
    """The next commits fail; some of them keep the batch, and only the answer is lost."""
    world.disk.failures = [chance.random() < 0.5 for _ in range(chance.randint(1, 4))]


def stop(world: "World", chance: Random) -> None:
    """The server stops in good order, and comes back."""
    if world.process is not None and world.process.serves:
        world.process.stop()


def drain(world: "World", chance: Random) -> None:
    """The server is told to stop when the matches are over that run, or after a while."""
    if world.process is not None:
        world.process.ask(Drain(chance.choice((0, 3_000, DRAIN_MS_MAX)), "the day is over", by="teacher"))


def crash(world: "World", chance: Random) -> None:
    """The power fails: now, or at a point that the server comes to soon."""
    process = world.process
    if process is None or process.doom is not None:
        return
    point = chance.choice(("now", *POINTS, "send", "send"))
    if point == "now":
        process.lose_power(point)
    else:
        process.doom = (point, chance.randint(1, MEETINGS_MAX))


MISFORTUNES: dict[str, Misfortune] = {
    "drop": faults.drop,
    "reset": faults.reset,
    "vanish": faults.vanish,
    "half-close": faults.half_close,
    "slow-reader": faults.slow_reader,
    "lag": faults.lag,
    "intruder": faults.intruder,
    "teacher": teacher,
    "roster": faults.roster,
    "bug": bug,
    "stall": stall,
    "slow-commit": slow_commit,
    "failing-commit": failing_commit,
    "wall-clock": faults.wall_clock,
    "stop": stop,
    "drain": drain,
    "crash": crash,
}
