"""The benchmarks run: a tiny row of each, in seconds. Whether the figures are good is not looked at here."""

import json
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from attrs import evolve

from gameserver.core.commands import Seek
from tests.benchmarks import strengths
from tests.benchmarks.hot_path import LIMITS, STEPS
from tests.benchmarks.processes import BenchmarkError
from tests.benchmarks.report import Plan

ROOT = Path(__file__).parents[2]
needs_epoll = pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs epoll")
needs_node = pytest.mark.skipif(not (shutil.which("node") and shutil.which("npm")), reason="node or npm is missing")

MOVES = ("moves/s", "CPU us/move", "p50 ms", "p99 ms")
STARTS = ("start s", "CPU s")


def ran(*command):
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, timeout=280, check=False
    )


@needs_epoll
@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        ("load", {"2 matches": MOVES, "2 matches of 3D Connect Four": MOVES}),
        pytest.param(
            "paced memory idle pages restart",
            {
                "5 matches, a move every 0.1 s": MOVES,
                "100 connections": ("KB each", "CPU us each"),
                "100 connections, logged in": ("KB each", "CPU us each"),
                "20 connections, logged in": (),
                "20 connections, in 10 matches": (),
                "2 matches, a move every 0.05 s, 5 viewers": MOVES,
                "a new data file": STARTS,
                "40 finished, 4 unfinished: after a clean stop": STARTS,
                "40 finished, 4 unfinished: after kill -9": STARTS,
            },
            marks=pytest.mark.slow,
        ),
        pytest.param(
            "peers", {"2 matches": MOVES, "2 matches of 3D Connect Four": MOVES}, marks=[pytest.mark.slow, needs_node]
        ),
    ],
)
def test_rows_have_figures_with_the_baseline_beside_them(tmp_path, parts, wanted):
    file = tmp_path / "figures.json"
    done = ran("-m", "tests.benchmarks", *parts.split(), "--quick", "--json", str(file))
    assert done.returncode == 0, done.stderr
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert [row["what"] for row in rows] == list(wanted)
    for row, keys in zip(rows, wanted.values(), strict=True):
        assert f" / {row['baseline']}" in done.stdout or not keys
        assert row["baseline"] not in row["ratios"]
        for ratio in row["ratios"].values():
            assert all(ratio[key] > 0 for key in keys), row


def test_levels_play_each_other(tmp_path):
    file = tmp_path / "figures.json"
    chosen = ["--levels", "random,perfect", "--games", "40", "--json", str(file)]
    # Most who measure their game's levels have no PostgreSQL.
    program = "import sys; sys.modules['psycopg'] = None; import tests.benchmarks.__main__"
    done = ran("-c", program, "strengths", "--quick", "--no-pin", *chosen)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert row["what"] == "Tic-tac-toe: perfect - random"
    figures = row["figures"]["perfect"]
    assert figures["games"] == 40
    assert 70 < figures["from"] < figures["score %"] < figures["to"] < 100


def test_level_that_a_game_lacks_is_named():
    with pytest.raises(BenchmarkError, match="Tic-tac-toe has no level 'best'; it has "):
        strengths.measure(evolve(Plan().quick(), levels=("random", "best")))


@needs_epoll
def test_path_of_a_move_is_measured_step_by_step():
    done = ran("-m", "tests.benchmarks.hot_path", "--pairs", "2", "--rounds", "1", "--moves", "40")
    assert done.returncode == 0, done.stderr
    assert all(step in done.stdout for step in (*STEPS, "by that"))


def test_no_search_on_the_path_of_a_move_waits_for_a_timer():
    assert LIMITS.cost_of(Seek(8, "Tic-tac-toe")) == 1


@needs_epoll
def test_calls_of_a_move_are_counted_alike_in_every_run():
    done = ran("-m", "tests.benchmarks.hops", "--batches", "1,2,1")
    assert done.returncode == 0, done.stderr
    first, _, second = (
        [line for line in part.splitlines() if "the last" not in line] for part in done.stdout.strip().split("\n\n")
    )
    assert first == second, "the draw of seats in what follows may take another call; a move in mid-match may not"
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("  ")]
    for step in STEPS:
        assert all(float(figure) > 0 for row in rows if row[0] == step for figure in row[1:])
