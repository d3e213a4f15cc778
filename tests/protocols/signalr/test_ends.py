"""Ends of a connection: by the client, by the hub, by the end of the input, and the last words."""

import pytest

from gameserver.protocol import Accepted, GamesListed, Refusal, RefusalKind, Said
from tests.support.signalr_client import GAMES, Wire, call, opened, records


def test_a_client_says_goodbye() -> None:
    wire = opened()
    told = records(wire.hear(call("Version", id="1") + b'{"type":7}\x1e' + call("Version", id="2")))
    assert [record["type"] for record in told] == [3, 7]
    assert told[1] == {"type": 7}
    assert wire.ended == "finished"
    assert wire.adapter.due_ms is None


def test_a_hub_ends_the_connection_unasked() -> None:
    wire = opened()
    wire.adapter._session.client.close(allow_reconnect=True)
    assert records(wire.tell(Said("bob", "bye")))[1:] == [{"type": 7, "allowReconnect": True}]
    assert wire.adapter.due_ms == 0, "so that the runtime looks"
    wire.tick(1)
    assert wire.ended == "finished"
    assert wire.tell(Said("bob", "again")) == b""
    wire.adapter.receive(call("Version", id="1"), 2)
    assert wire.adapter._records.pending_bytes == 0, "nothing is kept that nobody will read"


def test_a_hub_ends_the_connection_by_the_clock() -> None:
    wire = opened()
    wire.adapter._session.client.close("time is over")
    assert records(wire.pump()) == [{"type": 7, "error": "time is over"}]


def test_the_last_words_wait_for_the_completion() -> None:
    wire = opened(answers_at_once=False)
    wire.hear(call("Players", id="1"))
    wire.adapter._session.client.close()
    assert [record["type"] for record in records(wire.tell(Said("bob", "bye")))] == [1]
    assert [record["type"] for record in records(wire.answer())] == [3, 7]


@pytest.mark.parametrize(
    ("kind", "may_return"),
    [(RefusalKind.STOPPING, True), (RefusalKind.FAULT, True), (RefusalKind.FULL, True), (RefusalKind.LATE, False)],
)
def test_a_farewell(kind: RefusalKind, may_return: bool) -> None:
    assert records(Wire().farewell(Refusal("Go away", kind))) == [{"error": "Go away"}]
    wire = opened()
    (closed,) = records(wire.farewell(Refusal("Go away", kind)))
    assert closed == {"type": 7, "error": "Go away"} | ({"allowReconnect": True} if may_return else {})
    assert wire.farewell(Refusal("Go away", kind)) == b"", "nothing follows the last words"
    assert wire.adapter.finished


def test_waiting_caller_is_told_of_a_hub_error() -> None:
    """The runtime logs it and says farewell."""
    wire = opened(answers_at_once=False)
    wire.hear(call("Crash", id="5"))
    with pytest.raises(ZeroDivisionError):
        wire.answer(Accepted(), GamesListed(GAMES))
    assert records(wire.farewell(Refusal("Sorry", RefusalKind.FAULT))) == [
        {"type": 3, "invocationId": "5", "error": "An unexpected error occurred invoking 'Crash' on the server."},
        {"type": 7, "error": "Sorry", "allowReconnect": True},
    ]
