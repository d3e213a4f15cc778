"""The journal in PostgreSQL where its database fails, for several halls, and with a replica: a real one."""

import os
import re
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any

import orjson
import psycopg
import pytest
from attrs import asdict
from psycopg.conninfo import make_conninfo

from gameserver.database import postgresql
from gameserver.database.connection import DatabaseError
from gameserver.database.postgresql import PostgresqlConnection
from gameserver.journal import leadership
from gameserver.journal.journal import JournalBroken, JournalError, Snapshot
from gameserver.journal.postgresql import PostgresqlJournal, read_servers
from gameserver.records.reader import HallNews, HallTournament
from tests.journal.test_contract import record, rows
from tests.support.postgresql import LOCAL, Cluster, Clusters, address, carried_out
from tests.support.tables import lines

DEADLINE_S = 20.0


def leading(data: str, synchronous: str = "full") -> PostgresqlJournal:
    journal = PostgresqlJournal(data, synchronous=synchronous)
    assert journal.lead()
    return journal


@pytest.fixture
def journal(tables: str) -> Iterator[PostgresqlJournal]:
    """A journal that leads, with two rows."""
    with closing(leading(tables)) as opened:
        opened.append(rows(1, 2))
        yield opened


def until(journal: PostgresqlJournal, work: Callable[[], object]) -> int:
    """Try again like the server does, and give the number of failures."""
    give_up_s = time.monotonic() + DEADLINE_S
    for failures in range(1000):
        try:
            work()
        except JournalError:
            assert time.monotonic() < give_up_s
            assert not journal.is_certain
            time.sleep(0.02)
        else:
            return failures
    raise AssertionError("never")


def led(journal: PostgresqlJournal) -> None:
    if not journal.lead():
        raise JournalError("not yet")


def session_of(journal: PostgresqlJournal) -> Any:
    return journal._leadership.open_session


def process_of(journal: PostgresqlJournal) -> Any:
    return session_of(journal).connection.raw.info.backend_pid


def end(data: str, journal: PostgresqlJournal) -> None:
    """Have PostgreSQL end the leader's session, and wait until it is gone."""
    carried_out(data, f"SELECT pg_terminate_backend({process_of(journal)}, 5000)")


def kept(data: str) -> list[int]:
    return [seq for (seq,) in carried_out(data, "SELECT seq FROM gameserver.journal ORDER BY seq")]


def test_warning_that_is_not_about_the_replica_is_none_about_the_commit(
    tables: str, journal: PostgresqlJournal
) -> None:
    """PostgreSQL warns for weeks before it wants a vacuum."""
    carried_out(
        tables,
        "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE WARNING 'must be vacuumed'; RETURN NEW; END $$;"
        " CREATE TRIGGER warn BEFORE INSERT ON gameserver.journal FOR EACH ROW EXECUTE FUNCTION warn()",
    )
    journal.append(rows(3, 1))
    assert kept(tables) == [1, 2, 3]


def test_leader_session_ends_by_itself_when_the_leader_is_silent(journal: PostgresqlJournal) -> None:
    expected = {
        "idle_session_timeout": "3s",
        "idle_in_transaction_session_timeout": "3s",
        "tcp_user_timeout": "3000",
        "tcp_keepalives_idle": "1",
        "tcp_keepalives_interval": "1",
        "tcp_keepalives_count": "2",
        "statement_timeout": "0",
        "lock_timeout": "0",
        "synchronous_commit": "on",
    }
    connection = session_of(journal).connection
    assert {name: connection.execute(f"SHOW {name}").fetchone()[0] for name in expected} == expected


@pytest.mark.parametrize(
    ("setting", "of_the_database", "found"),
    [("full", "remote_apply", "remote_apply"), ("full", "off", "on"), ("normal", "on", "local"), ("off", "on", "off")],
)
def test_synchronous_says_what_a_commit_waits_for(tables: str, setting: str, of_the_database: str, found: str) -> None:
    carried_out(tables, f"ALTER DATABASE {tables.rpartition('/')[2]} SET synchronous_commit = {of_the_database}")
    with closing(leading(tables, setting)) as journal:
        ((value,),) = session_of(journal).connection.execute("SHOW synchronous_commit").fetchall()
        assert value == found


