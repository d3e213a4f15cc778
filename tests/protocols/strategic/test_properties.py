"""Properties: any text stays within its line, and any chunks of the same bytes are the same conversation."""

import itertools

from attrs import evolve
from hypothesis import example, given
from hypothesis import strategies as st

from gameserver.protocol import (
    Accepted,
    BrokenInput,
    By,
    ChallengeClosed,
    ChallengeOpened,
    Code,
    EndReason,
    GameEnded,
    GamesListed,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MovePlayed,
    MoveRefused,
    Play,
    PlayerShown,
    PlayersListed,
    Rejected,
    Reply,
    Resign,
    Result,
    Said,
)
from protocols.strategic.parsing import VERBS
from protocols.strategic.profiles import PROFILES
from tests.clients.strategic import read_line
from tests.support.strategic_client import StrategicClient, turn

ANY_TEXT = st.text(st.characters(), max_size=30)

HALF_A_PAIR = "a\ud800b"


def events_of(text):
    paired = MatchPaired(1, text, None, (text, "bob"), 1, None)
    return [
        PlayersListed((PlayerShown(text, "mastermind"), PlayerShown("bob", "strategic"))),
        GamesListed((text, "Reversi")),
        ChallengeOpened(1, text, text, 10_000),
        ChallengeClosed(1),
        MatchOpened(1, text, (text, "bob"), 1, 0, None),
        MatchShown(1, text, (text, "bob"), 1, 0, None, (MovePlayed(1, 0, text, text, None, text),), paired),
        turn(1, prompt=text),
        MovePlayed(1, 0, text, text, None, text),
        MovePlayed(1, 0, text, text, 4, text, By.SERVER),
        MoveRefused(1, 0, text, text, text),
        GameEnded(1, Result(EndReason.PLAYED, (0, 0), (), reason_text=text)),
        Said(text, text),
    ]


@given(ANY_TEXT)
@example(HALF_A_PAIR)
def test_no_text_breaks_out_of_its_quotes(text):
    events = events_of(text)
    ok, *lines = StrategicClient().asks("login ann", *events)
    assert ok == "OK"
    assert len(lines) == len(events) + 1
    for line in lines:
        read_line(line)


@given(st.sampled_from([*Code]), ANY_TEXT, st.sampled_from([*PROFILES]))
def test_no_fact_breaks_out_of_its_line(code, text, profile):
    facts = dict.fromkeys(("name", "why", "game", "player", "min_s", "max_s", "number", "count", "move"), text)
    (line,) = StrategicClient(profile).asks("get gamelist", answer=Rejected(code, facts))
    assert line.startswith("ERR ")


SENT = st.sampled_from(
    [
        b"login ann",
        b"LOGIN bob ",
        b"get gamelist",
        b"help get",
        b"subscribe reversi",
        b'challenge "bob" "Reversi" 5',
        b"challenge accept",
        b'msg "bob" h\xc3\xa9',
        b"move 4",
        b"foo",
        b" ",
        b"\xff\xfd\x01get gamelist",
        b"login \xe9",
        b"bye",
        b"x" * 70,
    ]
)

ENDS = st.sampled_from([b"\n", b"\r\n", b"\r", b"\r\0", b"\n\n"])


def conversation(chunks):
    """Everything that is asked and told when the bytes come in these pieces; the lobby accepts it all."""
    client = StrategicClient(line_bytes_max=64)
    heard = []

    def drain():
        while (item := client.adapter.next()) is not None:
            # Which match a move is meant for depends on when it was read; nothing else does.
            heard.append(evolve(item, match=None) if isinstance(item, Play | Resign) else item)
            if not isinstance(item, Reply):
                heard.append(client.hears(answer=Accepted()))

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
    return heard


@given(st.lists(st.tuples(SENT, ENDS), max_size=12), SENT, st.data())
def test_every_chunking_is_the_same_conversation(lines, last, data):
    whole = b"".join(itertools.chain.from_iterable(lines)) + last
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=20)))
    chunks = [whole[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    expected = conversation([whole])
    assert conversation(chunks) == expected
    assert conversation([whole[at : at + 1] for at in range(len(whole))]) == expected


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=40), max_size=10))
def test_random_lines_raise_nothing_but_broken_input(lines):
    client = StrategicClient().login()
    for line in lines:
        for word in ("", *VERBS):
            client.adapter.receive(f"{word} {line}\n".encode(), 0)
            while (item := client.adapter.next()) is not None:
                if not isinstance(item, Reply):
                    assert client.hears(answer=Accepted()) == ["OK"]
            if client.adapter.finished:
                client = StrategicClient().login()
