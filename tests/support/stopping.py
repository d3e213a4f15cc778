"""A command that is ended while a client of its own runs."""

import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import psutil

from tests.end_to_end.support import eventually


def stop_with_its_client(words: Sequence[str], client: Path) -> None:
    """End `gameserver WORDS` once this program of its runs; the client ends with it, and no traceback is shown."""
    process = subprocess.Popen(
        [sys.executable, "-m", "gameserver", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    own = psutil.Process(process.pid)
    eventually(lambda: any(map(partial(_runs, client), own.children())), "the client runs")
    started = own.children()
    process.terminate()
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "Traceback" not in said
    assert [child for child in started if child.is_running() and child.status() != psutil.STATUS_ZOMBIE] == []


def _runs(program: Path, process: psutil.Process) -> bool:
    try:
        # Not one that the command forks at its start: until it is another program it has the command's own words.
        return str(program) in process.cmdline()[:3]
    except psutil.Error:  # a helper of the command that is over by now
        return False
