"""The decisions of a leader: over a database in memory, whose sessions end and whose answers get lost."""

from collections.abc import Callable, Iterable, Sequence

import pytest
from attrs import define, evolve, field

from gameserver.core.messages.commands import Seek
from gameserver.core.state.lobby import At
from gameserver.journal.checksum import checksum
from gameserver.journal.codec import write_row
from gameserver.journal.journal import JournalBroken, JournalError, JournalRow
from gameserver.journal.leadership import CERTAIN_S, LastRow, Leader, Leadership
from gameserver.records.tournament_record import Record


def rows(first: int, count: int) -> list[JournalRow]:
    return [write_row(seq, At(seq, seq, seq), Seek(seq, "Reversi")) for seq in range(first, first + count)]


@define(eq=False)
class Database:
    """A primary. While `keeps_sessions`, those of clients that have gone live on, like one that waits for a replica."""

    rows: list[JournalRow] = field(factory=list)
    leader: Leader | None = None
    holder: "FakeSession | None" = None
    keeps_sessions: bool = False
    is_up: bool = True
    refuses: bool = False
    """True if it lets nobody in until somebody changes a setting."""
    next_fails: str = ""
    """Same as in a session, for the next one."""
    calls: list[str] = field(factory=list)

    def connect(self, token: str) -> "FakeSession":
        if self.refuses:
            raise JournalBroken("not allowed to connect")
        if not self.is_up:
            raise JournalError("refused")
        session = FakeSession(self, token, fails=self.next_fails)
        self.next_fails = ""
        return session


@define(eq=False)
class FakeSession:
    database: Database
    token: str
    is_quiet: bool = True
    fails: str = ""
    """The call that fails next, and `before` or `after` its effect."""
    before_answer: Callable[[], None] = lambda: None

    def _called(self, name: str, effect: Callable[[], None]) -> None:
        self.database.calls.append(name)
        if not self.database.is_up or self.fails == f"before {name}":
            raise JournalError("the connection was lost")
        effect()
        self.before_answer()
        if self.fails == f"after {name}":
            raise JournalError("the connection was lost")

    def try_lock(self) -> bool:
        self._called("lock", lambda: None)
        if self.database.holder is None:
            self.database.holder = self
        return self.database.holder is self

    def leader(self) -> Leader | None:
        return self.database.leader

    def write_leader(self, leader: Leader) -> None:
        self._called("write_leader", lambda: setattr(self.database, "leader", leader))

    def last(self) -> LastRow:
        self._called("last", lambda: None)
        kept = self.database.rows
        return LastRow(kept[-1].seq, checksum(kept[-1])) if kept else LastRow(0)

    def read(self, first: int, last: int) -> Iterable[JournalRow]:
        return [row for row in self.database.rows if first <= row.seq <= last]

    def write(self, batch: Sequence[JournalRow], records: Sequence[Record], row: int) -> None:
        self._called("write", lambda: self.database.rows.extend(batch))

    def heartbeat(self, leader: Leader, seq: int) -> None:
        self._called("heartbeat", lambda: None)

    def end_others(self, token: str) -> None:
        holder = self.database.holder
        self.database.calls.append("end")
        if holder is not None and holder.token == token:
            self.database.holder = None

    def close(self) -> None:
        if self.database.holder is self and not self.database.keeps_sessions:
            self.database.holder = None


@define(eq=False)
class Server:
    database: Database
    name: str
    now_s: float = 100.0
    leadership: Leadership[FakeSession] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.leadership = Leadership(
            lambda: self.database.connect(self.name),
            "the database",
            f"{self.name}:1",
            self.name,
            now_s=lambda: self.now_s,
            wall_ms=lambda: 1_800_000_000_000,
        )

    @property
    def session(self) -> FakeSession:
        with self.leadership.using() as session:
            return session

    def append(self, batch: list[JournalRow]) -> None:
        self.leadership.append(batch, ())


@pytest.fixture
def database() -> Database:
    return Database()


@pytest.fixture
def one(database: Database) -> Server:
    server = Server(database, "one")
    assert server.leadership.lead()
    server.append(rows(1, 2))
    return server


@pytest.fixture
def other(database: Database, one: Server) -> Server:
    server = Server(database, "other")
    assert not server.leadership.lead()
    return server


def fail(server: Server, fault: str) -> None:
    """Have the session fail in a commit of rows 3 and 4."""
    server.session.fails = fault
    with pytest.raises(JournalError):
        server.append(rows(3, 2))
    assert not server.leadership.is_certain


def test_one_server_leads_and_the_next_one_goes_on_where_it_ended(
    database: Database, one: Server, other: Server
) -> None:
    assert one.leadership.leads
    assert not other.leadership.leads
    assert other.leadership.last == 2
    one.leadership.close()
    assert other.leadership.lead()
    other.append(rows(3, 1))
    assert database.rows == rows(1, 3)


