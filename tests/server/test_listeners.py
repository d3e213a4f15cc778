"""The address at which a peer's browser finds the pages."""

import pytest
import trio
from trio.testing import MockClock

from gameserver.http.listener import HttpProtocol
from gameserver.protocol import Context
from gameserver.read_model.views import ListenerSummary
from gameserver.server.invitation import pages_url
from tests.clients.websocket import handshake
from tests.support.echo import EchoOptions, EchoProtocol
from tests.support.serving import serving

EVERYWHERE = (ListenerSummary("strategic", "::", 7789), ListenerSummary("http", "::", 8080))


@pytest.mark.parametrize(
    ("reached", "url"),
    [
        ("127.0.0.1", "http://localhost:8080"),
        ("::1", "http://localhost:8080"),
        ("::ffff:127.0.0.1", "http://localhost:8080"),
        ("", "http://localhost:8080"),
        ("10.0.0.5", "http://10.0.0.5:8080"),
        ("::ffff:10.0.0.5", "http://10.0.0.5:8080"),
        ("2001:db8::5", "http://[2001:db8::5]:8080"),
        ("fe80::1%eth0", "http://[fe80::1]:8080"),
    ],
)
def test_pages_are_at_the_address_that_was_reached(reached: str, url: str) -> None:
    assert pages_url(EVERYWHERE, reached) == url


def test_pages_that_are_served_at_one_address_are_there() -> None:
    assert pages_url([ListenerSummary("http", "10.0.0.7", 80, is_encrypted=True)], "10.0.0.5") == "https://10.0.0.7:80"


def test_pages_are_at_the_address_that_the_settings_name() -> None:
    assert pages_url(EVERYWHERE, "10.0.0.5", "https://games.example.edu/") == "https://games.example.edu"


def test_without_an_http_listener_there_are_no_pages() -> None:
    assert pages_url([ListenerSummary("strategic", "::", 7789)], "10.0.0.5", "https://games.example.edu") == ""


async def test_protocol_is_not_told_what_only_its_listener_may_know(autojump_clock: MockClock) -> None:
    echo = EchoProtocol()
    options = {"echo": EchoOptions("marked")}
    async with serving(protocol=echo, options=options["echo"], others=[HttpProtocol([echo])], options_of=options) as on:
        for port, said in ((on.port, b"hello\n"), (on.ports["http"], handshake("/stream"))):
            async with await trio.open_tcp_stream("127.0.0.1", port) as stream:
                await stream.send_all(said)
                assert await stream.receive_some()
        contexts = [adapter.context for adapter in echo.adapters]
        assert [type(context) for context in contexts] == [Context, Context]
        assert [context.profile for context in contexts] == ["document", "loud"]
        assert [context.options.mark for context in contexts] == ["marked", "marked"]
        assert [context.games for context in contexts] == [("Reversi", "Tic-tac-toe")] * 2
        assert len({context.new_id() for context in contexts}) == 2, "what the server fills in is there"
