"""A relay does to connections what the faults say, when they say it, and nothing else."""

from collections.abc import Sequence

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from gameserver.proxy.crossings import Kind
from gameserver.proxy.faults import Direction, Faults, faults_of
from gameserver.proxy.units import Conversation, framed
from tests.proxy.test_units import SWITCHED, UPGRADE
from tests.proxy.wires import running_relay

CLEAN = Faults()


async def test_clean_relay_passes_both_ways_and_both_ends(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay() as wire:
        client, server = await wire.connect()
        await client.send(b"login ann\n")
        assert await server.hear(10) == b"login ann\n"
        await server.send(b"OK\n")
        assert await client.hear(3) == b"OK\n"
        await client.stream.send_eof()
        assert await server.hear(1) == b""
        await server.send(b"bye\n")
        await server.stream.aclose()
        assert await client.hear(9) == b"bye\n"
        await wait_all_tasks_blocked()
        assert wire.relay.connections == 0
        assert wire.kinds() == [Kind.OPENED, Kind.ENDED, Kind.ENDED, Kind.CLOSED]
        assert trio.current_time() == 0


async def test_delay_and_split_arrive_as_they_should(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay("delay 200ms, split every-byte") as wire:
        client, server = await wire.connect()
        await server.send(b"OK\n")
        assert await client.reads(1) == [(0.2, b"O"), (0.201, b"K"), (0.202, b"\n")]
        (first, *_) = wire.crossings
        assert (first.at_us - first.came_us, first.data, first.connection) == (200_000, b"O", 1)
        await client.send(b"x")
        assert await server.reads(1) == [(0.2, b"x")]


async def test_lines_that_are_coalesced_are_one_read(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay("coalesce 20ms") as wire:
        client, server = await wire.connect()
        await server.send(b"one\n")
        await trio.sleep(0.015)
        await server.send(b"two\n")
        assert await client.reads(1) == [(0.005, b"one\ntwo\n")]


async def test_faults_change_under_an_open_connection(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay("delay 1s") as wire:
        client, server = await wire.connect()
        await server.send(b"one")
        await wait_all_tasks_blocked()
        wire.relay.set_faults(CLEAN, CLEAN)
        await server.send(b"two")
        assert await client.reads(2) == [(1.0, b"one"), (1.0, b"two")]
        await server.send(b"three")
        assert await client.reads(1) == [(0.0, b"three")]


async def test_reset_after_ends_both_sides_on_time(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay("reset-after 30s") as wire:
        client, server = await wire.connect()
        with trio.fail_after(30.001):
            assert await client.hear(1) == b""
        assert trio.current_time() == pytest.approx(30)
        assert await server.hear(1) == b""
        await wait_all_tasks_blocked()
        assert [(each.kind, each.at_us) for each in wire.incidents][1:] == [
            (Kind.RESET, 30_000_000),
            (Kind.CLOSED, 30_000_000),
        ]
        assert wire.incidents[1].text == "reset, for the client and the server, after 30s"


async def test_reset_towards_the_client_leaves_the_server_in_the_dark(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay() as wire:
        wire.relay.set_faults(to_client=faults_of("reset-after 3s"), to_server=CLEAN)
        client, server = await wire.connect()
        assert await client.hear(1) == b""
        assert trio.current_time() == pytest.approx(3)
        assert wire.incidents[1].text == "reset, for the client, after 3s"
        await server.send(b"are you there?")
        with trio.move_on_after(100) as patience:
            await server.hear(1)
        assert patience.cancelled_caught, "the server learned that the connection is gone"


async def test_half_open_says_and_hears_nothing_and_closes_nothing(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay("half-open 5s") as wire:
        client, server = await wire.connect()
        await trio.sleep(4.9)
        await client.send(b"in time\n")
        assert await server.hear(8) == b"in time\n"
        await trio.sleep(0.2)
        await client.send(b"too late\n")
        await server.send(b"too late\n")
        assert await client.reads(60) == await server.reads(60) == []
        await client.stream.aclose()
        assert await server.reads(60) == []
        assert wire.kinds() == [Kind.OPENED, Kind.HALF_OPENED]
        assert wire.incidents[1].at_us == 5_000_000


async def test_half_open_in_one_direction_still_passes_the_other(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay() as wire:
        wire.relay.set_faults(to_client=faults_of("half-open 1s"), to_server=CLEAN)
        client, server = await wire.connect()
        await trio.sleep(2)
        await client.send(b"move 4\n")
        assert await server.hear(7) == b"move 4\n"
        await server.send(b"OK\n")
        assert await client.reads(60) == []
        await client.stream.aclose()
        assert await server.hear(1) == b""


async def test_drop_and_restore_cuts_all_and_refuses_new_ones_for_a_while(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with running_relay("drop-and-restore 10s,3s") as wire:
        first, _ = await wire.connect()
        await trio.sleep(6)
        second, _ = await wire.connect()
        assert await first.hear(1) == await second.hear(1) == b""
        assert trio.current_time() == pytest.approx(10)
        await trio.sleep(2.9)
        assert await (await wire.call()).hear(1) == b""
        assert wire.kinds()[-1] is Kind.REFUSED
        await trio.sleep(0.2)
        third, server = await wire.connect()
        await server.send(b"back\n")
        assert await third.hear(5) == b"back\n"
        restored = [each for each in wire.incidents if each.kind is Kind.RESTORED]
        assert [(each.at_us, each.connection) for each in restored] == [(13_000_000, 0)]
        assert await third.hear(1) == b""
        assert trio.current_time() == pytest.approx(23.1)


async def test_slow_read_makes_the_sender_wait(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay("slow-read 1KB/s") as wire:
        client, server = await wire.connect()
        await server.send(bytes(3_000))
        begun_s = trio.current_time()
        assert await client.hear(3_000) == bytes(3_000)
        assert trio.current_time() - begun_s == pytest.approx(3, abs=0.1)
        assert max(len(each.data) for each in wire.crossings) == 50


async def test_cut_and_hold_are_at_the_callers_word(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay() as wire:
        client, server = await wire.connect()
        wire.relay.hold(Direction.TO_CLIENT)
        await server.send(b"MATCH\n")
        await client.send(b"login\n")
        assert await server.hear(6) == b"login\n"
        assert await client.reads(5) == []
        wire.relay.release()
        assert await client.hear(6) == b"MATCH\n"
        await wire.relay.cut(away_us=2_000_000)
        assert await client.hear(1) == await server.hear(1) == b""
        assert await (await wire.call()).hear(1) == b""
        await trio.sleep(2)
        client, server = await wire.connect()
        await client.send(b"again\n")
        assert await server.hear(6) == b"again\n"


async def test_connection_made_while_held_is_held_too(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay() as wire:
        wire.relay.hold()
        client, server = await wire.connect()
        await client.send(b"login\n")
        await client.stream.send_eof()
        assert await server.reads(5) == []
        wire.relay.release()
        assert await server.reads(5) == [(0.0, b"login\n")]


async def test_an_end_is_held_too(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay() as wire:
        client, server = await wire.connect()
        wire.relay.hold(Direction.TO_SERVER)
        await client.stream.send_eof()
        with trio.move_on_after(5) as patience:
            await server.hear(1)
        assert patience.cancelled_caught, "the server heard the end"
        wire.relay.release(Direction.TO_SERVER)
        assert await server.hear(1) == b""


async def test_timed_faults_of_an_open_connection_count_from_when_they_are_set(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with running_relay("reset-after 90s") as wire:
        client, _ = await wire.connect()
        await trio.sleep(60)
        wire.relay.set_faults(*[faults_of("reset-after 10s")] * 2)
        assert await client.hear(1) == b""
        assert trio.current_time() == pytest.approx(70)


async def test_server_that_is_away_resets_the_client_and_says_why(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay() as wire:
        wire.is_server_away = True
        client = await wire.call()
        assert await client.hear(1) == b""
        assert wire.kinds() == [Kind.OPENED, Kind.NOT_REACHED]
        assert "connection refused" in wire.incidents[1].text


async def test_edit_sees_whole_lines_and_replaces_them(autojump_clock: trio.testing.MockClock) -> None:
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


async def test_edit_sees_messages_of_a_websocket_without_compression(autojump_clock: trio.testing.MockClock) -> None:
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


async def test_same_seed_makes_the_same_faults(autojump_clock: trio.testing.MockClock) -> None:
    async def sends(seed: int) -> list[tuple[int, bytes]]:
        async with running_relay("delay 100ms, jitter 90ms, split", seed=seed) as wire:
            for _ in range(2):
                client, server = await wire.connect()
                for number in range(10):
                    await server.send(b"line %d of the server\n" % number)
                    await trio.sleep(0.5)
                assert client
            begun_us = wire.incidents[0].at_us
            return [(each.at_us - begun_us, each.data) for each in wire.crossings]

    first = await sends(7)
    assert first == await sends(7)
    assert first != await sends(8)
    half = [data for at_us, data in first if at_us < 5_000_000]
    assert half != [data for at_us, data in first if at_us >= 5_000_000], "two connections had the same faults"


async def test_refused_connections_change_no_faults_of_others(autojump_clock: trio.testing.MockClock) -> None:
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


async def test_network_that_goes_while_the_server_is_called_takes_the_client_along(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with running_relay() as wire:
        wire.answers_after_s = 1
        client = await wire.call()
        await trio.sleep(0.5)
        await wire.relay.cut()
        assert await client.hear(1) == b""
        assert await wire.servers[0].hear(1) == b""
        assert wire.kinds() == [Kind.OPENED, Kind.REFUSED]


async def test_clients_do_not_hear_each_other(autojump_clock: trio.testing.MockClock) -> None:
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


async def test_injection_needs_a_connection(autojump_clock: trio.testing.MockClock) -> None:
    async with running_relay() as wire:
        assert not wire.relay.inject_to_client(b"x")
        client, server = await wire.connect()
        await server.stream.aclose()
        await client.stream.aclose()
        await wait_all_tasks_blocked()
        assert not wire.relay.inject_to_client(b"x")
