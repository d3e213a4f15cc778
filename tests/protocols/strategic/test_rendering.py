"""Events to lines: lists, challenges, moves, turns, matches and their results."""

import pytest

from gameserver.protocol import (
    By,
    ChallengeClosed,
    ChallengeOpened,
    Code,
    EndReason,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MovePlayed,
    MoveRefused,
    PlayerShown,
    PlayersListed,
    Rejected,
    RoomsListed,
    Said,
    SeatDropped,
    Seated,
    SeatReturned,
    Unseated,
    UnseatedWhy,
)
from tests.protocols.strategic.answers import YOURTURN
from tests.protocols.strategic.stages import Stage, stage_of
from tests.support.strategic_client import StrategicClient, moved, turn


def test_lists():
    client = StrategicClient()
    players = PlayersListed((PlayerShown("ann", "strategic"), PlayerShown("house-greedy", "house", house=True)))
    assert client.asks("get playerlist", players) == ["OK", 'SVR PLAYERLIST ["ann", "house-greedy"]']
    assert client.asks("GET PLAYERLIST", PlayersListed(())) == ["OK", "SVR PLAYERLIST []"]


def test_challenges():
    client = StrategicClient().login("bob")
    assert client.hears(ChallengeOpened(1, "ann", "Tic-tac-toe", 10_000)) == [
        'SVR GAME CHALLENGE {CHALLENGER: "ann", CHALLENGENUMBER: "1", GAMETYPE: "Tic-tac-toe", TURNTIME: "10"}'
    ]
    assert client.hears(ChallengeClosed(1)) == ['SVR GAME CHALLENGE CANCELLED {CHALLENGENUMBER: "1"}']


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


def test_a_draw_by_chance_has_no_line():
    assert StrategicClient().play().hears(
        MovePlayed(1, None, "", "3 5", None, "", By.CHANCE), turn(0, prompt="3 5")
    ) == ['SVR GAME YOURTURN {TURNMESSAGE: "3 5"}']


def test_a_move_in_a_late_player_s_place():
    assert StrategicClient().play().hears(moved("ann", 4, by=By.SERVER, details="x")) == [
        'SVR GAME MOVE {PLAYER: "ann", MOVE: "4", DETAILS: "Turn timelimit reached"}'
    ]


def test_a_move_that_costs_the_match():
    refused = MoveRefused(1, 0, "ann", "4", "field 4 is taken")
    ended = GameEnded(1, (-1, 1), (1,), EndReason.ILLEGAL, 0)
    lines = ['SVR GAME MOVE {PLAYER: "ann", MOVE: "4", DETAILS: "Illegal move"}']
    scores = '{PLAYERONESCORE: "-1", PLAYERTWOSCORE: "1", COMMENT: "Illegal move"}'
    ann, bob = StrategicClient().play(seat=0), StrategicClient().play(seat=1)
    assert ann.asks("move 4", refused, ended, MatchEnded(1, EndReason.ILLEGAL)) == [
        "OK",
        *lines,
        f"SVR GAME LOSS {scores}",
    ]
    assert bob.hears(refused, ended, MatchEnded(1, EndReason.ILLEGAL)) == [*lines, f"SVR GAME WIN {scores}"]


def test_a_move_that_costs_nothing():
    refused = Rejected(Code.ILLEGAL_MOVE, {"move": "4", "why": "field 4 is taken"})
    assert StrategicClient().play().asks("move 4", turn(0), answer=refused) == [
        "ERR Illegal move: field 4 is taken",
        YOURTURN,
    ]


@pytest.mark.parametrize("seat", [0, 1])
def test_only_who_is_to_act_in_this_match_hears_of_a_turn(seat):
    client = StrategicClient().play(seat)
    assert client.hears(turn(seat)) == [YOURTURN]
    assert client.hears(turn(0, 1)) == [YOURTURN]
    assert client.hears(turn(1 - seat)) == []
    assert client.hears(turn(seat, match=2)) == []
    client.hears(MatchEnded(1, EndReason.PLAYED))
    assert client.hears(turn(seat)) == []


def test_player_one_is_the_one_who_moves_first():
    players = ("ann", "bob")
    client = StrategicClient().login()
    assert client.hears(MatchOpened(1, "Reversi", players, 0, 1, 10_000)) == [
        'SVR GAME MATCH {PLAYERTOMOVE: "bob", GAMETYPE: "Reversi", OPPONENT: "bob"}'
    ]
    assert client.hears(GameEnded(1, (14, 50), (1,), EndReason.PLAYED)) == [
        'SVR GAME LOSS {PLAYERONESCORE: "50", PLAYERTWOSCORE: "14", COMMENT: ""}'
    ]


def test_more_than_two_players():
    client = StrategicClient().login()
    assert client.hears(MatchOpened(1, "Ludo", ("ann", "bob", "cyd"), 1, 2, None)) == [
        'SVR GAME MATCH {PLAYERTOMOVE: "cyd", GAMETYPE: "Ludo", OPPONENT: "ann, cyd"}'
    ]
    assert client.hears(GameEnded(1, (1, 2, 3), (1, 2), EndReason.PLAYED)) == [
        'SVR GAME WIN {PLAYERONESCORE: "3", PLAYERTWOSCORE: "1", COMMENT: ""}'
    ]


def test_the_next_match_follows_the_result():
    client = StrategicClient().play()
    client.hears(turn(0))
    assert client.asks(
        "forfeit",
        GameEnded(1, (-1, 1), (1,), EndReason.RESIGNED, 0),
        MatchEnded(1, EndReason.RESIGNED),
        MatchOpened(2, "Tic-tac-toe", ("cyd", "ann"), 1, 1, 10_000),
        turn(1, match=2),
    ) == [
        "OK",
        'SVR GAME LOSS {PLAYERONESCORE: "0", PLAYERTWOSCORE: "0", COMMENT: "Player forfeited match"}',
        'SVR GAME MATCH {PLAYERTOMOVE: "ann", GAMETYPE: "Tic-tac-toe", OPPONENT: "cyd"}',
        YOURTURN,
    ]
    assert stage_of(client) is Stage.PLAYING


def test_another_match_s_end_is_not_mine():
    client = StrategicClient().play()
    assert client.hears(GameEnded(2, (0, 0), (), EndReason.PLAYED), MatchEnded(2, EndReason.PLAYED)) == []
    assert stage_of(client) is Stage.PLAYING


def test_events_without_a_line_are_silent():
    client = StrategicClient().play()
    assert client.outputs(SeatDropped(1, 1, "bob", 5), SeatReturned(1, 1, "bob")) == []
    assert client.outputs(MatchEnded(1, EndReason.PLAYED)) == []
    assert client.outputs(RoomsListed(()), Seated(3, "bob"), Unseated(3, UnseatedWhy.LEFT, ())) == []


def test_messages():
    assert StrategicClient().login("cyd").hears(Said("ann", 'hello "there", {x}')) == [
        'SVR MESSAGE {PLAYERNAME: "ann", MESSAGE: "hello  there , {x}"}'
    ]
