"""The same matches in one hall and in two, over one PostgreSQL database, with all cores for everybody.

Where a machine has two cores, halls, database and load share them: the load's part is told beside each row.
The players of both halls have the same names, so the halls wait for each other's ratings as much as they ever can.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from tests.benchmarks import stores
from tests.benchmarks.generator import Tally, loop
from tests.benchmarks.load import gathered_pairs, medians
from tests.benchmarks.measuring import measured
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.players import Pace
from tests.benchmarks.processes import Cores, Running, Subject, gameserver, running
from tests.benchmarks.report import Figures, Row
from tests.benchmarks.stores import Store

HALLS = ("", "reversi")
ONE, TWO = "1 hall", "2 halls"


@frozen
class Side:
    """Servers that are measured as one."""

    servers: Sequence[Running]

    def cpu_s(self) -> float:
        """User and system time of all of them so far."""
        return sum(server.cpu_s() for server in self.servers)


def measure(plan: Plan) -> list[Row]:
    """Each number of pairs, in one hall and half of them in each of two."""
    with stores.opened(plan) as found:
        store = next((one for one in found if one.name == "PostgreSQL"), None)
        return [] if store is None else [_row(plan, store, pairs) for pairs in plan.hall_pairs]


def _row(plan: Plan, store: Store, pairs: int) -> Row:
    taken: dict[str, list[Figures]] = {ONE: [], TWO: []}
    counts = ((ONE, 1), (TWO, 2))
    for number in range(plan.rounds):
        for name, halls in counts if number % 2 == 0 else reversed(counts):
            note(f"{pairs} matches in {name}, round {number + 1}")
            taken[name].append(_round(plan, store, pairs, HALLS[:halls]))
    what = f"{pairs} matches in 2 halls"
    return Row("halls", what, medians(taken[TWO]), medians(taken[ONE]), taken, baseline=ONE)


def _round(plan: Plan, store: Store, pairs: int, halls: Sequence[str]) -> Figures:
    cores, tally = Cores.chosen(pin=False), Tally()
    with TemporaryDirectory() as name, ExitStack() as stack:
        data = store.new(Path(name))
        servers = [stack.enter_context(_running(Path(name) / f"hall-{hall}", data, hall, cores)) for hall in halls]
        working = stack.enter_context(loop())
        for server in servers:
            gathered_pairs(server, max(1, pairs // len(halls)), working, tally, Pace(working, 0.0))
        times = {"warmup_s": plan.warmup_s, "seconds": plan.seconds}
        return measured(Side(servers), working, tally, "move", "moves", **times, counters=store.counters)


def _running(directory: Path, data: str, hall: str, cores: Cores) -> AbstractContextManager[Running]:
    directory.mkdir()
    subject = gameserver(directory, data)
    if hall:
        with (directory / "config.toml").open("a", encoding="utf-8") as config:
            config.write(f'\n[hall]\nname = "{hall}"\n')
    return running(Subject(f"server of hall {hall}".strip(), subject.command, subject.hello), directory, cores)
