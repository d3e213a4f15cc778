"""Rooms: who sits where, when a match begins there, and what everybody is told of it."""

from collections.abc import Sequence

import attrs
import pytest

from gameserver.core.matchmaking.room_commands import TRANSITIONS
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import (
    Accept,
    Challenge,
    Command,
    Depart,
    Enter,
    ListPlayers,
    ListRooms,
    Ready,
    Resign,
    RoomTimeUp,
    Seek,
    Sit,
    Withdraw,
)
from gameserver.core.messages.events import (
    Accepted,
    By,
    EndReason,
    Event,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchShown,
    MovePlayed,
    PlayersListed,
    Rejected,
    RoomShown,
    RoomsListed,
    Seated,
    TurnStarted,
    Unseated,
    UnseatedWhy,
)
from gameserver.core.messages.rejections import Code
from gameserver.core.state import room as core
from gameserver.core.state.room import RoomPhase
from gameserver.game import NoOptions
from gameserver.policies import Rules
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import LobbyHarness

RULES = Rules(
    first_move_pause_ms=0,
    room_count=3,
    room_game="Countdown",
    room_turn_time_ms=15_000,
    room_wait_ms=180_000,
    late_margin_ms=250,
)
GAMES = catalogue(Countdown(), Dice(), Broken("start"))
ANN, BOB, CYD, TIM, UMA = range(1, 6)
"""The first three come by a protocol with rooms, the others by one without."""


@pytest.fixture
def harness() -> LobbyHarness:
    return arrive(LobbyHarness(GAMES, RULES))


def arrive(harness: LobbyHarness) -> LobbyHarness:
    for session, name in ((ANN, "ann"), (BOB, "bob"), (CYD, "cyd")):
        harness.enter_by_rooms(session, name)
    for session, name in ((TIM, "tim"), (UMA, "uma")):
        harness.enter(session, name)
    harness.heard.clear()
    return harness


def kinds(events: Sequence[Event]) -> list[type]:
    return [type(event) for event in events]


def started(harness: LobbyHarness) -> LobbyHarness:
    """Ann and Bob play in room 0, Ann to move."""
    for session in (ANN, BOB):
        harness.sit(session)
    for session in (ANN, BOB):
        harness.ready(session)
    harness.heard.clear()
    return harness


def over(harness: LobbyHarness) -> LobbyHarness:
    """Ann and Bob have played in room 0, Ann has won."""
    for session, move in ((ANN, "2"), (BOB, "1"), (ANN, "2")):
        assert harness.play(session, move) == Accepted()
    harness.heard.clear()
    return harness


def listed(harness: LobbyHarness, session: int) -> dict[int, str | None]:
    harness.hear(session)
    assert harness.do(ListRooms(session)) == Accepted()
    (event,) = harness.hear(session)
    assert isinstance(event, RoomsListed)
    return {shown.number: shown.host for shown in event.rooms}


# Sitting down.


def test_player_who_enters_by_rooms_is_told_of_them() -> None:
    harness = LobbyHarness(GAMES, RULES)
    harness.enter_by_rooms(1, "ann")
    assert harness.hear(1) == [RoomsListed((RoomShown(0, None), RoomShown(1, None), RoomShown(2, None)))]
    harness.enter(2, "tim")
    assert harness.hear(2) == []


def test_the_host_is_not_told_of_the_second(harness: LobbyHarness) -> None:
    assert harness.sit(ANN, 1) == Accepted()
    assert harness.hear(ANN) == [Seated(1, None)]
    assert harness.sit(BOB, 1) == Accepted()
    assert harness.hear(BOB) == [Seated(1, "ann")]
    assert harness.hear(ANN) == []
    assert listed(harness, CYD) == {0: None, 1: "ann", 2: None}


@pytest.mark.parametrize("number", [-1, 3, 100, 10**20])
def test_there_is_no_other_room(harness: LobbyHarness, number: int) -> None:
    assert harness.sit(ANN, number) == Rejected(Code.NO_SUCH_ROOM, {"room": str(number), "last": "2"})


def test_rooms_are_for_those_whose_protocol_knows_them(harness: LobbyHarness) -> None:
    """Or else somebody could sit, and look for the same game in the queue too."""
    assert harness.sit(TIM) == Rejected(Code.NO_SUCH_ROOM, {"room": "0", "last": "2"})
    assert listed(harness, ANN)[0] is None


