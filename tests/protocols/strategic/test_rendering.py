"""Events to lines: lists, challenges, moves, turns, matches and their results."""

import pytest

from gameserver.protocol import (
    EndReason,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MovePlayed,
    MoveRefused,
    Output,
    PlayerShown,
    PlayersListed,
    Result,
)
from gameserver.time_control import TimeControl
from tests.protocols.strategic.answers import YOURTURN
from tests.support.strategic_client import StrategicClient, lines_of, moved, turn


def test_lists():
    client = StrategicClient()
    players = PlayersListed((PlayerShown("ann", "strategic"), PlayerShown("house-greedy", "house", house=True)))
    assert client.asks("get playerlist", players) == ["OK", 'SVR PLAYERLIST ["ann", "house-greedy"]']
    assert client.asks("GET PLAYERLIST", PlayersListed(())) == ["OK", "SVR PLAYERLIST []"]


def test_a_move_is_a_number_where_the_game_has_numbers():
    client = StrategicClient().play()
    assert client.hears(moved("ann", 4, details="Hoger")) == [
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "4", DETAILS: "Hoger"}'
    ]
    assert client.hears(MovePlayed(1, 0, "ann", "e4", 28, "")) == [
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "28", DETAILS: ""}'
    ]
    assert client.hears(MovePlayed(1, 0, "ann", "e4", None, "")) == [
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "e4", DETAILS: ""}'
    ]


@pytest.mark.parametrize("seat", [0, 1])
def test_only_who_is_to_act_in_this_match_hears_of_a_turn(seat):
    client = StrategicClient().play(seat)
    assert client.hears(turn(seat)) == [YOURTURN]
    assert client.hears(turn(0, 1)) == [YOURTURN]
    assert client.hears(turn(1 - seat)) == []
    assert client.hears(turn(seat, match=2)) == []
    client.hears(MatchEnded(1, Result(EndReason.PLAYED, (), ())))
    assert client.hears(turn(seat)) == []


def test_player_one_is_the_one_who_moves_first():
    players = ("ann", "bob")
    client = StrategicClient().login()
    assert client.hears(MatchOpened(1, "Reversi", players, 0, 1, TimeControl(10_000))) == [
        'SVR GAME MATCH {PLAYERTOMOVE: "bob", GAMETYPE: "Reversi", OPPONENT: "bob"}'
    ]
    assert client.hears(GameEnded(1, Result(EndReason.PLAYED, (14, 50), (1,)))) == [
        'SVR GAME LOSS {PLAYERONESCORE: "50", PLAYERTWOSCORE: "14", COMMENT: ""}'
    ]


def test_more_than_two_players():
    client = StrategicClient().login()
    assert client.hears(MatchOpened(1, "Ludo", ("ann", "bob", "cyd"), 1, 2, TimeControl())) == [
        'SVR GAME MATCH {PLAYERTOMOVE: "cyd", GAMETYPE: "Ludo", OPPONENT: "ann, cyd"}'
    ]
    assert client.hears(GameEnded(1, Result(EndReason.PLAYED, (1, 2, 3), (1, 2)))) == [
        'SVR GAME WIN {PLAYERONESCORE: "3", PLAYERTWOSCORE: "1", COMMENT: ""}'
    ]


def test_another_match_s_end_is_not_mine():
    client = StrategicClient().play()
    assert (
        client.hears(
            GameEnded(2, Result(EndReason.PLAYED, (0, 0), ())), MatchEnded(2, Result(EndReason.PLAYED, (), ()))
        )
        == []
    )
    assert client.adapter.session.view is not None


MOVE_0 = b'SVR GAME MOVE {PLAYER: "ann", MOVE: "0", DETAILS: ""}\r\n'

MOVE_4 = b'SVR GAME MOVE {PLAYER: "bob", MOVE: "4", DETAILS: ""}\r\n'

TURN = YOURTURN.encode() + b"\r\n"


def test_releases_never_go_back():
    client = StrategicClient().play()
    assert client.outputs(
        moved("ann", 0, release_ms=500), moved("bob", 4, 1, release_ms=300), moved("ann", 0, release_ms=800), turn(0)
    ) == [Output(MOVE_0 + MOVE_4, 500), Output(MOVE_0 + TURN, 800)]


def test_a_refused_move_is_held_too():
    refused = MoveRefused(1, 1, "bob", "9", "no such field", release_ms=500)
    ended = GameEnded(1, Result(EndReason.ILLEGAL, (1, -1), (0,), 1))
    (output,) = StrategicClient().play().outputs(refused, ended)
    assert output.release_ms == 500
    assert [line.split()[2] for line in lines_of(output.data)] == ["MOVE", "WIN"]
