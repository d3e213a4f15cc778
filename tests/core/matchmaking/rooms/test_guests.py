"""Players in rooms and players whose protocol knows no rooms: how they meet."""

from gameserver.core.messages.commands import Withdraw
from gameserver.core.messages.events import Accepted, MatchOpened, Rejected, Unseated
from gameserver.core.messages.rejections import Code
from gameserver.game import NoOptions
from gameserver.policies import Rules
from tests.core.matchmaking.rooms.room_lobby import ANN, BOB, CYD, TIM, UMA, kinds, listed
from tests.support.games import Countdown, catalogue
from tests.support.lobbies import LobbyHarness


def test_ready_player_alone_in_a_room_meets_the_next_seeker(harness: LobbyHarness) -> None:
    harness.sit(ANN, 2)
    harness.ready(ANN)
    harness.heard.clear()
    harness.seek(TIM, "Countdown")
    assert MatchOpened(1, "Countdown", ("ann", "tim"), 0, 0, 15_000, options=NoOptions()) in harness.hear(ANN)
    assert isinstance(harness.hear(TIM)[0], MatchOpened)


def test_a_seeker_who_gives_up_is_gone_from_the_rooms(harness: LobbyHarness) -> None:
    harness.seek(TIM, "Countdown")
    harness.do(Withdraw(TIM))
    assert harness.lobby.rooms == {}
    harness.seek(TIM, "Countdown")
    harness.seek(TIM, "Dice")
    assert harness.lobby.rooms == {}


def test_a_seeker_gets_a_room_when_one_is_free(harness: LobbyHarness) -> None:
    for number, session in enumerate((ANN, BOB, CYD)):
        harness.sit(session, number)
    harness.seek(TIM, "Countdown")
    assert harness.lobby.queues == {"Countdown": ("tim",)}
    harness.leave(BOB)
    assert listed(harness, ANN) == {0: "ann", 1: "tim", 2: "cyd"}


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


def test_guest_plays_in_the_room_of_the_host_whatever_room_their_search_was_shown_in() -> None:
    harness = LobbyHarness(catalogue(Countdown()), Rules(first_move_pause_ms=0, room_game="Countdown", room_count=3))
    for session, name in enumerate(("ann", "bob"), start=1):
        harness.enter_by_rooms(session, name)
    harness.sit(1)
    harness.seek(2, "Countdown")
    assert harness.lobby.players["bob"].room == 1
    harness.ready(1)
    assert [harness.match().room_of(name) for name in ("ann", "bob")] == [0, 0]