def test_a_third_finds_no_place(harness: LobbyHarness) -> None:
    for session in (ANN, BOB):
        harness.sit(session)
    assert harness.sit(CYD) == Rejected(Code.ROOM_FULL, {"room": "0"})
    assert harness.sit(ANN, 1) == Rejected(Code.IN_ROOM, {"room": "0"})


def test_without_the_game_there_are_no_rooms() -> None:
    harness = LobbyHarness(catalogue(Dice()), RULES)
    harness.enter_by_rooms(1, "ann")
    assert harness.hear(1) == [RoomsListed(())]
    assert harness.sit(1) == Rejected(Code.UNKNOWN_GAME, {"game": "Countdown"})


@pytest.mark.parametrize("command", [Sit(9, 0), Ready(9), Depart(9), ListRooms(9)])
def test_session_that_has_not_entered_is_refused(harness: LobbyHarness, command: Sit) -> None:
    assert harness.do(command) == Rejected(Code.NOT_ENTERED)


@pytest.mark.parametrize("command", [Ready(ANN), Depart(ANN)])
def test_player_without_a_room_is_refused(harness: LobbyHarness, command: Ready) -> None:
    assert harness.do(command) == Rejected(Code.NOT_IN_ROOM)


def test_only_who_can_be_played_is_listed(harness: LobbyHarness) -> None:
    harness.sit(BOB)
    harness.do(ListPlayers(TIM))
    (event,) = harness.hear(TIM)
    assert isinstance(event, PlayersListed)
    assert [shown.name for shown in event.players if not shown.house] == ["bob", "tim", "uma"]


def test_leaving_frees_the_place(harness: LobbyHarness) -> None:
    harness.sit(ANN, 2)
    harness.sit(BOB, 2)
    harness.heard.clear()
    assert harness.depart(ANN) == Accepted()
    assert harness.hear(ANN) == [
        Unseated(2, UnseatedWhy.LEFT, (RoomShown(0, None), RoomShown(1, None), RoomShown(2, "bob")))
    ]
    assert harness.hear(BOB) == []
    harness.leave(BOB)
    assert harness.lobby.rooms == {}


# Starting.


def test_a_match_begins_when_both_are_ready_and_the_host_moves_first(harness: LobbyHarness) -> None:
    harness.sit(ANN)
    harness.sit(BOB)
    harness.heard.clear()
    assert harness.ready(BOB) == Accepted()
    assert harness.ready(BOB) == Rejected(Code.READY_ALREADY, {"room": "0"})
    assert harness.heard == {}
    harness.ready(ANN)
    for session, seat in ((ANN, 0), (BOB, 1)):
        opened, *more = harness.hear(session)
        assert opened == MatchOpened(1, "Countdown", ("ann", "bob"), seat, 0, 15_000, options=NoOptions())
        assert kinds(more) == ([TurnStarted] if session == ANN else [])
    assert listed(harness, CYD) == {1: None, 2: None}
    assert harness.sit(CYD) == Rejected(Code.ROOM_FULL, {"room": "0"})


def test_place_of_a_player_who_left_before_the_start_can_be_taken(harness: LobbyHarness) -> None:
    for session in (ANN, BOB):
        harness.sit(session)
    harness.ready(BOB)
    harness.leave(ANN)
    harness.sit(CYD)
    assert harness.hear(CYD) == [Seated(0, "bob")]
    harness.ready(CYD)
    assert harness.match().players == ("bob", "cyd")


def test_two_who_do_not_start_go_back_to_the_lobby(harness: LobbyHarness) -> None:
    harness.sit(ANN)
    harness.now_ms += 500_000
    assert harness.room_time_up() == Rejected(Code.STALE)
    harness.sit(BOB)
    harness.ready(BOB)
    harness.heard.clear()
    harness.now_ms += 179_999
    assert harness.room_time_up() == Rejected(Code.STALE)
    harness.now_ms += 1
    assert harness.room_time_up() == Accepted()
    free = tuple(RoomShown(number, None) for number in range(3))
    for session in (ANN, BOB):
        assert harness.hear(session) == [Unseated(0, UnseatedWhy.NOT_STARTED, free)]
    assert harness.lobby.rooms == {}


