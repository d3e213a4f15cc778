"""GammonX over REST, behind the HTTP listener: joins, polls, cancellations, and what is not understood."""

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


async def test_a_poll_and_a_cancellation(autojump_clock):
    async with listening() as running:
        browser = await Browser.connect(running)
        queue_id = (await join(browser)).json["payload"]["queueId"]
        path, body = f"/api/matches/queues/{queue_id}", json.dumps({"PlayerId": ANN, "MatchModus": 0}).encode()
        polled = await browser.post(path, body, JSON)
        assert polled.json["payload"] == {"queueId": queue_id, "status": 0, "matchId": None}
        assert (await browser.get(f"{path}?playerId={ANN}")).json == polled.json
        other = await browser.post(path, json.dumps({"PlayerId": BOB}).encode(), JSON)
        assert (other.status, other.json["payload"]["code"]) == (400, "QUEUE_ERROR")
        cancelled = await browser.post(f"{path}/cancel", body, JSON)
        assert cancelled.json["payload"] == {"queueId": queue_id, "status": 2, "matchId": None}
        gone = await browser.post(f"{path}/cancel", body, JSON)
        assert gone.json == {
            "type": "ERROR",
            "payload": {"code": "QUEUE_ERROR", "message": "No queue entry found with the given queue id"},
        }
        again = (await join(browser)).json["payload"]["queueId"]
        await join(browser, player=BOB)
        found = await browser.post(f"/api/matches/queues/{again}", body, JSON)
        assert found.json["payload"] == {"queueId": None, "status": 1, "matchId": again}
        late = await browser.post(f"/api/matches/queues/{again}/cancel", body, JSON)
        assert late.json["payload"]["message"].startswith("Unable to cancel the queue entry.")


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


async def test_a_poll_tells_at_once_of_the_house(autojump_clock):
    async with listening() as running:
        browser = await Browser.connect(running)
        joined = await browser.post("/game/api/matches/join", wishes(modus=2), JSON)
        queue_id = joined.json["payload"]["queueId"]
        polled = await browser.get(f"/game/api/matches/queues/{queue_id}?playerId={ANN}")
        assert polled.json["payload"] == {"queueId": None, "status": 1, "matchId": queue_id}


async def test_later_clients_are_to_poll(autojump_clock):
    async with listening() as running:
        browser = await Browser.connect(running)
        assert (await browser.get("/game/api/matches")).status == 200
        first = await browser.post("/game/api/matches/join", wishes(), JSON)
        await browser.post("/game/api/matches/join", wishes(player=BOB), JSON)
        joined = first.json["payload"]
        assert (joined["matchId"], joined["status"]) == (None, 0)
        path = f"/game/api/matches/queues/{joined['queueId']}"
        polled = await browser.post(path, json.dumps({"PlayerId": ANN, "MatchModus": 0}).encode(), JSON)
        assert polled.json["payload"] == {"queueId": None, "status": 1, "matchId": joined["queueId"]}
        again = await browser.post("/game/api/matches/join", wishes(), JSON)
        assert again.json["payload"]["message"] == f"Player '{ANN}' is already part of a match lobby queue"
        unknown = await browser.post("/game/api/matches/join", wishes(modus=99), JSON)
        assert unknown.json["payload"]["message"] == "Cannot join a match for a unknown modus."
        for hub in ("/matchhub", "/game/matchhub"):
            negotiated = await browser.post(f"{hub}/negotiate?negotiateVersion=1", b"")
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
