"""One connection's adapter: pieces of bytes, ids, the match that a move is meant for, and the last words."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gameserver.protocol import (
    Accepted,
    Adapter,
    Code,
    Context,
    EndReason,
    Enter,
    MatchEnded,
    MatchOpened,
    Peer,
    Play,
    PlayerShown,
    PlayersListed,
    Rejected,
    Reply,
    Resign,
    Result,
    Scope,
)
from gameserver.time_control import TimeControl
from protocols.web import PROTOCOL
from protocols.web.handlers import hashed
from tests.clients.web import line
from tests.protocols.web.test_schema import ALMOST

KEY = "new-key-new-key-new-ke"

LINE_BYTES_MAX = 1_000_000
"""More than any message that is made up here: what is too long, the reader of lines says, and has tests of its own."""


def connected() -> Adapter:
    context = Context("document", None, ("Reversi",), LINE_BYTES_MAX, new_id=lambda: KEY)
    return PROTOCOL.adapter(Peer(7, "10.0.0.1", 996), context)


def entered() -> Adapter:
    adapter = connected()
    ask(adapter, do="login", name="ann")
    hear(adapter, answer=Accepted())
    return adapter


def ask(adapter: Adapter, at_ms: int = 0, **message: Any) -> Any:
    adapter.receive(line(**message), at_ms)
    return adapter.next()


def hear(adapter: Adapter, *events: Any, answer: Any = None) -> list[dict[str, Any]]:
    return said(b"".join(output.data for output in adapter.render(answer, events)))


def said(data: bytes) -> list[dict[str, Any]]:
    assert not data or data.endswith(b"\n")
    return [json.loads(text) for text in data.split(b"\n")[:-1]]


def opened(match: int) -> MatchOpened:
    return MatchOpened(match, "Reversi", ("ann", "bob"), 0, 0, TimeControl(10_000))


def test_the_list_has_the_house_players_that_others_have_to_know_by_name() -> None:
    adapter = entered()
    ask(adapter, do="list")
    master = PlayerShown("house-master", "house", house=True, games=("Reversi",))
    greedy = PlayerShown("house-greedy", "house", house=True, games=("Reversi",))
    told = hear(adapter, PlayersListed((master,), (greedy,)), answer=Accepted())
    (players,) = [message["players"] for message in told if message["tell"] == "players"]
    assert [(one["name"], one["house"], one["games"]) for one in players] == [
        ("house-master", True, ["Reversi"]),
        ("house-greedy", True, ["Reversi"]),
    ]


def test_login_brings_the_hash_of_a_key_and_the_welcome_the_key() -> None:
    adapter = connected()
    command = ask(adapter, do="login", name=" ann ", secret="apple", id=1)
    assert isinstance(command, Enter)
    assert (command.name, command.secret, command.key) == ("ann", "apple", hashed(KEY))
    assert not adapter.identified
    assert hear(adapter, answer=Accepted()) == [{"tell": "welcome", "name": "ann", "key": KEY, "id": 1}]
    assert adapter.identified


@pytest.mark.parametrize("key", ["short", "x" * 23, "ann ann ann ann ann an", "é" * 22])
def test_key_that_is_none_of_ours_is_refused(key: str) -> None:
    reply = ask(connected(), do="login", name="ann", key=key)
    assert said(reply.data)[0]["code"] == "bad key"


def test_last_wrong_secret_ends_the_connection() -> None:
    adapter = connected()
    ask(adapter, do="login", name="ann", secret="x")
    (told,) = hear(adapter, answer=Rejected(Code.PROOF_TOO_OFTEN, {"name": "ann"}))
    assert told["code"] == "proof too often"
    assert adapter.finished


def test_a_move_is_meant_for_the_match_that_its_client_knew_of() -> None:
    adapter = entered()
    hear(adapter, opened(4))
    adapter.receive(line(do="move", move="d3") + line(do="resign", match=9, scope="game"), 0)
    hear(adapter, MatchEnded(4, Result(EndReason.RESIGNED, (0, 1), (1,))), opened(5))
    assert adapter.next() == Play(7, "d3", 4)
    hear(adapter, answer=Rejected(Code.NOT_IN_MATCH))
    assert adapter.next() == Resign(7, Scope.GAME, 9)


def test_result_of_a_match_is_told_when_the_seat_is_gone() -> None:
    adapter = entered()
    hear(adapter, opened(4))
    (over,) = hear(adapter, MatchEnded(4, Result(EndReason.PLAYED, (1, -1), (0,))))
    assert over["result"] == "win"
    (other,) = hear(adapter, MatchEnded(3, Result(EndReason.VOID, (0, 0), ())))
    assert other["result"] == "void"


def test_pace_of_chat() -> None:
    adapter = entered()
    for _ in range(20):
        assert not isinstance(ask(adapter, do="say", to="bob", text="1"), Reply)
        hear(adapter, answer=Accepted())
    refused = said(ask(adapter, at_ms=9_999, do="say", to="bob", text="2").data)[0]
    assert (refused["code"], refused["why"]) == (
        "too many messages",
        "at most 20 messages in 10 seconds; wait a little",
    )
    assert not isinstance(ask(adapter, at_ms=10_000, do="say", to="bob", text="3"), Reply)


@given(st.lists(ALMOST, max_size=5))
def test_every_message_has_one_answer(contents: list[dict[str, Any]]) -> None:
    adapter = entered()
    for content in contents:
        item = ask(adapter, **content)
        if item is None:
            assert adapter.finished
            return
        answers = said(item.data) if isinstance(item, Reply) else hear(adapter, answer=Accepted())
        assert len(answers) == 1
        assert answers[0]["tell"] in {"ok", "error", "pong"}
        assert adapter.next() is None
