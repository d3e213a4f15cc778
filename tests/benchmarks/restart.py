"""Times a start: with nothing to read, after a clean stop, and after a kill in the midst of play."""

import re
import shutil
import signal
from functools import partial
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.load import gathered_pairs
from tests.benchmarks.players import Pace, Tally, loop
from tests.benchmarks.processes import ECHO, BenchmarkError, Running, gameserver, note, running
from tests.benchmarks.report import Figures, Plan, Row, compared

TIMEOUT_S = 1800.0
LOOK_S = 0.1
_JOURNAL_READ = re.compile(r"journal read .*?live_matches=(\d+) rows=(\d+)")


def measure(plan: Plan) -> list[Row]:
    """A start on each kind of data file, several times, beside the start of the echo."""
    held = f"{plan.finished} finished, {plan.unfinished} unfinished"
    numbers = count()
    with TemporaryDirectory() as name:
        killed, stopped = Path(name) / "killed", Path(name) / "stopped"
        _play_and_kill(plan, killed)
        shutil.copytree(killed, stopped)
        _start(plan, stopped, plan.unfinished)

        def new() -> Path:
            return Path(name) / str(next(numbers))

        def echo() -> Figures:
            with running(ECHO, Path(name), plan.cores) as process:
                return {"start s": process.start_s, "CPU s": process.cpu_s()}

        def after_kill() -> Figures:
            return _start(plan, Path(shutil.copytree(killed, new())), plan.unfinished)

        return [
            compared(plan, "restart", what, {"server": start, "echo": echo})
            for what, start in (
                ("a new data file", lambda: _start(plan, new(), 0)),
                (f"{held}: after a clean stop", partial(_start, plan, stopped, plan.unfinished)),
                (f"{held}: after kill -9", after_kill),
            )
        ]


def _play_and_kill(plan: Plan, directory: Path) -> None:
    """Leave a data file behind as a server does that is killed while everybody plays."""
    directory.mkdir()
    tally = Tally()
    with running(gameserver(directory), directory, plan.cores) as process, loop() as working:
        note(f"restart: playing {plan.finished} matches, {plan.unfinished} at once")
        players = gathered_pairs(process, plan.unfinished, working, tally, Pace(working, 0.0))
        for _ in range(int(TIMEOUT_S / LOOK_S)):
            if sum(player.matches for player in players) // 2 >= plan.finished + plan.unfinished:
                break
            working.run_for(LOOK_S)
        else:
            raise BenchmarkError(f"not all matches were over after {TIMEOUT_S:g} s")
        process.stop(signal.SIGKILL)


def _start(plan: Plan, directory: Path, live_matches: int) -> Figures:
    """Start, look at what was read, and stop cleanly."""
    directory.mkdir(exist_ok=True)
    with running(gameserver(directory), directory, plan.cores) as process:
        found = _read_of(process)
        figures = {"start s": process.start_s, "CPU s": process.cpu_s(), "rows replayed": float(found[2])}
    if process.popen.returncode != 0:
        raise BenchmarkError(f"the stop was not clean:\n{process.log_text()}")
    if int(found[1]) != live_matches:
        raise BenchmarkError(f"{live_matches} live matches were expected, not {found[1]}")
    return figures


def _read_of(process: Running) -> re.Match[str]:
    found = _JOURNAL_READ.search(process.log_text())
    if found is None:
        raise BenchmarkError(f"the server did not say what it read:\n{process.log_text()}")
    return found
