"""Who may come in: the token, the names of the server, and no foreign page."""

from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from trio.testing import MockClock

from gameserver.admin.auth_gate import COOKIE, Gate
from gameserver.http.own_names import OwnNames
from gameserver.protocol import HttpEndpoint
from tests.admin.support import BEARER, TOKEN, admin, get, serving_admin
from tests.http.support import Answer
from tests.support.serving import Running


async def _touch(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"{request.method} done")


PAGES = HttpEndpoint("/", Starlette(routes=[Route("/touch", _touch, methods=["GET", "POST"])]))


@pytest.mark.parametrize(
    "given",
    ["", "Bearer", "Bearer x", f"Bearer {TOKEN}x", f"Bearer {TOKEN[:-1]}", f"Basic {TOKEN}", TOKEN, "Bearer é"],
)
@pytest.mark.parametrize("path", ["/api/status", "/nothing/here", "/health", "/login"])
async def test_without_the_token_nothing_is_answered(autojump_clock: MockClock, given: str, path: str) -> None:
    async with serving_admin() as running:
        answer = await get(running, path, *([f"Authorization: {given}"] if given else []))
        assert answer.status == 401
        assert "it is in the file that the server named at its start" in answer.json["error"]
        assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_server_without_a_token_lets_nobody_in(autojump_clock: MockClock) -> None:
    async def app(scope, receive, send):
        raise AssertionError

    said = []

    async def send(message):
        said.append(message)

    headers = [(b"host", b"localhost"), (b"authorization", b"Bearer "), (b"cookie", f"{COOKIE}=".encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
    await Gate(app, "", OwnNames())(scope, None, send)
    assert said[0]["status"] == 401


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8090", "127.0.0.1:1", "[::1]:1", "10.1.2.3", "lab.example:8090"]
)
async def test_names_that_are_the_servers_own(autojump_clock: MockClock, host: str) -> None:
    async with serving_admin() as running:
        assert (await get(running, "/api/status", BEARER, host=host)).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:1", "a@localhost", "[a"]
)
async def test_a_foreign_name_that_points_here_is_turned_away(autojump_clock: MockClock, host: str) -> None:
    async with serving_admin() as running:
        answer = await get(running, "/api/status", BEARER, host=host)
        assert answer.status == 421
        assert "admin.hosts" in answer.json["error"]


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:2", "file://", "http://[abc"])
async def test_requests_from_pages_of_other_sites_are_refused(autojump_clock: MockClock, origin: str) -> None:
    async with serving_admin() as running:
        answer = await get(running, "/api/status", BEARER, f"Origin: {origin}")
        assert answer.status == 403
        assert origin in answer.json["error"]


async def log_in(running: Running, token: str = TOKEN, target: str = "/") -> Answer:
    form = urlencode({"token": token, "next": target}).encode()
    return await (await admin(running)).post("/login", form, "Origin: http://localhost:1", host="localhost:1")


async def test_a_person_types_the_token_once(autojump_clock: MockClock) -> None:
    async with serving_admin([PAGES]) as running:
        asked = await get(running, '/touch?"<x>', "Accept: text/html")
        assert asked.status == 401
        assert 'name="next" value="/touch"' in asked.text
        wrong = await log_in(running, "wrong")
        assert wrong.status == 401
        assert "That is not the token of this server" in wrong.text
        assert "set-cookie" not in wrong.headers
        right = await log_in(running, target="/touch")
        assert (right.status, right.headers["location"]) == (303, "/touch")
        cookie = right.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert TOKEN not in cookie
        pair = f"Cookie: {cookie.partition(';')[0]}"
        assert (await get(running, "/touch", pair)).text == "GET done"
        browser = await admin(running)
        assert (await browser.post("/touch", b"", pair, host="localhost:1")).status == 403
        own = ("Origin: http://localhost:1", "Sec-Fetch-Site: same-origin")
        for header in own:
            assert (await browser.post("/touch", b"", pair, header, host="localhost:1")).text == "POST done"
        assert (await browser.post("/touch", b"", pair, "Sec-Fetch-Site: cross-site", host="localhost:1")).status == 403


@pytest.mark.parametrize("target", ["//evil.example", "https://evil.example", "/\\evil.example", ""])
async def test_the_form_leads_nowhere_else(autojump_clock: MockClock, target: str) -> None:
    async with serving_admin() as running:
        assert (await log_in(running, target=target)).headers["location"] == "/"
