"""The teacher's pages, served and used as by a browser: forms, pages and their streams."""

import re
from typing import Any
from urllib.parse import urlencode

import orjson
import trio

from gameserver.admin.tournament_api import APPLICATION as TOURNAMENTS
from gameserver.endpoints import HttpEndpoint
from gameserver.web.admin_pages.application import pages
from tests.admin.support import BEARER, admin, get, serving_admin
from tests.http.support import Answer
from tests.support.serving import Running
from tests.web.support import check_html

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


class Stream:
    """A page's stream, as its script reads it."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.unread = ""
        self.html: dict[str, str] = {}

    @classmethod
    async def open(cls, running: Running, path: str) -> "Stream":
        stream = await trio.open_tcp_stream("127.0.0.1", running.ports["admin"])
        await stream.send_all(f"GET {path} HTTP/1.1\r\nHost: localhost:1\r\n{BEARER}\r\n\r\n".encode())
        return cls(stream)

    async def until(self, region: str) -> str:
        """The region as it is sent next."""
        while region not in self.html:
            self.unread += (await self.stream.receive_some()).decode()
            for data in re.findall(r"^data: (.*)\n\n", self.unread, re.MULTILINE):
                self.html |= orjson.loads(data)["html"] if data.startswith("{") else {}
        return self.html.pop(region)

    def close(self) -> None:
        self.stream.socket.close()


def acts(running: Running, tag: str) -> list[Any]:
    return [orjson.loads(row.body) for row in running.journal.read_from(1) if row.tag == tag]


def refusal(answer: Answer) -> str:
    found = re.search(r'role="alert"><b>Not done:</b> (.*?)</p>', answer.text)
    assert found, answer.text
    return found[1]


async def asked_for_the_reason(running: Running, path: str, query: str) -> tuple[str, dict[str, str]]:
    """Ask for a destructive act, and try to do it without a reason; the page that asks again, and its hidden fields."""
    page = await look(running, f"{path}?{query}")
    check_html(page)
    assert f'action="{path}"' in page
    assert re.search(r'name="why"[^>]* required', page)
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\w*)">', page))
    refused = await submit(running, path, fields)
    check_html(refused.text)
    assert (refused.status, refusal(refused)) == (400, "Give a reason; it is recorded")
    assert 'class="destroys"' in refused.text, "said on the page that asked"
    return page, fields