def test_the_time_for_starting_begins_with_the_second_player(harness: LobbyHarness) -> None:
    harness.sit(ANN)
    harness.now_ms += 100_000
    harness.sit(BOB)
    harness.now_ms += 100_000
    harness.leave(BOB)
    harness.now_ms += 100_000
    assert harness.room_time_up() == Rejected(Code.STALE), "somebody alone is never sent away"
    harness.sit(CYD)
    assert harness.lobby.rooms[0].start_by_ms == harness.now_ms + 180_000


# Playing.


def test_a_late_turn_is_played_by_lot_and_the_next_one_waits_a_second(harness: LobbyHarness) -> None:
    started(harness)
    harness.now_ms += 15_249
    assert harness.time_up() == Rejected(Code.STALE)
    harness.now_ms += 1
    assert harness.time_up() == Accepted()
    for session in (ANN, BOB):
        moved, *rest = harness.hear(session)
        assert isinstance(moved, MovePlayed)
        assert (moved.player, moved.by) == ("ann", By.SERVER)
        assert kinds(rest) == ([TurnStarted] if session == BOB else [])
    assert harness.play(ANN, "1") == Rejected(Code.NOT_YOUR_TURN, {"player": "ann"})
    harness.play(BOB, "1")
    _, turn = harness.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.release_ms == harness.now_ms + 1_000
    assert turn.deadline_ms == turn.release_ms + 15_000, "the pause is on nobody's clock"
    harness.now_ms += 999
    assert harness.play(ANN, "1") == Rejected(Code.TURN_NOT_BEGUN, {"player": "ann"})
    harness.now_ms += 1
    assert harness.play(ANN, "1") == Accepted()
    harness.hear(BOB)


def test_only_the_turn_after_the_late_one_waits() -> None:
    harness = started(arrive(LobbyHarness(GAMES, RULES)))
    harness.now_ms += 15_250
    harness.time_up()
    harness.play(BOB, "1")
    harness.now_ms += 1_000
    harness.hear(BOB)
    harness.play(ANN, "1")
    turns = [event for event in harness.hear(BOB) if isinstance(event, TurnStarted)]
    assert [turn.release_ms for turn in turns] == [0] * len(turns)


def test_the_pause_between_moves_is_a_setting() -> None:
    harness = started(
        arrive(LobbyHarness(GAMES, Rules(first_move_pause_ms=0, room_game="Countdown", room_move_pause_ms=1000)))
    )
    assert harness.match().pause_until_ms == 0, "the first turn begins at once"
    harness.play(ANN, "1")
    moved, turn = harness.hear(BOB)
    assert isinstance(moved, MovePlayed)
    assert moved.release_ms == 0
    assert isinstance(turn, TurnStarted)
    assert turn.release_ms == harness.now_ms + 1_000
    assert turn.deadline_ms == turn.release_ms + 15_000
    assert harness.play(BOB, "1") == Rejected(Code.TURN_NOT_BEGUN, {"player": "bob"})


def test_an_illegal_move_is_refused_and_the_turn_told_again(harness: LobbyHarness) -> None:
    started(harness)
    deadline_ms = harness.match().clock.deadline_ms
    harness.now_ms += 5_000
    answer = harness.play(ANN, "3")
    assert isinstance(answer, Rejected)
    assert answer.code is Code.ILLEGAL_MOVE
    (turn,) = harness.hear(ANN)
    assert isinstance(turn, TurnStarted)
    assert turn.deadline_ms == deadline_ms
    assert harness.hear(BOB) == []


def test_resigning_leaves_both_in_the_room(harness: LobbyHarness) -> None:
    started(harness)
    assert harness.resign(BOB) == Accepted()
    for session in (ANN, BOB):
        ended, _ = harness.hear(session)
        assert isinstance(ended, GameEnded)
        assert (ended.winners, ended.reason, ended.by) == ((0,), EndReason.RESIGNED, 1)
    assert harness.lobby.rooms[0].phase is RoomPhase.BETWEEN


