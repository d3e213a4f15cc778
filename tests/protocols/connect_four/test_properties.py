"""Whatever comes in whatever pieces: the same conversation, and an answer to everything that is an object."""

import itertools
import json

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import (
    Accepted,
    BrokenInput,
    By,
    Code,
    EndReason,
    GameEnded,
    Play,
    Rejected,
    Reply,
    Resign,
    TableShown,
    TablesListed,
)
from protocols.connect_four.handlers import SILENCE
from protocols.connect_four.profiles import PROFILES
from protocols.connect_four.session import Stage
from tests.protocols.connect_four.test_schema import ALMOST, JSON, TEXT
from tests.support.connect_four_client import TABLES, Client, at, lines_of, moved, opened, turn

SENT = st.sampled_from(
    [
        b'{"action":"connect","name":"ann"}',
        b'{"action":"connect"}',
        b'{"action":"join","room number":3}',
        b'{"action":"join","room number":"3"}',
        b'{"action":"start"}',
        b'{"action":"move","move":"b2"}',
        b'{"action":"exit game"}',
        b'{"action":"disconnect"}',
        b'{"action":"connect","name":"bob_1"}',
        '{"action":"move","move":"é"}'.encode(),
        b"hello",
        b"[]",
        b"",
        b"\xff",
        b"x" * 70,
    ]
)
ENDS = st.sampled_from([b"\n", b"\r\n"])


def conversation(chunks):
    """Everything that is asked and told when the bytes come in these pieces; the lobby accepts it all."""
    client = Client(line_bytes_max=64)
    heard = []

    def drain():
        while (item := client.adapter.next()) is not None:
            # Which match a move is meant for depends on when it was read; nothing else does.
            heard.append(evolve(item, match=None) if isinstance(item, Play | Resign) else item)
            if not isinstance(item, Reply):
                heard.append(client.hears(TablesListed(TABLES), answer=Accepted()))

    try:
        for chunk in chunks:
            client.adapter.receive(chunk, 0)
            drain()
        client.adapter.receive_eof()
        drain()
    except BrokenInput as broken:
        heard.append(broken.last_words)
    else:
        assert client.adapter.finished
    return heard, client.adapter.discarded


@given(st.sampled_from([b"", b"\xef\xbb\xbf"]), st.lists(st.tuples(SENT, ENDS), max_size=12), SENT, st.data())
def test_every_chunking_is_the_same_conversation(mark, lines, last, data):
    whole = mark + b"".join(itertools.chain.from_iterable(lines)) + last
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=20)))
    chunks = [whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    expected = conversation([whole])
    assert conversation(chunks) == expected
    assert conversation([whole[at : at + 1] for at in range(len(whole))]) == expected


@given(st.lists(st.binary(max_size=100), max_size=10))
def test_random_bytes_raise_nothing_but_broken_input(chunks):
    conversation(chunks)


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
    client = Client().play(seat=1)
    for number, move in enumerate(moves):
        seat = number % 2
        heard = client.hears(moved(seat, move, by=by if seat == 0 else By.PLAYER), turn(1 - seat))
        assert [json.loads(line)["event"] for line in heard] == (["opponent moved", "make move"] if seat == 0 else [])
    if reason is not EndReason.PLAYED:
        (over,) = client.hears(GameEnded(1, (0, 0), (), reason))
        assert json.loads(over)["winner"] == "draw"


@given(TEXT.filter(str.isprintable))
def test_no_name_breaks_out_of_its_line(name):
    client = Client().enter()
    (line,) = client.hears(TablesListed((TableShown(0, name),)))
    assert json.loads(line)["free lobbies"] == [{"room number": 0, "opponent": name}]
    (line,) = client.hears(opened(0, players=("ann", name)))
    assert json.loads(line)["opponent"] == name


@given(st.sampled_from([*Code]), TEXT, st.sampled_from([*PROFILES]))
def test_every_code_is_an_error_in_every_profile(code, text, profile):
    facts = dict.fromkeys(("name", "why", "game", "player", "table", "last", "min_s", "max_s", "number", "move"), text)
    for said in (facts, {}):
        client = Client(profile).enter()
        (line,) = client.asks({"action": "join", "room number": 3}, answer=Rejected(code, said))
        assert json.loads(line)["event"] == "error"
