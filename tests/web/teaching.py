"""The teacher's pages, served and used as by a browser: forms, pages and their streams."""

import re
from contextlib import AbstractAsyncContextManager
from typing import Any
from urllib.parse import urlencode

import orjson

from gameserver.admin.api import APPLICATION as TOURNAMENTS
from gameserver.endpoints import HttpEndpoint
from gameserver.web.teacher_application import pages
from tests.admin.support import BEARER, TOKEN, admin, get, serving_admin
from tests.http.support import Answer
from tests.support.serving import Running
from tests.web.support import Events, listening

ORIGIN = "Origin: http://localhost:1"
CUP = {"preset": "hanze", "name": "Cup", "game": "Tic-tac-toe", "entry": "logged-in"}


def teachers() -> tuple[HttpEndpoint, ...]:
    return HttpEndpoint("/api/tournaments", TOURNAMENTS), HttpEndpoint("/", pages())


def hall() -> Any:
    return serving_admin(teachers())


async def submit(running: Running, path: str, form: Any, *headers: str) -> Answer:
    """Send a form, with the token."""
    body = urlencode(form).encode()
    return await (await admin(running)).post(path, body, BEARER, ORIGIN, *headers, host="localhost:1")


async def look(running: Running, path: str = "/") -> str:
    answer = await get(running, path, BEARER, "Accept: text/html")
    assert answer.status == 200, answer
    return answer.text


def following(running: Running, path: str) -> AbstractAsyncContextManager[Events]:
    """A page's stream, with the token."""
    return listening(running, path, listener="admin", host="localhost:1", authorization=f"Bearer {TOKEN}")


def acts(running: Running, tag: str) -> list[Any]:
    return [orjson.loads(row.body) for row in running.journal.read_from(1) if row.tag == tag]


def refusal(answer: Answer) -> str:
    found = re.search(r'role="alert"[^>]*><b>Not done:</b> (.*?)</p>', answer.text)
    assert found, answer.text
    return found[1]
