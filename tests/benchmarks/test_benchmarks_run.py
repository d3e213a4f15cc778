"""The benchmarks run: one tiny row, in seconds. Whether the figures are good is nobody's business here."""

import json
import select
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from tests.benchmarks import solver

ROOT = Path(__file__).parents[2]
FIGURES = ("moves/s", "CPU us/move", "p50 ms", "p99 ms")


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs epoll")
def test_a_row_has_figures_with_the_baseline_beside_them(tmp_path):
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.benchmarks", "load", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert "2 matches" in done.stdout

    (row,) = json.loads(file.read_text(encoding="utf-8"))["rows"]
    for figures in (row["server"], row["echo"], row["ratio"]):
        assert all(figures[key] > 0 for key in FIGURES), figures


def test_the_solvers_tables_have_a_row_for_each_breaker(monkeypatch, capsys):
    monkeypatch.setattr(solver, "BREAKERS", {"consistent": solver.BREAKERS["consistent"]})
    monkeypatch.setattr(solver, "SEEDS_OF_CHANCE", 1)
    for table in solver.measure(games=1):
        Console(width=130).print(table)
    rows = [line for line in capsys.readouterr().out.splitlines() if "consistent" in line]
    assert len(rows) == 2
