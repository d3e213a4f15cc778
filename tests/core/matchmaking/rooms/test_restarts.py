"""Rooms after a restart: matches that go on, and places that are kept or released."""

import attrs
import pytest

from gameserver.core.messages.commands import Accept, Challenge, Command, Seek
from gameserver.core.messages.events import (
    Accepted,
    EndReason,
    MatchShown,
    Rejected,
    RoomShown,
    RoomsListed,
    Seated,
    TurnStarted,
    Unseated,
)
from gameserver.core.messages.rejections import Code
from gameserver.policies import Rules
from tests.core.matchmaking.rooms.room_lobby import ANN, BOB, CYD, RULES, TIM, UMA, kinds, started
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def back(harness: LobbyHarness, address: str = "10.0.0.1") -> None:
    harness.heard.clear()
    for session, name in ((ANN, "ann"), (BOB, "bob")):
        assert harness.enter_by_rooms(session, name, address) == Accepted()


def test_a_match_goes_on_where_it_was_step_by_step(harness: LobbyHarness) -> None:
    started(harness)
    harness.play(ANN, "2")
    harness.start()
    back(harness)
    assert harness.hear(ANN) == [RoomsListed((RoomShown(0, "ann"), RoomShown(1, None), RoomShown(2, None)))]
    assert harness.play(ANN, "1") == Rejected(Code.NOT_IN_MATCH)
    assert harness.sit(ANN, 1) == Rejected(Code.ROOM_KEPT, {"room": "0"})
    for session, opponent in ((ANN, "bob"), (BOB, "ann")):
        harness.hear(session)
        assert harness.sit(session) == Accepted()
        assert harness.hear(session) == [Seated(0, opponent)]
    harness.ready(ANN)
    (shown,) = harness.hear(ANN)
    assert isinstance(shown, MatchShown)
    assert [move.text for move in shown.moves] == ["2"]
    assert harness.match().clock.deadline_ms is None, "the clock stands until both are back"
    harness.ready(BOB)
    assert kinds(harness.hear(BOB)) == [MatchShown, TurnStarted]
    assert harness.play(BOB, "1") == Accepted()


def test_a_stranger_gets_neither_name_nor_place(harness: LobbyHarness) -> None:
    started(harness)
    harness.start()
    assert harness.enter_by_rooms(ANN, "ann", "10.9.9.9") == Rejected(Code.NAME_HELD, {"name": "ann"})
    assert harness.enter_by_rooms(CYD, "cyd") == Accepted()
    assert harness.sit(CYD) == Rejected(Code.ROOM_FULL, {"room": "0"})


def test_a_place_is_not_kept_for_ever(harness: LobbyHarness) -> None:
    for session in (ANN, BOB):
        harness.sit(session)
    harness.start()
    harness.enter_by_rooms(ANN, "ann")
    harness.sit(ANN)
    harness.now_ms += 59_999
    assert harness.room_time_up() == Rejected(Code.STALE)
    harness.now_ms += 1
    assert harness.room_time_up() == Accepted()
    harness.enter_by_rooms(CYD, "cyd")
    assert harness.sit(CYD) == Accepted()


def test_a_match_that_one_does_not_come_back_to_has_no_loser(harness: LobbyHarness) -> None:
    started(harness)
    harness.start()
    harness.enter_by_rooms(ANN, "ann")
    harness.sit(ANN)
    harness.now_ms += 60_000
    harness.time_up()
    assert [record.reason for record in harness.records] == [EndReason.VOID]
    harness.hear(ANN)
    harness.ready(ANN)
    assert kinds(harness.hear(ANN)) == [Unseated]


def test_guest_who_returns_by_rooms_stays_in_the_room(harness: LobbyHarness) -> None:
    harness.seek(TIM, "Countdown")
    harness.sit(ANN)
    harness.ready(ANN)
    harness.start()
    for session, name in ((ANN, "ann"), (TIM, "tim")):
        harness.enter_by_rooms(session, name)
        assert harness.sit(session) == Accepted()
        harness.ready(session)
    harness.resign(TIM)
    for session in (ANN, TIM):
        assert harness.ready(session) == Accepted()
    assert set(harness.match(2).players) == {"ann", "tim"}


def test_a_place_is_kept_where_there_are_fewer_rooms_after_the_restart(harness: LobbyHarness) -> None:
    for session in (ANN, BOB):
        harness.sit(session, 2)
        harness.ready(session)
    harness.rules = attrs.evolve(RULES, room_count=1)
    harness.start()
    back(harness)
    assert harness.hear(ANN) == [RoomsListed((RoomShown(0, None), RoomShown(2, "ann")))]
    assert harness.sit(CYD, 1) == Rejected(Code.NOT_ENTERED)
    assert harness.sit(ANN, 2) == Accepted()
    assert harness.ready(ANN) == Accepted()
    harness.resign(ANN)
    harness.depart(ANN)
    assert harness.sit(ANN, 2) == Rejected(Code.NO_SUCH_ROOM, {"room": "2", "last": "0"})


def test_a_seat_of_a_queues_match_is_not_taken_back_by_rooms(harness: LobbyHarness) -> None:
    harness.seek(TIM, "Dice")
    harness.seek(UMA, "Dice")
    harness.start()
    assert harness.enter_by_rooms(1, "tim") == Rejected(Code.NAME_HELD, {"name": "tim"})


def test_player_who_sits_elsewhere_after_a_restart_loses_the_reserved_place(harness: LobbyHarness) -> None:
    harness.enter_by_rooms(1, "ann")
    harness.sit(1, 0)
    harness.start()
    harness.enter_by_rooms(2, "ann")
    assert harness.lobby.awaited(("rooms", 0)) == ()
    harness.sit(2, 1)
    assert harness.lobby.awaited(("rooms", 0)) == ()
    assert harness.lobby.awaited(("rooms", 1)) == (2,)


def test_an_empty_old_place_is_free_at_once(harness: LobbyHarness) -> None:
    harness.sit(ANN)
    harness.start()
    back(harness)
    harness.sit(ANN, 1)
    assert set(harness.lobby.rooms) == {1}


def test_a_stranger_who_sits_elsewhere_frees_nobodys_place(harness: LobbyHarness) -> None:
    harness.sit(ANN)
    harness.start()
    harness.enter_by_rooms(ANN, "ann", "10.9.9.9")
    harness.sit(ANN, 1)
    assert set(harness.lobby.rooms) == {0, 1}


@pytest.mark.parametrize("command", [Challenge(3, "house-random", "Countdown"), Seek(3, "Countdown"), Accept(3)])
def test_player_whose_seat_waits_in_its_room_begins_no_other_match(command: Command) -> None:
    harness = LobbyHarness(
        catalogue(Countdown()), Rules(first_move_pause_ms=0, drop_grace_ms=0, room_game="Countdown", room_count=3)
    )
    harness.enter_by_rooms(1, "ann")
    harness.enter(2, "bob")
    harness.sit(1)
    harness.ready(1)
    harness.seek(2, "Countdown")
    harness.start()
    harness.enter_by_rooms(3, "ann")
    assert harness.do(command) == Rejected(Code.IN_MATCH)
    assert harness.lobby.seated["ann"] == 1
    harness.sit(3)
    harness.ready(3)
    assert harness.lobby.players["ann"].match == 1
