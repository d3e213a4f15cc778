"""Hidden things stay hidden: secrets made by a player, secrets drawn by chance, and what is revealed at the end."""

import pytest
from structlog.testing import capture_logs

from games.mastermind import BREAKER, GAME, MAKER, Options, write_code
from gameserver.core.matches import referee
from gameserver.core.messages.commands import Challenge, Play, Resign
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


def test_code_is_revealed_to_a_player_who_gives_up(harness: LobbyHarness) -> None:
    practice(harness)
    secret = secret_of(harness)
    harness.do(Resign(1))
    ended = next(event for event in harness.hear(1) if isinstance(event, GameEnded))
    assert (ended.winners, ended.revealed) == ((MAKER,), secret)


def test_a_drawn_secret_is_told_to_the_maker_alone(harness: LobbyHarness) -> None:
    practice(harness)
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
