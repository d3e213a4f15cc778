"""GammonX over REST, behind the HTTP listener: what no transcript tells, and Ranked searches."""

import json
from pathlib import Path
from typing import Any

import pytest
import trio
from attrs import evolve
from trio.testing import MockClock

from games.backgammon import BACKGAMMON, TAVLA, TAVLI
from gameserver.http.listener import HttpProtocol
from gameserver.journal.journal import Journal
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.journal.sqlite import SqliteJournal
from gameserver.records.match_record import MatchRecord, SeatRecord, SeatResult
from protocols.gammonx import GammonXProtocol
from protocols.gammonx.schema import player_name
from tests.http.support import Browser
from tests.support.games import catalogue
from tests.support.serving import Running, serving
from tests.support.socket_clients import HubClient

ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
GAMES = catalogue(BACKGAMMON, TAVLA, TAVLI)
JSON = "Content-Type: application/json"


def listening(journal: Journal | None = None) -> Any:
    return serving(journal=journal, games=GAMES, protocol=HttpProtocol([GammonXProtocol()]))


def wishes(player=ANN, variant=1, modus=0, kind=2):
    return json.dumps({"PlayerId": player, "MatchVariant": variant, "MatchModus": modus, "MatchType": kind}).encode()


async def join(browser, **wanted):
    return await browser.post("/api/matches/join", wishes(**wanted), JSON)


async def test_a_body_that_cannot_be_read(autojump_clock):
    async with listening() as running:
        browser = await Browser.connect(running)
        answer = await browser.post("/api/matches/join", b'{"PlayerId":"x","MatchVariant":"Tavli"}', JSON)
        assert (answer.status, answer.headers["content-type"]) == (400, "application/problem+json; charset=utf-8")
        problem = answer.json
        assert list(problem) == ["type", "title", "status", "errors", "traceId"]
        assert problem["type"] == "https://tools.ietf.org/html/rfc9110#section-15.5.1"
        assert problem["title"] == "One or more validation errors occurred."
        assert set(problem["errors"]) == {"req", "$.PlayerId", "$.MatchVariant"}
        assert problem["traceId"].startswith("00-")


@pytest.mark.parametrize("header", ["Content-Type: text/plain", "X-None: 1"])
async def test_another_content_type(autojump_clock, header):
    async with listening() as running:
        answer = await (await Browser.connect(running)).post("/api/matches/join", wishes(), header)
        assert (answer.status, answer.json["status"]) == (415, 415)


async def test_a_browser_of_another_site_may_ask(autojump_clock):
    async with listening() as running:
        browser = await Browser.connect(running)
        answer = await browser.post("/api/matches/join", wishes(), JSON, "Origin: https://play.example")
        assert answer.headers["access-control-allow-origin"] == "https://play.example"
        assert answer.headers["access-control-allow-credentials"] == "true"


@pytest.mark.parametrize("hub", ["/matchhub", "/game/matchhub"])
async def test_clients_may_negotiate(autojump_clock, hub):
    async with listening() as running:
        negotiated = await (await Browser.connect(running)).post(f"{hub}/negotiate?negotiateVersion=1", b"")
        assert negotiated.json["negotiateVersion"] == 1


async def test_a_flood_of_joins_has_an_answer_each(autojump_clock):
    async with listening() as running:
        browser = await Browser.connect(running)
        body = wishes()
        head = f"POST /api/matches/join HTTP/1.1\r\nHost: t\r\n{JSON}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        await browser.send((head + body) * 50)
        answers = await browser.answers(*["POST"] * 50)
        assert [answer.status for answer in answers] == [200] + [400] * 49
        other = await Browser.connect(running)
        assert (await join(other, player=BOB)).json["payload"]["status"] == 1


CYD = "281ccec7-ea50-4ab1-be58-32669e11ee14"
DAN = "3f1cf2b4-9f1a-4a0e-8b8e-0d1f0c6e9a77"
RANKED = 1
CASH = 2


def name(player: str) -> str:
    return player_name(player)


def journal_with(**rating: float) -> MemoryJournal:
    """A journal in which these players have played Tavla before; their ratings by GUID."""
    seats = [
        SeatRecord(seat, name(player), "gammonx", 1, SeatResult.DRAW, value, 60.0)
        for seat, (player, value) in enumerate(rating.items())
    ]
    record = MatchRecord(1, "Tavla", 1, "{}", "", "", "played", "", "", (), (), rated=True)
    journal = MemoryJournal()
    journal.append([], [evolve(record, match=one.seat + 1, seats=(one,)) for one in seats])
    return journal


async def search(browser: Browser, player: str) -> tuple[str, int]:
    """Join Ranked Tavla; the match id, and 1 if an opponent is there."""
    answer = await join(browser, player=player, modus=RANKED, kind=CASH)
    assert answer.status == 200, answer.text
    return answer.json["payload"]["matchId"], answer.json["payload"]["status"]


async def is_found(browser: Browser, player: str, match_id: str) -> bool:
    body = json.dumps({"PlayerId": player, "MatchModus": RANKED}).encode()
    polled = await browser.post(f"/api/matches/queues/{match_id}", body, JSON)
    return bool(polled.json["payload"]["status"])


@pytest.mark.parametrize(("apart", "after_s"), [(45.0, 0), (95.0, 5), (700.0, 120), (1500.0, 240)])
async def test_rating_range_widens_until_an_opponent_is_found(
    autojump_clock: MockClock, apart: float, after_s: float
) -> None:
    async with listening(journal_with(**{ANN: 1200.0, BOB: 1200.0 + apart})) as running:
        browser = await Browser.connect(running)
        ann, _ = await search(browser, ANN)
        bob, found = await search(browser, BOB)
        assert found == (after_s == 0)
        began_s = trio.current_time()
        while not await is_found(browser, ANN, ann):  # noqa: ASYNC110 - clients of 2026 poll
            await trio.sleep(2.5)
        assert await is_found(browser, BOB, bob)
        assert after_s <= trio.current_time() - began_s <= after_s + 2.5


async def play(running: Running, browser: Browser) -> None:
    """A Ranked match of Ann and Bob, which Ann gives up."""
    (ann, _), (bob, found) = await search(browser, ANN), await search(browser, BOB)
    assert found
    ids = {ANN: ann, BOB: bob}
    hubs = {player: await HubClient.connect(running, player, match_id) for player, match_id in ids.items()}
    for player, hub in hubs.items():
        await hub.until("match-started")
        await hub.invoke("StartGame", ids[player])
    for hub in hubs.values():
        await hub.until("game-started")
    await hubs[ANN].invoke("ResignMatch", ann)
    assert (await hubs[BOB].until("match-ended"))["winner"] == BOB


async def test_a_match_changes_ratings_and_a_restart_remembers_them(tmp_path: Path) -> None:
    file = tmp_path / "data.sqlite3"
    async with listening(SqliteJournal(file)) as running:
        browser = await Browser.connect(running)
        await play(running, browser)
        known = {one.player: one for one in running.journal.read_ratings()}
        assert known[name(BOB)].rating > 1600
        assert known[name(ANN)].rating < 1400
        assert (known[name(ANN)].game, known[name(ANN)].matches) == ("Tavla", 1)
    async with listening(SqliteJournal(file)) as running:
        assert {one.player: one for one in running.journal.read_ratings()} == known
        browser = await Browser.connect(running)
        found = [(await search(browser, player))[1] for player in (ANN, BOB, CYD, DAN)]
        assert found == [0, 0, 0, 1], "the two are no match for each other now, nor for who is new"
