"""How long a start takes: with nothing to read, after a clean stop, and after a kill at the worst moment."""

import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tests.benchmarks.plan import Plan, note
from tests.benchmarks.processes import ECHO, BenchmarkError, Running, gameserver, running
from tests.benchmarks.report import Figures, Row

ROOT = Path(__file__).parents[2]
_JOURNAL_READ = re.compile(r"journal read .*?live_matches=(\d+) rows=(\d+)")


def measure(plan: Plan) -> list[Row]:
    """A start on each kind of data file, several times, beside the start of the echo."""
    held = f"{plan.finished} finished, {plan.unfinished} unfinished"
    with TemporaryDirectory() as name:
        directory = Path(name)
        note(f"writing a journal with {held} matches")
        killed = directory / "killed"
        killed.mkdir()
        _build(killed / "data.sqlite3", plan)
        echo, empty, after_kill, after_stop = [], [], [], []
        for number in range(plan.rounds):
            note(f"starts, round {number + 1}")
            with running(ECHO, directory, plan.cores) as process:
                echo.append({"start s": process.start_s})
            empty.append(_start(plan, directory / f"empty{number}" / "data.sqlite3", 0))
            copy = directory / f"copy{number}"
            shutil.copytree(killed, copy)
            after_kill.append(_start(plan, copy / "data.sqlite3", plan.unfinished))
            after_stop.append(_start(plan, copy / "data.sqlite3", plan.unfinished))
    return [
        Row("restart", what, _median(starts), _median(echo), {"server": starts, "echo": echo})
        for what, starts in (
            ("a new data file", empty),
            (f"{held}: after a clean stop", after_stop),
            (f"{held}: after kill -9", after_kill),
        )
    ]


def _build(data: Path, plan: Plan) -> None:
    command = [sys.executable, "-m", "tests.benchmarks.journal_builder", str(data)]
    done = subprocess.run(
        [*command, str(plan.finished), str(plan.unfinished)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode != -signal.SIGKILL:
        raise BenchmarkError(f"the journal could not be written:\n{done.stderr}")


def _start(plan: Plan, data: Path, live_matches: int) -> Figures:
    """Start, look at what was read, and stop cleanly."""
    data.parent.mkdir(exist_ok=True)
    with running(gameserver(data.parent, data), data.parent, plan.cores) as process:
        figures = {"start s": process.start_s, "rows replayed": _rows_replayed(process, live_matches)}
    if process.popen.returncode != 0:
        raise BenchmarkError(f"the stop was not clean:\n{process.log_text()}")
    return figures


def _rows_replayed(process: Running, live_matches: int) -> float:
    found = _JOURNAL_READ.search(process.log_text())
    if found is None or int(found[1]) != live_matches:
        raise BenchmarkError(f"{live_matches} live matches were expected:\n{process.log_text()}")
    return float(found[2])


def _median(rounds: list[Figures]) -> Figures:
    return {key: median(figures[key] for figures in rounds) for key in rounds[0]}
