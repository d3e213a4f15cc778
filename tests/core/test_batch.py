"""Batches: what is decided together."""

import pytest

from gameserver.core.commands import Leave, Seek
from gameserver.core.teacher_commands import Kick
from gameserver.runtime.batch import Batch, Input
from tests.support.games import Countdown, Dice, catalogue
from tests.support.lobbies import Table


@pytest.mark.parametrize("goes", [Leave(1), Kick("ann", "enough", "teacher")])
def test_who_is_seated_and_gone_in_one_batch_has_not_lost(goes: Leave | Kick) -> None:
    table = Table(catalogue(Countdown()))
    table.enter(1, "ann")
    table.enter(2, "bob")
    table.seek(1, "Countdown")
    batch = Batch(table.lobby, len(table.rows), lambda: table.now_ms, lambda: 0, lambda *_: None)
    batch.add(Input(Seek(2, "Countdown"), table.now_ms))
    batch.add(Input(goes, table.now_ms))
    (record,) = batch.records
    assert [seat.result for seat in record.seats] == ["void", "void"]
    assert "ann" not in table.lobby.players


def test_who_is_gone_is_seated_in_no_second_match_with_somebody_who_waits() -> None:
    """The match that nobody was told of ends without a loser, and the leaver's next search ends with it."""
    table = Table(catalogue(Countdown(), Dice()))
    for session, name in enumerate(("ann", "bob", "cyd"), 1):
        table.enter(session, name)
    table.seek(1, "Countdown")
    table.seek(3, "Dice")
    batch = Batch(table.lobby, len(table.rows), lambda: table.now_ms, lambda: 0, lambda *_: None)
    for command in (Seek(2, "Countdown"), Seek(1, "Dice"), Leave(1)):
        batch.add(Input(command, table.now_ms))
    (record,) = batch.records
    assert [seat.result for seat in record.seats] == ["void", "void"]
    assert table.lobby.queues == {"Dice": ("cyd",)}
    assert table.lobby.matches == {}
