"""The benchmarks run: a tiny row of each protocol, in seconds. Whether the figures are good is not looked at here."""

import json
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from games.tic_tac_toe import GAME
from gameserver.core.messages.commands import Seek
from tests.benchmarks import solver
from tests.benchmarks.anchors import ANCHORS, PERFECT
from tests.benchmarks.hot_path import LIMITS, STEPS
from tests.benchmarks.ways import WAYS
from tests.end_to_end.haproxy import HAPROXY
from tests.support.postgresql import binaries

ROOT = Path(__file__).parents[2]
FIGURES = {
    "load": ("moves/s", "CPU us/move", "p50 ms", "p99 ms"),
    "pages": ("moves/s", "CPU us/move", "p50 ms", "p99 ms"),
    "tournament": ("s", "games/s", "CPU ms/game", "idle %"),
    "fan-out": ("told/s each", "KB/change"),
}


@pytest.mark.slow
@pytest.mark.skipif(binaries() is None, reason="PostgreSQL is not installed")
@pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs epoll")
def test_two_halls_are_compared_with_one(tmp_path):
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.benchmarks", "halls", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert (row["what"], row["baseline"]) == ("2 matches in 2 halls", "1 hall")
    for figure in ("moves/s", "CPU us/move", "generator CPU %", "database CPU us/move"):
        assert row["server"][figure] > 0


@pytest.mark.skipif(binaries() is None, reason="PostgreSQL is not installed")
@pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs epoll")
@pytest.mark.parametrize(
    ("part", "first_row", "rows", "figures"),
    [
        ("commits", "1 row", 4, ("p50 ms", "client CPU us")),
        pytest.param("databases", "2 matches", 4, ("CPU us/move", "p99 ms"), marks=pytest.mark.slow),
        pytest.param("starts", "new data", 14, (), marks=pytest.mark.slow),
    ],
)
def test_databases_are_compared(tmp_path, part, first_row, rows, figures):
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.benchmarks", part, "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert len(found) == rows
    assert [row["what"] for row in found[:2]] == [f"{first_row}: PostgreSQL", f"{first_row}: with a replica"]
    for row in found:
        assert row["baseline"] == "SQLite"
        assert all(row["ratio"].values())
        assert all(row["server"][figure] > 0 for figure in figures)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("haproxy") is None, reason="HAProxy is not installed")
def test_a_proxy_has_rows(tmp_path):
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.benchmarks", "proxy", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    connections, messages = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert connections["server"]["CPU us each"] > 0
    assert messages["server"]["CPU us/move"] > 0


def test_levels_play_each_other(tmp_path):
    file = tmp_path / "figures.json"
    chosen = ["--levels", "random,perfect", "--games", "40", "--json", str(file)]
    # Most who measure their game's levels have no PostgreSQL.
    program = "import sys; sys.modules['psycopg'] = None; from tests.benchmarks.__main__ import main; main()"
    command = [sys.executable, "-c", program, "strengths", "--quick", "--no-pin", *chosen]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert row["what"] == "Tic-tac-toe: perfect - random"
    assert row["server"]["games"] == 40
    assert 70 < row["server"]["from"] < row["server"]["score %"] < row["server"]["to"] < 100


def test_search_from_outside_takes_a_win_and_stops_one():
    search = ANCHORS["Tic-tac-toe", PERFECT]
    for moves, best in (((0, 3, 1, 4), 2), ((0, 3, 1), 2)):
        state = GAME.start(GAME.options_type())
        for number, move in enumerate(moves):
            state = state.play(number % 2, move)
        assert search(state, len(moves) % 2, lambda found: found[0]) == best