def test_leaving_in_play_loses(harness: LobbyHarness) -> None:
    started(harness)
    assert harness.depart(ANN) == Accepted()
    assert kinds(harness.hear(ANN)) == [GameEnded, MatchEnded, Unseated]
    ended, _ = harness.hear(BOB)
    assert isinstance(ended, GameEnded)
    assert (ended.winners, ended.reason) == ((1,), EndReason.RESIGNED)
    assert harness.ready(BOB) == Accepted()
    (unseated,) = harness.hear(BOB)
    assert isinstance(unseated, Unseated)
    assert unseated.why is UnseatedWhy.OPPONENT_LEFT
    assert listed(harness, BOB) == {0: None, 1: None, 2: None}


def test_leaving_before_one_could_know_of_the_match_loses_nothing(harness: LobbyHarness) -> None:
    """The line crossed the other's start."""
    started(harness)
    harness.play(ANN, "2")
    assert harness.do(Depart(BOB, match=0)) == Accepted()
    assert [record.reason for record in harness.records] == [EndReason.VOID]
    assert kinds(harness.hear(ANN))[-2:] == [GameEnded, MatchEnded]
    assert kinds(harness.hear(BOB))[-1] is Unseated
    harness.ready(ANN)
    assert kinds(harness.hear(ANN)) == [Unseated]


@pytest.mark.parametrize("match", [None, 0, 1])
def test_leaving_after_an_own_move_loses_whatever_is_said(harness: LobbyHarness, match: int | None) -> None:
    """Or else who came back after a restart could call off what they were losing."""
    started(harness)
    harness.play(ANN, "2")
    harness.do(Depart(ANN, match=match))
    assert [record.reason for record in harness.records] == [EndReason.RESIGNED]


def test_a_lost_connection_loses(harness: LobbyHarness) -> None:
    started(harness)
    harness.leave(ANN)
    ended, _ = harness.hear(BOB)
    assert isinstance(ended, GameEnded)
    assert (ended.winners, ended.reason) == ((1,), EndReason.DROPPED)
    assert harness.enter_by_rooms(ANN, "ann") == Accepted(), "the name is free again"


# Playing again.


def test_both_ask_for_another_game_and_the_first_mover_is_drawn() -> None:
    firsts = set()
    for boot in range(20):
        harness = LobbyHarness(GAMES, RULES)
        harness.lobby.server[""] = harness.lobby.server[""].__class__(seed=f"{boot:064x}", rules=RULES)
        over(started(arrive(harness)))
        harness.ready(BOB)
        assert harness.heard == {}
        harness.ready(ANN)
        assert isinstance(harness.hear(ANN)[0], MatchOpened)
        firsts.add(harness.match(2).players[0])
    assert firsts == {"ann", "bob"}


def test_player_who_asked_for_another_game_is_told_when_the_other_leaves(harness: LobbyHarness) -> None:
    over(started(harness))
    harness.ready(ANN)
    harness.depart(BOB)
    assert [event.why for event in harness.hear(ANN) if isinstance(event, Unseated)] == [UnseatedWhy.OPPONENT_LEFT]
    assert [event.why for event in harness.hear(BOB) if isinstance(event, Unseated)] == [UnseatedWhy.LEFT]


def test_player_who_did_not_ask_for_another_game_is_not_told(harness: LobbyHarness) -> None:
    over(started(harness))
    harness.depart(BOB)
    assert harness.hear(ANN) == []
    assert harness.sit(CYD) == Rejected(Code.ROOM_FULL, {"room": "0"}), "until the room is left or its time is up"
    assert listed(harness, CYD) == {1: None, 2: None}


def test_three_minutes_after_a_game_both_go_back_to_the_lobby(harness: LobbyHarness) -> None:
    over(started(harness))
    harness.ready(ANN)
    harness.now_ms += 180_000
    assert harness.room_time_up() == Accepted()
    for session in (ANN, BOB):
        assert [event.why for event in harness.hear(session) if isinstance(event, Unseated)] == [
            UnseatedWhy.NOT_RESTARTED
        ]
    assert harness.lobby.rooms == {}


# Meeting somebody whose protocol knows no rooms.


