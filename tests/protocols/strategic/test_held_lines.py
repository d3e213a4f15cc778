"""Lines that are held back, and matches that are shown again to a returned player."""

import pytest

from gameserver.protocol import Accepted, EndReason, GameEnded, MatchShown, MoveRefused, Output
from tests.protocols.strategic.answers import YOURTURN
from tests.protocols.strategic.stages import Stage, stage_of
from tests.support.strategic_client import StrategicClient, lines_of, moved, turn

MOVE_0 = b'SVR GAME MOVE {PLAYER: "ann", MOVE: "0", DETAILS: ""}\r\n'
MOVE_4 = b'SVR GAME MOVE {PLAYER: "bob", MOVE: "4", DETAILS: ""}\r\n'
MATCH = b'SVR GAME MATCH {PLAYERTOMOVE: "ann", GAMETYPE: "Tic-tac-toe", OPPONENT: "bob"}\r\n'
TURN = YOURTURN.encode() + b"\r\n"


def test_lines_after_a_held_one_ride_with_it():
    client = StrategicClient().play()
    client.send("move 0")
    assert client.outputs(
        moved("ann", 0, release_ms=500), moved("bob", 4, 1, release_ms=500), turn(0), answer=Accepted()
    ) == [Output(b"OK\r\n"), Output(MOVE_0 + MOVE_4 + TURN, 500)]


def test_releases_never_go_back():
    client = StrategicClient().play()
    assert client.outputs(
        moved("ann", 0, release_ms=500), moved("bob", 4, 1, release_ms=300), moved("ann", 0, release_ms=800), turn(0)
    ) == [Output(MOVE_0 + MOVE_4, 500), Output(MOVE_0 + TURN, 800)]


def test_a_refused_move_is_held_too():
    refused = MoveRefused(1, 1, "bob", "9", "no such field", release_ms=500)
    ended = GameEnded(1, (1, -1), (0,), EndReason.ILLEGAL, 1)
    (output,) = StrategicClient().play().outputs(refused, ended)
    assert output.release_ms == 500
    assert [line.split()[2] for line in lines_of(output.data)] == ["MOVE", "WIN"]


def test_without_a_hold_everything_goes_in_one_piece():
    client = StrategicClient().play()
    assert client.outputs(moved("ann", 0), turn(0)) == [Output(MOVE_0 + TURN)]


@pytest.mark.parametrize("my_turn", [True, False])
def test_a_returned_player_hears_the_match_so_far(my_turn):
    client = StrategicClient()
    moves = (moved("ann", 0, release_ms=500), moved("bob", 4, 1, release_ms=500))
    shown = MatchShown(1, "Tic-tac-toe", ("ann", "bob"), 0, 0, 10_000, moves)
    client.send("login ann")
    events = (shown, turn(0)) if my_turn else (shown,)
    assert client.outputs(*events, answer=Accepted()) == [
        Output(b"OK\r\n" + MATCH),
        Output(MOVE_0 + MOVE_4 + (TURN if my_turn else b""), 500),
    ]
    assert stage_of(client) is Stage.PLAYING


def test_a_returned_player_hears_a_match_without_moves():
    client = StrategicClient()
    client.send("login ann")
    shown = MatchShown(1, "Tic-tac-toe", ("ann", "bob"), 0, 0, 10_000, ())
    assert client.outputs(shown, turn(0), answer=Accepted()) == [Output(b"OK\r\n" + MATCH + TURN)]
