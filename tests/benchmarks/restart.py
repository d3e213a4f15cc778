"""How long a start takes: with nothing to read, after a clean stop, and after a kill at the worst moment."""

import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks import archive, stores
from tests.benchmarks.databases import rows
from tests.benchmarks.load import medians
from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import ECHO, BenchmarkError, Running, gameserver, running
from tests.benchmarks.report import Figures, Row
from tests.benchmarks.stores import SqliteStore, Store

ROOT = Path(__file__).parents[2]
_JOURNAL_READ = re.compile(r"journal read .*?live_matches=(\d+) rows=(\d+)")


def measure(plan: Plan) -> list[Row]:
    """A start on each kind of data file, several times, beside the start of the echo."""
    held = _held(plan)
    with TemporaryDirectory() as name:
        directory = Path(name)
        sqlite = SqliteStore()
        killed = _built(plan, sqlite, directory / "killed")
        echo, empty, after_kill, after_stop = [], [], [], []
        for number in range(plan.rounds):
            note(f"starts, round {number + 1}")
            with running(ECHO, directory, plan.cores) as process:
                echo.append({"start s": process.start_s, "CPU s": process.cpu_s()})
            empty.append(_start(plan, sqlite.new(_made(directory / f"empty{number}")), directory, 0))
            copy = sqlite.copy(killed, _made(directory / f"copy{number}"))
            after_kill.append(_start(plan, copy, directory, plan.unfinished))
            after_stop.append(_start(plan, copy, directory, plan.unfinished))
    return [
        Row("restart", what, medians(starts), medians(echo), {"server": starts, "echo": echo})
        for what, starts in (
            ("a new data file", empty),
            (f"{held}: after a clean stop", after_stop),
            (f"{held}: after kill -9", after_kill),
        )
    ]


def measure_databases(plan: Plan) -> list[Row]:
    """The same starts on PostgreSQL beside those on SQLite, and how large the databases are."""
    held = _held(plan)
    with TemporaryDirectory() as name, stores.opened(plan) as found:
        if len(found) < 2:
            return []
        directory = Path(name)
        killed = {store.name: _built(plan, store, directory / store.name) for store in found}
        sizes = {store.name: _size(plan, store, killed[store.name]) for store in found}
        copies: dict[str, str] = {}

        def on_new_data(store: Store) -> Figures:
            return _start(plan, store.new(_made(directory / f"empty{next(numbers)}")), directory, 0)

        def after_kill(store: Store) -> Figures:
            copies[store.name] = store.copy(killed[store.name], _made(directory / f"copy{next(numbers)}"))
            return _start(plan, copies[store.name], directory, plan.unfinished)

        def after_stop(store: Store) -> Figures:
            return _start(plan, copies[store.name], directory, plan.unfinished)

        def pages(store: Store) -> dict[str, Figures]:
            subject = gameserver(directory, copies[store.name], protocol="http")
            with running(subject, directory, plan.cores) as process:
                return {what: archive.ask(process, path) for what, path in archive.paths(plan.finished).items()}

        numbers = count()
        return [
            *rows("starts", "new data", found, plan.rounds, on_new_data),
            *rows("starts", f"{held}: after kill -9", found, plan.rounds, after_kill),
            *rows("starts", f"{held}: after a clean stop", found, plan.rounds, after_stop),
            *rows("starts", f"{held}: the size", found, 1, lambda store: sizes[store.name]),
            *_rows_of_pages(found, {store.name: pages(store) for store in found}),
        ]


def _rows_of_pages(found: Sequence[Store], asked: Mapping[str, Mapping[str, Figures]]) -> list[Row]:
    def page(what: str, store: Store) -> Figures:
        return asked[store.name][what]

    names = asked[found[0].name]
    return [row for what in names for row in rows("starts", f"page of {what}", found, 1, partial(page, what))]


def _held(plan: Plan) -> str:
    return f"{plan.finished} finished, {plan.unfinished} unfinished"


def _made(directory: Path) -> Path:
    directory.mkdir()
    return directory


def _built(plan: Plan, store: Store, directory: Path) -> str:
    """A database as a server leaves it that is killed; its address."""
    data = store.new(_made(directory))
    note(f"writing a journal with {_held(plan)} matches: {store.name}")
    command = [sys.executable, "-m", "tests.benchmarks.journal_builder", data]
    done = subprocess.run(
        [*command, str(plan.finished), str(plan.unfinished)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != -signal.SIGKILL:
        raise BenchmarkError(f"the journal could not be written:\n{done.stderr}")
    return data


def _size(plan: Plan, store: Store, data: str) -> Figures:
    size_bytes = store.size_bytes(data)
    return {"MB": size_bytes / 1e6, "bytes/match": size_bytes / max(1, plan.finished)}


def _start(plan: Plan, data: str, directory: Path, live_matches: int) -> Figures:
    """Start, look at what was read, and stop cleanly."""
    with running(gameserver(directory, data), directory, plan.cores) as process:
        figures = {
            "start s": process.start_s,
            "CPU s": process.cpu_s(),
            "rows replayed": _rows_replayed(process, live_matches),
        }
    if process.popen.returncode != 0:
        raise BenchmarkError(f"the stop was not clean:\n{process.log_text()}")
    return figures


def _rows_replayed(process: Running, live_matches: int) -> float:
    found = _JOURNAL_READ.search(process.log_text())
    if found is None or int(found[1]) != live_matches:
        raise BenchmarkError(f"{live_matches} live matches were expected:\n{process.log_text()}")
    return float(found[2])