def test_a_seeker_is_an_open_room(harness: LobbyHarness) -> None:
    harness.sit(CYD, 0)
    harness.seek(TIM, "Countdown")
    assert listed(harness, ANN) == {0: "cyd", 1: "tim", 2: None}
    harness.sit(ANN, 1)
    assert harness.hear(ANN) == [Seated(1, "tim")]
    assert harness.hear(TIM) == []
    harness.ready(ANN)
    for session, seat in ((TIM, 0), (ANN, 1)):
        assert MatchOpened(1, "Countdown", ("tim", "ann"), seat, 0, 15_000, options=NoOptions()) in harness.hear(
            session
        )


def test_a_seeker_can_still_be_found_in_the_queue_and_the_other_waits_on(harness: LobbyHarness) -> None:
    harness.seek(TIM, "Countdown")
    harness.sit(ANN, 0)
    harness.seek(UMA, "Countdown")
    assert set(harness.match().players) == {"tim", "uma"}
    assert harness.match().policies.turn_time_ms == 10_000, "the queue's terms"
    assert listed(harness, CYD) == {0: "ann", 1: None, 2: None}
    harness.hear(ANN)
    harness.ready(ANN)
    assert harness.hear(ANN) == []


def test_ready_player_alone_in_a_room_meets_the_next_seeker(harness: LobbyHarness) -> None:
    harness.sit(ANN, 2)
    harness.ready(ANN)
    harness.heard.clear()
    harness.seek(TIM, "Countdown")
    assert MatchOpened(1, "Countdown", ("ann", "tim"), 0, 0, 15_000, options=NoOptions()) in harness.hear(ANN)
    assert isinstance(harness.hear(TIM)[0], MatchOpened)


def test_ready_player_alone_meets_a_seeker_shown_in_another_room(harness: LobbyHarness) -> None:
    harness.sit(ANN, 0)
    harness.seek(TIM, "Countdown")
    harness.ready(ANN)
    assert harness.match().players == ("ann", "tim")
    assert listed(harness, CYD) == {1: None, 2: None}


def test_a_seeker_who_gives_up_is_gone_from_the_rooms(harness: LobbyHarness) -> None:
    harness.seek(TIM, "Countdown")
    harness.do(Withdraw(TIM))
    assert harness.lobby.rooms == {}
    harness.seek(TIM, "Countdown")
    harness.seek(TIM, "Dice")
    assert harness.lobby.rooms == {}


def test_seekers_of_other_games_are_no_rooms(harness: LobbyHarness) -> None:
    harness.seek(TIM, "Dice")
    assert harness.lobby.rooms == {}


def test_a_seeker_gets_a_room_when_one_is_free(harness: LobbyHarness) -> None:
    for number, session in enumerate((ANN, BOB, CYD)):
        harness.sit(session, number)
    harness.seek(TIM, "Countdown")
    assert harness.lobby.queues == {"Countdown": ("tim",)}
    harness.leave(BOB)
    assert listed(harness, ANN) == {0: "ann", 1: "tim", 2: "cyd"}


def test_a_seekers_guest_who_does_not_start_goes_back_to_the_lobby(harness: LobbyHarness) -> None:
    harness.seek(TIM, "Countdown")
    harness.sit(ANN, 0)
    harness.heard.clear()
    harness.now_ms += 180_000
    harness.room_time_up()
    assert kinds(harness.hear(ANN)) == [Unseated]
    assert harness.hear(TIM) == []
    assert listed(harness, ANN) == {0: "tim", 1: None, 2: None}


def test_a_challenge_takes_the_place_opposite(harness: LobbyHarness) -> None:
    harness.sit(ANN, 1)
    harness.heard.clear()
    assert harness.challenge(TIM, "ann", "Countdown") == Accepted()
    assert harness.hear(ANN) == []
    assert harness.sit(BOB, 1) == Rejected(Code.ROOM_FULL, {"room": "1"})
    harness.ready(ANN)
    assert harness.match().players == ("ann", "tim")
    assert harness.match().policies.turn_time_ms == 15_000, "the room's terms"


def test_challenge_to_a_ready_player_begins_at_once(harness: LobbyHarness) -> None:
    harness.sit(ANN, 1)
    harness.ready(ANN)
    harness.challenge(TIM, "ann", "Countdown")
    assert harness.match().players == ("ann", "tim")


