"""A server between its lead and its first player: what passes must not end it."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from gameserver.authentication.shared_roster import IN_DATABASE, SharedRoster
from gameserver.cli import serve, standby
from gameserver.cli.common import WrongSettings
from gameserver.cli.listeners import PortInUse
from gameserver.config import structure
from gameserver.core.state.lobby import Lobby
from gameserver.database.connection import Connection, DatabaseAway, DatabaseError
from gameserver.journal.journal import JournalError
from gameserver.journal.memory import MemoryJournal
from gameserver.journal.recovery import Replayed

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

    monkeypatch.setattr(standby, "open_all", opened)
    monkeypatch.setattr(standby, "_PAUSE_S", 0)
    monkeypatch.setattr(standby, "_CONFIRM_EVERY_S", -1)
    found = standby.standby.Lead(journal, Replayed(Lobby({}), 0, 0, 0, ()), 0.0, stood_by=True)
    candidate = standby.Candidate(lambda: journal, (), (), lambda: None)
    assert candidate._opened(found) == ()
    assert journal.asked == 2


def roster_that_fails(monkeypatch: pytest.MonkeyPatch, *errors: DatabaseError) -> None:
    """Have the roster's database fail in these ways, one after the other, and then have ann on the roster."""
    failing = iter(errors)

    @contextmanager
    def connection() -> Iterator[Connection]:
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
