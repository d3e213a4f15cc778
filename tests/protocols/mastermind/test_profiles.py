"""The dialects, word for word, and the page that tells of everything."""

import re

import pytest

from protocols.mastermind import PROTOCOL
from protocols.mastermind.schema import ErrorType
from tests.support.mastermind_client import MastermindClient, error
from tests.support.own_plugins import OWN

UNREADABLE = ["", "hello", "|", "0", "0|", "x|{}", "2|{}", "99|{}", "0|[]", '0|{"NbrColors":6.0}', "1|[0]"]


def test_the_protocol_itself():
    assert (PROTOCOL.name, PROTOCOL.default_port, PROTOCOL.profiles) == ("mastermind", 8081, ("document", "original"))
    assert '8081, then type: 0|{"NbrColors":6' in PROTOCOL.try_it.format(host="localhost", port=8081)
    found = OWN
    assert found.protocols["mastermind"] is PROTOCOL
    assert not found.problems


# The page.


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
