"""The listener as such: who gets which path, what endpoints may be, what it takes to import."""

import subprocess
import sys
from collections.abc import Sequence
from typing import ClassVar

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from structlog.testing import capture_logs
from trio.testing import MockClock

from gameserver import plugins
from gameserver.config import Settings, listeners
from gameserver.config_file import ConfigError
from gameserver.http.listener import HttpProtocol
from gameserver.journal.sql_journal import MemoryJournal
from gameserver.protocol import Adapter, Context, Endpoint, HttpEndpoint, Peer, WebSocketEndpoint, WireProtocol
from gameserver.web.live_pages import ServerSentEvent
from tests.http.support import Browser
from tests.support.echo import EchoProtocol
from tests.support.serving import serving


def says(text: str) -> Starlette:
    async def say(_request: object) -> PlainTextResponse:
        return PlainTextResponse(text)

    return Starlette(routes=[Route("/{rest:path}", say)])


class Grabbing(WireProtocol):
    name: ClassVar[str] = "grabbing"
    title: ClassVar[str] = "Wants what others have"
    default_port: ClassVar[int | None] = None
    wants: Sequence[Endpoint] = ()

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        raise NotImplementedError

    def endpoints(self) -> Sequence[Endpoint]:
        return self.wants


def test_path_belongs_to_the_first_protocol() -> None:
    grabbing = Grabbing()
    grabbing.wants = (WebSocketEndpoint("/echo"), HttpEndpoint("/api", says("mine")), HttpEndpoint("/echo", says("ok")))
    protocol = HttpProtocol([EchoProtocol(), grabbing])
    assert protocol.problems == (
        "the path /echo of grabbing is taken; it is left out",
        "the path /api of grabbing is taken; it is left out",
    )


async def test_the_longest_path_wins_and_a_websocket_shares_its_path(autojump_clock: MockClock) -> None:
    grabbing = Grabbing()
    grabbing.wants = (
        HttpEndpoint("/", says("root")),
        HttpEndpoint("/a", says("a")),
        HttpEndpoint("/a/b", says("b")),
        WebSocketEndpoint("/a/hub"),
        HttpEndpoint("/a/hub", says("hub")),
    )
    async with serving(protocol=HttpProtocol([grabbing])) as running:
        browser = await Browser.connect(running)
        for word, paths in (("root", "/ /x /ab"), ("a", "/a /a/x"), ("b", "/a/b/x"), ("hub", "/a/hub/negotiate")):
            for path in paths.split():
                assert (await browser.get(path)).text == word, path
        assert (await browser.get("/a/hub")).status == 426
        assert (await browser.post("/a/hub/", b"", host="localhost")).status == 405
        assert (await browser.get("/health")).text == "Healthy"


@pytest.mark.parametrize("path", ["", "echo", "/echo/", "/é"])
def test_a_path_is_checked_where_it_is_written(path: str) -> None:
    with pytest.raises(ValueError, match="a path begins with a slash"):
        WebSocketEndpoint(path)
    with pytest.raises(ValueError, match="a path begins with a slash"):
        HttpEndpoint(path, says(""))


def test_a_plug_in_may_not_take_its_name_or_fail_to_name_its_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    class Impostor(Grabbing):
        name: ClassVar[str] = "http"

    class Failing(Grabbing):
        name: ClassVar[str] = "failing"

        def endpoints(self) -> Sequence[Endpoint]:
            raise ZeroDivisionError

    monkeypatch.setattr("tests.http.test_listener.IMPOSTOR", Impostor(), raising=False)
    monkeypatch.setattr("tests.http.test_listener.FAILING", Failing(), raising=False)
    monkeypatch.setattr("tests.http.test_listener.GRABBING", Grabbing(), raising=False)
    names = [f"tests.http.test_listener:{name}" for name in ("IMPOSTOR", "FAILING", "GRABBING")]
    found = plugins.load(names, installed=False)
    assert [problem.source for problem in found.problems] == [f"config {name!r}" for name in names[:2]]
    assert "the name 'http' is taken" in found.problems[0].why
    assert isinstance(found.protocols["http"], HttpProtocol)
    keys = [listener.key for listener in listeners(Settings(), found.protocols)]
    assert "http" in keys
    assert "grabbing" not in keys, "it has no sockets of its own"
    with pytest.raises(ConfigError, match=r"listen.grabbing: grabbing has no sockets of its own, .* listen.http"):
        listeners(Settings(listen={"grabbing": "*:1"}), found.protocols)


def test_no_event_loop_but_ours_comes_along() -> None:
    """Only `websockets`' Sans-I/O layer is imported, not its asyncio, threading or trio ones."""
    code = "import gameserver.http.application, sys; print(*(m for m in sys.modules if m.startswith('websockets.')))"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "websockets.server" in modules
    assert not {name.split(".")[1] for name in modules} & {"asyncio", "sync", "trio", "legacy"}


@pytest.mark.parametrize(
    ("event", "wire"),
    [
        (ServerSentEvent("a"), b"data: a\n\n"),
        (ServerSentEvent("a\nb\r\nc", "n\nm", "7"), b"event: n m\nid: 7\ndata: a\ndata: b\ndata: c\n\n"),
        (ServerSentEvent(), b": still here\n\n"),
    ],
)
def test_events_as_they_go_over_the_wire(event: ServerSentEvent, wire: bytes) -> None:
    assert event.encode() == wire


async def test_requests_come_and_go_without_a_line_in_the_log(autojump_clock: MockClock) -> None:
    """A page that asks every second must not fill it; who leaves a WebSocket is told of as ever."""
    with capture_logs() as logs:
        async with serving(protocol=HttpProtocol([EchoProtocol()])) as running:
            browser = await Browser.connect(running)
            await browser.send(b"GET /health HTTP/1.0\r\n\r\n")
            assert (await browser.rest()).endswith(b"Healthy")
            caller = await Browser.connect(running)
            await caller.send(b"nonsense\n")
            await caller.rest()
    ends = [(entry["log_level"], entry["why"]) for entry in logs if entry["event"] == "connection ends"]
    assert ends[0] == ("debug", "closed by the player")
    assert ends[1][0] == "info"


class Uncertain(MemoryJournal):
    """A journal that another server may have taken over."""

    is_certain = True


async def test_server_that_waits_for_its_database_runs_but_does_not_claim_to_lead(autojump_clock: MockClock) -> None:
    """Monitors ask `/health`, and so does a proxy in front of several servers."""
    journal = Uncertain()
    async with serving(protocol=HttpProtocol([]), journal=journal) as running:
        browser = await Browser.connect(running)
        for journal.is_certain, text in ((True, "Healthy"), (False, "Running, but waiting for the database")):
            answer = await browser.get("/health")
            assert (answer.status, answer.text) == (200, text)
