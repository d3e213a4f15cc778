"""Hidden things stay hidden: secrets made by a player, secrets drawn by chance, and what is revealed at the end."""

import pytest

from games.mastermind import BREAKER, GAME, Options, write_code
from gameserver.core.messages.commands import Challenge
from gameserver.core.messages.events import Accepted, GameEnded, MatchOpened, MovePlayed, Rejected, TurnStarted
from tests.support.games import catalogue
from tests.support.lobbies import LobbyHarness

SMALL = {"code_length": 3, "value_count": 12, "max_turns": 2, "secret_is_drawn": True}


@pytest.fixture
def harness() -> LobbyHarness:
    harness = LobbyHarness(catalogue(GAME))
    harness.enter(1, "ann")
    return harness


def practice(harness: LobbyHarness, **options: object) -> Accepted | Rejected:
    return harness.do(Challenge(1, "house-knuth", "Mastermind", options=SMALL | options, practice=True))


def secret_of(harness: LobbyHarness) -> str:
    return write_code(harness.match().state.table.secret_code)


def test_a_client_breaks_a_drawn_code_and_may_guess_at_once(harness: LobbyHarness) -> None:
    assert practice(harness) == Accepted()
    opened, turn = harness.hear(1)
    assert isinstance(opened, MatchOpened)
    assert (opened.players, opened.seat, opened.first) == (("house-knuth", "ann"), BREAKER, BREAKER)
    assert isinstance(turn, TurnStarted)
    assert harness.match().options == Options(**SMALL)
    secret = secret_of(harness)
    wrong = write_code(tuple((value + 1) % 12 for value in GAME.read_move(secret)))
    assert harness.play(1, wrong) == Accepted()
    (played, _) = harness.hear(1)
    assert isinstance(played, MovePlayed)
    assert (played.text, played.seat) == (wrong, BREAKER)
    assert harness.play(1, secret) == Accepted()
    ended = next(event for event in harness.hear(1) if isinstance(event, GameEnded))
    assert (ended.winners, ended.revealed) == ((BREAKER,), secret)
