"""SignalR without input or output: the handshake, calls one at a time, and events before completions."""

import json

import pytest

from gameserver.core.commands import Capability
from gameserver.protocol import Accepted, Code, Enter, ListGames, ListPlayers, Rejected, Said, Say
from tests.support.chat import ChatProtocol
from tests.support.signalr_client import GAMES, HANDSHAKE, PING, PLAYERS, Wire, call, opened, records
from tests.support.tables import lines, table

CLOSED = "Connection closed with an error."

ON_HANDSHAKE = "An unexpected error occurred during connection handshake."


def error(text: str) -> bytes:
    return json.dumps({"error": text}, separators=(",", ":")).encode() + b"\x1e"


def test_the_bytes_of_the_handshake() -> None:
    wire = Wire()
    sent = bytes.fromhex("7b2270726f746f636f6c223a226a736f6e222c2276657273696f6e223a317d1e")
    assert wire.hear(sent) == bytes.fromhex("7b7d1e")
    assert wire.hear(PING) == b""
    assert wire.ended is None


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        *table(__file__, "handshakes that cannot be, and what is told"),
        ("x" * 32_769, "HANDSHAKE The maximum message size of 32768 bytes was exceeded."),
        (call("Version", id="0")[:-1].decode(), "HANDSHAKE Missing required property 'protocol'."),
    ],
)
def test_a_handshake_that_cannot_be(sent: str, told: str) -> None:
    wire = Wire()
    said = wire.hear(sent.encode() + b"\x1e" + call("Version", id="0"))
    assert said == error(told.replace("HANDSHAKE", ON_HANDSHAKE))
    assert wire.ended not in {None, "finished"}


def test_no_json_for_a_handshake() -> None:
    wire = Wire()
    assert records(wire.hear(b"login ann\x1e"))[0]["error"].startswith(f"{ON_HANDSHAKE} Error reading JSON: ")


def test_a_handshake_has_fifteen_seconds() -> None:
    wire = Wire()
    assert wire.adapter.due_ms == 15_000
    wire.hear(HANDSHAKE[:10], 10_000)
    assert wire.tick(14_999) == b""
    assert wire.tick(15_000) == error("Handshake was canceled. None came within 15 seconds.")
    assert wire.ended is not None


def test_the_bytes_of_a_call_an_event_and_a_completion() -> None:
    wire = opened()
    assert wire.hear(b'{"target":"Move","arguments":["281c",0,4],"invocationId":"3","type":1}\x1e') == (
        b'{"type":1,"target":"moved","arguments":[{"type":"moved","payload":["281c",0,4]}]}\x1e'
        b'{"type":3,"invocationId":"3","result":null}\x1e'
    )


def test_results_commands_and_their_words() -> None:
    wire = opened()
    assert records(wire.hear(call("version", id="a"))) == [{"type": 3, "invocationId": "a", "result": "1.0"}]
    assert wire.asked == []
    assert records(wire.hear(call("JOIN", "ann", id="b"))) == [
        {"type": 1, "target": "joined", "arguments": [{"name": "ann", "connectionId": "id-1"}]},
        {"type": 3, "invocationId": "b", "result": None},
    ]
    assert wire.asked == [Enter(7, "ann", "chat", "10.0.0.1", (Capability.CHAT, Capability.CHALLENGE))]
    assert wire.adapter.identified
    assert records(wire.hear(call("Players", id="c")))[0]["result"] == ["ann", "bob"]
    assert wire.hear(call("Tell", "bob", "hi")) == b"", "no invocationId, no completion"
    assert wire.asked[-1] == Say(7, "bob", "hi")


def test_events_that_nobody_asked_for_may_lead_to_commands() -> None:
    """The runtime asks for them when a timer fires that is due at once."""
    wire = opened(answers_at_once=False)
    wire.hear(call("Players", id="1"))
    assert [record["target"] for record in records(wire.tell(Said("bob", "games?")))] == ["said"]
    assert wire.asked == [ListPlayers(7)], "a call is under way"
    assert [record.get("result") for record in records(wire.answer())] == [["ann", "bob"]]
    assert wire.asked == [ListPlayers(7), ListGames(7)]
    assert records(wire.answer()) == [{"type": 1, "target": "games", "arguments": [list(GAMES)]}]
    wire.tell(Said("bob", "games?"))
    wire.tell(Said("bob", "games?"))
    assert wire.adapter.due_ms == 0
    wire.tick(1)
    assert wire.asked[2:] == [ListGames(7)]
    assert records(wire.answer())[0]["target"] == "games"
    assert wire.asked[2:] == [ListGames(7)] * 2, "one after the other"
    assert records(wire.answer())[0]["target"] == "games"
    assert wire.adapter.due_ms == 15_000


