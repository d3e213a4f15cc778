"""The data file from outside: one server to a file, what a stop says of it, and what a start makes of a changed one."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.blocking_client import begin
from tests.end_to_end.support import LOCAL
from tests.support.elsewhere import SYSTEM

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(shutil.which("git") is None or not (ROOT / ".git").exists(), reason="not a clone")
def test_stop_says_what_was_saved_and_git_is_told_of_no_file(serve):
    """Every file that a server makes beside its data file, while it runs, after a stop and after a kill."""
    server = serve(listen=(f"strategic={LOCAL}:0", f"admin={LOCAL}:0"))
    left = files_beside(server)
    assert server.stop() == 0
    left |= files_beside(server)
    saved = f"everything is saved in {server.data}"
    assert [line for line in server.printed.lines if "stopped" in line] == [f"stopped; no match was running; {saved}"]
    assert "others on this machine" not in server.log.text
    server.data.chmod(0o644)
    server.start()
    if not SYSTEM:
        server.log.wait_for("others on this machine can read the codes and dice of live matches", "chmod 600")
    begin(server.client("ann"), server.client("bob"))
    server.kill()
    left |= files_beside(server)
    server.start()
    assert server.stop() == 0
    saved = f"saved in {server.data}: it goes on at the next start"
    assert server.printed.lines[-1] == f"stopped; 1 match was running and {saved}"
    names = {name.replace("data.sqlite3", "gameserver.sqlite3") for name in left - {"config.toml"}}
    assert {"gameserver.sqlite3", "gameserver.sqlite3-wal", "gameserver.sqlite3.admin"} <= names
    done = subprocess.run(["git", "check-ignore", *names], cwd=ROOT, capture_output=True, text=True, check=False)
    assert set(done.stdout.split()) == names


def files_beside(server) -> set[str]:
    return {file.name for file in server.data.parent.iterdir()}


def test_server_in_memory_leaves_no_file_and_promises_nothing(serve):
    server = serve("--data", ":memory:")
    assert "kept in memory only" in server.printed.text
    begin(server.client("ann"), server.client("bob"))
    assert server.stop() == 0
    assert server.printed.lines[-1] == "stopped; 1 match was running, and is lost: the data was kept in memory only"
    assert not list(server.data.parent.glob("*.sqlite3*"))
