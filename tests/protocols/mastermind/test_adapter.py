"""The adapter, message by message: what each asks of the lobby, and how the answer is told."""

import pytest

from gameserver.protocol import (
    Accepted,
    By,
    Challenge,
    Code,
    Enter,
    MovePlayed,
    Play,
    Rejected,
    Resign,
)
from protocols.mastermind.schema import Guess, NewGame, Retreat
from protocols.mastermind.session import Stage
from tests.support.mastermind_client import (
    GUESS,
    NEW_GAME,
    NO_GAME,
    RETREAT,
    MastermindClient,
    ended,
    moved,
    resigned,
    turn,
)

MESSAGES = {NewGame: NEW_GAME, Guess: GUESS, Retreat: RETREAT}
ASKED = {
    (Stage.ARRIVED, NewGame): Enter,
    (Stage.IDLE, NewGame): Challenge,
    (Stage.PLAYING, NewGame): Challenge,
    (Stage.PLAYING, Guess): Play,
    (Stage.PLAYING, Retreat): Resign,
}
"""What goes to the lobby; everything else is answered by `No active Game`."""


# A game.


def test_a_retreat_tells_the_code_and_no_tries():
    client = MastermindClient().play(match=3)
    client.asks(GUESS, moved("0011", 0, 0, match=3), turn(3, 2))
    assert client.send("4|whatever") == Resign(7, match=3)
    assert client.hears(*resigned(3), answer=Accepted()) == ['3|{"Won":false,"Tries":0,"Code":[5,3,5,5]}']
    assert client.stage is Stage.IDLE


# What is refused here, before the lobby hears of it.


LIMITS = {"NbrColors": 1_000, "MaxTries": 10_000, "CodeLength": 100}
OPTIONS = {"NbrColors": "nbr_colors_max", "MaxTries": "max_tries_max", "CodeLength": "code_length_max"}


@pytest.mark.parametrize("most", [0, -1, 10_001, 1.5, "6", None])
def test_a_limit_is_a_number_that_the_game_can_bear(most):
    for option in OPTIONS.values():
        with pytest.raises((ValueError, TypeError)):
            MastermindClient(**{option: most})


# What the lobby refuses, and what happens without being asked for.


@pytest.mark.parametrize("line", [GUESS, RETREAT])
def test_request_for_a_match_that_has_just_ended(line):
    client = MastermindClient().play()
    assert client.asks(line, answer=Rejected(Code.NOT_IN_MATCH)) == NO_GAME


def test_news_of_other_matches_and_draws_change_nothing():
    client = MastermindClient().play(match=2)
    draw = MovePlayed(2, None, "", "?", None, "", By.CHANCE)
    assert client.hears(draw, moved("0011", 4, 0, match=1), *ended(match=1)) == []
    assert client.stage is Stage.PLAYING
    told = client.asks(GUESS, moved("0011", 4, 0, match=2), *ended(match=2))
    assert told == '3|{"Won":true,"Tries":1,"Code":[5,3,5,5]}'


# Beginning and end.


def test_the_client_speaks_first_and_is_known_by_its_first_message():
    client = MastermindClient()
    assert client.adapter.greeting() == b""
    assert not client.adapter.identified
    client.told("hello")
    assert not client.adapter.identified
    client.told(GUESS)
    assert client.adapter.identified
