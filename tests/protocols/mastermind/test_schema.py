"""Messages to lines and back, held against the document and what the original read."""

import json

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
    Retreat,
    Type,
    read_request,
    write,
)
from tests.support.examples import TEXT


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
        (
            Accept(NewGame(6, 12, 4)),
            '5|{"Accept":true,"Attributes":{"NbrColors":6,"MaxTries":12,"CodeLength":4}}',
        ),
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


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        ("0|{}", NewGame(0, 0, 0)),
        ("0|null", NewGame(0, 0, 0)),
        ('0|{"NbrColors":null,"MaxTries":3}', NewGame(0, 3, 0)),
        ('0|{"NbrColors":6,"NbrColors":2}', NewGame(2, 0, 0)),
        ('0|{"NbrColors":6,"nbrcolors":2}', NewGame(2, 0, 0)),
        ('0| {"NbrColors" : 6 , "x":[1,{}]}\t\r\n', NewGame(6, 0, 0)),
        ("1|{}", Guess()),
        ("1|null", Guess()),
        ('1|{"Guess":null}', Guess()),
        ('1|{"Guess":[1,null]}', Guess((1, 0))),
        ('1|{"Guess":[-0]}', Guess((0,))),
        ("4|", Retreat()),
        ("4|{}", Retreat()),
        ("4|garbage", Retreat()),
        ("+4|{}", Retreat()),
        ("04|{}", Retreat()),
        ("260|{}", Retreat()),
        ("-252|{}", Retreat()),
    ],
)
def test_requests_are_read_as_go_reads_them(line, request_):
    assert read_request(line.encode()) == request_


DELIMITER = "More than one delimiter in string"

NUMBER = "Cannot convert the message type to int"

NEW_GAME, GUESS = "Cannot unmarshall the NewGameMessage", "Cannot unmarshall the GuessMessage"

UNSUPPORTED = "Unsupported command type"


@pytest.mark.parametrize(
    ("line", "why", "kind"),
    [
        ("", DELIMITER, 0),
        ("4", DELIMITER, 0),
        ("4|{}|", DELIMITER, 0),
        ('0|{"a":"|"}', DELIMITER, 0),
        ("x|y|z", DELIMITER, 0),
        ("|", NUMBER, 0),
        ("x|{}", NUMBER, 0),
        (" 0|{}", NUMBER, 0),
        ("0 |{}", NUMBER, 0),
        ("1e1|{}", NUMBER, 0),
        ("1_0|{}", NUMBER, 0),
        ("٤|{}", NUMBER, 0),
        ("99999999999999999999|{}", NUMBER, 0),
        *((f"{kind}|{{}}", UNSUPPORTED, 1) for kind in ("2", "3", "5", "6", "7", "99", "-1", "255")),
        *((f"0|{body}", NEW_GAME, 0) for body in ("", "[]", '""', "5", "{", "{} x", '{"NbrColors":"6"}')),
        *((f'0|{{"MaxTries":{value}}}', NEW_GAME, 0) for value in ("6.0", "1e0", "true", "[6]", "{}", "1" * 20)),
        *((f"1|{body}", GUESS, 0) for body in ("", "[0,1]", '{"Guess":"01"}', '{"Guess":5}', '{"Guess":[[0]]}')),
        *((f'1|{{"Guess":[{value}]}}', GUESS, 0) for value in ("3.0", "3.5", '"3"', "true", "{}", "1" * 20, "0,")),
        ("0|" + "[" * 10_000, NEW_GAME, 0),
    ],
)
def test_lines_that_are_not_messages_are_refused(line, why, kind):
    with pytest.raises(ParseFault) as fault:
        read_request(line.encode())
    assert (str(fault.value), fault.value.error_type) == (why, kind)


@given(TEXT, st.sampled_from(ErrorType))
def test_no_text_breaks_out_of_its_line(text, kind):
    line = write(Error(text, kind))
    assert line.count(b"\n") == 1
    assert json.loads(line.partition(b"|")[2]) == {"Message": text, "ErrorType": kind}
