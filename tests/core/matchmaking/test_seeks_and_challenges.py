"""How players find each other: queues, challenges, the house."""

import pytest

from games.mastermind import GAME as MASTERMIND
from gameserver.core.messages.commands import Challenge, ListGames, ListPlayers, Withdraw
from gameserver.core.messages.events import (
    Accepted,
    ChallengeClosed,
    ChallengeOpened,
    GamesListed,
    PlayersListed,
    Rejected,
)
from gameserver.core.messages.rejections import Code
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import LobbyHarness


@pytest.fixture
def harness() -> LobbyHarness:
    harness = LobbyHarness(catalogue(Countdown(), Dice(), Broken("start")))
    for session, name in enumerate(("ann", "bob", "cyd"), start=1):
        harness.enter(session, name)
    return harness


def kinds(events: list[object]) -> list[type]:
    return [type(event) for event in events]


@pytest.mark.parametrize(
    ("wishes", "turn_time_ms"),
    [
        ((None, None), 10_000),
        ((60_000, None), 60_000),
        ((None, 60_000), 60_000),
        ((5_000, None), 10_000),
        ((5_000, 3_000), 5_000),
        ((30_000, 90_000), 90_000),
    ],
)
def test_of_two_seekers_times_for_a_turn_the_match_has_the_longer_one(
    harness: LobbyHarness, wishes: tuple[int | None, int | None], turn_time_ms: int
) -> None:
    for session, wish in enumerate(wishes, start=1):
        harness.seek(session, "Countdown", wish)
    assert harness.match().policies.turn_time_ms == turn_time_ms


@pytest.mark.parametrize("turn_time_ms", [0, 999, 3_600_001])
def test_a_time_for_a_turn_that_no_match_may_have_is_refused(harness: LobbyHarness, turn_time_ms: int) -> None:
    refused = harness.seek(1, "Countdown", turn_time_ms)
    assert isinstance(refused, Rejected)
    assert refused.code is Code.TURN_TIME_OUT_OF_RANGE
    harness.seek(2, "Countdown")
    assert harness.lobby.matches == {}


def test_a_challenge_is_taken_back(harness: LobbyHarness) -> None:
    harness.challenge(1, "bob", "Countdown")
    harness.seek(1, "Dice")
    assert harness.do(Withdraw(1, challenge=True)) == Accepted()
    assert harness.hear(2)[-1] == ChallengeClosed(0)
    assert harness.accept(2, 0) == Rejected(Code.UNKNOWN_CHALLENGE, {"number": "0"})
    assert harness.lobby.queues == {"Dice": ("ann",)}, "the seek goes on"
    assert harness.do(Withdraw(1, challenge=True)) == Accepted(), "there is none"


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("to", ["bob", "house-random"])
def test_a_challenger_chooses_a_seat_where_the_seats_have_roles(to: str, seat: int) -> None:
    for boot in range(4):  # a lot would give both seats
        harness = LobbyHarness(catalogue(MASTERMIND))
        harness.boot = boot
        harness.enter(1, "ann")
        harness.enter(2, "bob")
        assert harness.do(Challenge(1, to, "Mastermind", seat=seat)) == Accepted()
        if to == "bob":
            assert harness.hear(2)[-1] == ChallengeOpened(0, "ann", "Mastermind", 10_000, 1 - seat)
            harness.accept(2)
        assert harness.match().players[seat] == "ann"


@pytest.mark.parametrize(("game", "seat"), [("Countdown", 0), ("Mastermind", 2), ("Mastermind", -1)])
def test_a_seat_that_cannot_be_chosen_is_refused(game: str, seat: int) -> None:
    harness = LobbyHarness(catalogue(Countdown(), MASTERMIND))
    harness.enter(1, "ann")
    refused = harness.do(Challenge(1, "house-random", game, seat=seat))
    assert isinstance(refused, Rejected)
    assert refused.code is Code.BAD_OPTIONS


def test_a_received_challenge_outlives_a_match(harness: LobbyHarness) -> None:
    harness.challenge(3, "ann", "Countdown")
    harness.challenge(1, "bob", "Countdown")
    harness.accept(2, 1)
    assert harness.accept(1, 0) == Rejected(Code.IN_MATCH)
    harness.resign(1)
    assert harness.accept(1, 0) == Accepted()
    assert set(harness.match(2).players) == {"ann", "cyd"}


def test_nobody_accepts_a_challenge_to_another(harness: LobbyHarness) -> None:
    harness.challenge(1, "bob", "Countdown")
    assert harness.accept(3, 0) == Rejected(Code.UNKNOWN_CHALLENGE, {"number": "0"})


@pytest.mark.parametrize(
    ("to", "game", "turn_time_ms", "code"),
    [
        ("nobody", "Countdown", None, Code.UNKNOWN_PLAYER),
        ("bob", "Chess", None, Code.UNKNOWN_GAME),
        ("ann", "Countdown", None, Code.CHALLENGE_SELF),
        ("bob", "Countdown", 999, Code.TURN_TIME_OUT_OF_RANGE),
        ("bob", "Countdown", 3_600_001, Code.TURN_TIME_OUT_OF_RANGE),
    ],
)
def test_a_wrong_challenge_is_refused_once_and_changes_nothing(
    harness: LobbyHarness, to: str, game: str, turn_time_ms: int | None, code: Code
) -> None:
    rows = len(harness.rows)
    answer = harness.challenge(1, to, game, turn_time_ms)
    assert isinstance(answer, Rejected)
    assert answer.code is code
    assert harness.lobby.challenges == {}
    assert len(harness.rows) == rows


def test_a_move_counts_though_the_next_game_cannot_start(harness: LobbyHarness) -> None:
    harness.seek(3, "Broken-start")
    harness.seek(1, "Countdown")
    harness.seek(2, "Countdown")
    harness.seek(1, "Broken-start")
    assert harness.resign(1) == Accepted()
    assert harness.lobby.matches == {}
    assert harness.lobby.queues["Broken-start"] == ("cyd", "ann")


def test_lists(harness: LobbyHarness) -> None:
    harness.do(ListPlayers(1))
    harness.do(ListGames(99))
    (players,) = harness.hear(1)
    assert isinstance(players, PlayersListed)
    assert [player.name for player in players.players] == ["ann", "bob", "cyd", "house-random"]
    assert harness.hear(99) == [GamesListed(("Broken-start", "Countdown", "Dice"))]
