"""The adapter, message by message: what each asks of the lobby, and how the answer is told."""

import json

import pytest

from gameserver.protocol import (
    Accepted,
    BrokenInput,
    By,
    Challenge,
    Code,
    EndReason,
    Enter,
    MovePlayed,
    Play,
    Refusal,
    RefusalKind,
    Rejected,
    Reply,
    Resign,
)
from protocols.mastermind.handlers import HANDLERS
from protocols.mastermind.schema import Guess, NewGame, Retreat
from protocols.mastermind.session import Stage
from tests.support.mastermind_client import (
    ACCEPT,
    GUESS,
    NEW_GAME,
    NO_GAME,
    RETREAT,
    MastermindClient,
    at,
    ended,
    error,
    moved,
    opened,
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


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("message", MESSAGES)
def test_every_message_at_every_stage(stage, message):
    assert {kind for kinds in HANDLERS.values() for kind in kinds} == set(MESSAGES)
    asked = at(stage).send(MESSAGES[message])
    wanted = ASKED.get((stage, message))
    if wanted is None:
        assert asked == Reply(NO_GAME.encode() + b"\n")
    else:
        assert type(asked) is wanted


# A game.


def test_the_first_new_game_is_two_commands_and_one_answer():
    client = MastermindClient()
    assert client.send(NEW_GAME) == Enter(7, "mm-", "mastermind", "10.0.0.1", anonymous=True)
    assert not client.adapter.finished
    assert client.hears(answer=Accepted()) == []
    size = {"code_length": 4, "value_count": 6, "max_turns": 12, "secret_is_drawn": True}
    assert client.adapter.next() == Challenge(7, "house-random", "Mastermind", options=size, practice=True)
    assert client.hears(opened(), turn(), answer=Accepted()) == [ACCEPT]
    assert client.stage is Stage.PLAYING


def test_later_new_games_are_one_command():
    client = MastermindClient().over()
    challenge = client.send('0|{"NbrColors":8,"MaxTries":3,"CodeLength":2}')
    assert isinstance(challenge, Challenge)
    assert challenge.options == {"code_length": 2, "value_count": 8, "max_turns": 3, "secret_is_drawn": True}
    (accept,) = client.hears(opened(2), turn(2), answer=Accepted())
    assert accept == '5|{"Accept":true,"Attributes":{"NbrColors":8,"MaxTries":3,"CodeLength":2}}'


def test_a_guess_is_a_move_of_this_match():
    client = MastermindClient().play(match=4)
    assert client.send('1|{"Guess":[5,0,1,3]}') == Play(7, "5013", 4)
    assert client.hears(moved("5013", 1, 2, match=4), turn(4, 2), answer=Accepted()) == ['2|{"Answer":[0,1,1,2]}']


def test_values_from_ten_are_written_apart():
    client = MastermindClient().play('0|{"NbrColors":12,"MaxTries":12,"CodeLength":4}')
    assert client.send('1|{"Guess":[11,0,10,3]}') == Play(7, "11-0-10-3", 1)
    client.hears(moved("11-0-10-3", 0, 0), turn(1, 2), answer=Accepted())
    told = client.asks('1|{"Guess":[1,11,1,1]}', moved("1-11-1-1", 4, 0), *ended(revealed="1-11-1-1"))
    assert told == '3|{"Won":true,"Tries":2,"Code":[1,11,1,1]}'


@pytest.mark.parametrize(
    ("exact", "partial", "answer"),
    [(0, 0, "2,2,2,2"), (3, 0, "0,0,0,2"), (0, 4, "1,1,1,1"), (2, 2, "0,0,1,1"), (1, 1, "0,1,2,2")],
)
def test_answers_are_sorted_and_as_long_as_the_code(exact, partial, answer):
    told = MastermindClient().play().asks(GUESS, moved("0011", exact, partial), turn(number=2))
    assert told == f'2|{{"Answer":[{answer}]}}'


def test_the_right_guess_is_answered_by_the_end_alone():
    client = MastermindClient().play()
    for number in range(2, 6):
        client.asks(GUESS, moved("0011", 0, 0), turn(number=number))
    told = client.asks('1|{"Guess":[5,3,5,5]}', moved("5355", 4, 0), *ended())
    assert told == '3|{"Won":true,"Tries":5,"Code":[5,3,5,5]}'
    assert client.stage is Stage.IDLE


def test_so_is_the_last_wrong_one():
    client = MastermindClient().play()
    client.asks(GUESS, moved("0011", 0, 0), turn(number=2))
    told = client.asks(GUESS, moved("0011", 0, 0), *ended(winners=(0,)))
    assert told == '3|{"Won":false,"Tries":2,"Code":[5,3,5,5]}'


def test_a_retreat_tells_the_code_and_no_tries():
    client = MastermindClient().play(match=3)
    client.asks(GUESS, moved("0011", 0, 0, match=3), turn(3, 2))
    assert client.send("4|whatever") == Resign(7, match=3)
    assert client.hears(*resigned(3), answer=Accepted()) == ['3|{"Won":false,"Tries":0,"Code":[5,3,5,5]}']
    assert client.stage is Stage.IDLE


def test_a_new_game_takes_the_place_of_the_running_one():
    client = MastermindClient().play()
    client.asks(GUESS, moved("0011", 0, 0), turn(number=2))
    events = (*ended(EndReason.ABANDONED, (), revealed=""), opened(2), turn(2))
    assert client.asks(NEW_GAME, *events) == ACCEPT
    told = client.asks(GUESS, moved("0011", 0, 0, match=2), *ended(winners=(0,), match=2))
    assert told == '3|{"Won":false,"Tries":1,"Code":[5,3,5,5]}'


def test_one_that_is_refused_leaves_the_running_one():
    client = MastermindClient().play()
    assert client.asks(NEW_GAME, answer=Rejected(Code.GAME_NOT_PLAYED, {"game": "Mastermind"})).startswith("6|")
    assert client.stage is Stage.PLAYING
    assert client.asks(GUESS, moved("0011", 1, 0), turn(number=2)) == '2|{"Answer":[0,2,2,2]}'


# What is refused here, before the lobby hears of it.


@pytest.mark.parametrize("guess", ["[0,1,2]", "[0,1,2,3,4]", "[]", "null", "[9,9,9]", "[" + "0," * 500 + "0]"])
def test_a_guess_of_another_length(guess):
    assert MastermindClient().play().told(f'1|{{"Guess":{guess}}}') == error("Another codelength expected", 1)


@pytest.mark.parametrize("guess", ["[0,1,2,6]", "[-1,0,0,0]", "[0,0,0,9223372036854775807]"])
def test_guess_with_an_unknown_colour_is_refused(guess):
    assert MastermindClient().play().told(f'1|{{"Guess":{guess}}}') == error("Guesses must be in correct range", 1)


LIMITS = {"NbrColors": 1_000, "MaxTries": 10_000, "CodeLength": 100}
OPTIONS = {"NbrColors": "nbr_colors_max", "MaxTries": "max_tries_max", "CodeLength": "code_length_max"}


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("key", LIMITS)
def test_sizes_at_their_limits(stage, key):
    for size in (1, LIMITS[key]):
        assert not isinstance(at(stage).send("0|" + json.dumps({**dict.fromkeys(LIMITS, 1), key: size})), Reply)
    for size in (0, -1, LIMITS[key] + 1, 2**63 - 1):
        told = at(stage).told("0|" + json.dumps({**dict.fromkeys(LIMITS, 1), key: size}))
        assert told == error(f"{key} must be from 1 to {LIMITS[key]}, not {size}", 1)


@pytest.mark.parametrize("key", LIMITS)
def test_the_limits_are_settings(key):
    client = MastermindClient(**{OPTIONS[key]: 7})
    told = client.told("0|" + json.dumps({**dict.fromkeys(LIMITS, 1), key: 8}))
    assert told == error(f"{key} must be from 1 to 7, not 8", 1)
    assert isinstance(client.send("0|" + json.dumps({**dict.fromkeys(LIMITS, 1), key: 7})), Enter)


@pytest.mark.parametrize("most", [0, -1, 10_001, 1.5, "6", None])
def test_a_limit_is_a_number_that_the_game_can_bear(most):
    for option in OPTIONS.values():
        with pytest.raises((ValueError, TypeError)):
            MastermindClient(**{option: most})


def test_a_game_that_was_refused_is_not_the_one_that_is_wanted():
    client = MastermindClient()
    client.told('0|{"NbrColors":0,"MaxTries":12,"CodeLength":4}')
    assert client.stage is Stage.ARRIVED
    assert client.told(GUESS) == NO_GAME
    client.play()


# What the lobby refuses, and what happens without being asked for.


@pytest.mark.parametrize("line", [GUESS, RETREAT])
def test_request_for_a_match_that_has_just_ended(line):
    client = MastermindClient().play()
    assert client.asks(line, answer=Rejected(Code.NOT_IN_MATCH)) == NO_GAME


@pytest.mark.parametrize("reason", [EndReason.VOID, EndReason.ABANDONED])
def test_the_end_of_a_match_that_the_server_voids_is_not_told(reason):
    client = MastermindClient().play()
    assert client.hears(*ended(reason, (), revealed="")) == []
    assert client.stage is Stage.IDLE
    assert client.told(GUESS) == NO_GAME
    assert isinstance(client.send(NEW_GAME), Challenge)


def test_it_is_not_told_in_place_of_an_answer_either():
    client = MastermindClient().play()
    assert isinstance(client.send(GUESS), Play)
    assert client.hears(*ended(EndReason.VOID, (), revealed="")) == []
    assert client.hears(answer=Rejected(Code.NOT_IN_MATCH)) == [NO_GAME]


def test_an_entry_that_is_refused_is_tried_again():
    client = MastermindClient()
    assert isinstance(client.send(NEW_GAME), Enter)
    (told,) = client.hears(answer=Rejected(Code.SERVER_FAULT, {"why": "no room"}))
    assert told == error("The server made a mistake, not you; ask for a new game (no room)", 3)
    assert client.adapter.next() is None
    client.play()


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


def test_client_that_hangs_up_is_answered_first():
    client = MastermindClient()
    client.adapter.receive(f"{NEW_GAME}\n{GUESS}".encode(), 0)
    assert isinstance(client.adapter.next(), Enter)
    client.adapter.receive_eof()
    assert client.hears(answer=Accepted()) == []
    assert not client.adapter.finished
    assert isinstance(client.adapter.next(), Challenge)
    assert not client.adapter.finished
    assert client.hears(opened(), turn(), answer=Accepted()) == [ACCEPT]
    assert not client.adapter.finished
    assert isinstance(client.adapter.next(), Play)
    assert not client.adapter.finished
    assert client.hears(moved("0011", 0, 0), turn(number=2), answer=Accepted()) == ['2|{"Answer":[2,2,2,2]}']
    assert client.adapter.next() is None
    assert client.adapter.finished


def test_client_that_hangs_up_after_the_first_new_game_is_answered():
    """Between its two commands nothing is left to read, and the peer is not through all the same."""
    client = MastermindClient()
    client.adapter.receive(NEW_GAME.encode(), 0)
    client.adapter.receive_eof()
    assert isinstance(client.adapter.next(), Enter)
    assert client.hears(answer=Accepted()) == []
    assert not client.adapter.finished
    assert isinstance(client.adapter.next(), Challenge)
    assert client.hears(opened(), turn(), answer=Accepted()) == [ACCEPT]
    assert client.adapter.finished


def test_client_that_hangs_up_without_a_message():
    client = MastermindClient()
    client.adapter.receive_eof()
    assert client.adapter.next() is None
    assert client.adapter.finished


def test_a_message_over_the_limit_is_refused_after_those_before_it():
    client = MastermindClient(line_bytes_max=100)
    client.adapter.receive(f"{GUESS}\n1|{'9' * 200}".encode(), 0)
    assert client.adapter.next() == Reply(NO_GAME.encode() + b"\n")
    with pytest.raises(BrokenInput) as broken:
        client.adapter.next()
    assert broken.value.last_words.decode() == error("A message has at most 100 bytes", 0) + "\n"


@pytest.mark.parametrize("kind", RefusalKind)
def test_the_last_words(kind):
    said = MastermindClient().adapter.farewell(Refusal("Because.", kind)).decode()
    assert said.endswith('","ErrorType":3}\n')
    assert "login" not in said
    assert "log in" not in said
    assert ("Because." in said) is (kind not in {RefusalKind.STOPPING, RefusalKind.LATE})
