"""A client's way to the protocol kit's lobby, without a network: its connection, and HTTP requests beside it."""

from collections.abc import Callable, MutableMapping
from typing import Any

import trio
from attrs import define

from gameserver.endpoints import LOBBY_KEY
from gameserver.protocol import Command, Event, HttpEndpoint, LazyApp, LobbyReply, Query
from gameserver.testing.contract import describe
from gameserver.testing.protocol_kit.connection import ADDRESS, KitConnection
from gameserver.testing.protocol_kit.driver import HttpAnswer
from gameserver.testing.protocol_kit.hall import NOW_MS, Hall, Listener


@define(eq=False)
class KitWire:
    """The `Wire` of a connection. A fault of the protocol's application is reported as one of its adapter is."""

    one: KitConnection

    @property
    def profile(self) -> str:
        """The connection's profile."""
        return self.one.profile

    def send(self, data: bytes) -> None:
        """Send bytes; the server does everything that they ask for."""
        self.one.receive(data)

    def request(self, method: str, path: str, body: bytes = b"") -> HttpAnswer:
        """Run a request through the application of the longest path that fits."""
        trail, lobby = self.one.trail, HttpLobby(self.one.hall)
        trail.steps.append(f"{method} {path}")
        endpoints = [
            endpoint
            for endpoint in self.one.protocol.endpoints()
            if isinstance(endpoint, HttpEndpoint) and f"{path}/".startswith(f"{endpoint.path.rstrip('/')}/")
        ]
        if not endpoints:
            trail.fail(f"no HttpEndpoint answers at {path}; name one in endpoints()")
        endpoint = max(endpoints, key=lambda endpoint: len(endpoint.path))
        app = endpoint.app.make() if isinstance(endpoint.app, LazyApp) else endpoint.app
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": b"",
            "root_path": endpoint.path.rstrip("/"),
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
            "client": (ADDRESS, 0),
            "server": None,
            LOBBY_KEY: lobby,
        }
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        try:
            trio.run(app, scope, receive, send)
        except Exception as error:
            raise trail.error(f"{method} {path} raised {describe(error)}; make a response of every request") from error
        heads = [message["status"] for message in sent if message["type"] == "http.response.start"]
        trail.require(len(heads) == 1, f"{method} {path} has {len(heads)} responses; give one")
        return HttpAnswer(heads[0], b"".join(message.get("body", b"") for message in sent))


class HttpLobby:
    """The lobby for the handler of one request: a `LobbyClient`."""

    address = ADDRESS
    asked_ms = NOW_MS

    def __init__(self, hall: Hall) -> None:
        self._hall, self._listener = hall, Listener(hall)

    @property
    def session(self) -> int:
        """The request's own session."""
        return self._listener.session

    @property
    def new_id(self) -> Callable[[], str]:
        """A source of ids."""
        return self._hall.new_id

    async def ask(self, asked: Command | Query) -> LobbyReply:
        """Decide a command or query; its outcome."""
        answer = self._hall.do(asked)
        events, self._listener.heard = self._listener.heard, []
        return LobbyReply(answer, tuple(events))

    async def hear(self) -> tuple[Event, ...]:
        """Nothing happens of itself here."""
        return ()
