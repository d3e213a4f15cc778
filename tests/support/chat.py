"""A hub to try SignalR with: a little chat over the lobby, with a method of every kind."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from attrs import frozen

from gameserver.core.commands import Capability
from gameserver.protocol import (
    Adapter,
    Answer,
    Context,
    Endpoint,
    Enter,
    Event,
    GamesListed,
    ListGames,
    ListPlayers,
    Peer,
    PlayersListed,
    Rejected,
    Said,
    Say,
    WireProtocol,
)
from protocols.signalr import Calls, Hub, HubError, HubPeer, HubSession, Steps


@frozen
class Join:
    name: str


@frozen
class Tell:
    to: str
    text: str


@frozen
class Introduce:
    """Several commands, one after the other."""

    name: str
    to: str


@frozen
class Players:
    """A query and a result."""


@frozen
class Move:
    """Integers, and a word that Python keeps for itself; an event, no lobby."""

    match_id: str
    from_: int
    to: int


@frozen
class Version:
    """A result, no lobby."""


@frozen
class Refuse:
    why: str


@frozen
class Crash:
    pass


@frozen
class Remind:
    """Something by the clock."""

    at_ms: int


@frozen
class Leave:
    why: str
    come_back: bool


@frozen
class Note:
    """The payload of an event."""

    by: str
    text: str


class ChatSession(HubSession):
    identified = False

    def __init__(self, client: HubPeer, peer: Peer) -> None:
        self.client = client
        self.peer = peer
        self.remind_ms: int | None = None

    def connected(self) -> Steps | None:
        if self.client.access_token is not None:
            self.client.send("welcome", self.client.access_token)
        return None

    def invoke(self, call: Any) -> Any:
        return METHODS[type(call)](self, call)

    def heard(self, events: Sequence[Event]) -> Steps | None:
        asked = False
        for event in events:
            if isinstance(event, Said):
                self.client.send("said", Note(event.sender, event.text))
                asked = asked or event.text == "games?"
        return self.tell_games() if asked else None

    def tell_games(self) -> Steps:
        told = yield ListGames(self.peer.session)
        self.client.send(
            "games", [name for event in told.events if isinstance(event, GamesListed) for name in event.games]
        )

    @property
    def due_ms(self) -> int | None:
        return self.remind_ms

    def tick(self, now_ms: int) -> Steps | None:
        self.client.send("reminder", self.remind_ms)
        self.remind_ms = None
        return None


def expect(answer: Answer) -> None:
    if isinstance(answer, Rejected):
        raise HubError(answer.code.value)


def join(session: ChatSession, call: Join) -> Steps:
    peer = session.peer
    told = yield Enter(peer.session, call.name, "chat", peer.address, (Capability.CHAT, Capability.CHALLENGE))
    expect(told.answer)
    session.identified = True
    session.client.send("joined", {"name": call.name, "connectionId": session.client.connection_id})


def tell(session: ChatSession, call: Tell) -> Steps:
    told = yield Say(session.peer.session, call.to, call.text)
    expect(told.answer)


def introduce(session: ChatSession, call: Introduce) -> Steps:
    yield from join(session, Join(call.name))
    names = yield from players(session, Players())
    for word in ("hello", "there"):
        if call.to in names:
            yield from tell(session, Tell(call.to, word))


def players(session: ChatSession, call: Players) -> Steps:
    told = yield ListPlayers(session.peer.session)
    expect(told.answer)
    return [shown.name for event in told.events if isinstance(event, PlayersListed) for shown in event.players]


def move(session: ChatSession, call: Move) -> None:
    session.client.send("moved", {"type": "moved", "payload": [call.match_id, call.from_, call.to]})


def refuse(session: ChatSession, call: Refuse) -> Any:
    session.client.send("said", Note("server", "no"))
    raise HubError(call.why)


def crash(session: ChatSession, call: Crash) -> Steps:
    yield ListGames(session.peer.session)
    raise ZeroDivisionError


def remind(session: ChatSession, call: Remind) -> None:
    session.remind_ms = call.at_ms


def leave(session: ChatSession, call: Leave) -> None:
    session.client.close(call.why or None, allow_reconnect=call.come_back)


METHODS: Mapping[type, Callable[[ChatSession, Any], Any]] = {
    Join: join,
    Tell: tell,
    Introduce: introduce,
    Players: players,
    Move: move,
    Version: lambda session, call: "1.0",
    Refuse: refuse,
    Crash: crash,
    Remind: remind,
    Leave: leave,
}


class ChatProtocol(WireProtocol):
    name: ClassVar[str] = "chat"
    title: ClassVar[str] = "A chat over SignalR"
    default_port: ClassVar[int | None] = None

    def __init__(self, **options: Any) -> None:
        self.hub = Hub(Calls(*METHODS), **options)

    def adapter(self, peer: Peer, context: Context) -> Adapter:
        return self.hub.adapter(peer, context, lambda client: ChatSession(client, peer))

    def endpoints(self) -> Sequence[Endpoint]:
        return self.hub.endpoints("/chat")
