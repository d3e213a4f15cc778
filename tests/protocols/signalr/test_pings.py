"""Pings and silence: who pings, and who is given up for being silent."""

from tests.support.signalr_client import PING, call, opened, records


def test_the_server_pings() -> None:
    wire = opened()
    wire.hear(call("Version"), 8_000)
    assert wire.adapter.due_ms == 15_000
    assert wire.tick(61_000) == PING * 4


def test_a_client_that_pings_and_falls_silent_is_given_up() -> None:
    wire = opened()
    wire.hear(PING, 5_000)
    assert PING in wire.tick(34_000)
    wire.hear(b'{"ty', 34_500)
    wire.tick(64_499)
    assert wire.ended is None, "any bytes will do"
    (closed,) = [record for record in records(wire.tick(64_500)) if record["type"] == 7]
    assert closed == {
        "type": 7,
        "error": "Client hasn't sent a message/ping within 30 seconds.",
        "allowReconnect": True,
    }
    assert wire.ended is not None


def test_nobody_is_given_up_while_the_server_is_the_slow_one() -> None:
    wire = opened(answers_at_once=False)
    wire.hear(PING + call("Players", id="1"))
    wire.tick(50_000)
    assert wire.ended is None
    wire.answer()
    wire.tick(60_000)
    assert wire.ended is not None


def test_a_session_has_its_own_clock() -> None:
    wire = opened()
    wire.hear(call("Remind", 9_000, id="1"))
    assert wire.adapter.due_ms == 9_000
    assert records(wire.tick(9_000)) == [{"type": 1, "target": "reminder", "arguments": [9_000]}]
    assert wire.adapter.due_ms == 15_000
