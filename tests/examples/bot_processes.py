"""Bots in processes of their own: run to the end, and read."""

import subprocess
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
