"""A disk that is full below a real server, or a file that is locked: players wait, nothing undecided is shown.

The disk is full where the process may not make its files any larger: a limit of the system's, set and
lifted from outside while it runs.
"""

import resource
import sqlite3
from contextlib import closing, contextmanager

import pytest

from tests.end_to_end.blocking_client import begin, play


@contextmanager
def full_disk(server):
    """No file of the server grows, and none is begun."""
    pid = server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    yield
    resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@contextmanager
def somebody_elses_lock(server):
    """As a tool holds it that is left in the midst of a transaction."""
    with closing(sqlite3.connect(server.data, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limits of another process are Linux'")
def test_players_wait_until_the_disk_has_room_again(serve):
    server = serve(match={"clock": "turn 1s"})
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4)
    with full_disk(server):
        second.send("move 0")
        server.log.wait_for("the journal cannot be written; players wait until it can")
        first.socket.settimeout(1.5)  # longer than a turn
        with pytest.raises(TimeoutError):
            first.line()
        first.socket.settimeout(20.0)
    second.expect("OK", "SVR GAME MOVE ")
    first.expect("SVR GAME MOVE ", "SVR GAME YOURTURN ")
    server.log.wait_for("the journal can be written again")
    play(first, second, 1, 7)
    assert server.stop() == 0
    assert server.matches() == [], "nobody has lost: the match goes on when the server is back"


def test_decision_that_could_not_be_written_was_never_told(serve):
    server = serve(journal={"commit_retry_s": 0.5})
    clients = {name: server.client(name) for name in ("ann", "bob")}
    first, second = begin(*clients.values())
    play(first, second, 4)
    with somebody_elses_lock(server):
        second.send("move 0")
        assert server.wait() == 1
    assert any("players wait until it can" in line and "locked" in line for line in server.log.lines)
    assert "gameserver: stopped: the journal has failed for 0.5 s" in server.log.lines[-1]
    assert "Traceback" not in server.log.text
    for client in clients.values():
        assert all(line.startswith("ERR The server is stopping") for line in client.rest())
    server.start()
    for name, client in clients.items():
        again = server.client(name)
        again.expect("SVR GAME MATCH ", 'SVR GAME MOVE {PLAYER: "')
        if client is second:
            again.expect("SVR GAME YOURTURN ")
        again.hears_nothing()