def test_silent_leader_is_ended_and_another_one_leads(tables: str, journal: PostgresqlJournal) -> None:
    session_of(journal).connection.execute("SET idle_session_timeout = '100ms'")
    assert journal.is_certain
    with closing(PostgresqlJournal(tables)) as other:
        until(other, lambda: led(other))
        assert not journal.is_certain, "the end of its session is seen before 2.5 s are over"
        other.append(rows(3, 1))
        with suppress(JournalError):
            journal.append(rows(3, 1))
        with pytest.raises(JournalBroken, match=f"another server leads .*:{os.getpid()} since 20"):
            journal.append(rows(3, 1))
    assert kept(tables) == [1, 2, 3]


def test_two_servers_do_not_both_lead(tables: str, journal: PostgresqlJournal) -> None:
    with closing(PostgresqlJournal(tables)) as other:
        assert not other.lead()
        assert list(other.read_from(1)) == rows(1, 2)
        journal.append(rows(3, 1))
        assert other.last() == 3
        began_s = time.perf_counter()
        journal.close()
        until(other, lambda: led(other))
        assert time.perf_counter() - began_s < 1.0
        other.append(rows(4, 1))
        assert other.is_certain


def test_lead_is_per_hall(tables: str, journal: PostgresqlJournal) -> None:
    with closing(PostgresqlJournal(tables, "reversi")) as other:
        assert other.lead()
        other.append(rows(1, 1))
        other.save_snapshot(Snapshot(1, 5, 1, b"{}"))
        assert (list(other.read_from(1)), other.last()) == (rows(1, 1), 1)
        assert journal.load_snapshot() is None
        assert list(journal.read_from(1)) == rows(1, 2)
    assert carried_out(tables, "SELECT hall, max(seq) FROM gameserver.journal GROUP BY hall ORDER BY hall") == [
        ("", 2),
        ("reversi", 1),
    ]


def test_leader_goes_on_when_its_session_was_ended(tables: str, journal: PostgresqlJournal) -> None:
    end(tables, journal)
    assert not journal.is_certain
    assert until(journal, lambda: journal.append(rows(3, 1))) >= 1
    assert kept(tables) == [1, 2, 3]
    end(tables, journal)
    until(journal, journal.confirm)
    assert journal.is_certain


def test_old_session_that_lives_on_is_ended(tables: str, journal: PostgresqlJournal) -> None:
    old = session_of(journal)
    process = process_of(journal)
    journal._leadership._session = None  # as if the network had cut it off; PostgreSQL does not know yet
    until(journal, lambda: journal.append(rows(3, 1)))
    assert process_of(journal) != process
    assert not old.is_quiet
    old.close()


def eventually(condition: Callable[[], object]) -> None:
    give_up_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < give_up_s
        time.sleep(0.01)


def test_database_that_does_not_answer_is_given_up(journal: PostgresqlJournal, cluster: Cluster) -> None:
    session_of(journal).connection.raw.reply_s = 0.3
    cluster.pause()
    began_s = time.monotonic()
    with pytest.raises(JournalError, match=r"no answer for 0\.3 s"):
        journal.append(rows(3, 1))
    # The 2 s are the time to connect of the question which session holds a lock.
    assert time.monotonic() - began_s < 2 + 2
    assert not journal.is_certain
    cluster.resume()
    until(journal, lambda: journal.append(rows(3, 1)))
    assert list(journal.read_from(3)) == rows(3, 1)


