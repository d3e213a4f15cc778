"""Lines to what they ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import Accept, Challenge, Resign, Say
from gameserver.time_control import TimeControl
from protocols.strategic import parsing
from protocols.strategic.parsing import GameNames, Unparsable, read_challenge, read_message, split_line
from tests.support.strategic_client import GAMES
from tests.support.tables import lines, table

ILLEGAL = "Illegal argument(s) for command"

EMPTY = "The message should not be empty"


def shown(asked):
    """The request, as the table has it."""
    match asked:
        case Challenge():
            return ", ".join(map(str, filter(None, (asked.to, asked.game, asked.clock))))
        case Say():
            return f"to {asked.to}: {asked.text}"
        case Accept():
            return "accept" if asked.challenge is None else f"accept {asked.challenge}"
    return {Resign(7): "forfeit"}[asked]


def duel(to, game, turn_time_s=None):
    return Challenge(7, to, game, None if turn_time_s is None else TimeControl(turn_time_s * 1000))


def mistake(read, *arguments):
    with pytest.raises(Unparsable) as caught:
        read(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(("text", "word", "rest"), table(__file__, "lines, their first words, and the rest"))
def test_a_line_is_cut_at_the_first_space(text, word, rest):
    assert split_line(text.encode()) == (word, rest)


@pytest.mark.parametrize(("argument", "asked"), table(__file__, "challenges, and what they ask for"))
def test_challenges(argument, asked):
    assert shown(read_challenge(7, argument, GameNames(GAMES))) == asked


@pytest.mark.parametrize(
    ("time", "clock"),
    [
        ('"3m+2s, turn 60s"', TimeControl(60_000, 180_000, 2_000)),
        ("5m", TimeControl(bank_ms=300_000)),
        ('" 30 "', TimeControl(30_000)),
    ],
)
def test_a_clock_may_stand_in_the_place_of_the_seconds(time, clock):
    argument, games = f'"bob" "Reversi" {time}', GameNames(GAMES)
    assert read_challenge(7, argument, games, takes_clocks=True) == Challenge(7, "bob", "Reversi", clock)
    assert mistake(read_challenge, 7, argument, games) == ILLEGAL


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        *((line, ILLEGAL) for line in ("", *lines(__file__, "challenges that cannot be understood"))),
        *((f"{begun} {'9' * 5000}", ILLEGAL) for begun in ("accept", '"bob" "Reversi"')),
        *((line, "No player name or game name entered") for line in ('"" "Reversi"', '"bob" " "')),
    ],
)
def test_challenges_that_cannot_be_understood(argument, expected):
    assert mistake(read_challenge, 7, argument, GameNames(GAMES)) == expected


@pytest.mark.parametrize(("argument", "said"), table(__file__, "messages, and what they say"))
def test_messages(argument, said):
    assert shown(read_message(7, argument)) == said


def test_longest_message():
    longest = "y" * 140
    assert read_message(7, f'"bob" {longest}') == Say(7, "bob", longest)
    assert mistake(read_message, 7, f'"bob" {longest}y') == "Messages should not contain more than 140 characters"


@pytest.mark.parametrize("argument", ["", "bob me", '"bob"', '"bob', '"bob" " "'])
def test_messages_that_say_nothing(argument):
    assert mistake(read_message, 7, argument) == EMPTY


@pytest.mark.parametrize("line", [b"login \xe9", b"\xff", b"\xc3", b"\xed\xa0\x80"])
def test_other_bytes_than_utf_8(line):
    assert mistake(split_line, line) == "The line is not UTF-8 text, nothing was done"


@pytest.mark.parametrize("code", [*range(9), *range(10, 32), *range(127, 160), 0x2028, 0x2029])
def test_control_characters(code):
    said = f"The line contains the control character {code:#04x}, nothing was done"
    assert mistake(split_line, f"login a{chr(code)}b".encode()) == said


def test_the_words_of_every_verb():
    assert {word: verb.value for word, verb in parsing.VERBS.items() if word != verb.value} == {
        "exit": "logout",
        "quit": "logout",
        "disconnect": "logout",
        "bye": "logout",
        "msg": "message",
    }


@given(
    st.text(st.characters(exclude_characters='"', exclude_categories=["C", "Z"]), min_size=1).filter(str.isprintable)
)
def test_any_name_can_be_challenged_with_or_without_quotes(name):
    games = GameNames(GAMES)
    quoted = read_challenge(7, f'"{name}" "Reversi" 9', games)
    assert quoted == duel(name, "Reversi", 9)
    if name.lower() != "accept":
        assert read_challenge(7, f"{name} Reversi 9", games) == quoted
