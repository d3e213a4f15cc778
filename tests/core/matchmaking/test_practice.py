"""Practice with the house, and players without a name: no clock, nothing to lose, and nothing left but the record."""

from typing import Any

import pytest

from games.mastermind import GAME as MASTERMIND
from gameserver.core.messages.commands import Accept, Challenge, Enter, ListPlayers
from gameserver.core.messages.events import Accepted, EndReason, GameEnded, PlayersListed, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.policies import Rules
from tests.support.games import Broken, Countdown, Heap, catalogue
from tests.support.lobbies import LobbyHarness

GAMES = catalogue(Countdown(), Heap(), MASTERMIND, Broken("start"), Broken("play"))
SMALL = {"code_length": 2, "value_count": 3, "max_turns": 2, "secret_is_drawn": True}


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(GAMES, Rules(first_move_pause_ms=0, turn_time_ms=1_000, drop_grace_ms=5_000))


@pytest.fixture
def practising(harness: LobbyHarness) -> LobbyHarness:
    """Session 1 practises a code of two values, and has heard of it."""
    harness.enter_anonymously(1)
    assert harness.practise(1, "Mastermind", **SMALL) == Accepted()
    harness.heard.clear()
    return harness


def secret_of(harness: LobbyHarness, match: int = 1) -> str:
    return MASTERMIND.write_move(harness.match(match).state.table.secret_code)


def refused(answer: Accepted | Rejected) -> Code:
    assert isinstance(answer, Rejected), answer
    return answer.code


# The match.


# How it is abandoned.


def abandoned(harness: LobbyHarness) -> list[int]:
    """The matches on record as abandoned; whoever they were played by, nobody lost or won."""
    found = [record for record in harness.records if record.reason == EndReason.ABANDONED]
    for record in found:
        assert [seat.result for seat in record.seats] == ["void", "void"]
        assert [seat.points for seat in record.seats] == [0, 0]
    return [record.match for record in found]


def test_a_restart_abandons_no_other_match(practising: LobbyHarness) -> None:
    practising.enter(2, "ann")
    practising.challenge(2, "house-random", "Countdown")
    practising.start()
    assert list(practising.lobby.matches) == [2]
    assert abandoned(practising) == [1]


def test_the_secret_of_an_abandoned_one_is_not_told(practising: LobbyHarness) -> None:
    practising.practise(1, "Mastermind", **SMALL)
    ended = practising.hear(1)[0]
    assert isinstance(ended, GameEnded)
    assert ended.revealed == ""


def test_abandoned_match_is_the_same_after_a_replay(practising: LobbyHarness) -> None:
    practising.practise(1, "Heap", heap=4)
    practising.start()
    practising.enter_anonymously(2)
    practising.practise(2, "Mastermind", **SMALL)
    practising.check_restored()


# What is refused.


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        (Challenge(1, "house-random", "Heap", options={"heap": 0}, practice=True), Code.BAD_OPTIONS),
        (Challenge(1, "house-random", "Chess", practice=True), Code.UNKNOWN_GAME),
        (Challenge(1, "house-best", "Heap", practice=True), Code.UNKNOWN_PLAYER),
        (Challenge(1, "house-knuth", "Heap", practice=True), Code.GAME_NOT_PLAYED),
        (Challenge(1, "house-random", "Broken-start", practice=True), Code.SERVER_FAULT),
        (Challenge(1, "house-random", "Heap"), Code.IN_MATCH),
        (Accept(1), Code.IN_MATCH),
    ],
)
def test_refused_challenge_leaves_the_running_match_alone(practising: LobbyHarness, wanted: Any, code: Code) -> None:
    assert refused(practising.do(wanted)) is code
    assert practising.hear(1) == []
    assert list(practising.lobby.matches) == [1]
    assert practising.play(1, "00") == Accepted()


@pytest.mark.parametrize("terms", [{"practice": True}, {"options": {}}, {"options": {"heap": 3}}])
def test_only_the_house_plays_so(harness: LobbyHarness, terms: dict[str, Any]) -> None:
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    assert harness.do(Challenge(1, "bob", "Heap", **terms)) == Rejected(Code.HOUSE_ONLY, {"player": "bob"})
    assert harness.lobby.challenges == {}


# Players without a name.


def test_a_name_is_made_up_and_nobody_sees_it(harness: LobbyHarness) -> None:
    harness.enter(1, "ann")
    harness.enter_anonymously(2)
    harness.enter_anonymously(3)
    assert [name for name in harness.lobby.players if name.startswith("mm-")] == ["mm-1-2", "mm-1-3"]
    harness.do(ListPlayers(1))
    (listed,) = harness.hear(1)
    assert isinstance(listed, PlayersListed)
    assert [player.name for player in listed.players if not player.house] == ["ann"]


def test_nobody_comes_in_under_such_a_name(practising: LobbyHarness) -> None:
    assert refused(practising.enter(2, "mm-1-1")) is Code.NAME_RESERVED
    practising.leave(1)
    assert refused(practising.enter(2, "mm-1-1")) is Code.NAME_RESERVED


@pytest.mark.parametrize("prefix", ["ann", "", "mm", "x-mm-"])
def test_a_made_up_name_begins_with_a_reserved_prefix(harness: LobbyHarness, prefix: str) -> None:
    assert refused(harness.do(Enter(1, prefix, "mastermind", "10.0.0.1", anonymous=True))) is Code.NAME_INVALID
    assert harness.lobby.players == {}


def test_they_can_be_neither_challenged_nor_written_to(practising: LobbyHarness) -> None:
    practising.enter(2, "ann")
    assert refused(practising.challenge(2, "mm-1-1", "Countdown")) is Code.OTHER_IN_MATCH
    practising.resign(1)
    assert refused(practising.challenge(2, "mm-1-1", "Countdown")) is Code.NO_CHALLENGES
