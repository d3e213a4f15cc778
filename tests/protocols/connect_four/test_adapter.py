"""Answers and events of the lobby as lines, and the games that clients depend on."""

import json

import pytest

from gameserver.protocol import (
    By,
    ChallengeClosed,
    ChallengeOpened,
    Code,
    EndReason,
    GameEnded,
    GamesListed,
    MatchEnded,
    MatchShown,
    MovePlayed,
    MoveRefused,
    Output,
    Play,
    PlayersListed,
    Rejected,
    RoomShown,
    RoomsListed,
    Said,
    SeatDropped,
    Seated,
    SeatReturned,
    Unseated,
    UnseatedWhy,
)
from protocols.connect_four.handlers import NO_COLUMN
from protocols.connect_four.session import Stage
from tests.support.connect_four_client import (
    EXIT,
    GAME,
    LOBBY,
    MAKE_MOVE,
    MOVE,
    RESTART,
    START,
    TABLES,
    UNSEATED,
    WON,
    ConnectFourClient,
    at,
    error,
    moved,
    opened,
    turn,
)

# What events sound like.


def test_events_without_a_line_are_silent():
    client = ConnectFourClient().play()
    assert (
        client.outputs(
            *(
                PlayersListed(()),
                GamesListed(()),
                ChallengeOpened(1, "bob", GAME, 10_000),
                ChallengeClosed(1),
                Said("bob", "x"),
            ),
            *(SeatDropped(1, 1, "bob", 5), SeatReturned(1, 1, "bob"), MoveRefused(1, 1, "bob", "x", "no")),
            MatchEnded(1, EndReason.PLAYED),
        )
        == []
    )


def test_rooms():
    client = ConnectFourClient().enter()
    first = '{"event":"game","opponent":"No player2 yet","message":"game message"}'
    second = '{"event":"game","opponent":"bob","message":"game message"}'
    assert client.asks({"action": "join", "room number": 3}, Seated(3, None)) == [first]
    assert client.asks(EXIT, UNSEATED) == [LOBBY]
    full = Rejected(Code.ROOM_FULL, {"room": "3"})
    assert client.asks({"action": "join", "room number": 3}, answer=full) == [
        error("game full", "the game is full at the moment: room 3 is taken, join another one")
    ]
    kept = Rejected(Code.ROOM_KEPT, {"room": "4"})
    assert client.asks({"action": "join", "room number": 3}, answer=kept) == [
        error("missing keys", "invalid keys used: your game waits in room 4, join that one")
    ]
    assert client.asks({"action": "join", "room number": 4}, Seated(4, "bob")) == [second]


def test_a_hundred_rooms_are_one_line():
    (line,) = (
        ConnectFourClient()
        .enter()
        .asks({"action": "connect"}, RoomsListed(tuple(RoomShown(n, None) for n in range(100))))
    )
    assert line.count("No player1 yet") == 100


@pytest.mark.parametrize("why", UnseatedWhy)
@pytest.mark.parametrize("stage", [Stage.ROOM, Stage.READY, Stage.OVER, Stage.ASKED_AGAIN])
def test_client_sent_to_the_lobby_is_told_and_is_there(stage, why):
    client = at(stage)
    assert client.hears(Unseated(3, why, TABLES)) == [LOBBY]
    assert client.stage is Stage.LOBBY
    assert client.asks(EXIT, RoomsListed(TABLES)) == [LOBBY]


@pytest.mark.parametrize(("stage", "line"), [(Stage.OVER, RESTART), (Stage.READY, EXIT), (Stage.OVER, EXIT)])
def test_request_that_crosses_the_return_to_the_lobby_gets_one_lobby_line(stage, line):
    client = at(stage)
    client.send(line)
    assert client.hears(Unseated(3, UnseatedWhy.NOT_STARTED, TABLES)) == [LOBBY]
    assert client.hears(answer=Rejected(Code.NOT_IN_ROOM)) == []


def test_refusal_outside_the_lobby_is_answered_with_an_error():
    (told,) = at(Stage.OVER).asks(RESTART, answer=Rejected(Code.NOT_IN_ROOM))
    assert told == error("missing keys", "invalid keys used: you are in no room, join one first")


# A game.

STARTED = '{"event":"started","opponent":"bob","message":"game started message"}'


def test_a_game_that_is_won():
    ann, bob = ConnectFourClient().enter("ann").sit().start(), ConnectFourClient().enter("bob").sit("ann")
    assert ann.hears(opened(0), turn(0)) == [STARTED, MAKE_MOVE]
    assert bob.asks(START, opened(1), turn(0)) == [STARTED.replace("bob", "ann")]
    columns = ("a0", "b0", "a0", "b0", "a0", "b0")
    for number, column in enumerate(columns):
        seat = number % 2
        mover, other = (ann, bob) if seat == 0 else (bob, ann)
        move, next_turn = moved(seat, column), turn(1 - seat, number=number + 1)
        assert mover.asks({"action": "move", "move": column}, move, next_turn) == []
        assert other.hears(move, next_turn) == [
            f'{{"event":"opponent moved","move":"{column}","message":"opponent moved message"}}',
            MAKE_MOVE,
        ]
    end = (moved(0, "a0"), GameEnded(1, (1, -1), (0,), EndReason.PLAYED), MatchEnded(1, EndReason.PLAYED))
    line = '"winning move":["000","001","002","003"],"message":"lost message"}'
    assert ann.asks({"action": "move", "move": "a0"}, *end) == [f'{{"event":"game over","winner":"you",{line}']
    assert bob.hears(*end) == [
        '{"event":"opponent moved","move":"a0","message":"opponent moved message"}',
        f'{{"event":"game over","winner":"opponent",{line}',
    ]
    assert ann.asks(RESTART) == []
    again = (opened(0, 2), turn(0, match=2))
    assert bob.asks(RESTART, opened(1, 2), turn(0, match=2)) == [STARTED.replace("bob", "ann")]
    assert ann.hears(*again) == [STARTED, MAKE_MOVE]


