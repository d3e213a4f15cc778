"""New connections: how fast they come, and which one gives way where everything is full."""

import itertools
import json
import socket
from contextlib import suppress
from pathlib import Path

import pytest
import trio
import trio.lowlevel
from attrs import define, field
from hypothesis import example, given
from hypothesis import strategies as st
from trio.testing import MockClock

from games.backgammon import BACKGAMMON
from games.mastermind import GAME as MASTERMIND
from gameserver.authentication.roster import Roster
from gameserver.flow_control.connection_limiter import DOUBTED_MAX, AdmittedConnection, ConnectionLimiter, TurnedAway
from gameserver.flow_control.fair_scheduler import HOLD_S, SHARES, CommitGate
from gameserver.flow_control.limits import Limits
from gameserver.http.listener import HttpProtocol
from gameserver.policies import Rules
from gameserver.protocol import RefusalKind
from gameserver.transport.listener import Address, accept_forever, open_listeners
from protocols.gammonx import GammonXProtocol
from protocols.mastermind import PROTOCOL as MASTERMIND_PROTOCOL
from tests.admin.support import BEARER, get, serving_admin
from tests.http.support import Browser
from tests.support.games import catalogue
from tests.support.rosters import roster_on
from tests.support.serving import LineClient, Running, serving
from tests.web.support import serving_pages, visit

PLAYER_ID = "fdd907ca-794a-43f4-83e6-cadfabc57c45"


@pytest.fixture
def roster(tmp_path: Path) -> Roster:
    return roster_on(tmp_path, {"ann": "apple-pie-1", PLAYER_ID: "plum-jam-33"})


async def test_secret_and_waiting_seat_get_past_the_rate(autojump_clock: MockClock, roster: Roster) -> None:
    limits = Limits(connections_per_address_max=4, new_connections_per_s=0.001)
    rules = Rules(first_move_pause_ms=0, drop_grace_ms=600_000)
    async with serving(limits=limits, roster=roster, rules=rules) as running:
        first, _ = await bobs_match(running)
        for _ in range(6):
            (await running.connect()).stream.socket.close()
        name = first.name
        first.stream.socket.close()
        await trio.sleep(0.1)

        async def comes(*lines: str) -> str:
            client = await running.connect()
            await client.send(*lines)
            said = (await client.lines(3))[2]
            await client.send("bye")
            return said

        assert await comes("login dan") == "OK", "of logins, there is one more"
        assert (await comes("login eve")).startswith("ERR Too many connections from 127.0.0.1 in so short a time")
        assert (await comes("get playerlist")).startswith("ERR Too many connections")
        assert (await comes("login ann")).startswith("ERR The name 'ann' belongs to somebody with a secret")
        assert await comes("login ann apple-pie-1") == "OK"
        assert await comes(f"login {name}") == "OK"


async def bobs_match(running: Running) -> tuple[LineClient, LineClient]:
    """A match of two whose names nobody has bound."""
    bob, cyd = await running.enter("bob", "cyd")
    for client in (bob, cyd):
        await client.send("subscribe Tic-tac-toe")
        await client.line()
    await bob.until("MATCH")
    return bob, cyd


async def test_mastermind_game_stays_and_a_connection_without_one_gives_way(autojump_clock: MockClock) -> None:
    limits = Limits(connections_per_address_max=2)
    async with serving(protocol=MASTERMIND_PROTOCOL, games=catalogue(MASTERMIND), limits=limits) as running:

        async def comes(*messages: bytes) -> trio.SocketStream:
            stream = (await running.connect()).stream
            for message in messages:
                await stream.send_all(message + b"\n")
                await stream.receive_some()
            await trio.sleep(1)
            return stream

        player = await comes(b'0|{"NbrColors":6,"MaxTries":12,"CodeLength":4}')
        spoke = await comes(b'1|{"Guess":[1,2,3,4]}')
        await comes()
        assert b"connections_per_address_max" in await spoke.receive_some()
        await player.send_all(b'1|{"Guess":[1,2,3,4]}\n')
        assert (await player.receive_some()).startswith(b"2|")


