"""Answers and events of the lobby as lines, and the games that clients depend on."""

import json

import pytest

from gameserver.protocol import (
    By,
    Code,
    EndReason,
    GameEnded,
    MatchPaired,
    MatchShown,
    MovePlayed,
    Play,
    Rejected,
    Result,
    Unseated,
    UnseatedWhy,
)
from gameserver.time_control import TimeControl
from protocols.connect_four.handlers import NO_COLUMN
from protocols.connect_four.session import ConnectFourStage
from tests.support.connect_four_client import (
    EXIT,
    GAME,
    LOBBY,
    MAKE_MOVE,
    MOVE,
    RESTART,
    START,
    TABLES,
    WON,
    ConnectFourClient,
    at,
    error,
    moved,
    opened,
    turn,
)


@pytest.mark.parametrize(
    ("stage", "line"), [(ConnectFourStage.OVER, RESTART), (ConnectFourStage.READY, EXIT), (ConnectFourStage.OVER, EXIT)]
)
def test_request_that_crosses_the_return_to_the_lobby_gets_one_lobby_line(stage, line):
    client = at(stage)
    client.send(line)
    assert client.hears(Unseated(3, UnseatedWhy.NOT_STARTED, TABLES)) == [LOBBY]
    assert client.hears(answer=Rejected(Code.NOT_IN_ROOM)) == []


def test_refusal_outside_the_lobby_is_answered_with_an_error():
    (told,) = at(ConnectFourStage.OVER).asks(RESTART, answer=Rejected(Code.NOT_IN_ROOM))
    assert told == error("missing keys", "invalid keys used: you are in no room, join one first")


def test_the_line_of_the_second_game_is_not_the_first_one_s():
    client = ConnectFourClient().over(WON)
    client.asks(RESTART, opened(0, 2), turn(0, match=2))
    for number, column in enumerate(("d0", "a0", "d1", "a1", "d2", "a2")):
        client.hears(moved(number % 2, column, 2))
    (_, told) = client.hears(
        moved(0, "c3", 2), moved(1, "a3", 2), GameEnded(2, Result(EndReason.PLAYED, (-1, 1), (1,)))
    )
    assert '"winning move":["000","100","200","300"]' in told


@pytest.mark.parametrize(
    ("winners", "reason", "winner"),
    [
        ((), EndReason.PLAYED, "draw"),
        ((), EndReason.VOID, "draw"),
        ((0,), EndReason.RESIGNED, "you"),
        ((1,), EndReason.RESIGNED, "opponent"),
        ((0,), EndReason.DROPPED, "you"),
        ((1,), EndReason.LATE, "opponent"),
        ((1,), EndReason.ILLEGAL, "opponent"),
    ],
)
def test_a_game_that_no_line_has_won(winners, reason, winner):
    client = ConnectFourClient().play()
    client.hears(moved(0, "a0"))
    assert client.hears(GameEnded(1, Result(reason, (0, 0), winners))) == [
        f'{{"event":"game over","winner":"{winner}","winning move":null,"message":"lost message"}}'
    ]


@pytest.mark.parametrize(("winners", "reason"), [((), EndReason.VOID), ((0,), EndReason.DROPPED)])
def test_a_game_that_was_not_played_out_is_not_asked_for_a_line(winners, reason):
    """Its own code may be what has failed."""
    client = ConnectFourClient().play()
    client.hears(MovePlayed(1, 0, "ann", "?", None, ""))
    (told,) = client.hears(GameEnded(1, Result(reason, (0, 0), winners)))
    assert '"winning move":null' in told


def test_a_long_move_is_cut_where_it_is_repeated():
    client = ConnectFourClient().play()
    refused = Rejected(Code.ILLEGAL_MOVE, {"move": "x", "why": "y" * 9000})
    (told,) = client.asks({"action": "move", "move": "x" * 9000}, answer=refused)
    assert '"move":"' + "x" * 100 + '..."' in told
    assert len(told) < 600


@pytest.mark.parametrize(
    "code", [Code.NOT_YOUR_TURN, Code.TURN_NOT_BEGUN, Code.TOO_LATE, Code.NOT_IN_MATCH, Code.STALE]
)
def test_a_move_out_of_turn_is_dropped(code):
    assert ConnectFourClient().play(seat=1).asks(MOVE, answer=Rejected(code, {"player": "bob"})) == []


def test_another_match_is_not_mine():
    client = ConnectFourClient().play()
    assert (
        client.hears(turn(0, match=2), moved(1, "a0", match=2), GameEnded(2, Result(EndReason.PLAYED, (1, -1), (0,))))
        == []
    )
    assert client.stage is ConnectFourStage.PLAYING


def test_a_game_that_goes_on_after_a_break():
    client = ConnectFourClient().enter().sit("bob")
    lots = MovePlayed(1, None, "", "3", None, "", By.CHANCE)
    moves = (moved(0, "a0"), moved(1, "b0", by=By.SERVER), lots, moved(0, "a0"), moved(1, "b0"))
    players = ("ann", "bob")
    shown = MatchShown(
        1, GAME, players, 0, 0, TimeControl(15_000), moves, MatchPaired(1, GAME, None, players, 0, TimeControl(15_000))
    )
    assert client.asks(START, shown, turn(0)) == [
        '{"event":"started","opponent":"bob","moves":["a0","b0","a0","b0"],"message":"game started message"}',
        MAKE_MOVE,
    ]
    for number, column in enumerate(("a0", "b0")):
        client.hears(moved(number, column))
    (told,) = client.hears(moved(0, "a0"), GameEnded(1, Result(EndReason.PLAYED, (1, -1), (0,))))
    assert '"winning move":["000","001","002","003"]' in told


@pytest.mark.parametrize("said", ["6", "00", "+7", "a4", "A0", "a0xyz", "a", "", " a0", "b2\n", "\u0663"])
def test_move_that_names_no_column_is_denied_even_if_the_game_accepts_it(said):
    client = ConnectFourClient().play()
    asked = client.send({"action": "move", "move": said})
    assert asked == Play(7, NO_COLUMN, 1)
    refused = Rejected(Code.ILLEGAL_MOVE, {"move": "", "why": "the game's own words, which speak of numbers"})
    denied, again = client.hears(turn(0), answer=refused)
    assert (json.loads(denied)["reason"], json.loads(denied)["move"]) == ("invalid move", said)
    assert "from a to d" in denied
    assert again == MAKE_MOVE


def test_a_move_that_names_no_column_does_not_hide_a_fault_of_the_server():
    client = ConnectFourClient().play()
    client.send({"action": "move", "move": "6"})
    (told,) = client.hears(answer=Rejected(Code.SERVER_FAULT, {"why": "the disk is full"}))
    assert "the disk is full" in told
