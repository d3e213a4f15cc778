"""A player's own page: for who proves to be the player, with what helps to see why a match was lost."""

import csv
import io
import re
import zipfile
from base64 import b64encode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from gameserver.authentication.roster import PAUSE_S
from gameserver.cli.records import record_or_fail, records
from gameserver.records.player_stats import OwnMove
from gameserver.web import own
from gameserver.web.own import think_graph
from gameserver.wire_log.files import WireLogSettings
from protocols.strategic import PROTOCOL as STRATEGIC
from tests.http.support import Browser
from tests.support.lobbies import lucky_seed
from tests.support.rosters import roster_on
from tests.support.serving import LineClient, Running
from tests.web.support import check_html, get, serving_pages


@asynccontextmanager
async def playing(directory: Path, *, logs: bool = True) -> AsyncIterator[tuple[Running, LineClient, LineClient]]:
    """Ann, whose name is bound, and bob, whose name is anybody's, in the middle of a match at which ann is first."""
    setup = {
        "roster": roster_on(directory, {"ann": "s3cret", "bob": ""}),
        "wire_log": WireLogSettings(str(directory / "logs") if logs else ""),
        "mishaps": {STRATEGIC.name: STRATEGIC.mishaps},
        "new_seed": lambda: lucky_seed(()),
    }
    async with serving_pages({STRATEGIC.name: STRATEGIC.scenarios}, **setup) as running:
        ann, bob = [await running.connect() for _ in range(2)]
        for client, name in ((ann, "ann s3cret"), (bob, "bob")):
            await client.login(name)
            await client.send("subscribe Tic-tac-toe")
        await ann.until("MATCH")
        await bob.until("MATCH")
        yield running, ann, bob


async def link_of(client: LineClient) -> str:
    await client.send("get match")
    found = re.search(r'OWNPAGE: "http://[^/]+(/own\?link=[^"]+)"', (await client.until("SVR MATCH"))[-1])
    assert found is not None
    return found[1]


async def test_a_link_that_get_match_gives_opens_the_page(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path) as (running, first, second):
        await trio.sleep(6)
        await first.send("move 0")
        await second.until("YOURTURN")
        await second.send("move 0")
        await first.until("WIN")
        await second.until("LOSS")
        running.server._wire_log.flush()
        page = await get(running, await link_of(second))
        check_html(page.text)
        assert (page.status, page.headers["cache-control"]) == (200, "no-store")
        assert "illegal move: 1" in page.text
        assert "A match was lost, and not by play." in page.text
        assert "gameserver check --game Tic-tac-toe --scenario plays_second" in page.text
        slow = (await get(running, await link_of(first))).text
        assert "6.00 s of 10.0 s" in slow or "6,000 ms of 10,000 ms" in slow or "Match 1, move 1" in slow
        assert "No match was lost." in slow


async def test_who_holds_a_name_without_a_secret_sees_the_bytes_of_that_session_alone(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with playing(tmp_path) as (running, ann, bob):
        await bob.send("resign", "forfeit")
        await ann.until("WIN")
        await bob.send("logout")
        await bob.rest()
        (other,) = await running.enter("bob")
        for name, client in (("bob", other), ("ann", ann)):
            link = await link_of(client)
            running.server._wire_log.flush()
            page = await get(running, link)
            assert ("these are the bytes of the connection" in page.text) == (name == "bob")
            assert ("This page begins with your login" in page.text) == (name == "bob")
            assert ('href="/matches/1"' in page.text) == (name == "ann"), "a match of the one who had the name before"
            packed = (await get(running, link.replace("/own?", "/own/everything.zip?"), accept="*/*")).body
            with zipfile.ZipFile(io.BytesIO(packed)) as files:
                matches = files.read("matches.csv").decode().splitlines()
            assert len(matches) == (2 if name == "ann" else 1)
            log = await get(running, link.replace("/own?", "/wire-log?"))
            assert ("subscribe" in log.text) == (name == "ann"), "another session's bytes"


async def test_wrong_secrets_shut_nobody_out_and_end_their_connection(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    wrong, right = (f"Authorization: Basic {b64encode(b'ann:' + secret).decode()}" for secret in (b"guess", b"s3cret"))
    async with playing(tmp_path) as (running, *_):
        for _ in range(30):
            await get(running, "/wire-log", authorization=wrong.partition(": ")[2])
        browser = await Browser.connect(running, running.ports["http"])
        assert (await browser.get("/wire-log", [right])).status == 200
        assert [(await browser.get("/wire-log", [wrong])).status for _ in range(3)] == [401] * 3
        began_s = trio.current_time()
        last = await browser.get("/wire-log", [wrong])
        assert (last.status, last.headers["connection"]) == (401, "close")
        assert trio.current_time() - began_s == pytest.approx(PAUSE_S, abs=0.1)


async def test_everything_comes_as_one_file(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path) as (running, first, second):
        await first.send("move 4")
        await second.until("YOURTURN")
        await second.send("move 4")
        await second.until("LOSS")
        link = await link_of(second)
        running.server._wire_log.flush()
        packed = (await get(running, link.replace("/own?", "/own/everything.zip?"), accept="*/*")).body
        files = zipfile.ZipFile(io.BytesIO(packed))
        assert files.namelist() == ["matches.csv", "moves.csv", "matches.sqlite3", "wire.log"]
        (match,) = csv.DictReader(files.read("matches.csv").decode().splitlines())
        assert (match["result"], match["reason"]) == ("loss", "illegal move")
        assert list(csv.DictReader(files.read("moves.csv").decode().splitlines())) == []
        assert b"get match" in files.read("wire.log")
        files.extract("matches.sqlite3", tmp_path)
        with records(None, str(tmp_path / "matches.sqlite3")) as connection:
            assert record_or_fail(connection, 1).reason == "illegal move"


async def test_file_has_every_move_though_they_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    made = [OwnMove(match, "Reversi", number, "18", 1, 1, None) for match in (9, 7, 4, 3, 1) for number in (1, 2, 3)]
    monkeypatch.setattr(own, "OWN_MOVES_MAX", 5)

    class Model:
        async def read(self, look: Callable[[Any], Any]) -> Any:
            return look(self)

        def own_moves(self, player: str, before: int | None) -> list[OwnMove]:
            assert player == "ann"
            return [move for move in made if before is None or move.match < before][:5]

    model: Any = Model()
    assert await own.all_moves(model, "ann") == made


async def test_without_wire_logs_the_page_says_so(tmp_path: Path, autojump_clock: MockClock) -> None:
    async with playing(tmp_path, logs=False) as (running, first, _):
        link = await link_of(first)
        page = await get(running, link)
        assert "This server keeps no wire logs" in page.text
        packed = (await get(running, link.replace("/own?", "/own/everything.zip?"), accept="*/*")).body
        assert zipfile.ZipFile(io.BytesIO(packed)).namelist()[-1] == "no wire log.txt"


def move(think_ms: int, limit_ms: int | None = 10_000) -> OwnMove:
    return OwnMove(1, "Reversi", 1, "18", think_ms, 1, limit_ms)


def test_the_drawing_counts_moves_by_their_part_of_the_limit() -> None:
    graph = think_graph([move(10), move(999), move(5_000), move(10_400), move(3, None)])
    assert [int(count) for count in re.findall(r">(\d+)</text>", graph)] == [2, 1, 1]
    assert re.findall(r'rect class="(\w+)"', graph) == ["quick", "slow", "slow"]
    assert "4 moves" in graph
    assert "2 took half of it or more, the longest 104%" in graph
