"""How players find each other: queues, challenges, the house."""

import pytest

from games.mastermind import GAME as MASTERMIND
from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Challenge, Enter, ListGames, ListPlayers, Withdraw
from gameserver.core.messages.events import (
    Accepted,
    ChallengeClosed,
    ChallengeOpened,
    GamesListed,
    MatchOpened,
    PlayersListed,
    Rejected,
    TurnStarted,
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


def test_two_seekers_of_a_game_meet(harness: LobbyHarness) -> None:
    assert harness.seek(1, "countdown") == Accepted()
    assert harness.hear(1) == []
    harness.seek(2, "Countdown")
    opened = {session: harness.hear(session) for session in (1, 2)}
    first = harness.match().players[0]
    for session, name in ((1, "ann"), (2, "bob")):
        news = opened[session]
        assert isinstance(news[0], MatchOpened)
        assert news[0].players[news[0].seat] == name
        assert kinds(news[1:]) == ([TurnStarted] if name == first else [])


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


def test_a_seek_without_a_time_forgets_the_one_of_the_seek_before(harness: LobbyHarness) -> None:
    harness.seek(1, "Countdown", 60_000)
    harness.seek(1, "Countdown")
    harness.seek(2, "Countdown")
    assert harness.match().policies.turn_time_ms == 10_000


@pytest.mark.parametrize("turn_time_ms", [0, 999, 3_600_001])
def test_a_time_for_a_turn_that_no_match_may_have_is_refused(harness: LobbyHarness, turn_time_ms: int) -> None:
    refused = harness.seek(1, "Countdown", turn_time_ms)
    assert isinstance(refused, Rejected)
    assert refused.code is Code.TURN_TIME_OUT_OF_RANGE
    harness.seek(2, "Countdown")
    assert harness.lobby.matches == {}


def test_seekers_of_unlike_games_wait(harness: LobbyHarness) -> None:
    harness.seek(1, "Countdown")
    harness.seek(2, "Dice")
    assert harness.lobby.matches == {}
    harness.seek(1, "Dice")
    assert set(harness.match().players) == {"ann", "bob"}


def test_a_seek_twice_is_one_seek_and_can_be_taken_back(harness: LobbyHarness) -> None:
    harness.seek(1, "Countdown")
    harness.seek(1, "Countdown")
    assert harness.lobby.queues == {"Countdown": ("ann",)}
    harness.do(Withdraw(1))
    harness.seek(2, "Countdown")
    assert harness.lobby.matches == {}


def test_seats_are_drawn_by_lot() -> None:
    first = set()
    for boot in range(8):
        harness = LobbyHarness(catalogue(Countdown()))
        harness.boot = boot
        for _ in range(boot):
            match, _, _ = harness.opened()
            harness.resign(1)
            harness.leave(1)
            harness.leave(2)
        match, _, _ = harness.opened()
        first.add(match.players[0])
    assert first == {"ann", "bob"}


def test_a_seek_during_a_match_waits_for_its_end(harness: LobbyHarness) -> None:
    harness.seek(1, "Countdown")
    harness.seek(2, "Countdown")
    harness.seek(1, "Countdown")
    harness.seek(3, "Countdown")
    assert list(harness.lobby.matches) == [1]
    harness.resign(2)
    assert set(harness.match(2).players) == {"ann", "cyd"}


def test_a_challenge_is_told_and_accepted(harness: LobbyHarness) -> None:
    assert harness.challenge(1, "bob", "countdown", 5_000) == Accepted()
    assert harness.hear(2) == [ChallengeOpened(0, "ann", "Countdown", 5_000)]
    harness.accept(2, 0)
    assert harness.match().policies.turn_time_ms == 5_000
    assert harness.lobby.challenges == {}


def test_a_new_challenge_closes_the_old_one(harness: LobbyHarness) -> None:
    harness.challenge(1, "bob", "Countdown")
    harness.challenge(1, "cyd", "Dice")
    assert harness.hear(2) == [ChallengeOpened(0, "ann", "Countdown", 10_000), ChallengeClosed(0)]
    assert harness.accept(2, 0) == Rejected(Code.UNKNOWN_CHALLENGE, {"number": "0"})


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


def test_a_challenge_closes_when_its_maker_plays_or_leaves(harness: LobbyHarness) -> None:
    harness.challenge(1, "bob", "Countdown")
    harness.seek(1, "Dice")
    harness.seek(3, "Dice")
    assert harness.hear(2)[-1] == ChallengeClosed(0)
    harness.resign(1)
    harness.challenge(1, "bob", "Countdown")
    harness.hear(2)
    harness.leave(1)
    assert harness.hear(2) == [ChallengeClosed(1)]


def test_a_received_challenge_outlives_a_match(harness: LobbyHarness) -> None:
    harness.challenge(3, "ann", "Countdown")
    harness.challenge(1, "bob", "Countdown")
    harness.accept(2, 1)
    assert harness.accept(1, 0) == Rejected(Code.IN_MATCH)
    harness.resign(1)
    assert harness.accept(1, 0) == Accepted()
    assert set(harness.match(2).players) == {"ann", "cyd"}


def test_accepting_without_a_number_needs_exactly_one(harness: LobbyHarness) -> None:
    assert harness.accept(2) == Rejected(Code.CHALLENGE_UNCLEAR, {"count": "0"})
    harness.challenge(1, "bob", "Countdown")
    harness.challenge(3, "bob", "Countdown")
    assert harness.accept(2) == Rejected(Code.CHALLENGE_UNCLEAR, {"count": "2"})
    harness.leave(3)
    assert harness.accept(2) == Accepted()


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


def test_nobody_plays_two_matches(harness: LobbyHarness) -> None:
    harness.seek(1, "Countdown")
    harness.seek(2, "Countdown")
    assert harness.challenge(1, "cyd", "Countdown") == Rejected(Code.IN_MATCH)
    assert harness.challenge(3, "ann", "Countdown") == Rejected(Code.OTHER_IN_MATCH, {"player": "ann"})
    assert harness.challenge(1, "house-random", "Countdown") == Rejected(Code.IN_MATCH)


def test_the_house_accepts_at_once_and_any_number(harness: LobbyHarness) -> None:
    for session in (1, 2, 3):
        assert harness.challenge(session, "house-random", "Countdown") == Accepted()
    assert len(harness.lobby.matches) == 3


def test_a_game_that_cannot_start_costs_its_seekers_nothing(harness: LobbyHarness) -> None:
    harness.seek(1, "Broken-start")
    answer = harness.seek(2, "Broken-start")
    assert isinstance(answer, Rejected)
    assert answer.code is Code.SERVER_FAULT
    assert harness.seek(2, "Dice") == Accepted()
    assert harness.seek(1, "Dice") == Accepted()
    assert list(harness.lobby.matches) == [1]


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


def test_player_list_is_rebuilt_only_when_it_changes(harness: LobbyHarness) -> None:
    """It is long, and clients that wait for an opponent ask again and again."""
    harness.do(ListPlayers(1))
    harness.do(ListPlayers(2))
    (first,), (second,) = harness.hear(1), harness.hear(2)
    assert second is first
    harness.do(Enter(7, "dan", "strategic", "127.0.0.1", capabilities=(Capability.CHALLENGE,)))
    harness.do(ListPlayers(1))
    assert isinstance(first, PlayersListed)
    (later,) = [event for event in harness.hear(1) if isinstance(event, PlayersListed)]
    assert [player.name for player in later.players] == ["ann", "bob", "cyd", "dan", "house-random"]
