"""The decisions of a leader: over a log in memory, whose sessions end and whose answers get lost."""

import pytest
from attrs import evolve

from gameserver.journal.journal import JournalBroken, JournalError, JournalRow
from gameserver.journal.leadership import CERTAIN_S
from tests.journal.test_contract import rows
from tests.support.shared_log import SharedJournal, SharedLog


@pytest.fixture
def log() -> SharedLog:
    return SharedLog()


@pytest.fixture
def one(log: SharedLog) -> SharedJournal:
    server = log.journal("one:1")
    assert server.lead()
    server.append(rows(1, 2))
    return server


@pytest.fixture
def other(log: SharedLog, one: SharedJournal) -> SharedJournal:
    server = log.journal("other:1")
    assert not server.lead()
    return server


def kept(log: SharedLog) -> list[JournalRow]:
    return list(log.kept.read_from(1))


def fail(server: SharedJournal, fault: str) -> None:
    """Have the session fail in a commit of rows 3 and 4."""
    server.fails = fault
    with pytest.raises(JournalError):
        server.append(rows(3, 2))
    assert not server.is_certain


def test_one_server_leads_and_the_next_one_goes_on_where_it_ended(
    log: SharedLog, one: SharedJournal, other: SharedJournal
) -> None:
    assert one.leadership.leads
    assert not other.leadership.leads
    assert other.last() == 2
    one.close()
    assert other.lead()
    other.append(rows(3, 1))
    assert kept(log) == rows(1, 3)


@pytest.mark.parametrize("fault", ["before write", "after write"])
def test_batch_in_doubt_is_there_once(log: SharedLog, one: SharedJournal, fault: str) -> None:
    fail(one, fault)
    log.calls.clear()
    one.append(rows(3, 2))
    one.append(rows(5, 1))
    assert kept(log) == rows(1, 5)
    assert log.calls[:3] == ["lock", "last", "write_leader"], "the last row is read after the lock, and replicated"
    assert one.is_certain


def test_batch_in_doubt_stays_in_doubt_until_it_is_replicated(log: SharedLog, one: SharedJournal) -> None:
    fail(one, "after write")
    one.fails = "before write_leader"
    with pytest.raises(JournalError):
        one.append(rows(3, 2))
    log.forget_after(2)  # the old primary alone had them
    one.append(rows(3, 2))
    assert kept(log) == rows(1, 4)


def test_old_session_that_lives_on_is_ended(log: SharedLog, one: SharedJournal) -> None:
    log.keeps_sessions = True
    fail(one, "before write")
    with pytest.raises(JournalError, match="last connection"):
        one.append(rows(3, 2))
    one.append(rows(3, 2))
    assert kept(log) == rows(1, 4)


def test_server_ends_its_session_that_failed_to_lead(log: SharedLog) -> None:
    server = log.journal("one:1")
    log.keeps_sessions = True
    server.fails = "before write_leader"
    with pytest.raises(JournalError):
        server.lead()
    assert not server.lead()
    assert server.lead()


def test_standby_ends_nobody(log: SharedLog, other: SharedJournal) -> None:
    assert "end_others" not in log.calls


@pytest.mark.parametrize("has_ended", [False, True])
def test_leader_stops_when_another_has_led(
    log: SharedLog, one: SharedJournal, other: SharedJournal, has_ended: bool
) -> None:
    fail(one, "before write")
    assert other.lead()
    if has_ended:
        other.close()
    with pytest.raises(JournalBroken) as stopped:
        one.append(rows(3, 2))
    assert "other:1 since 2027-01-15T08:00:00.000+00:00" in str(stopped.value)
    assert not one.is_certain
    assert kept(log) == rows(1, 2)


def test_leader_stops_when_rows_are_lost(log: SharedLog, one: SharedJournal) -> None:
    fail(one, "before write")
    log.forget_after(1)
    with pytest.raises(JournalBroken, match=r"row 2 was committed, and the last one is 1\."):
        one.append(rows(3, 2))


def test_leader_stops_when_the_database_does_not_know_it(log: SharedLog, one: SharedJournal) -> None:
    fail(one, "before write")
    log.leader = None
    log.forget_after(0)
    with pytest.raises(JournalBroken, match="no longer knows that this server leads"):
        one.confirm()


@pytest.mark.parametrize("count", [2, 3])
def test_leader_stops_at_rows_of_somebody_else(log: SharedLog, one: SharedJournal, count: int) -> None:
    fail(one, "before write")
    log.forget_after(1)
    log.kept.append([evolve(row, body=b"{}") for row in rows(2, count)])
    with pytest.raises(JournalBroken, match=r"row \d was written|written by somebody else"):
        one.append(rows(3, 2))


def test_batch_that_is_there_with_another_beginning_is_refused(log: SharedLog, one: SharedJournal) -> None:
    fail(one, "after write")
    log.forget_after(2)
    log.kept.append([evolve(rows(3, 1)[0], body=b"{}"), *rows(4, 1)])
    with pytest.raises(JournalBroken, match="row 3 of the journal was written by somebody else"):
        one.append(rows(3, 2))


def test_certainty_counts_from_the_beginning_of_a_round_trip(log: SharedLog, one: SharedJournal) -> None:
    now_s = [0.0]
    log.now_s = lambda: now_s[-1]
    assert one.is_certain
    now_s.append(CERTAIN_S)
    assert not one.is_certain
    one.confirm()
    assert one.is_certain

    one.before_answer = lambda: now_s.append(now_s[-1] + CERTAIN_S)
    one.confirm()
    assert not one.is_certain, "a server that was stopped meanwhile"


def test_word_from_the_database_ends_certainty(one: SharedJournal) -> None:
    session = one.leadership.open_session
    assert session is not None
    session.is_quiet = False
    assert not one.is_certain


def test_leader_goes_on_once_the_database_is_back(log: SharedLog, one: SharedJournal) -> None:
    one.is_reachable = False
    log.end("one:1")
    for _ in range(3):
        with pytest.raises(JournalError):
            one.confirm()
    one.is_reachable = True
    one.confirm()
    assert one.is_certain


def test_nobody_is_certain_before_it_leads(other: SharedJournal) -> None:
    assert not other.is_certain


def test_server_that_was_let_in_before_asks_again_when_it_is_refused(log: SharedLog, one: SharedJournal) -> None:
    """Of several servers a replica may answer that does not know this one, while the primary is started again."""
    one.fails = "before heartbeat"
    with pytest.raises(JournalError):
        one.confirm()
    log.refuses = True
    with pytest.raises(JournalError, match="not allowed to connect"):
        one.confirm()
    log.refuses = False
    one.confirm()
    assert one.is_certain


def test_server_that_is_refused_from_the_beginning_stops(log: SharedLog) -> None:
    log.refuses = True
    with pytest.raises(JournalBroken, match="not allowed to connect"):
        log.journal("stranger").lead()
