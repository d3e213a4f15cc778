"""The shared log of the tests: one leads, and whoever loses the lead notices before it tells anything."""

import pytest

from gameserver.core.messages.commands import Seek
from gameserver.core.state.lobby import At
from gameserver.journal.codec import write_row
from gameserver.journal.journal import JournalBroken, JournalError, JournalRow
from tests.support.shared_log import CERTAIN_S, SESSION_S, SharedJournal, SharedLog


def row(seq: int) -> list[JournalRow]:
    return [write_row(seq, At(seq, seq, seq), Seek(seq, "Reversi"))]


class Shared:
    """Two servers over one log, the first of which leads."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.log = SharedLog(lambda: self.now_s)
        self.one, self.other = self.log.journal("one"), self.log.journal("other")
        assert self.one.lead()
        assert not self.other.lead()


def leaders(log: SharedLog) -> list[str]:
    return [server.name for server in log.servers() if server.leads]


def test_others_lead_once_the_leader_has_closed() -> None:
    shared = Shared()
    shared.one.append(row(1))
    shared.one.close()
    assert shared.other.lead()
    assert shared.other.last() == 1
    shared.other.append(row(2))
    assert leaders(shared.log) == ["one", "other"], "the first gave word as the leader, and no other word since"


def test_stopped_leader_is_uncertain_before_another_can_lead() -> None:
    shared = Shared()
    shared.one.confirm()
    shared.now_s = CERTAIN_S - 0.1
    assert shared.one.is_certain
    shared.now_s = CERTAIN_S
    assert not shared.one.is_certain
    assert not shared.other.lead()
    shared.now_s = SESSION_S + 0.1
    assert shared.other.lead()
    with pytest.raises(JournalError):
        shared.one.confirm()
    with pytest.raises(JournalBroken, match="another server leads, other"):
        shared.one.confirm()
    assert not shared.one.is_certain


def _cut(shared: Shared) -> None:
    shared.one.is_reachable = False


def _stop(shared: Shared) -> None:
    shared.log.is_up = False


def _end(shared: Shared) -> None:
    shared.log.end_session(shared.one)


@pytest.mark.parametrize("fault", [_cut, _stop, _end])
def test_leader_goes_on_when_nobody_else_has_led(fault: object) -> None:
    shared = Shared()
    shared.one.append(row(1))
    assert callable(fault)
    fault(shared)
    with pytest.raises(JournalError):
        shared.one.append(row(2))
    assert not shared.one.is_certain
    shared.one.is_reachable = shared.log.is_up = True
    for _ in range(2):
        try:
            shared.one.append(row(2))
        except JournalError:
            continue
    assert shared.one.is_certain
    assert shared.log.kept.last() == 2


@pytest.mark.parametrize("kept", [True, False])
def test_commit_in_doubt_is_made_once(kept: bool) -> None:
    shared = Shared()
    shared.one.answers_lost = [kept]
    with pytest.raises(JournalError):
        shared.one.append(row(1))
    assert shared.log.kept.last() == int(kept)
    _until_it_succeeds(shared.one)
    assert shared.log.kept.last() == shared.one.last() == 1


def test_lost_rows_end_the_leader() -> None:
    shared = Shared()
    shared.one.append(row(1))
    shared.one.append(row(2))
    shared.log.forget_after(1)
    with pytest.raises(JournalError):
        shared.one.confirm()
    with pytest.raises(JournalBroken, match="row 2 was committed"):
        shared.one.confirm()


def _until_it_succeeds(journal: SharedJournal) -> None:
    for _ in range(5):
        try:
            journal.append(row(1))
        except JournalError:
            continue
        return
    raise AssertionError("never")
