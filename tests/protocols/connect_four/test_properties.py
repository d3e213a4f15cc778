"""An answer to everything that is an object, and what one client's reading rests on."""

import json

from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import (
    Accepted,
    By,
    Code,
    EndReason,
    GameEnded,
    Rejected,
    Reply,
    RoomShown,
    RoomsListed,
)
from protocols.connect_four.handlers import SILENCE
from protocols.connect_four.profiles import PROFILES
from protocols.connect_four.session import Stage
from tests.protocols.connect_four.test_schema import ALMOST, JSON, TEXT
from tests.support.connect_four_client import ConnectFourClient, at, lines_of, moved, opened, turn


@given(
    st.sampled_from([*Stage]),
    st.lists(ALMOST | st.dictionaries(TEXT, JSON, max_size=3), max_size=5),
    st.sampled_from([Accepted(), *(Rejected(code, {"name": "x", "why": "y"}) for code in Code)]),
)
def test_every_object_gets_one_reply_or_is_one_command(stage, objects, answer):
    for content in objects:
        client = at(stage)
        client.send({"action": "move", "move": "a0"})  # what is owed is dropped, and only that
        before = client.adapter.discarded
        if isinstance(client.send("5"), Reply):
            assert client.adapter.discarded == before + 1
        asked = client.send(content)
        if client.adapter.finished and asked is None:
            assert stage is Stage.LEFT or content.get("action") == "disconnect"
        elif asked == SILENCE:
            assert client.adapter.discarded == before + 2  # a number that is none to the reader
        elif isinstance(asked, Reply):
            assert len(lines_of(asked.data)) == 1
        else:
            assert asked is not None
            assert len(client.hears(answer=answer)) <= 1
        assert client.adapter.next() is None


@given(st.lists(st.sampled_from(["a0", "b2", "d3"]), max_size=20), st.sampled_from([*EndReason]), st.sampled_from(By))
def test_a_player_hears_a_pair_or_nothing_for_each_move(moves, reason, by):
    """`opponent moved` and `make move`: what one client's reading in pairs rests on."""
    client = ConnectFourClient().play(seat=1)
    for number, move in enumerate(moves):
        seat = number % 2
        heard = client.hears(moved(seat, move, by=by if seat == 0 else By.PLAYER), turn(1 - seat))
        assert [json.loads(line)["event"] for line in heard] == (["opponent moved", "make move"] if seat == 0 else [])
    if reason is not EndReason.PLAYED:
        (over,) = client.hears(GameEnded(1, (0, 0), (), reason))
        assert json.loads(over)["winner"] == "draw"


@given(TEXT.filter(str.isprintable))
def test_no_name_breaks_out_of_its_line(name):
    client = ConnectFourClient().enter()
    (line,) = client.hears(RoomsListed((RoomShown(0, name),)))
    assert json.loads(line)["free lobbies"] == [{"room number": 0, "opponent": name}]
    (line,) = client.hears(opened(0, players=("ann", name)))
    assert json.loads(line)["opponent"] == name


@given(st.sampled_from([*Code]), TEXT, st.sampled_from([*PROFILES]))
def test_every_code_is_an_error_in_every_profile(code, text, profile):
    facts = dict.fromkeys(("name", "why", "game", "player", "room", "last", "min_s", "max_s", "number", "move"), text)
    for said in (facts, {}):
        client = ConnectFourClient(profile).enter()
        (line,) = client.asks({"action": "join", "room number": 3}, answer=Rejected(code, said))
        assert json.loads(line)["event"] == "error"