def test_a_challenge_needs_a_free_place_and_the_right_game(harness: LobbyHarness) -> None:
    assert harness.challenge(TIM, "ann", "Countdown") == Rejected(Code.NO_CHALLENGES, {"player": "ann"})
    harness.sit(ANN)
    assert harness.challenge(TIM, "ann", "Dice") == Rejected(Code.NO_CHALLENGES, {"player": "ann"})
    harness.challenge(TIM, "ann", "Countdown")
    assert harness.challenge(TIM, "ann", "Countdown") == Accepted(), "it is the same challenge"
    assert harness.challenge(UMA, "ann", "Countdown") == Rejected(Code.ROOM_FULL, {"room": "0"})
    harness.ready(ANN)
    assert harness.challenge(UMA, "ann", "Countdown") == Rejected(Code.OTHER_IN_MATCH, {"player": "ann"})


def test_a_challenge_is_over_when_its_receiver_leaves_or_another_is_made(harness: LobbyHarness) -> None:
    harness.sit(ANN)
    harness.challenge(TIM, "ann", "Countdown")
    harness.depart(ANN)
    assert harness.lobby.rooms == {}
    harness.sit(ANN)
    harness.challenge(TIM, "ann", "Countdown")
    harness.challenge(TIM, "uma", "Dice")
    assert len(harness.lobby.rooms[0].places) == 1


def test_player_in_a_room_is_not_in_the_queue(harness: LobbyHarness) -> None:
    harness.sit(ANN)
    for answer in (harness.seek(ANN, "Dice"), harness.challenge(ANN, "tim", "Dice"), harness.accept(ANN)):
        assert answer == Rejected(Code.IN_ROOM, {"room": "0"})


def unlike(harness: LobbyHarness) -> LobbyHarness:
    """Tim, without rooms, and Ann have played in room 0."""
    harness.seek(TIM, "Countdown")
    harness.sit(ANN)
    harness.ready(ANN)
    harness.resign(TIM)
    harness.heard.clear()
    return harness


def test_player_who_seeks_again_is_met_again(harness: LobbyHarness) -> None:
    unlike(harness)
    harness.seek(TIM, "Countdown")
    harness.ready(ANN)
    assert isinstance(harness.hear(ANN)[0], MatchOpened)
    assert set(harness.match(2).players) == {"ann", "tim"}
    assert harness.match(2).room == 0


def test_player_who_does_not_seek_again_is_not_met_again(harness: LobbyHarness) -> None:
    unlike(harness)
    harness.ready(ANN)
    assert kinds(harness.hear(ANN)) == [Unseated]
    assert harness.hear(TIM) == []


def test_seek_made_during_a_game_is_shown_after_it(harness: LobbyHarness) -> None:
    harness.seek(TIM, "Countdown")
    harness.sit(ANN)
    harness.ready(ANN)
    harness.seek(TIM, "Countdown")
    harness.resign(TIM)
    assert listed(harness, BOB) == {1: "tim", 2: None}


# Restarts.


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


def test_places_are_kept_through_a_restart_before_the_first_move_too(harness: LobbyHarness) -> None:
    for session in (ANN, BOB):
        harness.sit(session)
    harness.ready(ANN)
    harness.start()
    back(harness)
    for session in (BOB, ANN):
        harness.sit(session)
        harness.ready(session)
    assert harness.match().players == ("ann", "bob")


def test_between_games_as_well(harness: LobbyHarness) -> None:
    over(started(harness))
    harness.ready(ANN)
    harness.start()
    back(harness)
    for session in (BOB, ANN):
        assert harness.sit(session) == Accepted()
        assert harness.ready(session) == Accepted()
    assert set(harness.match(2).players) == {"ann", "bob"}


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


def test_one_without_rooms_returns_by_the_name_alone(harness: LobbyHarness) -> None:
    harness.seek(TIM, "Countdown")
    harness.sit(ANN)
    harness.ready(ANN)
    harness.start()
    harness.heard.clear()
    harness.enter(TIM, "tim")
    assert kinds(harness.hear(TIM)) == [MatchShown, TurnStarted]
    harness.resign(TIM)
    assert harness.lobby.players["tim"].room is None


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


