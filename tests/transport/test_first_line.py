"""The first line of a connection: browsers and TLS clients get nothing but a refusal on ports of other protocols."""

import random
import ssl
from collections.abc import Iterator

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from gameserver.protocol import WireProtocol
from gameserver.transport.first_line import CLIENT_HELLO, HTTP_REQUEST, FirstLine
from gameserver.transport.tls import HELLO
from protocols.connect_four import PROTOCOL as CONNECT_FOUR
from protocols.mastermind import PROTOCOL as MASTERMIND
from protocols.strategic import PROTOCOL as STRATEGIC
from tests.support.drivers import DRIVERS
from tests.support.serving import serving
from tests.support.tables import lines
from tests.testing.simple_json import EXAMPLE


def client_hello() -> bytes:
    """The first bytes of a TLS client."""
    outgoing = ssl.MemoryBIO()
    client = ssl.create_default_context().wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost")
    with pytest.raises(ssl.SSLWantReadError):
        client.do_handshake()
    return outgoing.read()


def chunkings(data: bytes) -> Iterator[list[bytes]]:
    """The same bytes whole, one by one, in two pieces, and in pieces by chance."""
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]
    yield from ([data[:at], data[at:]] for at in range(1, min(len(data), 80)))
    chance = random.Random(31)
    cuts = sorted(chance.sample(range(1, len(data)), min(5, len(data) - 1)))
    yield [data[start:end] for start, end in zip([0, *cuts], [*cuts, len(data)], strict=True)]


REQUESTS = [request.encode("latin-1") for request in lines(__file__, "requests of HTTP")]
HEAD = REQUESTS[0]
OTHERS = [line.encode("latin-1") for line in lines(__file__, "first lines of other protocols")]
ENDLESS = [b"POST /" + b"x:" * 25_000 + b" HTTP/1.1\r\n", b"X" * 50_000 + b" / HTTP/1.1\r\n"]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        *((request, HTTP_REQUEST) for request in [*REQUESTS, *ENDLESS]),
        (client_hello(), CLIENT_HELLO),
        *((line, "") for line in OTHERS),
    ],
    ids=lambda value: repr(value[:16]) if isinstance(value, bytes) and value[0] != HELLO[0] else "",
)
def test_first_line_is_judged_whatever_its_chunks(data: bytes, why: str) -> None:
    for chunks in chunkings(data):
        first_line, said = FirstLine(), []
        for chunk in chunks:
            said.append(first_line.refusal(chunk))
            assert len(first_line.begun) < 40, "little is kept of what a peer may send for ever"
            if said[-1] or first_line.is_over:
                break
        assert said[-1] == why
        assert not any(said[:-1])
        assert why or first_line.is_over


BODIES: dict[WireProtocol, bytes] = {
    STRATEGIC: b"login eve\nsubscribe Tic-tac-toe\n",
    CONNECT_FOUR: b'{"action":"connect","name":"eve"}\n',
    MASTERMIND: b"NewGame|{}\n",
    EXAMPLE.PROTOCOL: b'{"do": "login", "name": "eve"}\n',
}
"""Commands that a page would have a browser send, by protocol; the last one is a third party's."""


@pytest.mark.parametrize("protocol", BODIES, ids=lambda protocol: protocol.name)
async def test_browser_executes_nothing_on_port_of_lines(autojump_clock: MockClock, protocol: WireProtocol) -> None:
    async with serving(protocol=protocol) as running:
        for opening, why in ((HEAD, HTTP_REQUEST), (client_hello(), CLIENT_HELLO)):
            data = opening + BODIES[protocol]
            for chunks in ([data], [data[:7], data[7:]], [data[:14], data[14:15], data[15:]]):
                client = await running.connect()
                for chunk in chunks:
                    await client.send_bytes(chunk)
                    await wait_all_tasks_blocked(0.01)
                with trio.fail_after(10):
                    said = b"".join([piece async for piece in client.stream])
                lines = said.splitlines()[2 if protocol is STRATEGIC else 0 :]
                assert len(lines) == 1
                assert why.encode() in lines[0]
        lobby = running.server.lobby
        assert not lobby.players


@DRIVERS
async def test_lines_that_came_in_one_read_with_first_one_are_answered(
    autojump_clock: MockClock, reactor: type
) -> None:
    async with serving(reactor=reactor) as running:
        client = await running.connect()
        await client.lines(2)
        await client.send_bytes(b"lo")
        await trio.sleep(1)
        await client.send_bytes(b"gin ann\nPOST / HTTP/1.1\nget gamelist\n")
        said = await client.lines(4)
        assert [line.split()[0] for line in said] == ["OK", "ERR", "OK", "SVR"]