def test_a_level_that_a_game_lacks_is_named():
    command = [sys.executable, "-m", "tests.benchmarks", "strengths", "--quick", "--no-pin", "--levels", "random,best"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode != 0
    assert "Tic-tac-toe has no level 'best'; it has " in done.stderr


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs epoll")
@pytest.mark.parametrize(
    ("part", "wanted"),
    [
        ("load", ["2 matches", "2 matches of 3D Connect Four"]),
        (
            "tournament",
            [
                "double round robin of 4 bots at Tic-tac-toe, 12 games",
                "Swiss of 4 bots in 2 rounds at Tic-tac-toe, 8 games",
            ],
        ),
        pytest.param("fan-out", ["tournament of 4 bots at Reversi, 5 viewers"], marks=pytest.mark.slow),
        pytest.param("pages", ["2 matches, a move every 0.05 s, 5 viewers"], marks=pytest.mark.slow),
    ],
)
def test_rows_have_figures_with_the_baseline_beside_them(tmp_path, part, wanted):
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.benchmarks", part, "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert wanted[0] in done.stdout

    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert [row["what"] for row in rows] == wanted
    for row in rows:
        for figures in (row["server"], row["echo"], row["ratio"]):
            assert all(figures[key] > 0 for key in FIGURES[part]), figures


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs epoll")
@pytest.mark.skipif(
    shutil.which("node") is None or shutil.which("npm") is None, reason="node and npm are needed for the peers"
)
def test_rows_have_figures_of_the_peers_too(tmp_path):
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.benchmarks", "peers", "--quick", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    assert [row["what"] for row in rows] == ["2 matches", "2 matches of 3D Connect Four"]
    for row in rows:
        assert row["baseline"] == "colyseus durable"
        for figures in (row["server"], row["echo"], row["beside"]["colyseus in memory"], row["ratio"]):
            assert all(figures[key] > 0 for key in ("CPU us/move", "p50 ms")), figures


def test_the_solvers_tables_have_a_row_for_each_breaker(monkeypatch, capsys):
    monkeypatch.setattr(solver, "BREAKERS", {"consistent": solver.BREAKERS["consistent"]})
    monkeypatch.setattr(solver, "SEEDS_OF_CHANCE", 1)
    for table in solver.measure(games=1):
        Console(width=130).print(table)
    rows = [line for line in capsys.readouterr().out.splitlines() if "consistent" in line]
    assert len(rows) == 2


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="the load generator needs epoll")
def test_the_way_of_a_move_is_measured_step_by_step():
    command = [sys.executable, "-m", "tests.benchmarks.hot_path", "--pairs", "2", "--rounds", "1", "--moves", "40"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert all(step in done.stdout for step in ("read", "decide", "commit", "release"))


def test_no_search_on_the_way_of_a_move_waits_for_a_timer():
    assert LIMITS.cost_of(Seek(8, "Tic-tac-toe")) == 1


@pytest.mark.skipif(not hasattr(select, "epoll"), reason="the server in this process needs epoll")
@pytest.mark.parametrize("way", list(WAYS))
def test_the_calls_of_a_move_are_counted_alike_in_every_run(way):
    command = [sys.executable, "-m", "tests.benchmarks.hops", "--way", way, "--batches", "1,2"]
    runs = [
        subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False) for _ in range(2)
    ]
    assert [done.returncode for done in runs] == [0, 0], runs[0].stderr
    first, second = ([line for line in done.stdout.splitlines() if "the last" not in line] for done in runs)
    assert first == second, "the draw of seats in what follows may take another call; a move in mid-match may not"
    rows = [line.split() for line in first if line.startswith("  ")]
    for step in STEPS:
        assert all(float(figure) > 0 for row in rows if row[0] == step for figure in row[1:])


@pytest.mark.slow
def test_players_come_back_after_a_failover(tmp_path):
    if HAPROXY is None or binaries() is None:
        pytest.skip("HAProxy or PostgreSQL is not installed")
    file = tmp_path / "figures.json"
    command = [sys.executable, "-m", "tests.benchmarks", "failover", "--quick", "--no-pin", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stderr
    rows = [row["server"] for row in json.loads(file.read_text(encoding="utf-8"))["rows"]]
    assert rows
    for figures in rows:
        assert 0 < figures["leads s"] < figures["serves s"] < figures["first login s"] <= figures["first move s"]
        assert figures["first move s"] <= figures["last match s"]
