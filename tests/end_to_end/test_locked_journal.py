"""Somebody else has the data file open and writes: players wait, or the server stops. It never promises what it has
not written."""

import sqlite3
from contextlib import closing, contextmanager

from tests.end_to_end.blocking_client import begin, play
from tests.end_to_end.server_process import stops_without_a_journal


@contextmanager
def somebody_elses_lock(server):
    """As a tool holds it that is left in the midst of a transaction."""
    with closing(sqlite3.connect(server.data, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


def test_players_wait_until_the_journal_can_be_written(serve):
    server = serve()
    first, second = begin(server.client("ann"), server.client("bob"))
    play(first, second, 4)
    with somebody_elses_lock(server):
        second.send("move 0")
        server.log.wait_for("the journal cannot be written; players wait until it can", "locked")
    second.expect("OK", "SVR GAME MOVE ")
    first.expect("SVR GAME MOVE ", "SVR GAME YOURTURN ")
    server.log.wait_for("the journal can be written again")
    play(first, second, 1, 7)
    assert server.stop() == 0


def test_decision_that_could_not_be_written_was_never_told(serve):
    server = serve(journal={"commit_retry_s": 0.5})
    stops_without_a_journal(server, somebody_elses_lock(server))
