"""Secrets stay out of stories of the match, of the log and of events, whether a player or chance made them."""

import pytest
from structlog.testing import capture_logs

from games.mastermind import BREAKER, GAME, MAKER
from gameserver.core import referee
from gameserver.core.commands import Play
from gameserver.core.events import MovePlayed
from tests.support.games import catalogue
from tests.support.lobbies import LobbyHarness

SMALL = {"code_length": 3, "value_count": 12, "max_turns": 2, "secret_is_drawn": True}


@pytest.fixture
def harness() -> LobbyHarness:
    harness = LobbyHarness(catalogue(GAME))
    harness.enter(1, "ann")
    return harness


def test_a_drawn_secret_is_told_to_the_maker_alone(harness: LobbyHarness) -> None:
    harness.practise(1, "Mastermind", "house-knuth", **SMALL)
    match = harness.match()
    (drawn,) = match.moves
    assert [referee.story(match, viewer)[0].text for viewer in (MAKER, BREAKER)] == [drawn.text, "?"]


def test_no_log_line_and_no_event_has_the_secret_before_the_end(harness: LobbyHarness) -> None:
    harness.enter(2, "bob")
    with capture_logs() as logs:
        harness.seek(1, "Mastermind")
        harness.seek(2, "Mastermind")
        maker, breaker = (1, 2) if harness.match().players[MAKER] == "ann" else (2, 1)
        harness.play(maker, "5403")
        harness.play(breaker, "0000")
        heard = [event for event in harness.hear(breaker) if isinstance(event, MovePlayed)]
        assert [event.text for event in heard] == ["?", "0000"]
        assert "5403" not in repr([*logs, *heard])
    assert "5403" not in repr(Play(1, "5403")), "what is logged when a decision fails"
