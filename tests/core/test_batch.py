"""Batches: what is decided together."""

from gameserver.core.commands import Leave, Seek
from gameserver.runtime.batch import Batch, Input
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import Table


def test_who_is_seated_and_gone_in_one_batch_has_not_lost() -> None:
    table = Table(catalogue(Countdown()))
    table.enter(1, "ann")
    table.enter(2, "bob")
    table.seek(1, "Countdown")
    batch = Batch(table.lobby, len(table.rows), lambda: table.now_ms, lambda: 0, lambda *_: None)
    batch.add(Input(Seek(2, "Countdown"), table.now_ms))
    batch.add(Input(Leave(1), table.now_ms))
    (record,) = batch.records
    assert [seat.result for seat in record.seats] == ["void", "void"]
    assert "ann" not in table.lobby.players
