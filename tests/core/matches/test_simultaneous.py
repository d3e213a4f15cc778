"""Games whose players act at the same time: who is asked, and when somebody is asked again."""

from typing import Any

import pytest
from attrs import evolve, frozen

from gameserver.core.messages.commands import Challenge
from gameserver.core.messages.events import Accepted, MovePlayed, Rejected, TurnStarted
from gameserver.core.messages.rejections import Code
from gameserver.game import Game, Series
from gameserver.policies import LatePolicy, Rules
from tests.support.example_games import ROCK_PAPER_SCISSORS
from tests.support.games import BestOf, BestOfSeries, catalogue
from tests.support.lobbies import LobbyHarness

NAME = ROCK_PAPER_SCISSORS.name


@frozen
class Rounds(BestOfSeries):
    """Games of one round each: all of them have the same turn."""

    @property
    def next_game(self) -> tuple[Game[Any], Any] | None:
        return (ROCK_PAPER_SCISSORS, ROCK_PAPER_SCISSORS.options_type(rounds=1)) if self.left else None


class BestOfRounds(BestOf):
    """A match of several games of one round."""

    name = "Best of rounds"

    def series(self, options: Any) -> Series:
        return Rounds(options.games)


@pytest.fixture
def harness() -> LobbyHarness:
    return LobbyHarness(catalogue(ROCK_PAPER_SCISSORS), Rules(first_move_pause_ms=0, drop_grace_ms=30_000))


def asked(harness: LobbyHarness, session: int) -> list[int]:
    """The turns that a session was asked for since it was looked at last."""
    return [event.turn for event in harness.hear(session) if isinstance(event, TurnStarted)]


def with_policies(harness: LobbyHarness, **changes: object) -> None:
    match = harness.match()
    harness.lobby.matches[1] = evolve(match, policies=evolve(match.policies, **changes))


def test_each_is_asked_once_a_round(harness: LobbyHarness) -> None:
    _, first, second = harness.opened(NAME)
    for number in range(1, 5):
        assert harness.play(first, "rock") == Accepted()
        assert (asked(harness, first), asked(harness, second)) == ([], [])
        assert harness.play(second, "paper") == Accepted()
        assert (asked(harness, first), asked(harness, second)) == ([number], [number])


def test_the_house_has_the_time_it_needs(harness: LobbyHarness) -> None:
    harness.enter(1, "ann")
    harness.do(Challenge(1, "house-random", NAME))
    harness.play(1, "rock")
    harness.now_ms += 60_000
    assert harness.time_up() == Rejected(Code.STALE)


def test_a_move_made_for_the_late_does_not_count_in_the_next_game() -> None:
    harness = LobbyHarness(catalogue(BestOfRounds()), Rules(first_move_pause_ms=0))
    harness.opened("Best of rounds")
    with_policies(harness, late=LatePolicy.RANDOM_MOVE, late_answer_ms=10_000)
    harness.now_ms += 60_000
    assert harness.time_up() == Accepted()
    match = harness.match()
    assert (match.game_number, match.turn.number, match.turn.seats) == (2, 0, (0, 1))


def test_a_hidden_choice_is_told_to_nobody_before_its_round_is_decided(harness: LobbyHarness) -> None:
    _, first, second = harness.opened(NAME)
    harness.play(first, "rock")
    told = [event for event in harness.hear(second) if isinstance(event, MovePlayed)]
    assert [(event.text, event.number, event.details) for event in told] == [("?", None, "one has chosen")]
    assert "rock" not in repr(told)
