"""Tournaments at the installed command: one command for all of it, a kill in the middle, files in the end."""

import csv
import os
import signal
import sqlite3
from collections import Counter
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from gameserver.cli.main import main
from gameserver.cli.tournament_text import AWAY, BACK
from tests.end_to_end.server_process import Program
from tests.end_to_end.support import COMMAND, called, environment, eventually

LISTEN = ("strategic=127.0.0.1:0", "admin=127.0.0.1:0")


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


@pytest.mark.parametrize("bots", [10, pytest.param(30, marks=pytest.mark.slow)])
def test_one_command_outlives_a_drain_and_a_kill(serve: Any, tmp_path: Path, to_end: ExitStack, bots: int) -> None:
    """The server is drained and back on other ports, then killed; nobody does anything but start it again."""
    games = bots * (bots - 1) // 2
    server = serve(listen=LISTEN, journal={"synchronous": "off"})
    out = tmp_path / "out"
    arguments = f"run Cup --game Tic-tac-toe --house house-random*{bots} --wait 0 --out {out}"
    command = [COMMAND, "tournament", *arguments.split(), "--data", str(server.data)]
    watcher = Program.launch(to_end, command, environment())
    eventually(lambda: len(server.matches()) >= games // 10, "some matches are over")
    drained = called("drain", "--within", "0", "--data", str(server.data))
    assert drained.returncode == 0, drained.stderr
    assert server.wait() == 0
    assert "LocalProtocolError" not in server.log.text
    server.start()
    eventually(lambda: len(server.matches()) >= games // 2, "half of the matches are over")
    server.kill()
    server.start_where_it_was()
    watcher.end()
    standings = rows_of(out / "cup-standings.csv")
    assert len(standings) == bots
    assert {row["played"] for row in standings} == {str(bots - 1)}
    assert sum(float(row["points"]) for row in standings) == games
    assert len(rows_of(out / "cup-crosstable.csv")) == bots
    decided = Counter(tuple(sorted(match.players)) for match in server.matches() if match.reason != "void")
    assert set(decided.values()) == {1}, "nobody met twice, and no result was lost"
    assert len(decided) == games


def test_a_teacher_conducts_a_tournament(serve: Any, tmp_path: Path) -> None:
    server = serve(listen=LISTEN)
    data = ("--data", str(server.data))

    def tournament(*arguments: str, refused: bool = False) -> str:
        # In this process, because a dozen new ones take half a minute; the other tests start the installed command.
        done = CliRunner().invoke(main, ["tournament", *arguments, *data])
        assert (done.exit_code != 0) == refused, done.output
        return done.output

    ann, bob = server.client("ann"), server.client("bob")
    assert "there is no tournament; `gameserver tournament create`" in tournament("start", refused=True)
    plan = ("--set", "games=2", "--set", "clock=turn 60s", "--set", "pause_ms=0")
    made = tournament("create", "Cup", "--game", "tic-tac-toe", *plan, "--by", "Ms Reed")
    assert made == "tournament 1, Cup, is gathering: round robin at Tic-tac-toe, turn 1m\n"
    assert tournament("add", "{x}", "--rating", "1500") == "{x} takes part in Cup\n"
    assert tournament("drop", "{x}", "--yes", "--why", "a slip") == "{x} is out of Cup\n"
    assert tournament("start", "--by", "Ms Reed") == "Cup begins with 2 players\n"
    first, second = (ann, bob) if 'PLAYERTOMOVE: "ann"' in ann.expect("SVR GAME MATCH") else (bob, ann)
    bob.expect("SVR GAME MATCH")
    first.expect("SVR GAME YOURTURN")
    assert "playing" in tournament("status")
    assert tournament("pause", "--why", "lunch") == "Cup is paused\n"
    second.send("forfeit")
    second.expect("OK", "SVR GAME LOSS")
    first.expect("SVR GAME WIN")
    assert tournament("correct", "1", "draw", "--yes", "--why", "a wrong key") == "pairing 1 of Cup counts as: a draw\n"
    assert "give --yes" in tournament("correct", "1", "draw", "--why", "a wrong key", refused=True)
    assert tournament("resume") == "Cup goes on\n"
    second.expect("SVR GAME MATCH", "SVR GAME YOURTURN")
    first.expect("SVR GAME MATCH")
    assert "pairing 2 of Cup is annulled; it is played again" in tournament("void", "2", "--yes", "--why", "a cable")
    first.expect("SVR GAME DRAW", "SVR GAME MATCH")
    first.send("forfeit")
    first.expect("OK", "SVR GAME LOSS")
    eventually(lambda: "over" in tournament("status"), "the tournament is over")
    assert "1.5" in tournament("standings")
    assert "½" in tournament("crosstable")
    file = tmp_path / "grades.csv"
    assert tournament("export", "grades", "-o", str(file)) == f"wrote {file}\n"
    (tmp_path / "class.csv").write_text("group;id;name\n1A;s1001;ann\n")
    listed = csv.DictReader(tournament("export", "grades", "--roster", str(tmp_path / "class.csv")).splitlines())
    assert {row["player"]: row["id"] for row in listed} == {"ann": "s1001", "bob": ""}
    assert {row["player"]: row["grade"] for row in rows_of(file)} == {
        "ann" if second is ann else "bob": "7.8",
        "ann" if first is ann else "bob": "3.3",
    }
    assert "cannot pause now" in tournament("pause", refused=True)
    assert "Cup" in tournament("list")


def children_of(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def test_one_command_starts_the_server_too_and_again_if_it_dies(tmp_path: Path, to_end: ExitStack) -> None:
    names = ["house-random", *(f"house-random-{number}" for number in range(2, 7))]
    (tmp_path / "class.csv").write_text("name;secret;rating;id\n" + "".join(f"{name};;1500;\n" for name in names))
    config, data = tmp_path / "config.toml", tmp_path / "data.sqlite3"
    off = "\n".join(f'{name} = "off"' for name in ("connect-four", "mastermind", "http"))
    config.write_text(f'[listen]\nstrategic = "127.0.0.1:0"\nadmin = "127.0.0.1:0"\n{off}\n')
    arguments = f"run --preset cup --game Reversi --roster {tmp_path}/class.csv --wait 0 --out {tmp_path}"
    command = [COMMAND, "tournament", *arguments.split(), "--set", "matches_at_once_max=1"]
    command += ["--config", str(config), "--data", str(data)]
    watcher = Program.launch(to_end, command, environment())

    def over() -> int:
        with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{data}?mode=ro", uri=True)) as records:
            return int(records.execute("SELECT count(*) FROM match").fetchone()[0])
        return 0

    eventually(lambda: over() >= 1, "a match is over")
    (server,) = children_of(watcher.process.pid)
    os.kill(server, signal.SIGKILL)
    printed, complained = watcher.end()
    assert [line for line in printed.splitlines() if line in (AWAY, BACK)] == [AWAY, BACK]
    assert {row["player"] for row in rows_of(tmp_path / "cup-reversi-standings.csv")} == set(names)
    assert "warning: grades mean little after a knockout" in complained