@pytest.mark.parametrize("fault", ["before write", "after write"])
def test_batch_in_doubt_is_there_once(database: Database, one: Server, fault: str) -> None:
    fail(one, fault)
    database.calls.clear()
    one.append(rows(3, 2))
    one.append(rows(5, 1))
    assert database.rows == rows(1, 5)
    assert database.calls[:3] == ["lock", "last", "write_leader"], "the last row is read after the lock, and replicated"
    assert one.leadership.is_certain


def test_batch_in_doubt_stays_in_doubt_until_it_is_replicated(database: Database, one: Server) -> None:
    fail(one, "after write")
    database.next_fails = "before write_leader"
    with pytest.raises(JournalError):
        one.append(rows(3, 2))
    database.rows[2:] = []  # the old primary alone had them
    one.append(rows(3, 2))
    assert database.rows == rows(1, 4)


def test_old_session_that_lives_on_is_ended(database: Database, one: Server) -> None:
    database.keeps_sessions = True
    fail(one, "before write")
    with pytest.raises(JournalError, match="last connection"):
        one.append(rows(3, 2))
    one.append(rows(3, 2))
    assert database.rows == rows(1, 4)


def test_server_ends_its_session_that_failed_to_lead(database: Database) -> None:
    server = Server(database, "one")
    database.keeps_sessions = True
    server.session.fails = "before write_leader"
    with pytest.raises(JournalError):
        server.leadership.lead()
    assert not server.leadership.lead()
    assert server.leadership.lead()


def test_standby_ends_nobody(database: Database, other: Server) -> None:
    assert "end" not in database.calls


@pytest.mark.parametrize("has_ended", [False, True])
def test_leader_stops_when_another_has_led(database: Database, one: Server, other: Server, has_ended: bool) -> None:
    fail(one, "before write")
    assert other.leadership.lead()
    if has_ended:
        other.leadership.close()
    with pytest.raises(JournalBroken) as stopped:
        one.append(rows(3, 2))
    assert "other:1 since 2027-01-15T08:00:00.000+00:00" in str(stopped.value)
    assert not one.leadership.is_certain
    assert database.rows == rows(1, 2)


def test_leader_stops_when_rows_are_lost(database: Database, one: Server) -> None:
    fail(one, "before write")
    database.rows.pop()
    with pytest.raises(JournalBroken, match=r"row 2 was committed, and the last one is 1\."):
        one.append(rows(3, 2))


def test_leader_stops_when_the_database_does_not_know_it(database: Database, one: Server) -> None:
    fail(one, "before write")
    database.leader, database.rows = None, []
    with pytest.raises(JournalBroken, match="no longer knows that this server leads"):
        one.leadership.confirm()


@pytest.mark.parametrize("count", [2, 3])
def test_leader_stops_at_rows_of_somebody_else(database: Database, one: Server, count: int) -> None:
    fail(one, "before write")
    database.rows[1:] = [evolve(row, body=b"{}") for row in rows(2, count)]
    with pytest.raises(JournalBroken, match=r"row \d was written|written by somebody else"):
        one.append(rows(3, 2))


def test_batch_that_is_there_with_another_beginning_is_refused(database: Database, one: Server) -> None:
    fail(one, "after write")
    database.rows[2] = evolve(database.rows[2], body=b"{}")
    with pytest.raises(JournalBroken, match="row 3 of the journal was written by somebody else"):
        one.append(rows(3, 2))


def test_certainty_counts_from_the_beginning_of_a_round_trip(one: Server) -> None:
    assert one.leadership.is_certain
    one.now_s += CERTAIN_S
    assert not one.leadership.is_certain
    one.leadership.confirm()
    assert one.leadership.is_certain

    one.session.before_answer = lambda: setattr(one, "now_s", one.now_s + CERTAIN_S)
    one.leadership.confirm()
    assert not one.leadership.is_certain, "a server that was stopped meanwhile"


def test_word_from_the_database_ends_certainty(one: Server) -> None:
    one.session.is_quiet = False
    assert not one.leadership.is_certain


def test_leader_goes_on_once_the_database_is_back(database: Database, one: Server) -> None:
    database.is_up, database.holder = False, None
    for _ in range(3):
        with pytest.raises(JournalError):
            one.leadership.confirm()
    database.is_up = True
    one.leadership.confirm()
    assert one.leadership.is_certain


def test_nobody_is_certain_before_it_leads(other: Server) -> None:
    assert not other.leadership.is_certain


def test_server_that_was_let_in_before_asks_again_when_it_is_refused(database: Database, one: Server) -> None:
    """Of several servers a replica may answer that does not know this one, while the primary is started again."""
    one.session.fails = "before heartbeat"
    with pytest.raises(JournalError):
        one.leadership.confirm()
    database.refuses = True
    with pytest.raises(JournalError, match="not allowed to connect"):
        one.leadership.confirm()
    database.refuses = False
    one.leadership.confirm()
    assert one.leadership.is_certain


def test_server_that_is_refused_from_the_beginning_stops(database: Database) -> None:
    database.refuses = True
    with pytest.raises(JournalBroken, match="not allowed to connect"):
        Server(database, "stranger").leadership.lead()
