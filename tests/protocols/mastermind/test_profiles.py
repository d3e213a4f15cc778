"""The dialects, word for word, and the page that tells of everything."""

import re

import pytest
from attrs import fields

from gameserver.protocol import Code, Rejected, WebSocketEndpoint
from protocols.mastermind import PROTOCOL, schema
from protocols.mastermind.profiles import NO_ACTIVE_GAME, OTHER_LENGTH, OUT_OF_RANGE, PROFILES, REFUSALS, refusal
from protocols.mastermind.schema import AnswerType, ErrorType, ParseFault, Type, read_request
from tests.support.mastermind_client import BROKEN, GUESS, NO_GAME, MastermindClient, error
from tests.support.own_plugins import OWN

UNREADABLE = ["", "hello", "|", "0", "0|", "x|{}", "2|{}", "99|{}", "0|[]", '0|{"NbrColors":6.0}', "1|[0]"]


def test_the_protocol_itself():
    assert (PROTOCOL.name, PROTOCOL.default_port, PROTOCOL.profiles) == ("mastermind", 8081, ("document", "original"))
    assert '8081, then type: 0|{"NbrColors":6' in PROTOCOL.try_it.format(host="localhost", port=8081)
    found = OWN
    assert found.protocols["mastermind"] is PROTOCOL
    assert not found.problems


def test_every_profile_has_a_path():
    paths = {endpoint.path: endpoint for endpoint in PROTOCOL.endpoints() if isinstance(endpoint, WebSocketEndpoint)}
    assert paths["/echo"].profile in {"", "document"}
    assert paths["/original/echo"].profile == "original"
    assert len(paths) == len(PROFILES)


@pytest.mark.parametrize("line", UNREADABLE)
def test_original_profile_has_one_answer_to_all_unreadable_messages(line):
    assert MastermindClient("original").told(line) == BROKEN


@pytest.mark.parametrize("line", UNREADABLE)
def test_the_document_tells_what_is_wrong(line):
    with pytest.raises(ParseFault) as fault:
        read_request(line.encode())
    assert MastermindClient("document").told(line) == error(fault.value, int(fault.value.error_type))


@pytest.mark.parametrize("profile", PROFILES)
def test_all_else_is_said_alike(profile):
    assert MastermindClient(profile).told(GUESS) == NO_GAME
    client = MastermindClient(profile).play()
    assert client.told('1|{"Guess":[0]}') == error("Another codelength expected", 1)
    assert client.told('1|{"Guess":[0,0,0,6]}') == error("Guesses must be in correct range", 1)
    assert client.told("0|{}") == error("NbrColors must be from 1 to 1000, not 0", 1)


@pytest.mark.parametrize("code", Code)
def test_every_code_has_words(code):
    said = refusal(Rejected(code, {"why": "that is so", "game": "Mastermind"}))
    assert "?" not in said.message
    assert "{" not in said.message
    assert (str(code) in said.message) is (code not in REFUSALS)


# The page.


def test_the_guide_knows_every_word():
    names = {
        **{kind: kind.name for kind in Type},
        **{kind: kind.name for kind in AnswerType},
    }
    for name in names.values():
        assert name.replace("_", "").lower() in PROTOCOL.guide.lower(), name
    for word in (
        *(f'"{known.metadata["key"]}"' for message in (*schema._TYPES, schema.NewGame) for known in fields(message)),
        *(f"`{profile}`" for profile in PROFILES),
        *(f"`{option.name}` | {option.default} |" for option in fields(PROTOCOL.options_type)),
        *(endpoint.path for endpoint in PROTOCOL.endpoints()),
        *(f"`{known.message}`" for known in (NO_ACTIVE_GAME, OTHER_LENGTH, OUT_OF_RANGE)),
        *("8081", "8080", "I have no idea that happened", "`mm-3-17`"),
    ):
        assert word in PROTOCOL.guide, word


ROWS = [
    [cell.strip().strip("`") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
    for line in PROTOCOL.guide.split("## Errors")[1].split("The limits of a game")[0].splitlines()
    if line.startswith("| ") and not line.startswith("| type")
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2])
def test_the_guide_s_errors_are_those_that_are_sent(row):
    number, name, message, _ = row
    assert name.removesuffix("Error").lower() == ErrorType(int(number)).name.replace("_", "").lower()
    told = {MastermindClient().told(line) for line in (*UNREADABLE, "0|{}", "1|{}")}
    playing = MastermindClient().play()
    told |= {playing.told(line) for line in ('1|{"Guess":[0]}', '1|{"Guess":[0,0,0,6]}')}
    if message not in {"why", "A message has at most 16384 bytes"}:
        assert error(message, int(number)) in told


def test_every_error_type_and_every_way_to_misread_is_in_the_guide():
    assert {int(row[0]) for row in ROWS} == {*ErrorType}
    told = {MastermindClient().told(line) for line in UNREADABLE}
    assert {line.split('"')[3] for line in told} <= {row[2] for row in ROWS}


def test_the_guide_s_examples_are_what_is_sent():
    """Each line of an example is one message: the client's can be read, the server's are as they would be written."""
    sent = [line[6:].encode() for line in PROTOCOL.guide.splitlines() if line.startswith("    > ")]
    received = [line[6:] for line in PROTOCOL.guide.splitlines() if line.startswith("    < ")]
    assert {type(read_request(line)) for line in sent} == {schema.NewGame, schema.Guess, schema.Retreat}
    assert {line[0] for line in received} == {str(int(kind)) for kind in schema._TYPES.values()}
    assert len(sent) == len(received)
