"""Names with secrets over sockets: how each protocol carries the secret, and what the connections are told."""

import json
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock
from websockets.frames import Frame, Opcode

from games.backgammon import BACKGAMMON, TAVLA
from gameserver.authentication.roster import Roster
from gameserver.core.events import EndReason
from gameserver.http.listener import HttpProtocol
from gameserver.transport.epoll_reactor import EpollReactor
from gameserver.transport.reactors import Reactor, TaskReactor
from protocols.gammonx import GammonXProtocol
from protocols.gammonx.schema import MatchType
from tests.engine.test_committer import FailingJournal
from tests.http.support import Answer, Browser
from tests.support.games import catalogue
from tests.support.lobbies import lucky_seed
from tests.support.rosters import roster_on
from tests.support.serving import NO_PAUSE, Running, serving
from tests.support.socket_clients import HubClient

ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
OVER = "You have logged in on another connection, so this one ends"


@asynccontextmanager
async def serving_class(
    tmp_path: Path, table: str = f"name,secret,gammonx_id\nann,apple,{ANN}\nbob,,\n"
) -> AsyncIterator[Running]:
    """Text and GammonX clients, and this roster."""
    (tmp_path / "class.csv").write_text(table, encoding="utf-8")
    roster = Roster(tmp_path / "class.csv", trio.current_time)
    roster.load()
    protocol = HttpProtocol([GammonXProtocol()])
    async with serving(others=[protocol], games=catalogue(BACKGAMMON, TAVLA), roster=roster) as running:
        with trio.fail_after(600):
            yield running


async def join(running: Running, player: str, secret: str = "", kind: MatchType = MatchType.CASH_GAME) -> Answer:
    """Ask for a match over REST."""
    browser = await Browser.connect(running, running.ports["http"])
    body = json.dumps({"PlayerId": player, "MatchVariant": 1, "MatchModus": 0, "MatchType": kind.value}).encode()
    headers = ["Content-Type: application/json", *([f"Authorization: Bearer {secret}"] if secret else [])]
    return await browser.post("/api/matches/join", body, *headers)


async def at_hub(running: Running, player: str, **given: Any) -> HubClient:
    """A client that has joined, at the hub."""
    match_id = (await join(running, player, **given)).json["payload"]["matchId"]
    return await HubClient.connect(evolve(running, port=running.ports["http"]), player, match_id)


