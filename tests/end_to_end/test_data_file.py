"""The data file from outside: one server to a file, what a stop says of it, and what a start makes of a changed one."""

import os
import shutil
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.support import LOCAL, eventually, run
from tests.support.elsewhere import SYSTEM, needs_posix

ROOT = Path(__file__).parents[2]

EDITED = """
from collections.abc import Sequence
from pathlib import Path

from attrs import evolve

from tests.support.games import Countdown, CountdownState

IS_EDITED = Path(__file__).with_name("edited").exists()


class Edited(CountdownState):
    def play(self, seat, move):
        after = super().play(seat, move)
        return evolve(after, heap=0) if IS_EDITED and after.heap <= 2 else after


class EditedGame(Countdown):
    def start(self, options):
        return Edited()


GAME = EditedGame()
"""


@pytest.mark.parametrize("matches", [0, 1])
def test_clean_stop_says_what_was_saved_and_where(serve, matches):
    server = serve()
    clients = server.client("ann"), server.client("bob")
    if matches:
        begin(*clients)
    assert server.stop() == 0
    expected = [
        f"stopped; no match was running; everything is saved in {server.data}",
        f"stopped; 1 match was running and saved in {server.data}: it goes on at the next start",
    ][matches]
    assert server.printed.lines[-1] == expected
    assert server.printed.text.count("stopped") == 1


def test_stop_of_a_server_in_memory_promises_nothing(serve):
    server = serve("--data", ":memory:")
    begin(server.client("ann"), server.client("bob"))
    assert server.stop() == 0
    assert server.printed.lines[-1] == "stopped; 1 match was running, and is lost: the data was kept in memory only"


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic link", "hard link"])
def test_second_server_is_refused_by_another_name(serve, tmp_path, link):
    server = serve()
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4)
    other = tmp_path / "other.sqlite3"
    link(server.data, other)
    done = run("serve", "--data", str(other), "--listen", f"strategic={LOCAL}:0")
    holder = "" if SYSTEM else f" (process {server.process.pid})"  # by this name there is no access file to tell
    said = f"gameserver: {other} is in use by another server{holder}; "
    assert done.returncode == 1
    assert done.stderr == said + "stop that one, or use another data file\n"
    assert run("export", "matches", "--data", str(server.data)).returncode == 0
    play(second, first, 0)
    assert server.stop() == 0


def test_foreign_rows_stop_the_server_with_one_line(serve):
    server = serve()
    first, second = begin(server.client("ann"), server.client("bob"))
    with closing(sqlite3.connect(server.data, isolation_level=None)) as connection:
        connection.execute("INSERT INTO journal SELECT max(seq) + 1, 1, 1, 1, 'seek', 1, x'7b7d', NULL FROM journal")
    first.send("move 4")
    assert server.wait() == 1
    assert "of the journal was written by somebody else" in server.log.lines[-1]
    assert "Traceback" not in server.log.text


def test_damaged_file_is_refused_in_one_line_and_left_alone(serve):
    server = serve()
    assert server.stop() == 0
    with closing(sqlite3.connect(server.data)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'match'").fetchone()
    damaged = bytearray(server.data.read_bytes())
    damaged[(page - 1) * 4096 : page * 4096] = b"\xa5" * 4096
    server.data.write_bytes(damaged)
    done = run("serve", "--data", str(server.data), "--listen", f"strategic={LOCAL}:0")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"gameserver: {server.data} is damaged (" in done.stderr
    assert "can still be exported" not in done.stderr, "the damage may be in the finished matches, as here"
    assert server.data.read_bytes() == damaged


def test_row_that_is_missing_is_named(serve):
    server = serve()
    begin(server.client("ann"), server.client("bob"))
    server.kill()
    with closing(sqlite3.connect(server.data, isolation_level=None)) as connection:
        connection.execute("DELETE FROM journal WHERE seq = 2")
    done = run("serve", "--data", str(server.data), "--listen", f"strategic={LOCAL}:0")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f"gameserver: {server.data}: row 2 of the journal cannot be found; restore it from a backup, "
        "or start with another data file; the finished matches in it can still be exported"
    )


def test_match_whose_rules_were_edited_ends_void_with_the_reason(new_server, tmp_path):
    (tmp_path / "edited_game.py").write_text(EDITED)
    env = {"PYTHONPATH": f"{tmp_path}:."}
    server = new_server(plugins=["edited_game:GAME"], env=env).start()
    first, second = begin(server.client("ann"), server.client("bob"), "Countdown")
    play(first, second, 2, 1)
    server.kill()
    (tmp_path / "edited").touch()
    server.start()
    assert eventually(server.matches, "the match is on record")[0].reason == "void"
    with closing(sqlite3.connect(server.data)) as connection:
        assert connection.execute("SELECT why FROM match").fetchone() == ("the game's rules have changed",)
    begin(server.client("ann"), server.client("bob"), "Countdown")
    assert server.stop(signal.SIGINT) == 0


@needs_posix
def test_file_that_others_can_read_is_warned_of(serve):
    server = serve()
    assert server.data.stat().st_mode & 0o777 == 0o600
    assert "others on this machine" not in server.log.text
    assert server.stop() == 0
    server.data.chmod(0o644)
    server.start()
    server.log.wait_for("others on this machine can read the codes and dice of live matches", "chmod 600")
    assert server.stop() == 0


@pytest.mark.skipif(shutil.which("git") is None or not (ROOT / ".git").exists(), reason="not a clone")
def test_first_command_leaves_nothing_for_git_to_tell(serve):
    """Every file that a server makes beside its data file, while it runs, after a kill and after a stop."""
    server = serve(listen=(f"strategic={LOCAL}:0", f"admin={LOCAL}:0"))
    left = {file.name for file in server.data.parent.iterdir()}
    server.kill()
    server.start()
    assert server.stop() == 0
    left |= {file.name for file in server.data.parent.iterdir()}
    left = {name.replace("data.sqlite3", "gameserver.sqlite3") for name in left - {"config.toml"}}
    assert {"gameserver.sqlite3", "gameserver.sqlite3-wal", "gameserver.sqlite3.admin"} <= left
    done = subprocess.run(["git", "check-ignore", *left], cwd=ROOT, capture_output=True, text=True, check=False)
    assert set(done.stdout.split()) == left