def test_the_line_of_the_second_game_is_not_the_first_one_s():
    client = ConnectFourClient().over(WON)
    client.asks(RESTART, opened(0, 2), turn(0, match=2))
    for number, column in enumerate(("d0", "a0", "d1", "a1", "d2", "a2")):
        client.hears(moved(number % 2, column, 2))
    (_, told) = client.hears(moved(0, "c3", 2), moved(1, "a3", 2), GameEnded(2, (-1, 1), (1,), EndReason.PLAYED))
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
    assert client.hears(GameEnded(1, (0, 0), winners, reason)) == [
        f'{{"event":"game over","winner":"{winner}","winning move":null,"message":"lost message"}}'
    ]


@pytest.mark.parametrize(("winners", "reason"), [((), EndReason.VOID), ((0,), EndReason.DROPPED)])
def test_a_game_that_was_not_played_out_is_not_asked_for_a_line(winners, reason):
    """Its own code may be what has failed."""
    client = ConnectFourClient().play()
    client.hears(MovePlayed(1, 0, "ann", "?", None, ""))
    (told,) = client.hears(GameEnded(1, (0, 0), winners, reason))
    assert '"winning move":null' in told


def test_resigning_client_is_told_of_the_loss():
    lost = GameEnded(1, (-1, 1), (1,), EndReason.RESIGNED, 0)
    (told,) = ConnectFourClient().play().asks({"action": "resign"}, lost, MatchEnded(1, EndReason.RESIGNED))
    assert '"winner":"opponent","winning move":null' in told


def test_client_that_leaves_a_game_gets_the_lobby_alone():
    client = ConnectFourClient().play()
    lost = GameEnded(1, (-1, 1), (1,), EndReason.RESIGNED, 0)
    assert client.asks(EXIT, lost, MatchEnded(1, EndReason.RESIGNED), UNSEATED) == [LOBBY]
    assert client.stage is Stage.LOBBY


def test_a_move_that_is_not_permitted():
    client = ConnectFourClient().play()
    refused = Rejected(Code.ILLEGAL_MOVE, {"move": "b2", "why": "column b2 is full"})
    assert client.asks(MOVE, turn(0), answer=refused) == [
        error("invalid move", "the move was not permitted: column b2 is full", "b2"),
        MAKE_MOVE,
    ]


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


def test_a_move_in_a_late_player_s_place():
    late = moved(0, "b2", by=By.SERVER)
    assert ConnectFourClient().play(seat=0).hears(late, turn(1)) == [
        error("time elapsed", "move took too long: b2 was played for you", "b2")
    ]
    assert ConnectFourClient(time_elapsed_error=False).play(seat=0).hears(late, turn(1)) == []
    for setting in (True, False):
        assert ConnectFourClient(time_elapsed_error=setting).play(seat=1).hears(late, turn(1)) == [
            '{"event":"opponent moved","move":"b2","message":"opponent moved message"}',
            MAKE_MOVE,
        ]


def test_delayed_line_is_sent_with_the_lines_that_follow():
    line = '{"event":"opponent moved","move":"b2","message":"opponent moved message"}\n'
    assert ConnectFourClient().play().outputs(moved(1, "b2"), turn(0, release_ms=500), turn(1)) == [
        Output(line.encode()),
        Output(MAKE_MOVE.encode() + b"\n", 500),
    ]
    assert ConnectFourClient().play().outputs(moved(1, "b2", release_ms=500), turn(0, release_ms=300)) == [
        Output((line + MAKE_MOVE).encode() + b"\n", 500)
    ]


def test_another_match_is_not_mine():
    client = ConnectFourClient().play()
    assert client.hears(turn(0, match=2), moved(1, "a0", match=2), GameEnded(2, (1, -1), (0,), EndReason.PLAYED)) == []
    assert client.stage is Stage.PLAYING


def test_a_game_that_goes_on_after_a_break():
    client = ConnectFourClient().enter().sit("bob")
    lots = MovePlayed(1, None, "", "3", None, "", By.CHANCE)
    moves = (moved(0, "a0"), moved(1, "b0", by=By.SERVER), lots, moved(0, "a0"), moved(1, "b0"))
    shown = MatchShown(1, GAME, ("ann", "bob"), 0, 0, 15_000, moves)
    assert client.asks(START, shown, turn(0)) == [
        '{"event":"started","opponent":"bob","moves":["a0","b0","a0","b0"],"message":"game started message"}',
        MAKE_MOVE,
    ]
    for number, column in enumerate(("a0", "b0")):
        client.hears(moved(number, column))
    (told,) = client.hears(moved(0, "a0"), GameEnded(1, (1, -1), (0,), EndReason.PLAYED))
    assert '"winning move":["000","001","002","003"]' in told


def test_a_game_that_goes_on_before_its_first_move():
    shown = MatchShown(1, GAME, ("ann", "bob"), 1, 0, 15_000, ())
    assert ConnectFourClient().enter().sit("ann").asks(START, shown) == [
        '{"event":"started","opponent":"ann","moves":[],"message":"game started message"}'
    ]


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
