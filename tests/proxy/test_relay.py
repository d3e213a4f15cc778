"""A relay does to connections what the faults say, when they say it, and nothing else."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from gameserver.proxy.faults import Direction, Faults, duration_us, faults_of
from gameserver.proxy.units import Conversation, framed
from tests.proxy.test_units import SWITCHED, UPGRADE
from tests.proxy.wires import End, Wire, running_relay

TEXT = (Path(__file__).parent / "relay.txt").read_text("utf-8")
CONVERSATIONS = {title: lines for title, *lines in map(str.splitlines, TEXT.split("\n# ")[1:])}
TO = {"": (), "to client": (Direction.TO_CLIENT,), "to server": (Direction.TO_SERVER,)}


def data_of(text: str) -> bytes:
    return text.encode().decode("unicode_escape").encode()


async def at_end(end: End, verb: str, text: str) -> None:
    match verb:
        case ">":
            await end.send(data_of(text))
        case "half-closes":
            await end.stream.send_eof()
        case "closes":
            await end.stream.aclose()
        case "hears" if text == "the end":
            assert await end.hear(1) == b""
        case "hears":
            assert await end.hear(len(data_of(text))) == data_of(text)
        case "reads":
            seconds, reads = text.removeprefix("for ").split("s: ")
            expected = [(float(at_s), data_of(read)) for at_s, read in (each.split(" ") for each in reads.split(", "))]
            assert await end.reads(float(seconds)) == expected
        case "waits":
            with trio.move_on_after(duration_us(text.removeprefix("for ")) / 1_000_000) as patience:
                raise AssertionError(await end.hear(1))
            assert patience.cancelled_caught
        case _:
            raise AssertionError(verb)


async def at_relay(wire: Wire, verb: str, text: str) -> None:
    match verb:
        case "faults":
            towards = next((way for way in TO if way and text.startswith(way)), "")
            faults = faults_of(text.removeprefix(towards).strip())
            wire.relay.set_faults(faults, Faults() if towards else faults)
        case "hold":
            wire.relay.hold(*TO[text])
        case "release":
            wire.relay.release(*TO[text])
        case "cut":
            await wire.relay.cut(away_us=duration_us(text.removeprefix("for ")))
        case "at":
            assert trio.current_time() == pytest.approx(duration_us(text) / 1_000_000)
        case "server":
            wire.is_server_away, wire.answers_after_s = text == "away", 1.0
        case "said":
            assert text in wire.incidents[1].text
        case "told":
            await wait_all_tasks_blocked()
            told = [each.split(" at ") for each in text.split(", ")]
            assert [one.kind.value for one in wire.incidents] == [kind for kind, *_ in told]
            assert all(one.at_us == duration_us(*at) for one, (_, *at) in zip(wire.incidents, told, strict=True) if at)
        case _:
            raise AssertionError(verb)


@pytest.mark.parametrize("title", CONVERSATIONS)
async def test_conversation_goes_as_written(autojump_clock: MockClock, title: str) -> None:
    clients: dict[str, End] = {}
    async with running_relay() as wire:
        for line in filter(None, CONVERSATIONS[title]):
            if line.startswith("+"):
                await wait_all_tasks_blocked()
                await trio.sleep(duration_us(line[1:]) / 1_000_000)
                continue
            found = re.fullmatch(r"(?:([CS]\d) ?)?(>|\S+) ?(.*)", line)
            who, verb, text = found.groups()
            if verb == "calls":
                clients[who] = await wire.call()
            elif verb == "connects":
                clients[who], _ = await wire.connect()
            elif who is None:
                await at_relay(wire, verb, text)
            else:
                await at_end(clients.get(who) or wire.servers[int(who[1:]) - 1], verb, text)


async def test_relay_forgets_connections_that_have_ended(autojump_clock: MockClock) -> None:
    async with running_relay() as wire:
        for end in await wire.connect():
            await end.stream.aclose()
        await wait_all_tasks_blocked()
        assert wire.relay.connections == 0
        assert not wire.relay.inject_to_client(b"x")


async def test_slow_read_makes_the_sender_wait(autojump_clock: MockClock) -> None:
    async with running_relay("slow-read 1KB/s") as wire:
        client, server = await wire.connect()
        await server.send(bytes(3_000))
        begun_s = trio.current_time()
        assert await client.hear(3_000) == bytes(3_000)
        assert trio.current_time() - begun_s == pytest.approx(3, abs=0.1)
        assert max(len(each.piece.data) for each in wire.crossings) == 50


async def test_edit_sees_whole_lines_and_replaces_them(autojump_clock: MockClock) -> None:
    seen = []

    def edit(line: bytes, direction: Direction) -> Sequence[bytes]:
        seen.append((direction, line))
        if line == b"secret\n":
            return []
        return [line, b"extra\n"] if line == b"OK\n" else [line]

    async with running_relay(edit=edit) as wire:
        client, server = await wire.connect()
        await server.send(b"O")
        await server.send(b"K\nsecret\nhalf")
        assert await client.hear(9) == b"OK\nextra\n"
        assert wire.relay.inject_to_client(b"SVR NEW")
        assert await client.hear(8) == b"SVR NEW\n"
        await server.send(b" a line\n")
        assert await client.hear(12) == b"half a line\n"
        assert wire.relay.inject_to_server(b"forfeit\n")
        assert await server.hear(8) == b"forfeit\n"
        await server.send(b"no end")
        await server.stream.aclose()
        assert await client.hear(99) == b"no end"
        assert seen == [(Direction.TO_CLIENT, line) for line in (b"OK\n", b"secret\n", b"half a line\n")]


async def test_edit_sees_messages_of_a_websocket_without_compression(autojump_clock: MockClock) -> None:
    def edit(message: bytes, direction: Direction) -> Sequence[bytes]:
        return [message.upper()] if direction is Direction.TO_CLIENT else [message, message]

    async with running_relay(edit=edit) as wire:
        client, server = await wire.connect()
        await client.send(UPGRADE)
        assert b"Extensions" not in bytes(await server.stream.receive_some())
        await server.send(SWITCHED + framed(b"hello", Direction.TO_CLIENT))
        expected = SWITCHED + framed(b"HELLO", Direction.TO_CLIENT)
        assert await client.hear(len(expected)) == expected
        await client.send(framed(b"move", Direction.TO_SERVER))
        heard = Conversation()
        heard.read(Direction.TO_CLIENT, SWITCHED)
        heard.read(Direction.TO_SERVER, UPGRADE)
        units = heard.read(Direction.TO_SERVER, await server.hear(2 * len(framed(b"move", Direction.TO_SERVER))))
        assert [unit.content for unit in units] == [b"move", b"move"]
        assert wire.relay.inject_to_client(b"{}")
        assert await client.hear(4) == framed(b"{}", Direction.TO_CLIENT)


async def test_same_seed_makes_the_same_faults(autojump_clock: MockClock) -> None:
    async def sends(seed: int) -> list[tuple[int, bytes]]:
        async with running_relay("delay 100ms, jitter 90ms, split", seed=seed) as wire:
            for _ in range(2):
                client, server = await wire.connect()
                for number in range(10):
                    await server.send(b"line %d of the server\n" % number)
                    await trio.sleep(0.5)
                assert client
            begun_us = wire.incidents[0].at_us
            return [(each.at_us - begun_us, each.piece.data) for each in wire.crossings]

    first = await sends(7)
    assert first == await sends(7)
    assert first != await sends(8)
    half = [data for at_us, data in first if at_us < 5_000_000]
    assert half != [data for at_us, data in first if at_us >= 5_000_000], "two connections had the same faults"


async def test_refused_connections_change_no_faults_of_others(autojump_clock: MockClock) -> None:
    async def pieces(refused: int) -> list[bytes]:
        async with running_relay("split") as wire:
            await wire.relay.cut(away_us=1_000_000)
            for _ in range(refused):
                await wire.call()
            await trio.sleep(1)
            client, server = await wire.connect()
            await server.send(b"a line of the server, longer than any piece of it\n")
            return [data for _, data in await client.reads(1)]

    assert await pieces(0) == await pieces(3)


async def test_clients_do_not_hear_each_other(autojump_clock: MockClock) -> None:
    async with running_relay("delay 50ms, jitter 50ms, split, coalesce 10ms") as wire:
        ends = [await wire.connect() for _ in range(5)]
        texts = [(b"client %d says\n" % number * 20, b"server %d says\n" % number * 20) for number in range(5)]
        for (client, server), (asked, answered) in zip(ends, texts, strict=True):
            await client.send(asked)
            await server.send(answered)
        for (client, server), (asked, answered) in zip(ends, texts, strict=True):
            assert await server.hear(len(asked)) == asked
            assert await client.hear(len(answered)) == answered
        assert wire.relay.connections == 5
