"""A student with a GammonX client and a text client at once: over sockets, as both are told."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
from attrs import evolve
from trio.testing import MockClock

from games.backgammon import GAME as BACKGAMMON
from games.tavla import GAME as TAVLA
from gameserver.authentication.roster import Roster
from gameserver.http.listener import HttpProtocol
from protocols.gammonx import GammonXProtocol
from tests.http.support import Answer, Browser
from tests.support.games import catalogue
from tests.support.hub_client import HubClient
from tests.support.serving import Running, serving

ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
SHORT = "gx-fdd907c57c45"
OVER = "You have logged in on another connection, so this one ends"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2lnbmF0dXJl"


@asynccontextmanager
async def serving_class(tmp_path: Path, secret: str = "apple") -> AsyncIterator[Running]:
    file = tmp_path / "class.csv"
    file.write_text(f"name,secret,gammonx_id\nann,{secret},{ANN}\nbob,,\n", encoding="utf-8")
    roster = Roster(file, trio.current_time)
    roster.load()
    protocol = HttpProtocol([GammonXProtocol()])
    games = catalogue(BACKGAMMON, TAVLA)
    async with serving(others=[protocol], games=games, roster=roster) as running:
        with trio.fail_after(60):
            yield running


async def join(running: Running, player: str, secret: str = "") -> Answer:
    browser = await Browser.connect(evolve(running, port=running.ports["http"]))
    body = json.dumps({"PlayerId": player, "MatchVariant": 1, "MatchModus": 0, "MatchType": 2}).encode()
    headers = ["Content-Type: application/json", *([f"Authorization: Bearer {secret}"] if secret else [])]
    return await browser.post("/api/matches/join", body, *headers)


def match_of(answer: Answer) -> str:
    match_id: str = json.loads(answer.text)["payload"]["matchId"]
    return match_id


async def at_hub(running: Running, player: str, match_id: str) -> HubClient:
    return await HubClient.connect(evolve(running, port=running.ports["http"]), player, match_id)


async def test_text_client_takes_over_with_the_secret(autojump_clock: MockClock, tmp_path: Path) -> None:
    async with serving_class(tmp_path) as running:
        hub = await at_hub(running, ANN, match_of(await join(running, ANN)))
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
    async with serving_class(tmp_path, secret="") as running:
        hub = await at_hub(running, ANN, match_of(await join(running, ANN)))
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
        hub = await at_hub(running, ANN, match_of(await join(running, ANN)))
        waiting: Any = await hub.until("match-started")
        text = await running.connect()
        await text.send("login ann apple")
        assert (await text.lines(3))[2] == "OK"
        assert (await text.until("SVR GAME MATCH"))[-1].count('OPPONENT: "bob"') == 1
        assert 'OPPONENT: "ann"' in (await bob.until("SVR GAME MATCH"))[-1]
        await text.send("forfeit")
        assert (await bob.until("SVR GAME WIN"))[-1].startswith("SVR GAME WIN")
        assert waiting["id"]
