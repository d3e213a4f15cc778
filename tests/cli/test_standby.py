"""The servers of a shared database as `gameserver status` shows them."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from gameserver.authentication.roster import IN_DATABASE, SharedRoster
from gameserver.cli import serve
from gameserver.cli.admin import KnownServer, ranked, servers_of, servers_table
from gameserver.cli.common import WrongSettings
from gameserver.cli.serve import PortInUse
from gameserver.config import structure
from gameserver.core.lobby import Lobby
from gameserver.database.connection import DatabaseAway, DatabaseConnection, DatabaseError
from gameserver.journal.journal import JournalError, ServerPresence
from gameserver.journal.recovery import Replayed
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.server.standby import Lead


def presence(name: str, seq: int, *, leads: bool = False) -> ServerPresence:
    return ServerPresence(name, leads, seq, 1_700_000_000_000, 0.2499)


def test_standbys_are_behind_the_leader() -> None:
    one, ahead, behind = ranked([presence("a:1", 100, leads=True), presence("b:2", 101), presence("c:3", 90)])
    assert one == KnownServer("a:1", True, 100, 0, 1_700_000_000_000, 0.2)
    assert (ahead.rows_behind, behind.rows_behind) == (0, 10), "the leader's word may be older than a standby's"


def test_without_a_leader_they_are_behind_the_first_of_them() -> None:
    assert [one.rows_behind for one in ranked([presence("b:2", 101), presence("c:3", 90)])] == [0, 11]
    assert ranked([]) == []


def test_table_fits_a_terminal() -> None:
    table = servers_table(ranked([presence("a-rather-long-name.example.edu:12345", 10**9, leads=True)]), 80)
    assert table.title == "Servers"
    assert len(table.columns) == 6


def test_data_file_has_no_servers() -> None:
    assert servers_of("gameserver.sqlite3", "") == (None, "")
    assert servers_of(":memory:", "") == (None, "")


SETTINGS, _ = structure({"data": "postgresql://db/games", "lobby": {"roster": IN_DATABASE}}, {})


class AwayOnce(MemoryJournal):
    asked = 0

    def confirm(self) -> None:
        self.asked += 1
        if self.asked == 1:
            raise JournalError("connection refused")


def test_confirmation_that_fails_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The leader before, on the same machine, still has the ports."""
    journal, tries = AwayOnce(), iter(range(3))

    def opened(_: object) -> tuple[()]:
        if next(tries) < 2:
            raise PortInUse("127.0.0.1:7789 is in use")
        return ()

    monkeypatch.setattr(serve, "open_all", opened)
    monkeypatch.setattr(serve, "_PAUSE_S", 0)
    monkeypatch.setattr(serve, "_CONFIRM_EVERY_S", -1)
    found = Lead(journal, Replayed(Lobby({}), 0, 0, 0, ()), 0.0, stood_by=True)
    candidate = serve.Candidate(lambda: journal, (), (), lambda: None)
    assert candidate._opened(found) == ()
    assert journal.asked == 2


def roster_that_fails(monkeypatch: pytest.MonkeyPatch, *errors: DatabaseError) -> None:
    """Have the roster's database fail in these ways, one after the other, and then have ann on the roster."""
    failing = iter(errors)

    @contextmanager
    def connection() -> Iterator[DatabaseConnection]:
        for error in failing:
            raise error
        cursor: Any = SimpleNamespace(fetchone=lambda: (1, "name,secret\nann,apple\n"))
        answering: Any = SimpleNamespace(execute=lambda *_: cursor)
        yield answering

    monkeypatch.setattr(serve, "postgresql_roster", lambda _: SharedRoster(connection, lambda: None))
    monkeypatch.setattr(serve, "_ROSTER_PAUSE_S", 0)


def test_roster_is_read_once_the_database_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    roster_that_fails(monkeypatch, DatabaseAway("starting up"), DatabaseAway("starting up"))
    assert set(serve._read_roster(SETTINGS).names()) == {"ann"}


def test_roster_that_cannot_be_read_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    roster_that_fails(monkeypatch, DatabaseError("permission denied for table roster"))
    with pytest.raises(WrongSettings, match="permission denied"):
        serve._read_roster(SETTINGS)


@pytest.mark.parametrize("url", ["", "https://games.example.edu"])
def test_start_tells_where_others_find_the_pages(capsys: pytest.CaptureFixture[str], url: str) -> None:
    serve.show((), ":memory:", None, url=url)
    assert (f"pages: {url}" in capsys.readouterr().out.splitlines()) is bool(url)
