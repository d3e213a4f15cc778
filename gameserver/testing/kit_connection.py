"""A client's way to the protocol kit's lobby, without a network: its connection, and HTTP requests beside it.

The connection keeps the server's promises to an adapter: one command at a time, the answer rendered once, then `next`.
"""

from collections.abc import Callable, Iterable, MutableMapping, Sequence
from typing import Any, get_args

import trio
from attrs import Factory, define, evolve, field

from gameserver import protocol as public
from gameserver.core.lobby import At
from gameserver.endpoints import LOBBY_KEY
from gameserver.journal.codec import read_row, write_row
from gameserver.protocol import (
    Adapter,
    Answer,
    BrokenInput,
    Command,
    Context,
    Depart,
    Event,
    HttpEndpoint,
    LazyApp,
    LobbyReply,
    Output,
    Peer,
    Play,
    Query,
    Refusal,
    Reply,
    Resign,
    WireProtocol,
    Work,
)
from gameserver.testing.contract import Trail, describe
from gameserver.testing.kit_lobby import NOW_MS, KitLobby, Listener
from gameserver.testing.speaker import LINE_BYTES_MAX, HttpAnswer, Speaker

# RFC 5737: an address for documentation, which is nobody's.
_ADDRESS = "192.0.2.7"
NAME = "ann"
_ASKABLE = tuple(kind for kind in get_args(Command | Query) if kind.__name__ in public.__all__)
"""The commands and queries of a protocol. The other commands belong to the server and the teacher."""
_WORKS_MAX = 20
"""The most steps of one `Work`. A work that needs more waits for something that the kit does not have."""


