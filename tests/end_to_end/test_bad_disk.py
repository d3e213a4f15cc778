"""A disk that is full, or slow, below a real server: players wait, nobody loses by it, nothing undecided is shown.

The disk is full where the process may not make its files any larger: a limit of the system's, set and
lifted from outside while it runs. It is really full where it is a small one in memory, which somebody
else fills; only who may mount one can test that. It is slow by a plug-in, which the server loads as it would any other:
it has commits take two seconds while a certain file is there, in the journal's thread or on the event loop.
"""

import resource
import shutil
import subprocess
import time
from contextlib import contextmanager, suppress

import pytest

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.committing import WAYS, committing
from tests.end_to_end.server_process import stops_without_a_journal

SLOW_S = 2.0
SLOW_DISK = f"""
import time
from pathlib import Path

from gameserver.journal.sqlite import SqliteJournal


def slowed(commit):
    def append(self, rows, records=()):
        if Path(__file__).with_name("slow").exists():
            time.sleep({SLOW_S})
        commit(self, rows, records)

    return append


SqliteJournal.append = slowed(SqliteJournal.append)
SqliteJournal.append_at_once = slowed(SqliteJournal.append_at_once)
"""

pytestmark = pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of another process are Linux'")


@contextmanager
def full_disk(server):
    """No file of the server grows, and none is begun."""
    pid = server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    yield
    if server.process.poll() is None:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def players_wait(server, full):
    """A match during which the disk is full for longer than a turn."""
    server.start()
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4)
    with full:
        second.send("move 0")
        server.log.wait_for("the journal cannot be written; players wait until it can")
        for client in (first, second):
            client.socket.settimeout(3.0)  # longer than a turn
            with pytest.raises(TimeoutError):
                client.line()
            client.socket.settimeout(20.0)
    second.expect("OK", "SVR GAME MOVE ")
    first.expect("SVR GAME MOVE ", "SVR GAME YOURTURN ")
    server.log.wait_for("the journal can be written again")
    play(first, second, 1, 7)
    assert server.stop() == 0
    assert server.matches() == [], "nobody has lost: the match goes on when the server is back"


def test_players_wait_until_the_disk_has_room_again(new_server):
    server = new_server(match={"turn_time_s": 2.0})
    players_wait(server, full_disk(server))


@pytest.fixture
def small_disk(tmp_path):
    """A file system of two megabytes."""
    directory = tmp_path / "small"
    directory.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(directory)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root may mount a file system")
    yield directory
    subprocess.run(["umount", "--lazy", str(directory)], check=True)


@contextmanager
def filled(directory):
    """Somebody else's file has all the room that is left."""
    filler = directory / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1024))
    yield
    filler.unlink()


def test_players_wait_until_somebody_else_makes_room(new_server, small_disk):
    data = small_disk / "data.sqlite3"
    server = new_server("--data", str(data), match={"turn_time_s": 2.0})
    server.data = data
    players_wait(server, filled(small_disk))


def test_a_server_whose_disk_stays_full_stops_with_one_line(serve):
    server = serve(journal={"commit_retry_s": 0.5})
    stops_without_a_journal(server, full_disk(server))


@pytest.mark.parametrize("way", WAYS)
def test_slow_commits_are_charged_to_nobody(new_server, tmp_path, way):
    """A turn takes one second and a commit two: a player who thinks for most of a turn loses nothing by that."""
    server = new_server(**committing(tmp_path, way, SLOW_DISK), match={"turn_time_s": 1.0}).start()
    first, second = begin(server.client("ann"), server.client("bob"))
    (tmp_path / "slow").touch()
    for number, move in enumerate((4, 0, 1)):
        mover, other = (first, second) if number % 2 == 0 else (second, first)
        time.sleep(0.7)
        said_s = time.monotonic()
        mover.send(f"move {move}")
        mover.expect("OK", "SVR GAME MOVE ")
        assert time.monotonic() - said_s >= SLOW_S, "a move is told when it is written, not before"
        other.expect("SVR GAME MOVE ", "SVR GAME YOURTURN ")
    (tmp_path / "slow").unlink()
    play(second, first, 7)
    assert server.stop() == 0
    assert server.matches() == []
