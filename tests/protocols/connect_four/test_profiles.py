"""The dialects, word for word, and the page that tells of everything."""

import json

import pytest

from gameserver.protocol import By, Code, Refusal, Rejected
from protocols.connect_four import PROTOCOL
from protocols.connect_four.profiles import CONSTANTS, PROFILES, REFUSALS
from protocols.connect_four.schema import ACTIONS, EVENTS, Reason, Winner, read_message, read_request
from tests.support.connect_four_client import MAKE_MOVE, MOVE, ConnectFourClient, error, moved, turn
from tests.support.own_plugins import OWN


def test_the_protocol_itself():
    assert (PROTOCOL.name, PROTOCOL.default_port, PROTOCOL.profiles) == ("connect-four", 9090, ("document", "0.5.3"))
    assert "9090" in PROTOCOL.try_it.format(host="localhost", port=9090)
    found = OWN
    assert found.protocols["connect-four"] is PROTOCOL
    assert not found.problems


def test_every_code_and_every_reason_has_words():
    assert set(REFUSALS) == set(Code)
    assert set(CONSTANTS) == set(Reason)


# The original's words, as they were heard.


def test_an_entry_denied_by_the_original():
    client = ConnectFourClient("0.5.3")
    told = error("lobby entry denied", "name or IP is already used or invalid characters")
    refused = Rejected(Code.NAME_TAKEN, {"name": "ann"})
    assert client.asks({"action": "connect", "name": "ann"}, answer=refused) == [told]
    assert ConnectFourClient("0.5.3").told({"action": "connect", "name": "Bob Smith"}) == [told]


@pytest.mark.parametrize("line", ['{"action":"connect"}', "{}", '{"action":"Connect"}', '{"action":"join"}'])
def test_missing_keys_by_the_original(line):
    assert ConnectFourClient("0.5.3").told(line) == [error("missing keys", "invalid keys used")]


def test_a_full_game_by_the_original():
    client = ConnectFourClient("0.5.3").enter()
    refused = Rejected(Code.ROOM_FULL, {"room": "3"})
    assert client.asks({"action": "join", "room number": 3}, answer=refused) == [
        error("game full", "the game is full at the moment")
    ]


def test_a_move_denied_by_the_original():
    refused = Rejected(Code.ILLEGAL_MOVE, {"move": "b2", "why": "column b2 is full"})
    assert ConnectFourClient("0.5.3").play().asks(MOVE, turn(0), answer=refused) == [
        error("move denied", "the move was not permitted"),
        MAKE_MOVE,
    ]


def test_time_elapsed_by_the_original():
    late = moved(0, "b2", by=By.SERVER)
    assert ConnectFourClient("0.5.3").play().hears(late) == [error("time elapsed", "move took too long")]


def test_the_profiles_end_a_connection_alike():
    words = {ConnectFourClient(profile).adapter.farewell(Refusal("The server stops")) for profile in PROFILES}
    assert len(words) == 1


@pytest.mark.parametrize("code", Code)
def test_a_reason_goes_on_after_the_constant(code):
    facts = {"name": "ann", "why": "that is so", "player": "bob", "room": "3", "last": "99"}
    (line,) = ConnectFourClient().enter().asks({"action": "connect"}, answer=Rejected(code, facts))
    told = json.loads(line)
    assert told["message"].startswith(CONSTANTS[Reason(told["reason"])] + ": ")


def test_a_move_that_met_a_fault_of_the_server_is_an_invalid_one():
    (line,) = ConnectFourClient().play().asks(MOVE, answer=Rejected(Code.SERVER_FAULT, {"why": "the game failed"}))
    assert line == error(
        "invalid move", "the move was not permitted: no, the server made a mistake, not you: the game failed", "b2"
    )


# The page.


def test_the_guide_knows_every_word():
    for word in (
        *(f'"{action}"' for action in ACTIONS.values()),
        *(f'"{event}"' for event in EVENTS.values()),
        *(f'"{winner}"' for winner in Winner),
        *(f"`{reason}`" for reason in Reason),
        *(f"`{profile}`" for profile in PROFILES),
        *(f"`{name}`" for name in PROTOCOL.options_type.__annotations__),
        *(constant for constant in CONSTANTS.values()),
        *("9090", "No player1 yet", "No player2 yet", '"moves"'),
    ):
        assert word in PROTOCOL.guide, word


def test_the_guide_s_examples_are_what_is_sent():
    """Each line of an example is one object of the schema."""
    sent = [line[6:].encode() for line in PROTOCOL.guide.splitlines() if line.startswith("    > {")]
    received = [line[6:].encode() for line in PROTOCOL.guide.splitlines() if line.startswith("    < {")]
    assert {type(read_request(line)) for line in sent} == set(ACTIONS)
    assert {type(read_message(line)) for line in received} == set(EVENTS)