def test_session_that_holds_a_lock_is_named_with_its_statement(tables: str, journal: PostgresqlJournal) -> None:
    session_of(journal).connection.raw.reply_s = 0.3
    with closing(psycopg.connect(tables, application_name="a backup")) as other:
        other.execute("LOCK TABLE gameserver.journal IN\n ACCESS EXCLUSIVE MODE")
        pid, user = other.info.backend_pid, other.info.user
        held = f"session {pid} of {user} (a backup) holds it, and last ran"
        statement = "'LOCK TABLE gameserver.journal IN ACCESS EXCLUSIVE MODE'"
        with pytest.raises(
            JournalError, match=re.escape(f"no answer for 0.3 s; a lock is in the way: {held} {statement}")
        ):
            journal.append(rows(3, 1))
    until(journal, lambda: journal.append(rows(3, 1)))
    assert kept(tables) == [1, 2, 3]


def test_rows_of_another_program_end_the_leader(tables: str, journal: PostgresqlJournal) -> None:
    row = "SELECT hall, 3, now_ms, stamp_ms, wall_ms, tag, version, body, crc FROM gameserver.journal WHERE seq = 1"
    carried_out(tables, f"INSERT INTO gameserver.journal {row}")
    with pytest.raises(JournalBroken, match="another program writes to the journal"):
        journal.append(rows(3, 1))
    with pytest.raises(JournalBroken, match="row 3 of the journal was written by somebody else"):
        journal.append(rows(3, 1))


def test_damaged_row_and_snapshot_are_refused(tables: str, journal: PostgresqlJournal) -> None:
    journal.save_snapshot(Snapshot(1, 5, 1, b"{}"))
    carried_out(tables, "UPDATE gameserver.snapshot SET body = '[]'")
    with pytest.raises(JournalBroken, match="snapshot of the lobby is damaged"):
        journal.load_snapshot()
    carried_out(tables, "UPDATE gameserver.journal SET wall_ms = wall_ms + 1 WHERE seq = 2")
    found = journal.read_from(1)
    with pytest.raises(JournalBroken, match="row 2 of the journal is damaged"):
        list(found)


