"""Our server and the peers in turns, at the same games: the CPU of a move, and how long it takes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import evolve, frozen

from tests.benchmarks.load import GATHER, MATCHES, Gather, medians, one_round
from tests.benchmarks.peers.colyseus import DURABLE, IN_MEMORY, durable, in_memory, installed_node
from tests.benchmarks.peers.players import gathered_in_rooms
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import Subject, gameserver, running
from tests.benchmarks.report import Figures, Row

OURS = "server"


@frozen
class Match:
    """A game, as our server and the peer know it."""

    protocol: str
    room: str


TIC_TAC_TOE = Match("strategic", "tic-tac-toe")
CONNECT_FOUR = Match("connect-four", "connect-four")


def measure(plan: Plan) -> list[Row]:
    """Each game with each number of matches. Raises `BenchmarkError` where Node is missing."""
    node = installed_node()
    plan = evolve(plan, warmup_s=plan.peer_warmup_s)
    return [_row(plan, node, TIC_TAC_TOE, pairs) for pairs in plan.peer_pairs] + [
        _row(plan, node, CONNECT_FOUR, pairs) for pairs in plan.peer_room_pairs
    ]


def _row(plan: Plan, node: str, match: Match, pairs: int) -> Row:
    """Each round begins with another server, so that a noisy moment hits all; the median of the rounds."""
    what = f"{pairs} {MATCHES[match.protocol]}"
    rounds: dict[str, list[Figures]] = {name: [] for name in (OURS, DURABLE, IN_MEMORY)}
    for number in range(plan.rounds):
        names = list(rounds)
        first = number % len(names)
        for name in names[first:] + names[:first]:
            with TemporaryDirectory() as directory:
                subject, gather = _server(name, node, match, Path(directory))
                with running(subject, Path(directory), plan.cores) as process:
                    note(f"{what}, round {number + 1}: {name} (process {process.popen.pid})")
                    rounds[name].append(one_round(process, gather, plan, pairs, 0.0))
    found = {name: medians(figures) for name, figures in rounds.items()}
    return Row(
        "peers",
        what,
        found[OURS],
        found[DURABLE],
        rounds,
        baseline=DURABLE,
        beside={IN_MEMORY: found[IN_MEMORY]},
    )


def _server(name: str, node: str, match: Match, directory: Path) -> tuple[Subject, Gather]:
    """A server, and what brings players to it."""
    peers: dict[str, Callable[[], Subject]] = {
        DURABLE: lambda: durable(node, directory),
        IN_MEMORY: lambda: in_memory(node),
    }
    if name == OURS:
        return gameserver(directory, protocol=match.protocol), GATHER[match.protocol]
    return peers[name](), partial(gathered_in_rooms, match.room)
