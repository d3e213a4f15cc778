"""The house accepts a challenge a moment later; until then it is an open challenge like any other."""

import pytest

from gameserver.core.messages.commands import ChallengeTimeUp, Drain
from gameserver.core.messages.events import Accepted, MatchOpened, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.policies import Rules
from gameserver.tournaments import acts
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import LobbyHarness
from tests.support.tournament_hall import Hall

GAMES = catalogue(Countdown(), Dice(), Broken("start"))
RULES = Rules(first_move_pause_ms=0, house_accept_ms=150)


@pytest.fixture
def harness() -> LobbyHarness:
    harness = LobbyHarness(GAMES, RULES)
    harness.enter(1, "ann")
    harness.enter(2, "bob")
    return harness


def time_up(harness: LobbyHarness, number: int = 0) -> Accepted | Rejected:
    return harness.do(ChallengeTimeUp(number))


def test_house_accepts_when_its_time_has_come(harness: LobbyHarness) -> None:
    assert harness.challenge(1, "house-random", "Countdown", 20_000) == Accepted()
    assert harness.hear(1) == []
    assert harness.lobby.due_ms(("challenges", 0)) == harness.now_ms + 150
    harness.now_ms += 149
    assert time_up(harness) == Rejected(Code.STALE)
    harness.now_ms += 1
    assert time_up(harness) == Accepted()
    opened = harness.hear(1)[0]
    assert isinstance(opened, MatchOpened)
    assert opened.turn_time_ms == 20_000
    assert harness.match().opened_ms == harness.now_ms, "the wait is on nobody's clock"
    assert harness.lobby.challenges == {}
    assert time_up(harness) == Rejected(Code.STALE)


def test_refusals_come_at_once(harness: LobbyHarness) -> None:
    assert harness.challenge(1, "house-random", "Chess") == Rejected(Code.UNKNOWN_GAME, {"game": "Chess"})
    broken = harness.challenge(1, "house-random", "Broken-start")
    assert isinstance(broken, Rejected)
    assert broken.code is Code.SERVER_FAULT
    assert harness.lobby.challenges == {}


def test_nothing_begins_once_the_server_drains(harness: LobbyHarness) -> None:
    harness.challenge(1, "house-random", "Countdown")
    harness.do(Drain(60_000, "the day is over", "teacher"))
    harness.now_ms += 150
    assert time_up(harness) == Accepted()
    assert (harness.lobby.matches, harness.lobby.challenges) == ({}, {})


def test_tournament_that_begins_meanwhile_comes_first() -> None:
    hall = Hall(GAMES, RULES)
    hall.come("ann", "bob")
    hall.create(challenges=False, pause_ms=0)
    hall.challenge(1, "house-random", "Dice")
    hall.act(acts.StartTournament(0))
    hall.now_ms += 150
    hall.do(ChallengeTimeUp(0))
    assert [match.scheduled is not None for match in hall.matches] == [True]


def test_replay_decides_alike(harness: LobbyHarness) -> None:
    harness.challenge(1, "house-random", "Countdown")
    harness.now_ms += 150
    time_up(harness)
    harness.challenge(2, "house-random", "Countdown")
    harness.check_restored()