def test_rows_are_read_in_parts(tables: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gameserver.journal.postgresql.ROWS_PER_READ", 3)
    with closing(leading(tables)) as journal:
        for count in (2, 3, 4):
            journal.append(rows(journal.last() + 1, count))
        assert list(journal.read_from(1)) == rows(1, 9)
        journal.trim(5)
        assert list(journal.read_from(1)) == rows(5, 5)


def test_last_row_may_be_in_the_snapshot_alone(tables: str) -> None:
    with closing(leading(tables)) as journal:
        journal.append(rows(1, 5))
        journal.save_snapshot(Snapshot(5, 5, 1, b"{}"))
        journal.trim(6)
        end(tables, journal)
        until(journal, journal.confirm)
    with closing(leading(tables)) as journal:
        assert journal.last() == 5
        journal.append(rows(6, 1))


def test_servers_tell_of_each_other(tables: str, journal: PostgresqlJournal) -> None:
    with closing(PostgresqlJournal(tables)) as other:
        journal.confirm()
        other.show_presence(1)
        found = journal.servers()
        assert [(server.leads, server.seq) for server in found] == [(True, 2), (False, 1)]
        assert all(server.name.endswith(f":{os.getpid()}") and server.seen_ago_s < DEADLINE_S for server in found)
        assert [server.leads for server in read_servers(tables)] == [True, False]
        journal.close()
        until(other, lambda: led(other))
        other.confirm()
        assert [server.leads for server in read_servers(tables)] == [True]
    assert read_servers(tables) == []


def test_connection_through_a_pooler_is_refused(tables: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through pgbouncer, the process that the client was told of is not the one that answers."""
    with closing(PostgresqlJournal(tables)) as journal:
        monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", 1)
        with pytest.raises(JournalBroken, match="pooler of connections"):
            journal.lead()


def test_leader_is_certain_for_less_time_than_its_session_lasts() -> None:
    assert leadership.CERTAIN_S < leadership.SESSION_S


def test_password_is_not_in_any_message(tables: str, cluster: Cluster) -> None:
    data = make_conninfo(tables, password="geheim", user="postgres")
    with closing(PostgresqlJournal(data)) as journal:
        assert journal.lead()
        assert "geheim" not in journal.name
        end(tables, journal)
        with pytest.raises(JournalError) as failed:
            journal.append(rows(1, 1))
        assert "geheim" not in str(failed.value)
        assert "geheim" not in "".join(traceback.format_exception(failed.value))


CUP = HallTournament(3, "Žofie's cup", "Reversi", "running", 24)
REVERSI = HallNews("reversi", "https://reversi.example.edu", 40, 20, (CUP,))


@pytest.fixture
def reversi(tables: str) -> Iterator[PostgresqlJournal]:
    with closing(PostgresqlJournal(tables, "reversi", "off")) as journal:
        assert journal.lead()
        yield journal


@pytest.fixture
def first(tables: str, reversi: PostgresqlJournal) -> Iterator[PostgresqlJournal]:
    with closing(PostgresqlJournal(tables, "", "off")) as journal:
        assert journal.lead(), "each hall has a leader of its own"
        yield journal


def test_records_of_every_hall_can_be_read(first: PostgresqlJournal, reversi: PostgresqlJournal) -> None:
    first.append(rows(1, 1), [record(1), record(2)])
    reversi.append(rows(1, 1), [record(7)])
    with closing(first.halls()) as halls:
        assert halls.reader("reversi").match(7) == record(7)
        assert halls.reader("reversi").match(1) is None
        assert halls.reader("").match(1) == record(1)
        career = halls.reader("reversi").career_parts("ann")
        assert sum(one.count for one in career.meetings) == 1


def test_a_session_that_ends_as_soon_as_it_is_opened_is_told_as_any_other(
    reversi: PostgresqlJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = postgresql.connect

    def connected(*arguments: Any, **options: Any) -> PostgresqlConnection:
        connection = connect(*arguments, **options)
        with suppress(psycopg.Error):
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")
        return connection

    with closing(reversi.halls()) as halls:
        with monkeypatch.context() as patched:
            patched.setattr(postgresql, "connect", connected)
            with pytest.raises(DatabaseError, match=r"terminating connection|closed"):
                halls.exchange(REVERSI)
        assert len(halls.exchange(REVERSI)) == 1


def test_a_database_that_comes_back_is_heard_again(cluster: Cluster, reversi: PostgresqlJournal) -> None:
    with closing(reversi.halls()) as halls:
        halls.exchange(REVERSI)
        cluster.kill()
        with pytest.raises(DatabaseError):
            halls.exchange(REVERSI)
        cluster.start()
        assert [one.news for one in halls.exchange(REVERSI)] == [REVERSI]


@pytest.mark.parametrize(
    "told", lines(__file__, "what a hall tells of its tournaments, of which the cup is understood")
)
def test_what_cannot_be_read_of_another_hall_is_left_out(tables: str, reversi: PostgresqlJournal, told: str) -> None:
    """Servers of several versions run on one database during an upgrade."""
    cup = orjson.dumps(asdict(CUP)).decode()
    with closing(reversi.halls()) as halls:
        halls.exchange(REVERSI)
        with psycopg.connect(tables) as connection:
            values = "('newer', 'https://newer', 2, 1, %s, now())"
            connection.execute(f"INSERT INTO gameserver.hall VALUES {values}", (told.replace("CUP", cup),))
        newer, own = halls.exchange(REVERSI)
        assert newer.news == HallNews("newer", "https://newer", 2, 1, (CUP,) if told.startswith("[") else ())
        assert own.news == REVERSI


def test_each_hall_hears_of_all(first: PostgresqlJournal, reversi: PostgresqlJournal) -> None:
    with closing(first.halls()) as of_first, closing(reversi.halls()) as of_reversi:
        (alone,) = of_reversi.exchange(REVERSI)
        assert alone.news == REVERSI
        assert alone.seen_ago_s < 60
        heard = of_first.exchange(HallNews(""))
        assert [one.news for one in heard] == [HallNews(""), REVERSI]
        (_, again) = of_reversi.exchange(HallNews("reversi"))
        assert again.news == HallNews("reversi")
        assert again.seen_at >= alone.seen_at


@pytest.fixture
def pair(clusters: Clusters) -> Iterator[tuple[Cluster, Cluster, str]]:
    """A primary and its replica, with the address of both."""
    primary = clusters.make().start()
    replica = primary.replica()
    yield primary, replica, address([(LOCAL, primary.port), (LOCAL, replica.port)], "postgres")
    for cluster in (replica, primary):
        if cluster.is_running:
            cluster.kill()


def test_replica_without_the_last_row_ends_the_leader(pair: tuple[Cluster, Cluster, str]) -> None:
    primary, replica, data = pair
    with closing(leading(data)) as journal:
        until(journal, lambda: journal.append(rows(1, 2)))
        ((written,),) = primary.execute("SELECT pg_current_wal_lsn()")
        eventually(lambda: replica.execute("SELECT 1 WHERE pg_last_wal_replay_lsn() >= %s::pg_lsn", (written,)))
        replica.stop()
        until(journal, lambda: journal.append(rows(3, 1)))
        primary.kill()
        replica.start()
        replica.promote()
        with pytest.raises(JournalBroken, match="has lost rows: row 3 was committed, and the last one is 2"):
            until(journal, lambda: journal.append(rows(4, 1)))
        assert not journal.is_certain


def test_leader_waits_for_its_replica_and_goes_on_with_it(pair: tuple[Cluster, Cluster, str]) -> None:
    primary, replica, data = pair
    with pytest.raises(JournalError, match="read-only; name all servers of the cluster"):
        PostgresqlJournal(replica.address())
    primary.set(synchronous_standby_names="*")
    primary.reload()
    # A teacher may have silenced warnings. The one of a commit that did not wait for the replica has to come.
    primary.execute("ALTER ROLE postgres SET client_min_messages = error")
    primary.execute("ALTER DATABASE postgres SET client_min_messages = error")
    with closing(leading(data)) as journal:
        until(journal, lambda: journal.append(rows(1, 1)))
        _give_up_waiting(journal, primary, replica)
        # The row is there, on the primary alone; it counts once the replica has it, too.
        assert primary.execute("SELECT max(seq) FROM gameserver.journal") == [(2,)]
        connect = journal._leadership._connect
        journal._leadership._connect = _quick(connect)
        with pytest.raises(JournalError, match="no answer"):
            journal.append(rows(2, 1))
        journal._leadership._connect = connect
        replica.resume()
        until(journal, lambda: journal.append(rows(2, 1)))
        primary.kill()
        with pytest.raises(JournalError):
            journal.append(rows(3, 1))
        with pytest.raises(JournalError, match="target_session_attrs=read-write"):
            journal.append(rows(3, 1))
        replica.promote()
        until(journal, lambda: journal.append(rows(3, 1)))
        assert list(journal.read_from(1)) == rows(1, 3)


def _give_up_waiting(journal: PostgresqlJournal, primary: Cluster, replica: Cluster) -> None:
    """Cancel the wait of a commit of row 2 for the replica, which has stopped."""
    replica.pause()
    process = process_of(journal)
    failed: list[Exception] = []

    def append() -> None:
        try:
            journal.append(rows(2, 1))
        except JournalError as error:
            failed.append(error)

    thread = threading.Thread(target=append)
    thread.start()
    eventually(lambda: primary.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"))
    primary.execute(f"SELECT pg_cancel_backend({process})")
    thread.join()
    assert "may not have waited for its replica: canceling" in str(failed[0])
    assert not journal.is_certain


def _quick(connect: Callable[[], Any]) -> Callable[[], Any]:
    def connected() -> Any:
        session = connect()
        session.connection.raw.reply_s = 0.3
        return session

    return connected