async def test_live_page_stays_and_an_idle_http_connection_gives_way(autojump_clock: MockClock) -> None:
    limits = Limits(connections_per_address_max=2)
    async with serving_pages(limits=limits) as running, visit(running, "/events") as page:
        await page.event()
        await trio.sleep(1)
        browser = await Browser.connect(running, running.ports["http"])
        assert (await browser.get("/health")).status == 200
        await trio.sleep(1)
        (ann,) = await running.enter("ann")
        assert await browser.stream.receive_some() == b"", "no answer that nobody asked for"
        assert "connections_per_address_max" in (await (await running.connect()).rest())[0]
        await ann.send("get gamelist")
        await ann.line()
        with trio.move_on_after(1):
            while True:
                assert await page.stream.receive_some(), "the page goes on"


async def test_bearer_secret_gets_past_the_rate_and_other_requests_do_not(
    autojump_clock: MockClock, roster: Roster
) -> None:
    limits = Limits(connections_per_address_max=10, new_connections_per_s=0.001)
    protocol = HttpProtocol([GammonXProtocol()])
    async with serving(protocol=protocol, games=catalogue(BACKGAMMON), limits=limits, roster=roster) as running:
        body = json.dumps({"PlayerId": PLAYER_ID, "MatchVariant": 0, "MatchModus": 0, "MatchType": 2})
        for _ in range(20):
            (await running.connect()).stream.socket.close()

        async def join(player: str, *headers: str) -> tuple[int, str]:
            browser = await Browser.connect(running)
            asked = body.replace(PLAYER_ID, player).encode()
            answer = await browser.post("/api/matches/join", asked, "Content-Type: application/json", *headers)
            return answer.status, answer.text

        status, text = await join(PLAYER_ID.replace("f", "e"))
        assert (status, "Too many connections" in text) == (503, True)
        status, text = await join(PLAYER_ID, "Authorization: Bearer guess")
        assert (status, "not the secret" in text) == (400, True)
        assert (await join(PLAYER_ID, "Authorization: Bearer plum-jam-33"))[0] == 200
        health = await (await Browser.connect(running)).get("/health")
        assert (health.status, "Too many connections" in health.text) == (503, True)


async def test_live_pages_of_newcomers_in_doubt_keep_no_right_secret_out(
    autojump_clock: MockClock, roster: Roster
) -> None:
    """A request with `Authorization` may begin, because it may prove something; it has not yet."""
    async with serving_pages(limits=Limits(connections_per_address_max=2), roster=roster) as running:
        await running.enter("cyd", "dan")
        for _ in range(DOUBTED_MAX + 6):
            browser = await Browser.connect(running, running.ports["http"])
            await browser.stream.send_all(b"GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer x\r\n\r\n")
            await trio.sleep(0.01)
        ann = await running.connect()
        await ann.send("login ann apple-pie-1")
        assert (await ann.lines(3))[2] == "OK"


async def test_proof_in_a_request_is_good_for_that_request_alone(autojump_clock: MockClock, roster: Roster) -> None:
    """Or one student's secret would open any number of live pages, until the server is full."""
    protocol = HttpProtocol([GammonXProtocol()])
    limits = Limits(connections_per_address_max=10, new_connections_per_s=0.001)
    async with serving(protocol=protocol, games=catalogue(BACKGAMMON), limits=limits, roster=roster) as running:
        for _ in range(20):
            (await running.connect()).stream.socket.close()
        browser = await Browser.connect(running)
        body = json.dumps({"PlayerId": PLAYER_ID, "MatchVariant": 0, "MatchModus": 0, "MatchType": 2}).encode()
        for _ in range(2):
            headers = ("Content-Type: application/json", "Authorization: Bearer plum-jam-33")
            answer = await browser.post("/api/matches/join", body, *headers)
            assert "Too many connections" not in answer.text, "proven, each time"
        answer = await browser.get("/health")
        assert (answer.status, "Too many connections" in answer.text) == (503, True)
        await trio.sleep(3)
        admission = running.server._connection_limiter
        assert (admission.doubts, admission._vouched_once, admission._doubted) == ({}, {}, {})


