"""Lines that were in order when they were sent: moves for a game that is over, and lines meant for no other game."""

import json

import pytest

from gameserver.protocol import (
    Accepted,
    By,
    Code,
    Depart,
    EndReason,
    GameEnded,
    Play,
    Ready,
    Rejected,
    Reply,
    Resign,
    Result,
    Unseated,
    UnseatedWhy,
)
from tests.support.connect_four_client import (
    EXIT,
    MOVE,
    RESTART,
    TABLES,
    UNSEATED,
    ConnectFourClient,
    moved,
    opened,
    turn,
)


def test_a_move_that_was_made_is_not_dropped_again():
    client = ConnectFourClient().play()
    client.asks(MOVE, moved(0, "b2"), GameEnded(1, Result(EndReason.PLAYED, (1, -1), (0,))))
    assert "missing keys" in client.told(MOVE)[0]


def test_two_late_moves_are_two():
    """The server moved twice in the player's place, and the game ended: both moves may still come."""
    client = ConnectFourClient().play()
    client.hears(moved(0, "b2", by=By.SERVER), moved(1, "a0"), turn(0))
    client.hears(GameEnded(1, Result(EndReason.DROPPED, (1, -1), (0,), 1)))
    assert [client.told(MOVE) for _ in range(2)] == [[], []]
    assert "missing keys" in client.told(MOVE)[0]


def test_a_late_move_that_was_read_during_the_game_pays_what_was_owed():
    client = ConnectFourClient().play()
    client.hears(moved(0, "b2", by=By.SERVER))
    client.adapter.receive(f"{json.dumps(MOVE)}\n".encode(), 0)
    client.hears(GameEnded(1, Result(EndReason.DROPPED, (1, -1), (0,), 1)))
    assert client.adapter.next() == Reply(b"")
    assert "missing keys" in client.told(MOVE)[0]


def test_nothing_is_owed_of_the_game_before():
    client = ConnectFourClient().over(GameEnded(1, Result(EndReason.DROPPED, (1, -1), (0,), 1)))
    client.asks(RESTART, opened(0, 2), turn(0, match=2))
    client.asks(MOVE, moved(0, "b2", 2), GameEnded(2, Result(EndReason.PLAYED, (1, -1), (0,))))
    assert "missing keys" in client.told(MOVE)[0]


@pytest.mark.parametrize("line", [MOVE, {"action": "move", "move": "6"}, {"action": "resign"}])
@pytest.mark.parametrize("then", [(), (Unseated(3, UnseatedWhy.OPPONENT_LEFT, TABLES),)])
def test_line_read_during_the_game_is_dropped_after_it(line, then):
    client = ConnectFourClient().play()
    client.adapter.receive(f"{json.dumps(MOVE)}\n{json.dumps(line)}\n".encode(), 0)
    assert client.adapter.next() == Play(7, "b2", 1)
    client.hears(moved(0, "b2"), GameEnded(1, Result(EndReason.PLAYED, (1, -1), (0,))), *then, answer=Accepted())
    assert client.adapter.next() == Reply(b"")
    assert "missing keys" in client.told(line)[0], "what is read after it has no excuse"


def test_leaving_names_the_game_that_the_client_knew():
    client = ConnectFourClient().enter().sit()
    client.adapter.receive(b'{"action":"start"}\n{"action":"exit game"}\n', 0)
    assert client.adapter.next() == Ready(7)
    client.hears(opened(0), turn(0), answer=Accepted())
    assert client.adapter.next() == Depart(7, match=0)


def test_leaving_clears_owed_moves():
    client = ConnectFourClient().play()
    client.asks(EXIT, UNSEATED)
    assert "missing keys" in client.told(MOVE)[0]


def test_line_read_before_the_next_match_is_not_meant_for_it():
    client = ConnectFourClient().play()
    over = GameEnded(1, Result(EndReason.DROPPED, (1, -1), (0,), 1))
    client.adapter.receive(b'{"action":"resign"}\n{"action":"move","move":"a0"}\n{"action":"resign"}\n{"action":"mo', 0)
    assert client.adapter.next() == Resign(7, match=1)
    client.hears(over, answer=Accepted())
    client.hears(opened(0, 2), turn(0, match=2))
    client.adapter.receive(b've","move":"a1"}\n', 0)
    assert client.adapter.next() == Play(7, "a0", 1)
    assert client.hears(answer=Rejected(Code.NOT_IN_MATCH)) == []
    assert client.adapter.next() == Resign(7, match=1)
    (told,) = client.hears(answer=Rejected(Code.NOT_IN_MATCH))
    assert "the game that it was meant for is over" in told
    assert client.adapter.next() == Play(7, "a1", 2)