def test_events_that_are_held_back_hold_back_what_follows() -> None:
    wire = opened(answers_at_once=False)
    session = wire.adapter._session
    wire.hear(call("Players", id="1"))
    session.client.send("now")
    session.client.send("later", release_ms=5_000)
    session.client.send("behind it")
    outputs = wire.adapter.render(Accepted(), [PLAYERS])
    assert [(output.release_ms, len(records(output.data))) for output in outputs] == [(0, 1), (5_000, 3)]


NOPE = "Failed to invoke 'Nope' due to an error on the server. HubException: Method does not exist."

MOVE = "Failed to invoke 'move' due to an error on the server."


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (call("Nope", 1, id="7"), NOPE),
        (call("move", "m", 1, id="7"), MOVE),
        (call("move", "m", "1", 2, id="7"), MOVE),
        (call("Refuse", "not now", id="7"), "An unexpected error occurred invoking 'Refuse' on the server."),
        (call("Join", "taken", id="7"), "An unexpected error occurred invoking 'Join' on the server."),
        (call("Version", id="7", type=4), "Failed to invoke 'Version' due to an error on the server."),
        (call("Nope", id="7", type=4), NOPE),
    ],
)
def test_calls_that_fail(sent: bytes, told: str) -> None:
    wire = opened()
    *_, failure = records(wire.hear(sent))
    assert failure.keys() == {"type", "invocationId", "error"}
    assert (failure["type"], failure["invocationId"]) == (3, "7")
    assert failure["error"].startswith(told)
    assert len(failure["error"]) > len(told) or failure["error"] == NOPE, "a cause"
    assert records(wire.hear(call("Version", id="8")))[0]["result"] == "1.0", "the connection goes on"
    assert records(wire.hear(call("Leave", "", False)))[0]["type"] == 7, "and nothing is left under way"
    bare = opened(protocol=ChatProtocol(detailed_errors=False))
    assert records(bare.hear(sent))[-1]["error"].startswith(told)


def test_causes_can_be_kept_back() -> None:
    bare = opened(protocol=ChatProtocol(detailed_errors=False))
    assert records(bare.hear(call("move", id="1")))[0]["error"] == MOVE
    assert records(bare.hear(call("Nope", id="1")))[0]["error"] == NOPE
    assert records(bare.hear(b"[]\x1e")) == [{"type": 7, "error": CLOSED}]


@pytest.mark.parametrize("sent", lines(__file__, "messages that are ignored"))
def test_ignored_messages_have_no_effect(sent: str) -> None:
    wire = opened()
    wire.hear(sent.encode() + b"\x1e")
    assert (wire.said, wire.ended) == (b"", None)


LONG = [("[" * 5_000, "Error reading JSON"), (f'"{"x" * 32_767}"', "32768 bytes was exceeded")]


@pytest.mark.parametrize(
    ("sent", "why"), [("", "Error reading JSON"), *table(__file__, "messages that end the connection, and why"), *LONG]
)
def test_invalid_message_ends_the_connection_after_earlier_answers(sent: str, why: str) -> None:
    wire = opened()
    told = records(wire.hear(call("Players", id="1") + sent.encode("latin-1") + b"\x1e" + call("Players", id="2")))
    assert [record["type"] for record in told] == [3, 7]
    assert told[0]["invocationId"] == "1"
    assert told[1].keys() == {"type", "error"}
    assert told[1]["error"].startswith(CLOSED)
    assert why in told[1]["error"]
    assert wire.ended not in {None, "finished"}


def test_the_longest_record_and_one_that_never_ends() -> None:
    wire = opened()
    start = call("Refuse", "", id="1")
    longest = call("Refuse", "x" * (32_768 - len(start) + 1), id="1")
    assert len(longest) == 32_769
    assert records(wire.hear(longest))[-1]["type"] == 3
    wire.hear(b"x" * 32_768)
    assert wire.ended is None
    assert records(wire.hear(b"x"))[0]["type"] == 7


def test_a_rejection_is_the_hubs_to_word() -> None:
    wire = opened(answers_at_once=False)
    wire.hear(call("Tell", "bob", "hi", id="1"))
    assert records(wire.answer(Rejected(Code.NOT_ENTERED)))[0]["error"].endswith("HubException: not entered")
