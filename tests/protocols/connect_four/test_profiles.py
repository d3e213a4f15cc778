"""The dialects, word for word, and the page that tells of everything."""

from gameserver.protocol import Code, Refusal, Rejected
from protocols.connect_four import PROTOCOL
from protocols.connect_four.profiles import CONSTANTS, PROFILES
from protocols.connect_four.schema import ACTIONS, EVENTS, Reason, Winner
from tests.support.connect_four_client import MOVE, ConnectFourClient, error
from tests.support.own_plugins import OWN


def test_the_protocol_itself():
    assert (PROTOCOL.name, PROTOCOL.default_port, PROTOCOL.profiles) == ("connect-four", 9090, ("document", "0.5.3"))
    assert "9090" in PROTOCOL.try_it.format(host="localhost", port=9090)
    found = OWN
    assert found.protocols["connect-four"] is PROTOCOL
    assert not found.problems


def test_every_reason_has_words():
    assert set(CONSTANTS) == set(Reason)


# The original's words, as they were heard.


def test_the_profiles_end_a_connection_alike():
    words = {ConnectFourClient(profile).adapter.farewell(Refusal("The server stops")) for profile in PROFILES}
    assert len(words) == 1


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
