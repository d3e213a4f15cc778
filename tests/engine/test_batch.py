"""Batches: what is decided together."""

import orjson
import pytest

from gameserver.core.commands import Arrive, Book, Capability, Command, Enter, Kick, Leave, Ready, Seek
from gameserver.core.events import Accepted, Code, MatchOpened, Rejected
from gameserver.engine.batch import Batch, Submission
from tests.support.games import Countdown, Hands, catalogue
from tests.support.lobbies import LobbyHarness

COMES_BACK = Enter(2, "ann", "strategic", "10.0.0.1", (Capability.CHAT, Capability.CHALLENGE))


def batch_of(harness: LobbyHarness, *commands: Command) -> Batch:
    """These commands, decided together."""
    batch = Batch(harness.lobby, len(harness.rows), lambda: harness.now_ms, lambda: 0, lambda *_: None)
    for command in commands:
        batch.add(Submission(command, harness.now_ms))
    return batch


@pytest.mark.parametrize("goes", [Leave(1), Kick("ann", "enough", "teacher")])
def test_player_seated_and_gone_in_one_batch_has_not_lost(goes: Leave | Kick) -> None:
    harness = LobbyHarness(catalogue(Countdown()))
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    harness.seek(1, "Countdown")
    (record,) = batch_of(harness, Seek(2, "Countdown"), goes).records
    assert [seat.result for seat in record.seats] == ["void", "void"]
    assert "ann" not in harness.lobby.players


def waiting_unheard_of() -> LobbyHarness:
    """A player out of a queue hears of the match when the other side is ready, and may be gone by then."""
    harness = LobbyHarness(catalogue(Hands()))
    booking = Book(90, "t1", "gx-ann", "ann", "10.0.0.1", "Hands", seat_options={"by_hand": True}, open_to_queue=True)
    harness.do(booking)
    harness.do(Arrive(1, "t1", "ann", "gammonx", "10.0.0.1", (Capability.READY,)))
    harness.enter(2, "bob")
    harness.seek(2, "Hands")
    assert not [event for event in harness.hear(2) if isinstance(event, MatchOpened)]
    return harness


def test_player_gone_before_hearing_of_a_waiting_match_has_not_lost() -> None:
    (record,) = batch_of(waiting_unheard_of(), Ready(1), Leave(2)).records
    assert [seat.result for seat in record.seats] == ["void", "void"]


def test_player_who_said_ready_can_lose_the_match() -> None:
    assert batch_of(waiting_unheard_of(), Ready(1), Leave(1)).records == []


def test_player_gone_before_hearing_of_the_return_has_not_come_back() -> None:
    """After a restart a match waits for its players; who breaks off during the commit of the login still may come."""
    harness = LobbyHarness(catalogue(Countdown()))
    harness.enter(1, "ann")
    harness.challenge(1, "house-random", "Countdown")
    harness.start()
    return_by_ms = harness.match().seats[harness.match().seat_of("ann")].absence
    assert batch_of(harness, COMES_BACK, Leave(2)).records == []
    assert harness.match().seats[harness.match().seat_of("ann")].absence == return_by_ms
    harness.enter(3, "ann")
    harness.leave(3)
    (record,) = harness.records
    assert record.reason == "dropped", "who has heard and goes has gone"


def test_player_back_too_late_and_gone_before_hearing_of_it_has_not_lost() -> None:
    harness = LobbyHarness(catalogue(Countdown()))
    harness.enter(1, "ann")
    harness.challenge(1, "house-random", "Countdown")
    harness.start()
    harness.now_ms += harness.rules.restart_grace_ms + 1
    batch = batch_of(harness, COMES_BACK, Leave(2))
    harness.time_up()
    (record,) = (*batch.records, *harness.records)
    assert record.reason == "void"


def test_command_that_cannot_be_encoded_is_refused_without_stopping_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    harness = LobbyHarness(catalogue(Countdown()))
    harness.enter(1, "ann")
    batch = batch_of(harness)
    with monkeypatch.context() as broken:
        broken.setattr("gameserver.engine.batch.write_row", lambda *_: orjson.dumps(1 << 70))
        batch.add(Submission(Seek(1, "Countdown"), harness.now_ms))
    batch.add(Submission(Seek(1, "Countdown"), harness.now_ms))
    refused, accepted = (decision.answer for _, decision in batch.outputs)
    assert isinstance(refused, Rejected)
    assert refused.code is Code.SERVER_FAULT
    assert accepted == Accepted()
    assert [row.seq for row in batch.rows] == [len(harness.rows) + 1]
    assert harness.lobby.queues == {"Countdown": ("ann",)}