async def test_total_is_a_hard_bound_on_sockets(autojump_clock: MockClock) -> None:
    async with serving(limits=Limits(connections_max=3)) as running:
        (ann,) = await running.enter("ann")
        clients = [ann]
        for _ in range(20):
            clients.append(await running.connect())
            await clients[-1].lines(2)
            assert len(running.server._connections) <= 3
        assert len(running.server._connections) == 3
        (words,) = await clients[1].rest()
        assert words.startswith("ERR The server is full with 3 connections (connections_max), and those that")
        await ann.send("get gamelist")
        assert await ann.line() == "OK"
        await clients[-1].send("login bob")
        await clients[-2].send("login cyd")
        assert [await clients[-1].line(), await clients[-2].line()] == ["OK", "OK"]
        late = await running.connect()
        assert await late.rest() == ["ERR The server is full with 3 connections (connections_max); try again later"]


@define(eq=False)
class Visitor(AdmittedConnection):
    """A guest as the rules see it."""

    session: int
    address: str
    stamp_ms: int
    admission: ConnectionLimiter
    is_in: bool = False
    why: str = field(default="", init=False)

    @property
    def is_established(self) -> bool:
        return self.is_in

    def farewell(self, why: str, kind: RefusalKind) -> None:
        self.why = why
        self.admission.release(self)

    def abort(self, why: str) -> None:
        self.admission.closed(self.session)


@example([(0, True), (0, False), (0, False), (0, False), (0, True)], 8, 1, True)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=60),
    st.integers(1, 8),
    st.integers(1, 8),
    st.booleans(),
)
def test_nobody_established_gives_way_and_no_bound_is_crossed(
    visits: list[tuple[int, bool]], in_all: int, at_one: int, may_prove: bool
) -> None:
    """Whoever logs in while in doubt has shown a secret; the limit of an address holds for the others."""
    doubted_max = 3

    async def main() -> None:
        now_ms = 0
        limits = Limits(connections_max=in_all, connections_per_address_max=at_one, new_connections_per_s=1e9)
        admission = ConnectionLimiter(limits, lambda: now_ms, lambda: may_prove, lambda: False)
        here: list[Visitor] = []
        proven: set[int] = set()
        for session, (address, is_in) in enumerate(visits, start=1):
            now_ms += 200
            clock.jump(0.2)
            before = [one for one in here if not one.why]
            idle = [one for one in before if not one.is_in]
            own = [one for one in idle if one.address == str(address)]
            is_crowded = sum(one.address == str(address) for one in before) >= at_one
            try:
                doubt = admission.receive(str(address))
            except TurnedAway:
                assert is_crowded or len(before) >= in_all
                assert not own or may_prove, "somebody of the address could have given way"
                assert is_crowded or not idle or may_prove, "somebody could have given way"
                continue
            gone = [one for one in before if one.why]
            assert not any(one.is_in for one in gone)
            if own and gone and not may_prove:
                assert gone[0] is own[0], "the longest idle of the same address goes first"
            here.append(Visitor(session, str(address), now_ms, admission, is_in))
            admission.admit(here[-1], doubt)
            if is_in and doubt is not None:
                admission.vouch(here[-1])
                proven.add(session)
            stay = [one for one in here if not one.why]
            assert len(stay) <= in_all
            unproven = [one for one in stay if one.address == str(address) and one.session not in proven]
            assert len(unproven) <= at_one + (doubted_max if may_prove else 0)
            assert sum(one.is_in for one in unproven) <= at_one

    clock = MockClock()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("gameserver.flow_control.connection_limiter.DOUBTED_MAX", doubted_max)
        trio.run(main, clock=clock)


NAMES = [f"p{number:02}" for number in range(27)]
NEWCOMERS = SHARES["newcomers"]


