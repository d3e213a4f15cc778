"""One run: operations by a seed, until something does not hold; and the fewest operations that show it."""

from collections.abc import Sequence
from random import Random

from attrs import frozen

from gameserver.protocol import RefusalKind
from tests.fuzz.dialects import DIALECTS
from tests.fuzz.mutation import bent, flood, in_pieces
from tests.fuzz.server import Dismiss, End, Feed, FuzzedServer, Lose, Open, Operation, Pass
from tests.fuzz.tasks import without_trio

CONNECTIONS = 3


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
    done: list[Operation] = []
    with without_trio():
        try:
            server = FuzzedServer(DIALECTS[protocol]())
            for _ in range(inputs):
                done.append(_next(server, chance))
                server.do(done[-1])
            server.look_over()
        except Exception as error:  # noqa: BLE001 - whatever comes out is a find
            return Failure(protocol, seed, tuple(done), error)
    return None


def _next(server: FuzzedServer, chance: Random) -> Operation:
    there = [number for number, connection in enumerate(server.connections) if connection.is_open]
    if len(there) < CONNECTIONS:
        return Open()
    number = chance.choice(there)
    match chance.random():
        case roll if roll < 0.002:
            connection = server.connections[number]
            data = flood(chance, server.dialect.right(chance, connection.session, connection.last_said))
            step = chance.choice((4_096, 65_536))
            return Feed(number, tuple(data[start : start + step] for start in range(0, len(data), step)))
        case roll if roll < 0.007:
            return End(number)
        case roll if roll < 0.012:
            return Lose(number)
        case roll if roll < 0.014:
            return Dismiss(number, chance.choice(list(RefusalKind)))
        case roll if roll < 0.05:
            return Pass(chance.choice((1, 1_000, 16_000, 61_000)))
    connection = server.connections[number]
    data = server.dialect.right(chance, connection.session, connection.last_said)
    if chance.random() > server.dialect.right_share:
        data = bent(chance, data)
    return Feed(number, in_pieces(chance, data))


def shrink(failure: Failure) -> Failure:
    """The same failure by fewer operations, as far as leaving some out shows it."""
    operations, size = failure.operations, max(1, len(failure.operations) // 2)
    while size:
        start = 0
        while start < len(operations):
            fewer = operations[:start] + operations[start + size :]
            error = error_of(failure.protocol, fewer)
            if type(error) is type(failure.error) and str(error)[:40] == str(failure.error)[:40]:
                operations = fewer
            else:
                start += size
        size //= 2
    return Failure(failure.protocol, failure.seed, operations, failure.error)


def error_of(protocol: str, operations: Sequence[Operation]) -> Exception | None:
    """What goes wrong when these are carried out; None if nothing does."""
    with without_trio():
        try:
            server = FuzzedServer(DIALECTS[protocol]())
            for operation in operations:
                if isinstance(operation, Open | Pass) or operation.connection < len(server.connections):
                    server.do(operation)
            server.look_over()
        except Exception as error:  # noqa: BLE001 - as above
            return error
    return None
