"""The contract that every protocol must keep, for a hub: a chat over SignalR, whose clients hear of one event alone."""

from typing import get_args

from gameserver.protocol import Event, Said
from gameserver.testing import Speaker, check_protocol
from tests.support.chat import ChatProtocol
from tests.support.signalr_client import HANDSHAKE, PING, call, nothing_told

SPEAKER = Speaker(
    read=nothing_told,
    messages=(
        *(call("Join", "bob", id="1"), call("Tell", "bob", "hello", id="2"), call("Introduce", "eve", "bob", id="3")),
        *(
            call("Players", id="4"),
            call("Move", "m", 1, 2, id="5"),
            call("Version", id="6"),
            call("Refuse", "no", id="7"),
        ),
        *(call("Players"), call("move", "m", "x", id="8"), call("Nope", id="9"), call("Join", id="10"), PING),
        *(call("Leave", "bye", False, id="11"), b'{"type":5}\x1e', b"{}\x1e", b"[]\x1e", b"\x1e", b"\xff\x1e"),
    ),
    log_in=lambda name: call("Join", name, id="0"),
    opening=HANDSHAKE,
    unfinished_bytes_max=32_768,
    silent=frozenset(get_args(Event)) - {Said},
)


def test_contract() -> None:
    check_protocol(ChatProtocol(), SPEAKER)
