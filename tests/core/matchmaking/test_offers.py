"""How players find each other: queues, challenges, the house."""

import pytest

from gameserver.core.messages.capabilities import Capability
from gameserver.core.messages.commands import Enter, ListGames, ListPlayers, Withdraw
from gameserver.core.messages.events import (
    Accepted,
    GamesListed,
    MatchOpened,
    OfferClosed,
    OfferOpened,
    PlayersListed,
    Rejected,
    TurnStarted,
)
from gameserver.core.messages.rejections import Code
from tests.support.games import Broken, Countdown, Dice, catalogue
from tests.support.lobbies import Table


@pytest.fixture
def table() -> Table:
    table = Table(catalogue(Countdown(), Dice(), Broken("start")))
    for session, name in enumerate(("ann", "bob", "cyd"), start=1):
        table.enter(session, name)
    return table


def kinds(events: list[object]) -> list[type]:
    return [type(event) for event in events]


def test_two_seekers_of_a_game_meet(table: Table) -> None:
    assert table.seek(1, "countdown") == Accepted()
    assert table.hear(1) == []
    table.seek(2, "Countdown")
    opened = {session: table.hear(session) for session in (1, 2)}
    first = table.match().players[0]
    for session, name in ((1, "ann"), (2, "bob")):
        news = opened[session]
        assert isinstance(news[0], MatchOpened)
        assert news[0].players[news[0].seat] == name
        assert kinds(news[1:]) == ([TurnStarted] if name == first else [])


def test_seekers_of_unlike_games_wait(table: Table) -> None:
    table.seek(1, "Countdown")
    table.seek(2, "Dice")
    assert table.lobby.matches == {}
    table.seek(1, "Dice")
    assert set(table.match().players) == {"ann", "bob"}


def test_a_seek_twice_is_one_seek_and_can_be_taken_back(table: Table) -> None:
    table.seek(1, "Countdown")
    table.seek(1, "Countdown")
    assert table.lobby.queues == {"Countdown": ("ann",)}
    table.do(Withdraw(1))
    table.seek(2, "Countdown")
    assert table.lobby.matches == {}


def test_seats_are_drawn_by_lot() -> None:
    first = set()
    for boot in range(30):
        table = Table(catalogue(Countdown()))
        table.boot = boot
        for _ in range(boot):
            match, _, _ = table.opened()
            table.resign(1)
            table.leave(1)
            table.leave(2)
        match, _, _ = table.opened()
        first.add(match.players[0])
    assert first == {"ann", "bob"}


def test_a_seek_during_a_match_waits_for_its_end(table: Table) -> None:
    table.seek(1, "Countdown")
    table.seek(2, "Countdown")
    table.seek(1, "Countdown")
    table.seek(3, "Countdown")
    assert list(table.lobby.matches) == [1]
    table.resign(2)
    assert set(table.match(2).players) == {"ann", "cyd"}


def test_a_challenge_is_offered_and_taken_up(table: Table) -> None:
    assert table.challenge(1, "bob", "countdown", 5_000) == Accepted()
    assert table.hear(2) == [OfferOpened(0, "ann", "Countdown", 5_000)]
    table.accept(2, 0)
    assert table.match().policies.turn_time_ms == 5_000
    assert table.lobby.challenges == {}


def test_a_new_challenge_closes_the_old_one(table: Table) -> None:
    table.challenge(1, "bob", "Countdown")
    table.challenge(1, "cyd", "Dice")
    assert table.hear(2) == [OfferOpened(0, "ann", "Countdown", 10_000), OfferClosed(0)]
    assert table.accept(2, 0) == Rejected(Code.UNKNOWN_CHALLENGE, {"number": "0"})


def test_a_challenge_closes_when_its_maker_plays_or_leaves(table: Table) -> None:
    table.challenge(1, "bob", "Countdown")
    table.seek(1, "Dice")
    table.seek(3, "Dice")
    assert table.hear(2)[-1] == OfferClosed(0)
    table.resign(1)
    table.challenge(1, "bob", "Countdown")
    table.hear(2)
    table.leave(1)
    assert table.hear(2) == [OfferClosed(1)]


