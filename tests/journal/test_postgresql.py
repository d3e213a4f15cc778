"""The journal in PostgreSQL where its database fails: each test breaks a real one."""

import os
import re
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from gameserver.journal import leadership
from gameserver.journal.journal import JournalBroken, JournalError, Snapshot
from gameserver.journal.postgresql import PostgresqlJournal, read_servers
from tests.journal.test_contract import rows
from tests.support.postgresql import Cluster, carried_out

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
