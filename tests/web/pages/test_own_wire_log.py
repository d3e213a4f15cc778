"""A player's wire log is for who proves to be the player, by the secret that the roster has."""

from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from gameserver.authentication.roster import Roster
from gameserver.authentication.secret_throttle import PAUSE_S
from gameserver.wire_log.files import WireLogSettings
from tests.http.support import Answer, Browser
from tests.support.serving import Running
from tests.web.support import Page, get, serving_pages

ROSTER = "name;secret\nann;s3cret\nbob;hunter2\ncyd;\n"


@asynccontextmanager
async def serving_logs(directory: Path, *, are_kept: bool = True, **given: Any) -> AsyncIterator[Running]:
    file = directory / "roster.csv"
    await trio.Path(file).write_text(ROSTER)
    roster = Roster(file, trio.current_time)
    roster.load()
    logs = WireLogSettings(str(directory / "logs") if are_kept else "")
    async with serving_pages(roster=roster, wire_log=logs, **given) as running:
        ann = await running.connect()
        await ann.send("login ann s3cret")
        await ann.until("OK")
        (cyd,) = await running.enter("cyd")
        await ann.send("get gamelist")
        await ann.until("GAMELIST")
        await cyd.send("get playerlist")
        await cyd.until("PLAYERLIST")
        running.server._wire_log.flush()
        yield running


async def ask(running: Running, name: str, secret: str, of: str = "") -> Page:
    given = b64encode(f"{name}:{secret}".encode()).decode()
    query = f"?player={of}" if of else ""
    return await get(running, f"/wire-log{query}", authorization=f"Basic {given}", accept="*/*")


async def test_the_owner_reads_it_and_no_secret_is_in_it(tmp_path: Path) -> None:
    async with serving_logs(tmp_path) as running:
        shown = await ask(running, "ann", "s3cret")
        assert (shown.status, shown.headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert "get gamelist" in shown.text
        assert "login ann" in shown.text
        assert "s3cret" not in shown.text
        assert "playerlist" not in shown.text, "nobody else's"
        assert shown.headers["cache-control"] == "no-store"
        assert 'href="/wire-log?player=ann"' in (await get(running, "/players/ann")).text


@pytest.mark.parametrize(
    ("name", "secret", "of", "status", "says"),
    [
        ("ann", "wrong", "", 401, "not the secret of this player"),
        ("ann", "", "", 401, "Give the player's name"),
        ("", "", "ann", 401, "Give the player's name"),
        ("", "", "", 401, "Give the player's name"),
        ("bob", "hunter2", "ann", 401, "Give the player's name"),
        ("bob", "hunter2", "", 403, "no wire log of this player yet"),
        ("cyd", "", "", 403, "binds this name to no secret"),
        ("zed", "s3cret", "", 403, "binds this name to no secret"),
    ],
)
async def test_nobody_else_does(tmp_path: Path, name: str, secret: str, of: str, status: int, says: str) -> None:
    async with serving_logs(tmp_path) as running:
        refused = await ask(running, name, secret, of)
        assert (refused.status, says in refused.text) == (status, True), refused.text
        assert ("www-authenticate" in refused.headers) == (status == 401)
        assert "gamelist" not in refused.text


async def test_invalid_credentials_are_asked_for_again(tmp_path: Path) -> None:
    async with serving_logs(tmp_path) as running:
        for given in ("Basic", "Basic %%%", f"Basic {b64encode(bytes([255])).decode()}", "Bearer x"):
            refused = await get(running, "/wire-log?player=ann", authorization=given)
            assert (refused.status, "Give the player" in refused.text) == (401, True), given


async def test_wrong_secrets_shut_nobody_out_and_end_their_connection(
    tmp_path: Path, autojump_clock: MockClock
) -> None:
    async with serving_logs(tmp_path) as running:
        for _ in range(30):
            await ask(running, "ann", "guess")
        assert (await ask(running, "ann", "s3cret")).status == 200
        browser = await Browser.connect(running, running.ports["http"])

        async def guess() -> Answer:
            given = b64encode(b"ann:guess").decode()
            return await browser.get("/wire-log", (f"Authorization: Basic {given}",))

        for _ in range(3):
            assert (await guess()).status == 401
        began_s = trio.current_time()
        last = await guess()
        assert (last.status, last.headers["connection"]) == (401, "close")
        assert trio.current_time() - began_s == pytest.approx(PAUSE_S, abs=0.1)


async def test_where_none_are_kept_nothing_is_offered(tmp_path: Path) -> None:
    async with serving_logs(tmp_path, are_kept=False) as running:
        assert (await ask(running, "ann", "s3cret")).status == 403
        assert "wire-log" not in (await get(running, "/players/ann")).text