@define(eq=False)
class KitConnection:
    """One connection of a protocol to the kit's lobby, without a network.

    A fault of its adapter is reported with the messages that led to it.
    """

    hall: KitLobby
    protocol: WireProtocol
    speaker: Speaker
    profile: str
    trail: Trail = field(init=False)
    session: int = field(init=False)
    adapter: Adapter = field(init=False)
    said: bytearray = Factory(bytearray)
    """The bytes that the client was sent."""
    asked: list[Any] = Factory(list)
    """The commands and queries to the lobby, without their `match`, which depends on the time of reading."""
    heard: list[Event] = Factory(list)
    """Every event that the lobby told this session."""
    replies: int = 0
    ended: str | None = None
    """The reason for the connection's end; None while it is open."""

    def __attrs_post_init__(self) -> None:
        self.trail = Trail(f"{self.protocol.name} ({self.profile})")
        self.session = self.hall.new_session()
        self.hall.members[self.session] = self
        context = Context(
            self.profile,
            self.trail.ask("options_type()", self.protocol.options_type, **self.speaker.options),
            tuple(sorted(game.name for game in self.hall.games)),
            LINE_BYTES_MAX,
            new_id=self.hall.new_id,
        )
        peer = Peer(self.session, _ADDRESS, NOW_MS, self.speaker.handshake)
        adapter: object = self.trail.ask("adapter()", self.protocol.adapter, peer, context)
        if not isinstance(adapter, Adapter):
            self.trail.fail(f"adapter() gave {adapter!r}; give an Adapter")
        self.adapter = adapter
        self.said += self.bytes_of("greeting()", self.trail.ask("greeting()", self.adapter.greeting))
        if self.speaker.opening:
            self.receive(self.speaker.opening)
            self.replies = 0

    def receive(self, *pieces: bytes) -> None:
        """Give bytes to the adapter of a kit's connection, and do everything that they ask for."""
        for data in pieces:
            self.take(data)
            self.go_on()

    def take(self, data: bytes) -> None:
        """Give bytes to the adapter of a kit's connection, and do nothing else yet."""
        if self.ended is None:
            self._guarded(f"receive({shown(data)})", lambda: self.adapter.receive(data, NOW_MS))

    def end_input(self) -> None:
        """End the client's input on a kit's connection."""
        if self.ended is None:
            self._guarded("receive_eof()", self.adapter.receive_eof)

    def next(self) -> Command | Query | Reply | Work | None:
        """Take the next item of the adapter on a kit's connection. An object of any other type is reported."""
        waits: Any = self.trail.ask("is_waiting", getattr, self.adapter, "is_waiting")
        item: Any = None if self.ended is not None else self._guarded("next()", self.adapter.next)
        if waits and item is not None:
            self.trail.fail(
                f"is_waiting is True, but next() gives {named(item)}; the server does not ask who waits, so the peer "
                "would get no answer. Leave is_waiting False where more may be there"
            )
        if item is None:
            return None
        if isinstance(item, Reply | Work):
            return item
        if not isinstance(item, _ASKABLE):
            self.trail.fail(f"next() gave {named(item)}; give a command or query of gameserver.protocol, Reply or Work")
        self._check_asked(item)
        asked: Command | Query = item
        return asked

    def go_on(self) -> None:
        """Do everything that the adapter asks for, as the server does."""
        while self.ended is None:
            due_ms = self.trail.ask("due_ms", getattr, self.adapter, "due_ms")
            if due_ms is not None and due_ms <= NOW_MS:
                self._guarded("tick()", lambda: self.adapter.tick(NOW_MS))
            item = self.next()
            if item is None:
                if self.adapter.finished and self.ended is None:
                    self.ended = "finished"
                return
            self.carry_out(item)

    def carry_out(self, item: Command | Query | Reply | Work) -> None:
        """Carry out one item that the adapter asks for."""
        if isinstance(item, Reply):
            self.said += self.bytes_of("Reply.data", item.data)
            self.replies += 1
        elif isinstance(item, Work):
            self._run(item)
        else:
            self.hall.do(item)

    def hear(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Have the adapter render an answer and events of the lobby."""
        self.heard += events
        if self.ended is None:
            self.said += b"".join(output.data for output in self.render(answer, events))

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        """Render an answer and events, and check the types of the output."""
        what = f"render({named(answer)}, [{', '.join(map(named, events))}])"
        outputs: Any = self.trail.ask(what, self.adapter.render, answer, tuple(events))
        for output in outputs:
            self.trail.require(isinstance(output, Output), f"{what} gave {output!r}; give a sequence of Output")
            self.bytes_of(f"{what}: Output.data", output.data)
        return tuple(outputs)

    def end(self, why: str) -> None:
        """End the connection with the adapter's last words, as the server does."""
        if self.ended is None:
            last_words = self.trail.ask("farewell()", self.adapter.farewell, Refusal(why))
            self.said += self.bytes_of("farewell()", last_words)
            self.ended = why

    def log_in(self, name: str) -> None:
        """Log in under a name, which must succeed."""
        assert self.speaker.log_in is not None, "asked by the caller"
        self.trail.steps.append(f"log_in({name!r})")
        self.receive(self.speaker.log_in(name))
        self.trail.require(
            self.session in self.hall.lobby.sessions,
            f"the player is not in the lobby; let a login end in Enter. The client was told {shown(self.said)}",
        )

    def require_pending(self, least: int, most: int, when: str) -> None:
        """Report an adapter whose `pending_bytes` is not from `least` to `most`."""
        pending: Any = self.trail.ask("pending_bytes", getattr, self.adapter, "pending_bytes")
        wanted = f"from {least} to {most}, or the server reads on without end"
        self.trail.require(
            isinstance(pending, int) and least <= pending <= most,
            f"pending_bytes is {pending!r} {when}; it must be {wanted if most else '0, or the server stops reading'}",
        )

    def require_readable(self, data: bytes, what: str) -> None:
        """Report bytes that a client of the protocol cannot read."""
        try:
            self.speaker.read(NAME, data)
        except ValueError as error:
            raise self.trail.error(f"{what} {shown(data)}, which is no whole message: {error}") from error

    def bytes_of(self, source: str, data: Any) -> bytes:
        """Check that an adapter gave bytes."""
        if not isinstance(data, bytes | bytearray):
            self.trail.fail(f"{source} is {data!r}; give bytes")
        return bytes(data)

    def _guarded(self, what: str, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except BrokenInput as broken:
            self.said += self.bytes_of("BrokenInput.last_words", broken.last_words)
            self.ended = broken.why
            return None
        except Exception as error:
            raise self.trail.error(
                f"{what} raised {describe(error)}; raise BrokenInput, and nothing else, at what cannot be read on from"
            ) from error

    def _check_asked(self, item: Any) -> None:
        """A command has this connection's session, and can be journaled as it is."""
        self.trail.require(
            item.session == self.session,
            f"{named(item)} names the session {item.session!r}, the connection's is {self.session}; "
            "take it from peer.session",
        )
        if type(item) in get_args(Command):
            try:
                # A peer's words, such as a lone surrogate or a number for a name, must reach the journal unchanged.
                is_same = read_row(write_row(1, At(0, 0), item))[0] == item
            except Exception as error:
                raise self.trail.error(
                    f"{named(item)} cannot be journaled: {describe(error)}; check what the peer sent before it is asked"
                ) from error
            self.trail.require(is_same, f"{item!r} has a field of another type; check what the peer sent")
        self.asked.append(_without_match(item))

    def _run(self, work: Work) -> None:
        """Run a work that waits for nothing."""
        steps: Any = work.run(lambda: None)
        try:
            for _ in range(_WORKS_MAX):
                steps.send(None)
        except StopIteration:
            return
        except Exception as error:
            raise self.trail.error(f"Work.run raised {describe(error)}; let it leave a Reply for next()") from error
        steps.close()


def _without_match(item: Any) -> Any:
    """A command without the match that it is meant for."""
    return evolve(item, match=None) if isinstance(item, Play | Resign | Depart) else item


def named(thing: object) -> str:
    """Names a command, answer or event in an error about a kit's connection by its type."""
    return "None" if thing is None else type(thing).__name__


def shown(data: bytes | bytearray, length_max: int = 80) -> str:
    """Shows bytes in an error about a kit's connection."""
    return repr(bytes(data)) if len(data) <= length_max else f"{bytes(data[:length_max])!r}... ({len(data)} bytes)"


Connect = Callable[[], KitConnection]
"""Makes a new connection to a new lobby."""


def logged_in(connect: Connect) -> KitConnection:
    """Makes a connection to the kit's lobby, without a network, whose player is in it where the speaker knows how."""
    one = connect()
    if one.speaker.log_in is not None:
        one.log_in(NAME)
    return one


def after_each_message(connect: Connect) -> Iterable[tuple[KitConnection, bytes]]:
    """Opens kit connections, two for each message of a speaker: one that has not logged in, and one that has."""
    for message in connect().speaker.messages:
        yield connect(), message
        yield logged_in(connect), message


@define(eq=False)
class KitWire:
    """The way of a `Driver` to the kit: its connection, and HTTP requests.

    A fault of the protocol's application is reported as one of its adapter is.
    """

    one: KitConnection

    @property
    def profile(self) -> str:
        """The profile of a kit's connection, for its driver."""
        return self.one.profile

    def send(self, data: bytes) -> None:
        """Send a driver's bytes on a kit's connection; the server does everything that they ask for."""
        self.one.receive(data)

    def request(self, method: str, path: str, body: bytes = b"") -> HttpAnswer:
        """Run a driver's HTTP request through the protocol's application of the longest path that fits."""
        trail, lobby = self.one.trail, _HttpLobby(self.one.hall)
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
            "client": (_ADDRESS, 0),
            "server": None,
            LOBBY_KEY: lobby,
        }
        sent: list[MutableMapping[str, Any]] = []

        async def receive() -> MutableMapping[str, Any]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        try:
            # A request has an event loop of its own here: the kit is called from tests that have none.
            trio.run(app, scope, receive, send)
        except Exception as error:
            raise trail.error(f"{method} {path} raised {describe(error)}; make a response of every request") from error
        heads = [message["status"] for message in sent if message["type"] == "http.response.start"]
        trail.require(len(heads) == 1, f"{method} {path} has {len(heads)} responses; give one")
        return HttpAnswer(heads[0], b"".join(message.get("body", b"") for message in sent))


class _HttpLobby:
    """The lobby for the handler of one request: a `LobbyClient`."""

    address = _ADDRESS
    asked_ms = NOW_MS

    def __init__(self, hall: KitLobby) -> None:
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
