"""A protocol that says every line back, and routes beside it: what the HTTP listener's tests are made with."""

import itertools
from collections import deque
from collections.abc import Sequence
from typing import ClassVar

import trio
from attrs import frozen
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from gameserver.core.commands import Capability, Leave
from gameserver.protocol import (
    Accepted,
    Adapter,
    Answer,
    BrokenInput,
    Challenge,
    Command,
    Context,
    Endpoint,
    Enter,
    Event,
    Framing,
    GamesListed,
    HttpEndpoint,
    ListGames,
    ListPlayers,
    Output,
    Peer,
    Play,
    PlayersListed,
    Query,
    Refusal,
    Rejected,
    Reply,
    TurnStarted,
    WebSocketEndpoint,
    WireProtocol,
    lobby_of,
)
from gameserver.web.live_pages import EventStream, ServerSentEvent


class EchoAdapter(Adapter):
    """Says lines back. Some mean something: `games`, `bye`, `broken`, `fault`, `login`, `big N`."""

    identified = False

    def __init__(self, peer: Peer, context: Context) -> None:
        self.peer = peer
        self.context = context
        self._buffer = b""
        self._lines: deque[bytes] = deque()
        self._ended = False
        self._left = False
        self._asked = False
        self._due_ms: int | None = None

    def greeting(self) -> bytes:
        return b""

    def receive(self, data: bytes, at_ms: int) -> None:
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        self._lines += lines
        if len(self._buffer) > self.context.line_bytes_max:
            raise BrokenInput("the line is too long", b"too long\n")
        if b"alarm" in lines:
            self._due_ms = at_ms + 5_000

    def receive_eof(self) -> None:
        assert not self._ended, "the end comes once"
        self._ended = True

    def next(self) -> Command | Query | Reply | None:
        if self._due_ms == 0:
            self._due_ms = None
            return Reply(b"ring\n")
        if not self._lines or self._left:
            return None
        line = self._lines.popleft()
        word, _, rest = line.partition(b" ")
        if word == b"bye":
            self._left = True
        elif word == b"broken":
            raise BrokenInput("not understood", b"what?\n")
        elif word == b"fault":
            raise ZeroDivisionError
        elif word == b"login":
            self.identified = True
        elif word == b"big":
            return Reply(b"x" * int(rest) + b"\n")
        elif word == b"games":
            self._asked = True
            return ListGames(self.peer.session)
        return Reply(line + b"\n")

    def render(self, answer: Answer | None, events: Sequence[Event]) -> Sequence[Output]:
        self._asked = False
        return [Output(b"%s\n" % ",".join(event.games).encode()) for event in events if isinstance(event, GamesListed)]

    def farewell(self, refusal: Refusal) -> bytes:
        return f"sorry: {refusal.why}\n".encode()

    @property
    def due_ms(self) -> int | None:
        return self._due_ms

    def tick(self, now_ms: int) -> None:
        self._due_ms = 0

    @property
    def pending_bytes(self) -> int:
        return sum(map(len, self._lines))

    @property
    def finished(self) -> bool:
        return self._left or (self._ended and not self._lines and not self._asked)


@frozen
class EchoOptions:
    """Something to recognise."""

    mark: str = "default"


class EchoProtocol(WireProtocol):
    name: ClassVar[str] = "echo"
    title: ClassVar[str] = "Echo"
    default_port: ClassVar[int | None] = None
    profiles: ClassVar[tuple[str, ...]] = ("plain", "loud")
    options_type: ClassVar[type] = EchoOptions

    def __init__(self) -> None:
        self.adapters: list[EchoAdapter] = []

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        self.adapters.append(EchoAdapter(peer, context))
        return self.adapters[-1]

    def endpoints(self) -> Sequence[Endpoint]:
        return (
            WebSocketEndpoint("/echo"),
            WebSocketEndpoint("/stream", profile="loud", framing=Framing.STREAM, origins=("http://here",)),
            HttpEndpoint("/api", ROUTES, origins=("*",), credentials=True),
        )


async def list_games(request: Request) -> Response:
    lobby = lobby_of(request)
    told = await lobby.ask(ListGames(lobby.session))
    return JSONResponse([name for event in told.events if isinstance(event, GamesListed) for name in event.games])


async def register(request: Request) -> Response:
    """A player for the time of a request: it comes in, is seen, and goes."""
    body = await request.json()
    lobby = lobby_of(request)
    told = await lobby.ask(Enter(lobby.session, body["name"], "echo", lobby.address, (Capability.CHALLENGE,)))
    if isinstance(told.answer, Rejected):
        return JSONResponse({"error": told.answer.code.value}, 400)
    told = await lobby.ask(ListPlayers(lobby.session))
    names = [shown.name for event in told.events if isinstance(event, PlayersListed) for shown in event.players]
    told = await lobby.ask(Leave(lobby.session))
    assert told.answer == Accepted()
    return JSONResponse({"players": names})


async def wait_for_challenge(request: Request) -> Response:
    """A challenge to the house, and what the match that follows says unasked."""
    lobby = lobby_of(request)
    await lobby.ask(Enter(lobby.session, "waiter", "echo", lobby.address))
    told = await lobby.ask(Challenge(lobby.session, "house-random", "Tic-tac-toe"))
    if any(isinstance(event, TurnStarted) for event in told.events):
        await lobby.ask(Play(lobby.session, "4"))
    heard = await lobby.hear()
    await lobby.ask(Leave(lobby.session))
    names = [[type(event).__name__ for event in events] for events in (told.events, heard)]
    return JSONResponse({"told": names[0], "heard": names[1]})


async def say_back(request: Request) -> Response:
    body = await request.body()
    return Response(body, headers={"x-length": str(len(body)), "x-query": str(request.query_params)})


async def large(request: Request) -> Response:
    return Response(b"x" * int(request.query_params["bytes"]))


async def stream(request: Request) -> Response:
    async def chunks():
        for number in range(int(request.query_params["chunks"])):
            yield b"%d\n" % number * 1000

    return StreamingResponse(chunks())


async def fail(request: Request) -> Response:
    raise ZeroDivisionError


async def fail_half_way(request: Request) -> Response:
    async def chunks():
        yield b"half a page"
        raise ZeroDivisionError

    return StreamingResponse(chunks())


async def answer_with(request: Request) -> Response:
    return Response(b"a body", request.path_params["status"])


async def never(request: Request) -> Response:
    await trio.sleep_forever()
    raise AssertionError


_open_streams: list[object] = []


def streams_open() -> int:
    return len(_open_streams)


async def ticks(request: Request) -> Response:
    """A tick a second, for ever."""

    async def count():
        _open_streams.append(None)
        try:
            yield ServerSentEvent()
            for number in itertools.count(1):
                await trio.sleep(1)
                yield ServerSentEvent(f"{number}\none" if number == 1 else str(number), "tick", str(number))
        finally:
            _open_streams.pop()

    return EventStream(count())


async def greet(request: Request) -> Response:
    return PlainTextResponse(f"hello {request.path_params['name']}")


ROUTES = Starlette(
    routes=[
        Route("/games", list_games),
        Route("/players", register, methods=["POST"]),
        Route("/heard", wait_for_challenge, methods=["POST"]),
        Route("/echo", say_back, methods=["GET", "POST"]),
        Route("/large", large),
        Route("/stream", stream),
        Route("/fail", fail),
        Route("/half", fail_half_way),
        Route("/never", never),
        Route("/status/{status:int}", answer_with),
        Route("/ticks", ticks),
        Route("/greet/{name}", greet),
    ]
)