def test_with_time_to_come_back_a_drop_loses_nothing() -> None:
    harness = started(
        arrive(LobbyHarness(GAMES, Rules(room_game="Countdown", first_move_pause_ms=0, drop_grace_ms=20_000)))
    )
    harness.leave(ANN)
    harness.now_ms += 10_000
    harness.do(Enter(9, "ann", "connect-four", "10.0.0.1", (Capability.ROOMS,)))
    harness.sit(9)
    harness.heard.clear()
    harness.ready(9)
    assert kinds(harness.hear(9)) == [MatchShown, TurnStarted]
    assert harness.play(9, "1") == Accepted()


# A broken game, and the table of the state machine.


def test_a_game_that_cannot_begin_leaves_nobody_waiting() -> None:
    harness = arrive(LobbyHarness(GAMES, Rules(room_game="Broken-start", room_count=3)))
    for session in (ANN, BOB):
        harness.sit(session)
        harness.ready(session)
    for session in (ANN, BOB):
        assert kinds(harness.hear(session)) == [Seated, Unseated]
    assert harness.lobby.rooms == {}


STAGES = {
    RoomPhase.GATHERING: lambda harness: harness.sit(ANN),
    RoomPhase.READYING: lambda harness: (harness.sit(ANN), harness.sit(BOB)),
    RoomPhase.PLAYING: started,
    RoomPhase.BETWEEN: lambda harness: over(started(harness)),
}
"""`KEPT` needs a tournament: `test_tournaments` has it."""


@pytest.mark.parametrize("phase", STAGES)
@pytest.mark.parametrize("command", [Sit(CYD, 0), Sit(ANN, 0), Ready(ANN), Depart(ANN), Resign(ANN), RoomTimeUp(0)])
def test_every_command_has_an_answer_in_every_phase(harness: LobbyHarness, phase: RoomPhase, command: Sit) -> None:
    STAGES[phase](harness)
    assert harness.lobby.rooms[0].phase is phase
    harness.now_ms += 1_000_000
    answer = harness.do(command)
    due = phase in {RoomPhase.READYING, RoomPhase.BETWEEN}
    allowed = {
        Sit(CYD, 0): phase is RoomPhase.GATHERING,
        Ready(ANN): phase is not RoomPhase.PLAYING,
        Depart(ANN): True,
        Resign(ANN): phase is RoomPhase.PLAYING,
        RoomTimeUp(0): due,
    }
    assert (answer == Accepted()) is allowed.get(command, False)


def test_the_table_of_transitions_is_whole() -> None:
    assert set(TRANSITIONS) == set(core.RoomPhase)


def test_player_who_sits_elsewhere_after_a_restart_loses_the_reserved_place(harness: LobbyHarness) -> None:
    harness.enter_by_rooms(1, "ann")
    harness.sit(1, 0)
    harness.start()
    harness.enter_by_rooms(2, "ann")
    assert harness.lobby.awaited(("rooms", 0)) == ()
    harness.sit(2, 1)
    assert harness.lobby.awaited(("rooms", 0)) == ()
    assert harness.lobby.awaited(("rooms", 1)) == (2,)


def test_nobody_waits_for_a_player_who_sits_elsewhere_after_a_restart(harness: LobbyHarness) -> None:
    for session in (ANN, BOB):
        harness.sit(session)
    harness.start()
    back(harness)
    harness.sit(BOB)
    harness.sit(ANN, 1)
    assert [place.player for place in harness.lobby.rooms[0].places] == ["bob"]
    assert [place.player for place in harness.lobby.rooms[1].places] == ["ann"]
    harness.enter_by_rooms(CYD, "cyd")
    assert harness.sit(CYD) == Accepted()
    for session in (BOB, CYD):
        harness.ready(session)
    assert harness.match().players == ("bob", "cyd")


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


def test_guest_plays_in_the_room_of_the_host_whatever_room_their_search_was_shown_in() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, room_game="Countdown", room_count=3))
    for session, name in enumerate(("ann", "bob"), start=1):
        harness.enter_by_rooms(session, name)
    harness.sit(1)
    harness.seek(2, "Countdown")
    assert harness.lobby.players["bob"].room == 1
    harness.ready(1)
    assert [harness.match().room_of(name) for name in ("ann", "bob")] == [0, 0]


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
