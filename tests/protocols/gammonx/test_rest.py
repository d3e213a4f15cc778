"""GammonX over REST, behind the HTTP listener: what no transcript tells."""

import json

import pytest

from games.backgammon import BACKGAMMON, TAVLA, TAVLI
from gameserver.http.listener import HttpProtocol
from protocols.gammonx import GammonXProtocol
from tests.http.support import Browser
from tests.support.games import catalogue
from tests.support.serving import serving

ANN = "fdd907ca-794a-43f4-83e6-cadfabc57c45"
BOB = "f6f9bb06-cbf6-4f42-80bf-5d62be34cff6"
GAMES = catalogue(BACKGAMMON, TAVLA, TAVLI)
JSON = "Content-Type: application/json"


def listening():
    return serving(games=GAMES, protocol=HttpProtocol([GammonXProtocol()]))


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
