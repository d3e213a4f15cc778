"""A protocol is told what is for it; what is for the listener that carries it stays there."""

import trio
from trio.testing import MockClock

from gameserver.http.listener import HttpProtocol
from gameserver.protocol import Context
from tests.clients.websocket import handshake
from tests.support.echo import EchoOptions, EchoProtocol
from tests.support.serving import serving


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
