"""Lines to what they ask for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import Accept, Challenge, Resign, Say
from gameserver.time_control import TimeControl
from protocols.strategic import parsing
from protocols.strategic.parsing import GameNames, Unparsable, read_challenge, read_message, split_line
from tests.support.strategic_client import GAMES

ILLEGAL = "Illegal argument(s) for command"

EMPTY = "The message should not be empty"


def duel(to, game, turn_time_s=None):
    return Challenge(7, to, game, None if turn_time_s is None else TimeControl(turn_time_s * 1000))


def mistake(read, *arguments):
    with pytest.raises(Unparsable) as caught:
        read(*arguments)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("login ann", ("login", "ann")),
        ("login  ann ", ("login", "ann")),
        ("login my  name", ("login", "my  name")),
        ("bye", ("bye", "")),
        ("bye\t", ("bye", "")),
        (" get gamelist", ("", "get gamelist")),
        ("   ", ("", "")),
        ("get\tgamelist", ("get\tgamelist", "")),
        ("move\t 4", ("move", "4")),
    ],
)
def test_a_line_is_cut_at_the_first_space(text, expected):
    assert split_line(text.encode()) == expected


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ('"bob" "Reversi"', duel("bob", "Reversi")),
        ('"bob" "reversi"', duel("bob", "Reversi")),
        ('"bob" "Reversi" 30', duel("bob", "Reversi", 30)),
        ('"bob" "Reversi"5', duel("bob", "Reversi", 5)),
        ('"bob" "Reversi" 0', duel("bob", "Reversi", 0)),
        ('"bob" "Reversi" -1', duel("bob", "Reversi", -1)),
        ('"bob""Reversi"', duel("bob", "Reversi")),
        ('" bob " " Reversi "', duel("bob", "Reversi")),
        ('"bob" "nope"', duel("bob", "nope")),
        ('"accept" "Reversi"', duel("accept", "Reversi")),
        ("bob Reversi", duel("bob", "Reversi")),
        ("bob REVERSI 30", duel("bob", "Reversi", 30)),
        ("Jan van Dam  tic-tac-toe", duel("Jan van Dam", "Tic-tac-toe")),
        ("bob Chess 960", duel("bob", "Chess 960")),
        ("bob Chess 960 5", duel("bob", "Chess 960", 5)),
        ("bob Chess 5", duel("bob", "Chess", 5)),
        ("bob fast reversi", duel("bob", "Fast Reversi")),
        ("Jan Fast chess 5", duel("Jan Fast", "Chess", 5)),
        ("bob nope", duel("bob", "nope")),
        ('bob "Reversi" 3', duel("bob", "Reversi", 3)),
        ("accept", Accept(7)),
        ("ACCEPT", Accept(7)),
        ("accept 3", Accept(7, 3)),
        ("Accept  3", Accept(7, 3)),
        ('accept "3"', Accept(7, 3)),
        ('accept ""', Accept(7)),
        ("forfeit", Resign(7)),
        ("FORFEIT", Resign(7)),
        ("forfeit Reversi", duel("forfeit", "Reversi")),
    ],
)
def test_challenges(argument, expected):
    assert read_challenge(7, argument, GameNames(GAMES)) == expected


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
        ("", ILLEGAL),
        ("bob", ILLEGAL),
        ("Reversi", ILLEGAL),
        ("bob nope 5", ILLEGAL),
        ("bobReversi", ILLEGAL),
        (" Reversi", ILLEGAL),
        ("three little words", ILLEGAL),
        ("accept x", ILLEGAL),
        ("accept 3.5", ILLEGAL),
        ("accept ٣", ILLEGAL),
        ("accept " + "9" * 5000, ILLEGAL),
        ('"" ""', ILLEGAL),
        ('"bob"', ILLEGAL),
        ('"bob" ""', ILLEGAL),
        ('"bob" "Reversi" x', ILLEGAL),
        ('"bob" "Reversi" 1.5', ILLEGAL),
        ('"bob" "Reversi" ' + "9" * 5000, ILLEGAL),
        ('"" "Reversi"', "No player name or game name entered"),
        ('"bob" " "', "No player name or game name entered"),
    ],
)
def test_challenges_that_cannot_be_understood(argument, expected):
    assert mistake(read_challenge, 7, argument, GameNames(GAMES)) == expected


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ('"bob" hi', Say(7, "bob", "hi")),
        ('"bob"hi', Say(7, "bob", "hi")),
        ('" bob " hi ', Say(7, "bob", "hi")),
        ('"cyd" hello "there", {x}', Say(7, "cyd", "hello  there , {x}")),
        ('"bob" a\tb', Say(7, "bob", "ab")),
        ('"" hi', Say(7, "", "hi")),
        ('"bob" ' + "y" * 140, Say(7, "bob", "y" * 140)),
    ],
)
def test_messages(argument, expected):
    assert read_message(7, argument) == expected


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("", EMPTY),
        ("bob me", EMPTY),
        ('"bob"', EMPTY),
        ('"bob', EMPTY),
        ('"bob" " "', EMPTY),
        ('"bob" ' + "y" * 141, "Messages should not contain more than 140 characters"),
    ],
)
def test_messages_that_cannot_be_sent(argument, expected):
    assert mistake(read_message, 7, argument) == expected


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
