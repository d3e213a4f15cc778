"""Negotiated ids, which open a WebSocket: given out, used once, forgotten."""

import gc
import itertools

import pytest

from gameserver.protocol import Handshake, NotAdmitted, Peer
from protocols.signalr.negotiation import BadVersion, Negotiations, version_of
from tests.support.chat import ChatProtocol
from tests.support.signalr_client import HANDSHAKE, Wire, context, records


def ids():
    numbers = itertools.count(1)
    return lambda: f"id-{next(numbers)}"


def naming(key: str | None = None, token: str | None = None, header: str | None = None) -> Handshake:
    query = {"id": key} if key is not None else {}
    headers = {"authorization": header} if header is not None else {}
    return Handshake("/chat", query | ({"access_token": token} if token is not None else {}), headers)


def refused(negotiations: Negotiations, key: str, now_ms: int = 0) -> int:
    with pytest.raises(NotAdmitted) as caught:
        negotiations.admit(naming(key), now_ms, ids())
    assert caught.value.why
    return caught.value.status


@pytest.mark.parametrize(("text", "version"), [(None, 0), ("0", 0), ("1", 1), ("2", 1), ("99", 1)])
def test_versions(text: str | None, version: int) -> None:
    assert version_of(text) == version


@pytest.mark.parametrize(("text", "why"), [("one", "a non-integer"), ("", "a non-integer"), ("-1", "version '-1'")])
def test_versions_that_there_are_not(text: str, why: str) -> None:
    with pytest.raises(BadVersion, match=why):
        version_of(text)


def test_the_token_opens_the_connection_and_the_id_does_not() -> None:
    negotiations = Negotiations()
    given = negotiations.open(1, 0, ids())
    assert (given.connection_id, given.key) == ("id-1", "id-2")
    assert refused(negotiations, "id-1") == 404
    assert negotiations.admit(naming("id-2"), 0, ids()) is given
    assert refused(negotiations, "id-2") == 409
    del given
    gc.collect()
    assert refused(negotiations, "id-2") == 404, "the connection is gone, and its id with it"


def test_ids_wait_a_minute() -> None:
    negotiations = Negotiations()
    new_id = ids()
    negotiations.open(1, 1_000, new_id)
    negotiations.open(1, 1_000, new_id)
    assert negotiations.admit(naming("id-2"), 61_000, new_id)
    assert refused(negotiations, "id-4", 61_001) == 404
    for _ in range(3):
        negotiations.open(1, 0, new_id)
    negotiations.open(1, 60_001, new_id)
    assert len(negotiations._waiting) == 1, "nothing is kept that nobody can use"


def test_a_flood_drives_out_the_oldest() -> None:
    negotiations = Negotiations(ids_max=3)
    new_id = ids()
    for _ in range(4):
        negotiations.open(0, 0, new_id)
    assert refused(negotiations, "id-1") == 404
    assert [negotiations.admit(naming(f"id-{n}"), 0, new_id).key for n in (2, 3, 4)] == ["id-2", "id-3", "id-4"]


def test_an_adapter_holds_its_id() -> None:
    protocol = ChatProtocol()
    ticket = protocol.hub._negotiations.open(1, 0, ids())
    key, connection_id = ticket.key, ticket.connection_id
    del ticket
    wire = Wire(protocol, Peer(7, "", 0, naming(key)))
    assert wire.adapter._session.client.connection_id == connection_id
    with pytest.raises(NotAdmitted):
        protocol.adapter(Peer(8, "", 0, naming(key)), context())
    del wire
    gc.collect()
    assert refused(protocol.hub._negotiations, key) == 404


@pytest.mark.parametrize(
    ("handshake", "token"),
    [
        (naming(token="from the query"), "from the query"),
        (naming(header="Bearer from-the-header"), "from-the-header"),
        (naming(header="bearer from-the-header", token="from the query"), "from-the-header"),
        (naming(header="Basic abc", token="from the query"), "from the query"),
        (naming(header="Bearer "), None),
        (naming(), None),
        (None, None),
    ],
)
def test_the_access_token(handshake: Handshake | None, token: str | None) -> None:
    wire = Wire(peer=Peer(7, "", 0, handshake))
    _, *told = records(wire.hear(HANDSHAKE))
    assert told == ([{"type": 1, "target": "welcome", "arguments": [token]}] if token else [])