async def test_player_id_with_a_secret_is_joined_with_it_alone(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with serving_class(tmp_path, f"name,secret\n{ANN},plum\n") as running:
        assert f"The PlayerId {ANN} belongs to somebody with a secret" in (await join(running, ANN)).text
        assert "That is not the secret" in (await join(running, ANN, "pear")).text
        assert "gx." in (await join(running, ANN, "plum")).text


@pytest.mark.parametrize("reactor", [EpollReactor, TaskReactor])
async def test_a_move_that_came_in_time_behind_the_login_counts(
    autojump_clock: MockClock, tmp_path: Path, reactor: type[Reactor]
) -> None:
    """Login and move are read before the turn is late, and both wait for a commit that ends after that."""
    journal, roster = FailingJournal(), roster_on(tmp_path, {"ann": "apple", "bob": "pear"})
    async with serving(journal=journal, roster=roster, reactor=reactor, new_seed=lambda: lucky_seed(())) as running:
        ann, bob, again, stranger = [await running.connect() for _ in range(4)]
        await ann.send("login ann apple", "subscribe Tic-tac-toe")
        await ann.lines(4)
        await bob.send("login bob pear", "subscribe Tic-tac-toe")
        await bob.lines(4)
        match = running.server._sequencer.match(1)
        assert match is not None
        assert match.late_ms is not None
        await trio.sleep((match.late_ms - running.server.now_ms()) / 1000 - 0.08)
        journal.failing = True
        await stranger.send("login cid")
        await trio.sleep(0.01)
        await again.send("login ann apple", "move 4")
        await trio.sleep(1)
        assert match.late_ms < running.server.now_ms()
        journal.failing = False
        with trio.fail_after(5):
            assert (await again.until("SVR GAME MOVE"))[-2] == "OK"
            await bob.until("SVR GAME YOURTURN")


JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"


async def test_text_client_takes_over_with_the_secret(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with serving_class(tmp_path) as running:
        hub = await at_hub(running, ANN)
        await hub.until("match-lobby-waiting")
        text = await running.connect()
        await text.send("login ann", "login ann apple")
        said = (await text.lines(4))[2:]
        assert "belongs to somebody with a secret" in said[0]
        assert said[1] == "OK"
        await hub.until("force-disconnect")
        refused = await join(running, ANN)
        assert refused.status == 400
        assert refused.text.count(
            "ann has this PlayerId, and is logged in by another connection. Log out there, or join with the secret of "
            "ann, if the teacher has given one out, as 'Authorization: Bearer SECRET'"
        )
        assert "That is not the secret" in (await join(running, ANN, "pear")).text
        assert "is logged in by another connection" in (await join(running, ANN, JWT)).text
        assert (await join(running, ANN, "apple")).status == 200
        assert (await text.rest())[-1] == f"ERR {OVER}"


async def test_without_a_secret_the_first_stays(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with serving_class(tmp_path, f"name,secret,gammonx_id\nann,,{ANN}\nbob,,\n") as running:
        hub = await at_hub(running, ANN)
        await hub.until("match-lobby-waiting")
        text = await running.connect()
        await text.send("login ann")
        assert (await text.lines(3))[2] == "ERR Duplicate name exists"
        await hub.stream.aclose()
        await trio.sleep(1)
        await text.send("login ann")
        assert await text.line() == "OK", "nobody is here any more"
        assert "is logged in by another connection" in (await join(running, ANN)).text


async def test_seat_is_taken_over_in_the_middle_of_a_match(autojump_clock: MockClock, tmp_path: Path) -> None:
    """A text client plays on by hand where a GammonX client has played."""
    async with serving_class(tmp_path) as running:
        (bob,) = await running.enter("bob")
        await bob.send("subscribe Tavla")
        hub = await at_hub(running, ANN)
        await hub.until("match-started")
        text = await running.connect()
        await text.send("login ann apple")
        assert (await text.lines(3))[2] == "OK"
        assert (await text.until("SVR GAME MATCH"))[-1].count('OPPONENT: "bob"') == 1
        assert 'OPPONENT: "ann"' in (await bob.until("SVR GAME MATCH"))[-1]
        await text.send("forfeit")
        assert (await bob.until("SVR GAME WIN"))[-1].startswith("SVR GAME WIN")


BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
SECONDS_LATER = 10
EOF = "the end of the stream"


@pytest.mark.parametrize(
    "sent",
    [
        [EOF],
        [b'{"type":1,"target":"GameState","arguments":["MATCH"],"invocationId":"9"}\x1e', EOF],
        [Frame(Opcode.TEXT, b"half").serialize(mask=True)[:7], EOF],
        [Frame(Opcode.CLOSE, b"\x03\xe8").serialize(mask=True)],
        [b'{"type":7}\x1e'],
        ["a reset"],
        [],  # as behind a proxy that goes on acknowledging
    ],
    ids=["end", "end after a call", "end in a frame", "close frame", "stop of the hub", "reset", "silence"],
)
async def test_match_of_gammonx_that_both_left_is_void(
    autojump_clock: MockClock, tmp_path: Path, sent: list[bytes | str]
) -> None:
    async def leave(hub: HubClient) -> None:
        for each in sent:
            if each == EOF:
                await hub.stream.send_eof()
            elif isinstance(each, str):
                hub.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                hub.stream.socket.close()
            elif each.startswith(b"{"):
                await hub.send(each.replace(b"MATCH", hub.match_id.encode()))
            else:
                await hub.stream.send_all(each)

    ends_ms = NO_PAUSE.ticket_drop_grace_ms if sent else 2 * (NO_PAUSE.ticket_clock.turn_time_ms or 0)
    async with serving_class(tmp_path) as running:
        hubs = [await at_hub(running, player, kind=MatchType.FIVE_POINT_GAME) for player in (ANN, BOB)]
        for hub in hubs:
            await hub.until("match-started")
            await hub.invoke("StartGame", hub.match_id)
        for hub in hubs:
            await hub.until("game-started")
            await leave(hub)
            await trio.sleep(SECONDS_LATER)
        server = running.server
        assert server.live_matches == 1
        await trio.sleep(ends_ms / 1000 - 2 * SECONDS_LATER + 1)
        assert (server.live_matches, len(server.lobby.players)) == (0, 0 if sent else 2)
        (record,) = running.journal.read_records()
        why = "everybody left" if sent else "nobody was ready in time"
        assert (record.reason, record.why) == (EndReason.VOID, why)
