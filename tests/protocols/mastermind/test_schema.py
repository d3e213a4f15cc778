"""Messages to lines and back, held against the document and what the original read."""

import json

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.mastermind.schema import (
    Accept,
    Answer,
    AnswerType,
    Error,
    ErrorType,
    GameEnd,
    Guess,
    NewGame,
    ParseFault,
    Type,
    read_request,
    write,
)
from tests.support.examples import TEXT
from tests.support.tables import lines, table


def test_the_numbers_of_the_document():
    assert [(kind.name, kind.value) for kind in Type] == [
        ("NEW_GAME", 0),
        ("GUESS", 1),
        ("ANSWER", 2),
        ("GAME_END", 3),
        ("RETREAT", 4),
        ("ACCEPT", 5),
        ("ERROR", 6),
    ]
    assert [*ErrorType] == [0, 1, 2, 3]
    assert [*AnswerType] == [0, 1, 2]


ODD = ["1e400", "-1e400", "9" * 5_000, r'"\ud800"', r'{"\udc00":[]}', "[" * 300 + "]" * 300, r'[1e400,"\ud800"]']
"""Valid JSON by RFC 8259 that some readers refuse."""


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_unknown_keys_are_ignored_whatever_they_hold(odd):
    assert read_request(b'0|{"x":%s,"NbrColors":6,"MaxTries":12,"CodeLength":4}' % odd.encode()) == NewGame(6, 12, 4)
    assert read_request(b'1|{"Guess":[1,2],"x":%s}' % odd.encode()) == Guess((1, 2))
    with pytest.raises(ParseFault, match="NewGameMessage"):
        read_request(b'0|{"NbrColors":%s}' % odd.encode())


@pytest.mark.parametrize(
    "broken", ["NaN", "Infinity", "01", "[1,]", '"', "", "[" * 5_000 + "]" * 5_000, "'a'", '"\x01"']
)
def test_invalid_json_is_refused_even_in_unknown_keys(broken):
    with pytest.raises(ParseFault, match="NewGameMessage"):
        read_request(b'0|{"NbrColors":6,"x":%s}' % broken.encode())


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (Accept(NewGame(6, 12, 4)), '5|{"Accept":true,"Attributes":{"NbrColors":6,"MaxTries":12,"CodeLength":4}}'),
        (Answer((AnswerType(0), AnswerType(1), AnswerType(2))), '2|{"Answer":[0,1,2]}'),
        (GameEnd(won=True, tries=1, code=(0, 1, 2)), '3|{"Won":true,"Tries":1,"Code":[0,1,2]}'),
        (GameEnd(won=False, tries=0, code=(11,)), '3|{"Won":false,"Tries":0,"Code":[11]}'),
        (
            Error("Guesses must be in correct range", ErrorType.BAD_PARAMETERS),
            '6|{"Message":"Guesses must be in correct range","ErrorType":1}',
        ),
    ],
)
def test_server_messages_byte_for_byte(message, line):
    assert write(message) == line.encode() + b"\n"


@given(st.data(), st.permutations(["NbrColors", "MaxTries", "CodeLength"]))
def test_keys_in_any_case_and_order(data, order):
    given_ = {"NbrColors": 6, "MaxTries": 12, "CodeLength": 4}
    body = {}
    for key in order:
        spelled = "".join(data.draw(st.sampled_from([letter.lower(), letter.upper()])) for letter in key)
        body[spelled] = given_[key]
    assert read_request(b"0|" + json.dumps(body).encode()) == NewGame(6, 12, 4)


@pytest.mark.parametrize(("line", "read"), table(__file__, "requests, and what is read"))
def test_requests_are_read_as_go_reads_them(line, read):
    request = read_request(line.encode())
    assert " ".join([type(request).__name__, *map(str, attrs.astuple(request))]) == read


MISTAKES = {
    "More than one delimiter in string": ErrorType.PARSE,
    "Cannot convert the message type to int": ErrorType.PARSE,
    "Unsupported command type": ErrorType.BAD_PARAMETERS,
    "Cannot unmarshall the NewGameMessage": ErrorType.PARSE,
    "Cannot unmarshall the GuessMessage": ErrorType.PARSE,
}
WRONG = [(line, why) for why in MISTAKES for line in lines(__file__, why)]


@pytest.mark.parametrize(
    ("line", "why"),
    [("", "More than one delimiter in string"), *WRONG, ("0|" + "[" * 10_000, "Cannot unmarshall the NewGameMessage")],
)
def test_lines_that_are_not_messages_are_refused(line, why):
    with pytest.raises(ParseFault) as fault:
        read_request(line.encode())
    assert (str(fault.value), fault.value.error_type) == (why, MISTAKES[why])


@given(TEXT, st.sampled_from(ErrorType))
def test_no_text_breaks_out_of_its_line(text, kind):
    line = write(Error(text, kind))
    assert line.count(b"\n") == 1
    assert json.loads(line.partition(b"|")[2]) == {"Message": text, "ErrorType": kind}
