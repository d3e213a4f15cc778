"""Our server and the peers in turns, at the same games: the CPU of a move, and how long it takes."""

from functools import partial
from pathlib import Path

from attrs import evolve

from tests.benchmarks.load import GATHER, matches, played
from tests.benchmarks.peers.players import gathered_in_rooms
from tests.benchmarks.processes import BenchmarkError, Subject, gameserver
from tests.benchmarks.report import Plan, Row, compared
from tests.support.npm import NpmFailed, NpmMissing, node_with_packages

HERE = Path(__file__).parent
HELLO = b"GET /matchmake/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
DURABLE, IN_MEMORY = "colyseus durable", "colyseus in memory"


def measure(plan: Plan) -> list[Row]:
    """Each game with each number of matches. Raises `BenchmarkError` where Node is missing."""
    node = _installed_node()
    plan = evolve(plan, warmup_s=plan.peer_warmup_s)
    text = [_row(plan, node, "strategic", "tic-tac-toe", pairs) for pairs in plan.peer_pairs]
    return text + [_row(plan, node, "connect-four", "connect-four", pairs) for pairs in plan.peer_room_pairs]


def _row(plan: Plan, node: str, protocol: str, room: str, pairs: int) -> Row:
    in_rooms = partial(gathered_in_rooms, room)
    measures = {
        "server": partial(played, plan, partial(gameserver, protocol=protocol), GATHER[protocol], pairs),
        DURABLE: partial(played, plan, partial(_peer, DURABLE, node), in_rooms, pairs),
        IN_MEMORY: partial(played, plan, partial(_peer, IN_MEMORY, node), in_rooms, pairs),
    }
    return compared(plan, "peers", matches(protocol, pairs), measures, baseline=DURABLE)


def _peer(name: str, node: str, directory: Path) -> Subject:
    """A peer: durable with a journal, or one that promises nothing."""
    journal = (str(directory / "journal.log"),) if name == DURABLE else ()
    # Colyseus does some more work for each message where this variable does not say that it serves users.
    return Subject(name, ("env", "NODE_ENV=production", node, str(HERE / "server.mjs"), "{port}", *journal), HELLO)


def _installed_node() -> str:
    """The program that runs the peers, which are installed if they are not yet. Raises `BenchmarkError`."""
    try:
        return node_with_packages(HERE)
    except NpmMissing as missing:
        raise BenchmarkError(f"the peers cannot be measured here: {missing}") from missing
    except NpmFailed as failed:
        raise BenchmarkError(f"the peers could not be installed: {failed}") from failed
