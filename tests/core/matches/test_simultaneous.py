"""Games whose players act at the same time: who is asked, and when somebody is asked again."""

from typing import Any

import pytest
from attrs import evolve, frozen

from gameserver.core.messages.commands import Challenge
from gameserver.core.messages.events import Accepted, MovePlayed, Rejected, TurnStarted
from gameserver.core.messages.rejections import Code
from gameserver.game import Game, Series
from gameserver.policies import IllegalPolicy, LatePolicy, Rules
from tests.support.example_games import ROCK_PAPER_SCISSORS
from tests.support.games import BestOf, BestOfSeries, catalogue
from tests.support.lobbies import Table

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
def table() -> Table:
    return Table(catalogue(ROCK_PAPER_SCISSORS), Rules(first_move_pause_ms=0, drop_grace_ms=30_000))


def asked(table: Table, session: int) -> list[int]:
    """The turns that a session was asked for since it was looked at last."""
    return [event.turn for event in table.hear(session) if isinstance(event, TurnStarted)]


def with_policies(table: Table, **changes: object) -> None:
    match = table.match()
    table.lobby.matches[1] = evolve(match, policies=evolve(match.policies, **changes))


def test_each_is_asked_once_a_round(table: Table) -> None:
    _, first, second = table.opened(NAME)
    for number in range(1, 5):
        assert table.play(first, "rock") == Accepted()
        assert (asked(table, first), asked(table, second)) == ([], [])
        assert table.play(second, "paper") == Accepted()
        assert (asked(table, first), asked(table, second)) == ([number], [number])


def test_both_are_asked_when_the_match_begins(table: Table) -> None:
    table.enter(1, "ann")
    table.enter(2, "bob")
    table.seek(1, NAME)
    table.seek(2, NAME)
    assert (asked(table, 1), asked(table, 2)) == ([0], [0])


def test_a_refused_player_is_asked_again_and_nobody_else(table: Table) -> None:
    _, first, second = table.opened(NAME)
    with_policies(table, illegal=IllegalPolicy.REFUSAL)
    table.play(first, "rock")
    asked(table, second)
    assert isinstance(table.play(second, "lizard"), Rejected)
    assert (asked(table, first), asked(table, second)) == ([], [0])


def test_a_returning_player_is_asked_for_what_it_still_owes(table: Table) -> None:
    match, first, second = table.opened(NAME)
    table.play(first, "rock")
    table.leave(second)
    table.hear(first)
    assert table.enter(9, match.players[1]) == Accepted()
    assert (asked(table, first), asked(table, 9)) == ([], [0])
    table.leave(first)
    assert table.enter(8, match.players[0]) == Accepted()
    assert asked(table, 8) == []


def test_moves_made_for_two_late_players_ask_nobody_twice(table: Table) -> None:
    _, first, second = table.opened(NAME)
    with_policies(table, late=LatePolicy.RANDOM_MOVE)
    table.now_ms += 60_000
    assert table.time_up() == Accepted()
    assert (asked(table, first), asked(table, second)) == ([1], [1])


@pytest.mark.parametrize(("late", "winners"), [(LatePolicy.MATCH, ("house-random",)), (LatePolicy.RANDOM_MOVE, None)])
def test_the_house_is_not_late_with_its_opponent(
    table: Table, late: LatePolicy, winners: tuple[str, ...] | None
) -> None:
    table.enter(1, "ann")
    table.do(Challenge(1, "house-random", NAME))
    with_policies(table, late=late, late_answer_ms=10_000)
    table.now_ms += 60_000
    assert table.time_up() == Accepted()
    if winners is None:
        match = table.match()
        assert [match.players[seat] for seat in match.turn.seats] == ["house-random"]
        assert [match.players[owed.seat] for owed in match.owed] == ["ann"]
    else:
        (record,) = table.records
        assert tuple(seat.player for seat in record.seats if seat.result == "win") == winners


def test_the_house_has_the_time_it_needs(table: Table) -> None:
    table.enter(1, "ann")
    table.do(Challenge(1, "house-random", NAME))
    table.play(1, "rock")
    table.now_ms += 60_000
    assert table.time_up() == Rejected(Code.STALE)


def test_a_move_made_for_the_late_does_not_count_in_the_next_game() -> None:
    table = Table(catalogue(BestOfRounds()), Rules(first_move_pause_ms=0))
    table.opened("Best of rounds")
    with_policies(table, late=LatePolicy.RANDOM_MOVE, late_answer_ms=10_000)
    table.now_ms += 60_000
    assert table.time_up() == Accepted()
    match = table.match()
    assert (match.game_number, match.turn.number, match.turn.seats) == (2, 0, (0, 1))


def test_the_house_is_asked_once_too(table: Table) -> None:
    table.enter(1, "ann")
    assert table.do(Challenge(1, "house-random", NAME, practice=True)) == Accepted()
    house_is_asked = asked(table, 0)
    table.play(1, "rock")
    assert (house_is_asked, asked(table, 0)) == ([0], [])


def test_a_hidden_choice_is_told_to_nobody_before_its_round_is_decided(table: Table) -> None:
    _, first, second = table.opened(NAME)
    table.play(first, "rock")
    told = [event for event in table.hear(second) if isinstance(event, MovePlayed)]
    assert [(event.text, event.number, event.details) for event in told] == [("?", None, "one has chosen")]
    assert "rock" not in repr(told)
