"""Bots in processes of their own: run to the end, and read."""

import re
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
CUTS = ("lines", "together", "torn")


def execute(command: list[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60)


def results(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]


def sentence(done: subprocess.CompletedProcess[str], exit_code: int) -> str:
    """The one line on stderr with which the bot gave up."""
    assert done.returncode == exit_code, done
    (line,) = done.stderr.splitlines()
    return line


def are_lost_for_good(runs: Sequence[Callable[[], subprocess.CompletedProcess[str]]]) -> None:
    """See bots give up whose server is gone, all at once: a state is told once, however many attempts there are."""
    with ThreadPoolExecutor() as pool:
        for done in pool.map(lambda run: run(), runs):
            assert "no server at 127.0.0.1, port " in sentence(done, 1)
            states = [line for line in done.stdout.splitlines() if re.match("connection lost|not back yet", line)]
            assert states == [
                "connection lost (the server closed it), trying to come back for 1 s",
                "not back yet (Connection refused)",
            ]
