"""One run: operations by a seed, until something does not hold; and the fewest operations that show it."""

from collections.abc import Callable, Iterable, Sequence
from random import Random

from attrs import frozen

from gameserver.protocol import RefusalKind
from tests.fuzz.dialects import DIALECTS
from tests.fuzz.mutation import bent, flood, in_pieces
from tests.fuzz.world import FuzzWorld, Operation

CONNECTIONS = 3
WAITS_MS = (1, 1_000, 16_000, 61_000)
REFUSALS = tuple(RefusalKind)


@frozen
class Failure:
    """A run that found something."""

    protocol: str
    seed: int
    operations: tuple[Operation, ...]
    error: Exception


def run(protocol: str, seed: int, inputs: int) -> Failure | None:
    """Send this many inputs; gives what went wrong."""
    chance = Random(f"{protocol} {seed}")
    return carry_out(protocol, seed, lambda world: (_next(world, chance) for _ in range(inputs)))


def carry_out(protocol: str, seed: int, operations: Callable[[FuzzWorld], Iterable[Operation]]) -> Failure | None:
    """Carry operations out, each chosen when those before it are through; gives what went wrong."""
    world = FuzzWorld(DIALECTS[protocol](), seed, operations)
    try:
        world.run()
    except Exception as error:  # noqa: BLE001 - whatever comes out is a find
        return Failure(protocol, seed, tuple(world.done), error)
    return None


def _next(world: FuzzWorld, chance: Random) -> Operation:
    there = [connection for connection in world.connections if connection.is_open]
    if len(there) < CONNECTIONS:
        return Operation("open")
    connection = chance.choice(there)
    number = connection.number
    roll = chance.random()
    if roll < 0.005:
        return Operation("end", number)
    if roll < 0.01:
        return Operation("lose", number)
    if roll < 0.012:
        return Operation("dismiss", number, chance.choice(REFUSALS))
    if roll < 0.048:
        return Operation("wait", what=chance.choice(WAITS_MS))
    data = world.dialect.right(chance, number, connection.heard)
    if roll < 0.05:
        data, step = flood(chance, data), chance.choice((4_096, 65_536))
        return Operation("feed", number, tuple(data[start : start + step] for start in range(0, len(data), step)))
    if chance.random() > world.dialect.right_share:
        data = bent(chance, data)
    return Operation("feed", number, in_pieces(chance, data))


def shrink(failure: Failure) -> Failure:
    """The same failure by fewer operations, as far as leaving some out shows it."""
    best, size = failure, max(1, len(failure.operations) // 2)
    while size:
        start = 0
        while start < len(best.operations):
            fewer = best.operations[:start] + best.operations[start + size :]
            found = repeat(failure.protocol, failure.seed, fewer)
            if found is not None and str(found.error)[:40] == str(failure.error)[:40]:
                best = found
            else:
                start += size
        size //= 2
    return best


def repeat(protocol: str, seed: int, operations: Sequence[Operation]) -> Failure | None:
    """Carry out these; gives what goes wrong."""
    return carry_out(protocol, seed, lambda _: operations)
