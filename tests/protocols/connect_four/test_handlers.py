"""Actions by stage, missing keys, discarded lines; coming and going."""

import itertools

import pytest

from gameserver.core.commands import Capability
from gameserver.protocol import Code, Depart, Enter, ListRooms, Play, Ready, Rejected, Reply, Resign, RoomsListed, Sit
from protocols.connect_four.handlers import HANDLERS, SILENCE
from protocols.connect_four.schema import ACTIONS
from protocols.connect_four.session import ConnectFourStage
from tests.support.connect_four_client import EXIT, MOVE, RESTART, START, TABLES, ConnectFourClient, at, error
from tests.support.tables import lines, table

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


@pytest.mark.parametrize("number", [100, -1, 10**6, 10**30, -(10**30)])
def test_a_room_out_of_range_is_for_the_lobby_to_refuse(number):
    client = ConnectFourClient().enter()
    sit = client.send({"action": "join", "room number": number})
    assert isinstance(sit, Sit)
    assert not 0 <= sit.room <= 99
    assert client.hears(answer=Rejected(Code.NO_SUCH_ROOM, {"room": "100", "last": "99"})) == [
        error("no such lobby", "there is no such lobby: you asked for 100, rooms are numbered from 0 to 99")
    ]


def test_a_byte_order_mark_is_dropped():
    client = ConnectFourClient()
    client.adapter.receive(b'\xef\xbb\xbf{"action":"connect","name":"ann"}\r\n', 0)
    assert isinstance(client.adapter.next(), Enter)


# Coming and going.

ENTRY_DENIED = (
    '{"event":"error","reason":"lobby entry denied","message":"name or IP is already used or invalid characters: '
)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "the name is empty, it needs 1 to 16 letters and digits"),
        *table(__file__, "names that are denied, and why"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_a_name_against_the_rules_is_denied_and_the_connection_ends(name, why, first):
    client = ConnectFourClient()
    if not first:
        client.told({"action": "connect"})
    assert client.told({"action": "connect", "name": name}) == [f'{ENTRY_DENIED}{why}"}}']
    assert (client.adapter.finished, client.adapter.identified) == (True, False)


@pytest.mark.parametrize("name", ["a", "0", "Alice99", "abcdefghijklmnop"])
def test_a_name_by_the_rules(name):
    assert isinstance(ConnectFourClient().send({"action": "connect", "name": name}), Enter)


@pytest.mark.parametrize("code", [Code.NAME_TAKEN, Code.NAME_HELD, Code.NAME_RESERVED, Code.NAME_INVALID])
def test_a_name_that_the_lobby_refuses_is_denied_and_the_connection_ends(code):
    client = ConnectFourClient()
    refused = Rejected(code, {"name": "ann", "why": "no reason"})
    (told,) = client.asks({"action": "connect", "name": "ann"}, answer=refused)
    assert told.startswith(ENTRY_DENIED)
    assert "ann" in told or "no reason" in told
    assert client.adapter.finished
    assert client.hears(RoomsListed(TABLES)) == []