async def test_refused_connection_that_returns_has_to_wait(autojump_clock: MockClock) -> None:
    came, heard = trio.open_memory_channel[float](3)
    stays: list[bool] = []

    def accepted(sock: socket.socket, address: str) -> bool:
        sock.close()
        came.send_nowait(trio.current_time())
        stays.append(len(stays) == 0)
        return stays[-1]

    (listener,) = open_listeners(Address("127.0.0.1", 0))
    port = listener.getsockname()[1]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_forever, listener, accepted)
        times_s = []
        for _ in range(3):
            with socket.create_connection(("127.0.0.1", port)):
                times_s.append(await heard.receive())
        nursery.cancel_scope.cancel()
    first_s, second_s, third_s = times_s
    assert second_s == first_s
    assert third_s - second_s == pytest.approx(NEWCOMERS.rest_s)


async def test_nobody_is_accepted_while_others_are_in_a_hurry(autojump_clock: MockClock) -> None:
    hold, came = CommitGate(), trio.Event()

    def accepted(sock: socket.socket, address: str) -> bool:
        sock.close()
        came.set()
        return True

    (listener,) = open_listeners(Address("127.0.0.1", 0))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_forever, listener, accepted, hold)
        with hold.held(), socket.create_connection(("127.0.0.1", listener.getsockname()[1])):
            await trio.sleep(HOLD_S / 2)
            assert not came.is_set()
        await came.wait()
        nursery.cancel_scope.cancel()


async def test_connections_come_at_a_rate(autojump_clock: MockClock) -> None:
    async with serving_admin(limits=Limits(connections_per_address_max=3, new_connections_per_s=1)) as running:

        async def comes() -> list[str]:
            client = await running.connect()
            said = [await client.line()]
            if not said[0].startswith("ERR"):
                client.stream.socket.close()
                await trio.lowlevel.checkpoint()
            return said

        for _ in range(6):
            assert not (await comes())[0].startswith("ERR")
        running.server._connection_limiter._new_logins.of("127.0.0.1", trio.current_time()).spend(2)
        refused = await comes()
        assert refused[0].startswith("ERR Too many connections from 127.0.0.1 in so short a time")
        assert "more than 1 a second; wait a little" in refused[0]
        assert (await get(running, "/api/status", BEARER)).status == 200, "the teacher always comes in"
        await trio.sleep(2)
        assert not (await comes())[0].startswith("ERR")


@pytest.mark.parametrize("name", ["", "storm{}", "bob"], ids=["no login", "new names", "a classmate's program"])
async def test_storm_from_one_address_keeps_no_classmate_out(
    autojump_clock: MockClock, tmp_path: Path, name: str
) -> None:
    """None of them has a secret. A storm of logins takes nothing from other names on the roster."""
    roster = roster_on(tmp_path, dict.fromkeys([*NAMES, "bob"], ""))
    limits = Limits(connections_per_address_max=100, new_connections_per_s=20)

    async def storm() -> None:
        for number in itertools.count():
            stream = await trio.open_tcp_stream("127.0.0.1", running.port)
            if name:
                with suppress(trio.BrokenResourceError):
                    await stream.send_all(f"login {name.format(number)}\nbye\n".encode())
            stream.socket.close()
            await trio.sleep(0.002)

    async with serving(limits=limits, roster=roster) as running, trio.open_nursery() as nursery:
        for _ in range(2):
            nursery.start_soon(storm)
        await trio.sleep(0.5)
        classmates = [await running.connect() for _ in NAMES]
        for number, classmate in enumerate(classmates):
            await classmate.send(f"login {NAMES[number]}")
        assert [(await classmate.lines(3))[2] for classmate in classmates] == ["OK"] * len(NAMES)
        nursery.cancel_scope.cancel()


def test_addresses_are_forgotten_before_they_fill_the_memory(autojump_clock: MockClock) -> None:
    async def main() -> None:
        admission = ConnectionLimiter(Limits(), lambda: 0, lambda: False, lambda: False)
        for number in range(20_001):
            assert admission.receive(str(number)) is None
        assert len(admission._rates) <= 10_000

    trio.run(main)
