"""Pages of a server in the test's own process, asked for over a socket."""

import json
import zlib
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from html.parser import HTMLParser
from typing import Any

import h11
import trio
from attrs import define, frozen

from gameserver.core.commands import Conduct, CreateTournament
from gameserver.endpoints import HttpEndpoint
from gameserver.halls import HallSettings
from gameserver.http.host_context import HttpOptions
from gameserver.http.listener import HttpProtocol
from gameserver.server.archive import EXCHANGE_EVERY_S
from gameserver.tournaments.model import StartTournament
from gameserver.tournaments.plan import Plan
from gameserver.web.application import pages
from tests.http.support import Answer, Browser
from tests.support.serving import LineClient, Running, serving
from tests.support.shared_halls import SharedHalls


@asynccontextmanager
async def serving_pages(scenarios: Mapping[str, str] | None = None, **given: Any) -> AsyncIterator[Running]:
    """A server with the text protocol and pages."""
    async with serving(others=[HttpProtocol([], [HttpEndpoint("/", pages(scenarios))])], **given) as running:
        yield running


async def enter(running: Running, *names: str) -> dict[str, LineClient]:
    """The clients of these players, logged in."""
    return dict(zip(names, await running.enter(*names), strict=True))


def create(running: Running, plan: Plan, *, number: int = 1, begins: bool = True) -> None:
    """Create the tournament that gets this number, and begin it."""
    sequencer, now_ms = running.server._sequencer, running.server.now_ms()
    sequencer.submit(CreateTournament(plan, "5eed5eed0017d29d" * 4), now_ms)
    if begins:
        sequencer.submit(Conduct(number, StartTournament(0, "Ms Reed")), now_ms)


async def live_pairing(running: Running) -> dict[str, Any]:
    """The only pairing of tournament 1 that has a match."""
    (live,) = (one for one in (await get(running, "/api/v1/tournaments/1")).json["pairings"] if one["match"])
    return live


@asynccontextmanager
async def visit(
    running: Running, path: str, listener: str = "http", host: str = "test", **headers: str
) -> AsyncIterator[Browser]:
    """A request on a connection of its own, whose response can be read."""
    async with await trio.open_tcp_stream("127.0.0.1", running.ports[listener]) as stream:
        browser = Browser(stream)
        given = [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await browser.send("\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", *given, "", ""]).encode())
        browser.expect()
        yield browser


async def get(running: Running, path: str, **headers: str) -> Answer:
    """A page, as a browser asks for it."""
    async with visit(running, path, **{"accept": "text/html"} | headers) as browser:
        return await browser.read()


@define
class Events:
    """A page's stream."""

    visited: Browser
    _unread: str = ""
    _unpack: Callable[[bytes], bytes] = bytes

    async def next(self) -> dict[str, str]:
        """The next event that is more than a sign of life: its fields."""
        while True:
            while "\n\n" not in self._unread:
                event = await self.visited.event()
                match event:
                    case h11.EndOfMessage():
                        raise EOFError
                    case h11.Response() if (b"content-encoding", b"deflate") in event.headers:
                        self._unpack = zlib.decompressobj().decompress
                    case h11.Data():
                        self._unread += self._unpack(bytes(event.data)).decode()
            text, _, self._unread = self._unread.partition("\n\n")
            fields = dict(line.split(": ", 1) for line in text.splitlines() if not line.startswith(":"))
            if fields and fields["event"] != "here":
                return fields

    async def news(self, *regions: str) -> dict[str, Any]:
        """The last change, with the HTML of all changes up to that with which all these regions have been heard."""
        html: dict[str, str] = {}
        while True:
            change = await self.change()
            html |= change["html"]
            if html.keys() >= set(regions):
                return change | {"html": html}

    async def change(self) -> Any:
        """The next change of the page."""
        fields = await self.next()
        assert fields["event"] == "change", fields
        return json.loads(fields["data"])


@asynccontextmanager
async def listening(running: Running, path: str, **headers: str) -> AsyncIterator[Events]:
    async with visit(running, path, **headers) as visited:
        yield Events(visited)


@frozen
class Halls:
    """The first hall, which has no address, and the hall `reversi`, which has one."""

    first: Running
    reversi: Running
    shared: SharedHalls


@asynccontextmanager
async def two_halls(**setup: Any) -> AsyncIterator[Halls]:
    """Two halls over one database in the test's own process."""
    shared = SharedHalls()
    theirs = {"http": HttpOptions("https://reversi.example.edu")}
    async with (
        serving_pages(journal=shared.journal(""), **setup) as first,
        serving_pages(
            journal=shared.journal("reversi"), hall=HallSettings("reversi"), options_of=theirs, **setup
        ) as reversi,
    ):
        await trio.sleep(2 * EXCHANGE_EVERY_S)
        yield Halls(first, reversi, shared)


VOID = frozenset({"meta", "link", "input", "br", "hr", "img", "col"})


class _Checker(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.scripts: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        assert not [name for name in given if name.startswith("on") or name == "style"], given
        if given.get("id"):
            self.ids.append(given["id"])
        if tag == "script":
            self.scripts.append(given.get("src"))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> closes another element"


def check_html(text: str) -> None:
    """Elements are closed in order, ids are there once, and no script or style stands in the page itself."""
    checker = _Checker()
    checker.feed(text)
    checker.close()
    assert checker.open == []
    assert sorted(set(checker.ids)) == sorted(checker.ids)
    assert all(source and source.startswith("/static/") for source in checker.scripts)
