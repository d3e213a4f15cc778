"""The adapter, message by message: what each asks of the lobby, and how the answer is told."""

import pytest

from gameserver.protocol import By, Challenge, Code, EndReason, MovePlayed, Rejected
from protocols.mastermind.session import MastermindStage
from tests.support.mastermind_client import GUESS, NEW_GAME, NO_GAME, RETREAT, MastermindClient, at, ended, moved, turn


@pytest.mark.parametrize(
    ("exact", "partial", "answer"),
    [(0, 0, "2,2,2,2"), (3, 0, "0,0,0,2"), (0, 4, "1,1,1,1"), (2, 2, "0,0,1,1"), (1, 1, "0,1,2,2")],
)
def test_answers_are_sorted_and_as_long_as_the_code(exact, partial, answer):
    told = MastermindClient().play().asks(GUESS, moved("0011", exact, partial), turn(number=2))
    assert told == f'2|{{"Answer":[{answer}]}}'


@pytest.mark.parametrize("line", [GUESS, RETREAT])
def test_request_for_a_match_that_has_just_ended(line):
    client = MastermindClient().play()
    assert client.asks(line, answer=Rejected(Code.NOT_IN_MATCH)) == NO_GAME


@pytest.mark.parametrize("reason", [EndReason.VOID, EndReason.ABANDONED])
def test_the_end_of_a_match_that_the_server_voids_is_not_told(reason):
    client = MastermindClient().play()
    assert client.hears(*ended(reason, (), revealed="")) == []
    assert client.stage is MastermindStage.IDLE
    assert client.told(GUESS) == NO_GAME
    assert isinstance(client.send(NEW_GAME), Challenge)


def test_a_player_is_established_while_a_game_is_on():
    """A connection that is not gives way to a newcomer where connections run out."""
    established = [
        at(stage).adapter.is_established
        for stage in (MastermindStage.ARRIVED, MastermindStage.PLAYING, MastermindStage.IDLE)
    ]
    assert established == [False, True, False]


def test_news_of_other_matches_and_draws_change_nothing():
    client = MastermindClient().play(match=2)
    draw = MovePlayed(2, None, "", "?", None, "", By.CHANCE)
    assert client.hears(draw, moved("0011", 4, 0, match=1), *ended(match=1)) == []
    assert client.stage is MastermindStage.PLAYING
    told = client.asks(GUESS, moved("0011", 4, 0, match=2), *ended(match=2))
    assert told == '3|{"Won":true,"Tries":1,"Code":[5,3,5,5]}'


def test_the_client_speaks_first_and_is_known_by_its_first_message():
    client = MastermindClient()
    assert client.adapter.greeting() == b""
    assert not client.adapter.identified
    client.told("hello")
    assert not client.adapter.identified
    client.told(GUESS)
    assert client.adapter.identified
