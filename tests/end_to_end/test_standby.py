"""Two servers over one PostgreSQL database: one leads, the other stands by and takes over."""

import json
import signal
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path

import pytest

from gameserver.journal.postgresql import PostgresqlJournal
from tests.end_to_end.blocking_client import BlockingClient, begin, play
from tests.end_to_end.failover import Member
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import LOCAL, called, eventually
from tests.support.postgresql import Cluster

GONE = "stopped; this server did not lead"


@pytest.fixture
def new_member(tmp_path: Path):
    """Makes servers over a database, each with a directory of its own, that are not started yet."""
    config = {"match": {"clock": "turn 60s"}}
    numbers = count(1)
    with ExitStack() as to_close:

        def make(database: str, *listen: str) -> Server:
            listen = listen or (f"strategic={LOCAL}:0",)
            server = Member(tmp_path / f"member-{next(numbers)}", database, config, listen=listen)
            to_close.callback(server.close)
            return server

        yield make


@pytest.fixture
def pair(new_member, database) -> tuple[Server, Server]:
    """A leader, and a server that stands by for it on the same machine, with the same ports."""
    leader = new_member(database).start()
    standby = new_member(database, f"strategic={LOCAL}:{leader.port}")
    standby.launch()
    said = standby.printed.wait_for("standing by:")
    assert f":{leader.process.pid} leads" in said
    return leader, standby


def come_back(server: Server, names: dict[str, BlockingClient], to_move: BlockingClient) -> list[BlockingClient]:
    """Log in again at another server and hear of the match with one move; who is to move comes first."""
    back: list[BlockingClient] = []
    for name, client in names.items():
        again = server.client(name)
        again.expect("SVR GAME MATCH ", 'SVR GAME MOVE {PLAYER: "')
        back.insert(0 if client is to_move else len(back), again)
    back[0].expect("SVR GAME YOURTURN ")
    return back


def servers(database: str) -> list[dict[str, object]]:
    return json.loads(called("status", "--data", database, "--json").stdout)["servers"]


def test_match_goes_on_at_the_standby_when_the_leader_is_killed(pair, database):
    leader, standby = pair
    names = {name: leader.client(name) for name in ("ann", "bob")}
    first, second = begin(*names.values())
    play(first, second, 4)
    rows = eventually(lambda: _are_level(database), "the standby has all rows")
    assert [(one["leads"], one["row"], one["rows_behind"]) for one in servers(database)] == [
        (True, rows, 0),
        (False, rows, 0),
    ]
    shown = called("status", "--data", database).stdout
    assert "leads" in shown
    assert "stands by" in shown
    assert "on the leader's own machine" in shown
    leader.kill()
    standby.wait_until_it_listens()
    assert standby.port == leader.port
    assert "1 match under way" in standby.printed.wait_for("took over in")
    play(*come_back(standby, names, second), 0, 3, 1)
    assert standby.stop() == 0


def _are_level(database: str) -> int:
    """The number of rows, if both servers have said that they have them all; else 0."""
    with closing(PostgresqlJournal(database)) as journal:
        rows = len(list(journal.read_from(1)))
    return rows if all(one["row"] == rows for one in servers(database)) else 0


def test_servers_that_start_at_the_same_instant_agree_and_a_stop_hands_over(new_member, database):
    both = [new_member(database), new_member(database)]
    for server in both:
        server.launch()
    eventually(lambda: sum("stop with Ctrl-C" in one.printed.lines for one in both) == 1, "one leads")
    leader, standby = both if "stop with Ctrl-C" in both[0].printed.lines else both[::-1]
    leader.wait_until_it_listens()
    standby.printed.wait_for("standing by:")
    names = {name: leader.client(name) for name in ("ann", "bob")}
    first, second = begin(*names.values())
    play(first, second, 4)
    assert leader.stop() == 0
    assert leader.printed.lines[-1].startswith("stopped; 1 match was running and saved in the database ")
    assert leader.printed.lines[-1].endswith(": it goes on where a server leads next")
    standby.wait_until_it_listens()
    play(*come_back(standby, names, second), 0)
    assert standby.stop() == 0
    assert called("status", "--data", database).stdout == "no server is running\n"
    assert json.loads(called("status", "--data", database, "--json").stdout) == {"servers": []}


def test_standby_ends_by_a_signal_or_a_port_that_can_never_be_opened(pair, new_member, database):
    leader, standby = pair
    standby.process.send_signal(signal.SIGHUP)
    assert standby.stop(signal.SIGINT) == 0
    assert standby.printed.lines[-1] == GONE
    assert leader.client("ann").ask("get gamelist") == "OK"
    elsewhere = new_member(database, "strategic=192.0.2.1:7789")
    elsewhere.launch()
    assert elsewhere.wait() == 1
    assert "strategic cannot listen on 192.0.2.1:7789" in elsewhere.log.lines[-1]
    assert not elsewhere.printed.lines, "a port that can never be opened is found before"


def test_database_that_is_away_is_waited_for(new_member, cluster: Cluster, database):
    cluster.stop()
    server, ended = new_member(database), new_member(database)
    for one in (server, ended):
        one.launch()
        assert "make sure that PostgreSQL runs there" in one.printed.wait_for("waiting: the database")
    assert ended.stop() == 0
    assert ended.printed.lines[-1] == GONE
    cluster.start()
    server.wait_until_it_listens()
    assert len([line for line in server.printed.lines if line.startswith("waiting:")]) == 1
    assert not [line for line in server.printed.lines if line.startswith("took over")]
