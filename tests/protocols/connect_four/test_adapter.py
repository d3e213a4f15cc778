"""The adapter of 3D Connect Four: lines in, lines out, at every stage, and late ones."""

import itertools
import json

import pytest

from gameserver.core.commands import Capability
from gameserver.protocol import (
    Accepted,
    By,
    Code,
    Depart,
    EndReason,
    Enter,
    GameEnded,
    ListRooms,
    MatchPaired,
    MatchShown,
    MovePlayed,
    Play,
    Ready,
    Refusal,
    Rejected,
    Reply,
    Resign,
    Result,
    Sit,
    Unseated,
    UnseatedWhy,
)
from gameserver.time_control import TimeControl
from protocols.connect_four import PROTOCOL
from protocols.connect_four.handlers import HANDLERS, NO_COLUMN, SILENCE
from protocols.connect_four.profiles import CONSTANTS, PROFILES
from protocols.connect_four.schema import ACTIONS, EVENTS, Reason, Winner
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
    UNSEATED,
    WON,
    ConnectFourClient,
    at,
    error,
    moved,
    opened,
    turn,
)
from tests.support.own_plugins import OWN
from tests.support.tables import lines


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


# Which stage takes which action.

REQUESTS = {
    "connect": {"action": "connect", "name": "ann"},
    "join": {"action": "join", "room number": 5},
    "start": START,
    "move": MOVE,
    "resign": {"action": "resign"},
    "restart": RESTART,
    "exit game": EXIT,
    "disconnect": {"action": "disconnect"},
}
TAKEN = {
    ConnectFourStage.ARRIVED: {"connect": Enter(7, "ann", "connect-four", "10.0.0.1", (Capability.ROOMS,), secret="")},
    ConnectFourStage.LOBBY: {"connect": ListRooms(7), "join": Sit(7, 5), "exit game": ListRooms(7)},
    ConnectFourStage.ROOM: {"start": Ready(7), "exit game": Depart(7, match=0)},
    ConnectFourStage.READY: {"exit game": Depart(7, match=0)},
    ConnectFourStage.PLAYING: {"move": Play(7, "b2", 1), "resign": Resign(7, match=1), "exit game": Depart(7, match=1)},
    ConnectFourStage.OVER: {"restart": Ready(7), "exit game": Depart(7, match=0)},
    ConnectFourStage.ASKED_AGAIN: {"exit game": Depart(7, match=0)},
}
"""Questions to the lobby; all else gets `missing keys`, but `disconnect`, which gets nothing."""


@pytest.mark.parametrize(("stage", "action"), [*itertools.product(TAKEN, REQUESTS)])
def test_every_action_at_every_stage(stage, action):
    client = at(stage)
    if stage in {ConnectFourStage.OVER, ConnectFourStage.ASKED_AGAIN}:
        client.send(MOVE)  # the one that the game's end left unanswered
    asked = client.send(REQUESTS[action])
    if action == "disconnect":
        assert asked is None
    elif action in TAKEN[stage]:
        assert asked == TAKEN[stage][action]
    else:
        assert isinstance(asked, Reply)
        assert asked.data.startswith(b'{"event":"error","reason":"missing keys","message":"invalid keys used: ')
        assert client.stage is stage
    assert client.adapter.finished is (action == "disconnect")


def test_the_table_names_every_stage():
    assert set(HANDLERS) == set(ConnectFourStage) == {*TAKEN, ConnectFourStage.LEFT}
    assert set(REQUESTS) == set(ACTIONS.values())


# Objects that cannot be taken are answered, other lines are not.


@pytest.mark.parametrize("stage", [*TAKEN])
@pytest.mark.parametrize("line", lines(__file__, "objects without the right keys"))
def test_missing_keys(stage, line):
    (told,) = at(stage).told(line)
    assert told.startswith('{"event":"error","reason":"missing keys","message":"invalid keys used: ')


@pytest.mark.parametrize("stage", [*TAKEN])
@pytest.mark.parametrize("line", ["", "[" * 9000, *lines(__file__, "lines that are no objects")])
def test_line_that_is_not_an_object_is_discarded_and_counted(stage, line):
    client = at(stage)
    client.adapter.receive(line.encode("latin-1") + b"\r\n", 0)
    assert client.adapter.next() == SILENCE
    assert client.adapter.next() is None
    assert (client.adapter.discarded, client.stage) == (1, stage)


def test_a_byte_order_mark_is_dropped():
    client = ConnectFourClient()
    client.adapter.receive(b'\xef\xbb\xbf{"action":"connect","name":"ann"}\r\n', 0)
    assert isinstance(client.adapter.next(), Enter)


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


def test_the_protocol_itself():
    assert (PROTOCOL.name, PROTOCOL.default_port, PROTOCOL.profiles) == ("connect-four", 9090, ("document", "0.5.3"))
    assert "9090" in PROTOCOL.try_it.format(host="localhost", port=9090)
    found = OWN
    assert found.protocols["connect-four"] is PROTOCOL
    assert not found.problems


def test_every_reason_has_words():
    assert set(CONSTANTS) == set(Reason)


# The original's words, as they were heard.


def test_the_profiles_end_a_connection_alike():
    words = {ConnectFourClient(profile).adapter.farewell(Refusal("The server stops")) for profile in PROFILES}
    assert len(words) == 1


def test_a_move_that_met_a_fault_of_the_server_is_an_invalid_one():
    (line,) = ConnectFourClient().play().asks(MOVE, answer=Rejected(Code.SERVER_FAULT, {"why": "the game failed"}))
    assert line == error(
        "invalid move", "the move was not permitted: no, the server made a mistake, not you: the game failed", "b2"
    )


# The page.


def test_the_guide_knows_every_word():
    for word in (
        *(f'"{action}"' for action in ACTIONS.values()),
        *(f'"{event}"' for event in EVENTS.values()),
        *(f'"{winner}"' for winner in Winner),
        *(f"`{reason}`" for reason in Reason),
        *(f"`{profile}`" for profile in PROFILES),
        *(f"`{name}`" for name in PROTOCOL.options_type.__annotations__),
        *(constant for constant in CONSTANTS.values()),
        *("9090", "No player1 yet", "No player2 yet", '"moves"'),
    ):
        assert word in PROTOCOL.guide, word
