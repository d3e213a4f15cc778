"""The same journals in another process, with another hash seed: they must lead to the same lobbies.

What depends on the order of a set is the same in one process however often it is done again. As a
program, this reads journals and writes the seeds of those that lead somewhere else.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson
from attrs import asdict

from gameserver.journal.journal import JournalRow
from gameserver.journal.recovery import replay
from gameserver.journal.snapshot import digest
from tests.simulation.durable import Tail
from tests.simulation.plan import GAMES
from tests.simulation.run import Finished

ROOT = Path(__file__).parents[2]


def diverging(runs: Iterable[Finished]) -> list[int]:
    """The seeds of those runs whose journals another process understands otherwise."""
    hash_seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    finished = subprocess.run(
        [sys.executable, "-m", "tests.simulation.elsewhere"],
        input=b"\n".join(_written(run) for run in runs),
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        timeout=120,
    )
    return [int(seed) for seed in finished.stdout.split()]


def _written(run: Finished) -> bytes:
    rows = [{**asdict(row), "body": row.body.decode()} for row in run.rows]
    return orjson.dumps((run.plan.seed, run.digest, rows))


def _read(lines: Iterable[bytes]) -> Iterator[tuple[int, str, list[JournalRow]]]:
    for line in filter(None, lines):
        seed, expected, rows = orjson.loads(line)
        yield seed, expected, [JournalRow(**{**row, "body": row["body"].encode()}) for row in rows]


if __name__ == "__main__":
    for seed, expected, rows in _read(sys.stdin.buffer.read().splitlines()):
        if digest(replay(Tail(rows), GAMES).lobby) != expected:
            print(seed)
