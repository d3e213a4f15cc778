"""Players in a browser over real sockets: origins, reloads, tabs, restarts, and a server that is full."""

from pathlib import Path

import pytest
from trio.testing import MockClock

from gameserver.flow_control.limits import Limits
from gameserver.http.host_context import HttpOptions
from gameserver.http.listener import HttpProtocol
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.wire_log.files import WireLogSettings, path_of
from gameserver.wire_log.redaction import Redactor
from protocols.web import PROTOCOL
from tests.clients.web import line
from tests.support.rosters import roster_on
from tests.support.serving import Running, serving
from tests.support.socket_clients import Closed, NotOpened, WebPlayer
from tests.support.tables import table

HTTP = HttpProtocol([PROTOCOL])


async def connect(running: Running, **more: str | None) -> WebPlayer:
    """A browser's WebSocket; it is closed with the server."""
    client = await WebPlayer.connect(running.ports["http"], **more)
    running.clients.append(client)
    return client


async def come_in(running: Running, name: str, **more: str) -> WebPlayer:
    client = await connect(running)
    assert (await client.log_in(name, **more))["tell"] == "welcome"
    return client


async def in_match(running: Running) -> tuple[WebPlayer, WebPlayer]:
    """A match of ann and bob: the player to move and the other, the opening heard."""
    ann, bob = await come_in(running, "ann"), await come_in(running, "bob")
    await ann.ask(do="challenge", to="bob", game="Tic-tac-toe", turn_time_s=60)
    await bob.ask(do="accept")
    for client in (ann, bob):
        await client.told("paired")
        await client.ask(do="ready")
    opened = await ann.told("match")
    await bob.told("match")
    first, second = (ann, bob) if opened["you"] == 0 else (bob, ann)
    await first.told("turn")
    return first, second


@pytest.mark.parametrize(
    ("origin", "host", "may"),
    [
        *((None, "", True), ("", "", False)),
        *((*row, True) for row in table(__file__, "origins and hosts that may connect")),
        *((*row, False) for row in table(__file__, "origins and hosts that may not")),
    ],
)
async def test_origin(autojump_clock: MockClock, origin: str | None, host: str, may: bool) -> None:
    async with serving(protocol=HTTP, options=HttpOptions(hosts=("Lab-7.example", "play.example"))) as running:
        origin = origin and origin.replace("PORT", str(running.port))
        if may:
            client = await connect(running, origin=origin, host=host)
            assert (await client.ask(do="list"))["tell"] == "ok"
        else:
            with pytest.raises(NotOpened) as refused:
                await connect(running, origin=origin, host=host)
            assert refused.value.status == 403
            assert refused.value.text == f"Pages of {origin} may not connect to /play/socket\n"


async def test_a_name_with_a_secret(autojump_clock: MockClock, tmp_path: Path) -> None:
    """The secret comes once: after that the key stands for it, as long as the player is here or has a seat."""
    roster = roster_on(tmp_path, {"ann": "apple"})
    async with serving(protocol=HTTP, roster=roster) as running:
        client = await connect(running)
        assert (await client.log_in("ann"))["code"] == "unproven"
        assert (await client.log_in("ann", secret="pear"))["code"] == "proof wrong"
        await client.log_in("ann", secret="apple")
        again = await connect(running)
        assert (await again.log_in("ann", key=client.key))["tell"] == "welcome"
        await again.send(do="bye")
        with pytest.raises(Closed):
            await again.message()
        gone = await connect(running)
        assert (await gone.log_in("ann", key=client.key))["code"] == "unproven"


async def test_key_lets_in_where_the_server_is_full(autojump_clock: MockClock) -> None:
    """A page is reloaded in a classroom that uses up all the connections of its address."""
    async with serving(protocol=HTTP, limits=Limits(connections_per_address_max=3)) as running:
        first, second = await in_match(running)
        await come_in(running, "eva")
        late = await connect(running)
        await late.send(do="login", name="dan")
        assert (await late.told("goodbye"))["kind"] == "full"
        again = await connect(running)
        assert (await again.log_in(first.name, key=first.key))["tell"] == "welcome"
        assert (await again.told("turn"))["seats"] == [0]


async def test_bug_in_the_protocol_costs_nobody_the_seat(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serving(protocol=HTTP) as running:
        first, second = await in_match(running)
        with monkeypatch.context() as patch:
            patch.setattr("protocols.web.handlers.schema.read_request", None)
            await first.send(do="move", move="4")
            assert (await first.told("goodbye"))["kind"] == "fault"
        assert (await second.told("dropped"))["player"] == first.name
        again = await connect(running)
        await again.log_in(first.name, key=first.key)
        assert (await again.told("turn"))["seats"] == [0]


def test_wire_log_has_neither_key_nor_secret() -> None:
    redactor = Redactor(PROTOCOL.secrets)
    said = line(do="login", name="ann", secret='ap"ple', key="K" * 22) + line(tell="welcome", name="ann", key="K" * 22)
    masked = redactor.masked(said)
    assert b"KK" not in masked
    assert b"ple" not in masked
    assert masked.count(b"ann") == 2


async def test_wire_log_has_the_key_in_neither_direction(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with serving(protocol=HTTP, wire_log=WireLogSettings(str(tmp_path))) as running:
        key = (await come_in(running, "ann")).key
        await come_in(running, "ann", key=key)
    content = path_of(tmp_path, "ann").read_bytes()
    assert content.count(b"***") == 3, "told twice, brought once"
    assert key.encode() not in content


async def test_journal_has_no_key(autojump_clock: MockClock) -> None:
    journal = MemoryJournal()
    async with serving(protocol=HTTP, journal=journal) as running:
        first, second = await in_match(running)
        rows = b"".join(row.body for row in journal.read_from(1))
    assert first.key.encode() not in rows
    assert second.key.encode() not in rows
    assert b'"key":"' in rows, "the hash is there"
