"""The gate of the admin listener: the token, the names of the server, and no foreign page."""

from urllib.parse import urlencode

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from trio.testing import MockClock

from gameserver.admin.gate import COOKIE, Gate
from gameserver.http.own_names import OwnNames
from gameserver.protocol import HttpEndpoint
from tests.admin.support import TOKEN, admin, get, serving_admin
from tests.http.support import Answer
from tests.support.serving import Running


async def _touch(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"{request.method} done")


PAGES = HttpEndpoint("/", Starlette(routes=[Route("/touch", _touch, methods=["GET", "POST"])]))


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
