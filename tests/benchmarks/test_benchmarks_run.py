"""The benchmarks run: one tiny row, in seconds. Whether the figures are good is nobody's business here."""

import json
import select
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FIGURES = {
    "load": ("moves/s", "CPU us/move", "p50 ms", "p99 ms"),
    "guesses": ("guesses/s", "CPU us/guess", "p50 ms", "p99 ms"),
}


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs epoll")
@pytest.mark.parametrize(
    ("part", "rows"),
    [("load", ["2 matches"]), ("guesses", ["raw TCP, 2 connections", "WebSocket, 2 connections"])],
)
def test_a_row_has_figures_with_the_baseline_beside_them(tmp_path, part, rows):
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.benchmarks", part, "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    measured = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert [row["what"] for row in measured] == rows
    for row in measured:
        assert row["what"] in done.stdout
        for figures in (row["server"], row["echo"], row["ratio"]):
            assert all(figures[key] > 0 for key in FIGURES[part]), figures
