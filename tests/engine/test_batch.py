"""Batches: what is decided together."""

import orjson
import pytest

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Arrive, Book, Enter, Kick, Leave, Ready, Seek
from gameserver.core.messages.events import Accepted, MatchOpened, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.engine.batch import Batch, Submission
from tests.support.games import Countdown, Dice, Hands, catalogue
from tests.support.lobbies import Table


@pytest.mark.parametrize("goes", [Leave(1), Kick("ann", "enough", "teacher")])
def test_who_is_seated_and_gone_in_one_batch_has_not_lost(goes: Leave | Kick) -> None:
    table = Table(catalogue(Countdown()))
    table.enter(1, "ann")
    table.enter(2, "bob")
    table.seek(1, "Countdown")
    batch = Batch(table.lobby, len(table.rows), lambda: table.now_ms, lambda: 0, lambda *_: None)
    batch.add(Submission(Seek(2, "Countdown"), table.now_ms))
    batch.add(Submission(goes, table.now_ms))
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
        batch.add(Submission(command, table.now_ms))
    (record,) = batch.records
    assert [seat.result for seat in record.seats] == ["void", "void"]
    assert table.lobby.queues == {"Dice": ("cyd",)}
    assert table.lobby.matches == {}


def test_who_is_gone_when_the_match_that_waited_unheard_of_begins_has_not_lost() -> None:
    """Who comes out of a queue hears of the match when the other side is ready, and may be gone by then."""
    table = Table(catalogue(Hands()))
    booking = Book(90, "t1", "gx-ann", "ann", "10.0.0.1", "Hands", seat_options={"by_hand": True}, open_to_queue=True)
    table.do(booking)
    table.do(Arrive(1, "t1", "ann", "gammonx", "10.0.0.1", (Capability.READY,)))
    table.enter(2, "bob")
    table.seek(2, "Hands")
    assert not [event for event in table.hear(2) if isinstance(event, MatchOpened)]
    batch = Batch(table.lobby, len(table.rows), lambda: table.now_ms, lambda: 0, lambda *_: None)
    batch.add(Submission(Ready(1), table.now_ms))
    batch.add(Submission(Leave(2), table.now_ms))
    (record,) = batch.records
    assert [seat.result for seat in record.seats] == ["void", "void"]


def test_who_has_said_to_be_ready_is_not_spared_the_match() -> None:
    table = Table(catalogue(Hands()))
    booking = Book(90, "t1", "gx-ann", "ann", "10.0.0.1", "Hands", seat_options={"by_hand": True}, open_to_queue=True)
    table.do(booking)
    table.do(Arrive(1, "t1", "ann", "gammonx", "10.0.0.1", (Capability.READY,)))
    table.enter(2, "bob")
    table.seek(2, "Hands")
    batch = Batch(table.lobby, len(table.rows), lambda: table.now_ms, lambda: 0, lambda *_: None)
    batch.add(Submission(Ready(1), table.now_ms))
    batch.add(Submission(Leave(1), table.now_ms))
    assert batch.records == []


def test_who_is_gone_before_hearing_that_they_are_back_has_not_come_back() -> None:
    """After a restart a match waits for its players; who breaks off during the commit of the login still may come."""
    table = Table(catalogue(Countdown()))
    table.enter(1, "ann")
    table.challenge(1, "house-random", "Countdown")
    table.start()
    return_by_ms = table.match().seats[table.match().seat_of("ann")].absence
    batch = Batch(table.lobby, len(table.rows), lambda: table.now_ms, lambda: 0, lambda *_: None)
    batch.add(
        Submission(Enter(2, "ann", "strategic", "10.0.0.1", (Capability.CHAT, Capability.CHALLENGE)), table.now_ms)
    )
    batch.add(Submission(Leave(2), table.now_ms))
    assert batch.records == []
    assert table.match().seats[table.match().seat_of("ann")].absence == return_by_ms
    table.enter(3, "ann")
    table.leave(3)
    (record,) = table.records
    assert record.reason == "dropped", "who has heard and goes has gone"


def test_who_comes_back_too_late_and_is_gone_before_hearing_of_it_has_not_lost() -> None:
    table = Table(catalogue(Countdown()))
    table.enter(1, "ann")
    table.challenge(1, "house-random", "Countdown")
    table.start()
    table.now_ms += table.rules.restart_grace_ms + 1
    batch = Batch(table.lobby, len(table.rows), lambda: table.now_ms, lambda: 0, lambda *_: None)
    batch.add(
        Submission(Enter(2, "ann", "strategic", "10.0.0.1", (Capability.CHAT, Capability.CHALLENGE)), table.now_ms)
    )
    batch.add(Submission(Leave(2), table.now_ms))
    table.time_up()
    (record,) = (*batch.records, *table.records)
    assert record.reason == "void"


def test_what_cannot_be_written_down_is_refused_and_costs_nobody_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(catalogue(Countdown()))
    table.enter(1, "ann")
    batch = Batch(table.lobby, len(table.rows), lambda: table.now_ms, lambda: 0, lambda *_: None)
    with monkeypatch.context() as broken:
        broken.setattr("gameserver.engine.batch.write_row", lambda *_: orjson.dumps(1 << 70))
        batch.add(Submission(Seek(1, "Countdown"), table.now_ms))
    batch.add(Submission(Seek(1, "Countdown"), table.now_ms))
    refused, accepted = (output.answer for output in batch.outputs)
    assert isinstance(refused, Rejected)
    assert refused.code is Code.SERVER_FAULT
    assert accepted == Accepted()
    assert [row.seq for row in batch.rows] == [len(table.rows) + 1]
    assert table.lobby.queues == {"Countdown": ("ann",)}