def test_a_received_challenge_outlives_a_match(table: Table) -> None:
    table.challenge(3, "ann", "Countdown")
    table.challenge(1, "bob", "Countdown")
    table.accept(2, 1)
    assert table.accept(1, 0) == Rejected(Code.IN_MATCH)
    table.resign(1)
    assert table.accept(1, 0) == Accepted()
    assert set(table.match(2).players) == {"ann", "cyd"}


def test_accepting_without_a_number_needs_exactly_one(table: Table) -> None:
    assert table.accept(2) == Rejected(Code.CHALLENGE_UNCLEAR, {"count": "0"})
    table.challenge(1, "bob", "Countdown")
    table.challenge(3, "bob", "Countdown")
    assert table.accept(2) == Rejected(Code.CHALLENGE_UNCLEAR, {"count": "2"})
    table.leave(3)
    assert table.accept(2) == Accepted()


def test_nobody_accepts_what_was_offered_to_another(table: Table) -> None:
    table.challenge(1, "bob", "Countdown")
    assert table.accept(3, 0) == Rejected(Code.UNKNOWN_CHALLENGE, {"number": "0"})


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
    table: Table, to: str, game: str, turn_time_ms: int | None, code: Code
) -> None:
    rows = len(table.rows)
    answer = table.challenge(1, to, game, turn_time_ms)
    assert isinstance(answer, Rejected)
    assert answer.code is code
    assert table.lobby.challenges == {}
    assert len(table.rows) == rows


def test_nobody_plays_two_matches(table: Table) -> None:
    table.seek(1, "Countdown")
    table.seek(2, "Countdown")
    assert table.challenge(1, "cyd", "Countdown") == Rejected(Code.IN_MATCH)
    assert table.challenge(3, "ann", "Countdown") == Rejected(Code.OTHER_IN_MATCH, {"player": "ann"})
    assert table.challenge(1, "house-random", "Countdown") == Rejected(Code.IN_MATCH)


def test_the_house_accepts_at_once_and_any_number(table: Table) -> None:
    for session in (1, 2, 3):
        assert table.challenge(session, "house-random", "Countdown") == Accepted()
    assert len(table.lobby.matches) == 3


def test_a_game_that_cannot_start_costs_its_seekers_nothing(table: Table) -> None:
    table.seek(1, "Broken-start")
    answer = table.seek(2, "Broken-start")
    assert isinstance(answer, Rejected)
    assert answer.code is Code.SERVER_FAULT
    assert table.seek(2, "Dice") == Accepted()
    assert table.seek(1, "Dice") == Accepted()
    assert list(table.lobby.matches) == [1]


def test_a_move_counts_though_the_next_game_cannot_start(table: Table) -> None:
    table.seek(3, "Broken-start")
    table.seek(1, "Countdown")
    table.seek(2, "Countdown")
    table.seek(1, "Broken-start")
    assert table.resign(1) == Accepted()
    assert table.lobby.matches == {}
    assert table.lobby.queues["Broken-start"] == ("cyd", "ann")


def test_lists(table: Table) -> None:
    table.do(ListPlayers(1))
    table.do(ListGames(99))
    (players,) = table.hear(1)
    assert isinstance(players, PlayersListed)
    assert [player.name for player in players.players] == ["ann", "bob", "cyd", "house-random"]
    assert table.hear(99) == [GamesListed(("Broken-start", "Countdown", "Dice"))]


def test_a_list_of_players_is_made_anew_only_when_it_changes(table: Table) -> None:
    """It is long, and clients that wait for an opponent ask again and again."""
    table.do(ListPlayers(1))
    table.do(ListPlayers(2))
    (first,), (second,) = table.hear(1), table.hear(2)
    assert second is first
    table.do(Enter(7, "dan", "strategic", "127.0.0.1", capabilities=(Capability.CHALLENGE,)))
    table.do(ListPlayers(1))
    assert isinstance(first, PlayersListed)
    (later,) = [event for event in table.hear(1) if isinstance(event, PlayersListed)]
    assert [player.name for player in later.players] == ["ann", "bob", "cyd", "dan", "house-random"]
