"""A hub's connection by hand: bytes in, records out, and a lobby that answers when it is told to."""

import itertools
import json
from collections import deque
from collections.abc import Sequence
from typing import Any

from attrs import Factory, define

from gameserver.protocol import (
    Accepted,
    Answer,
    Code,
    Context,
    Enter,
    Event,
    GamesListed,
    ListGames,
    ListPlayers,
    Peer,
    PlayerShown,
    PlayersListed,
    Refusal,
    Rejected,
)
from gameserver.testing import Told
from tests.support.by_hand import MemoryConnection
from tests.support.chat import ChatProtocol

GAMES = ("Reversi", "Tic-tac-toe")
PLAYERS = PlayersListed((PlayerShown("ann", "chat"), PlayerShown("bob", "chat")))
HANDSHAKE = b'{"protocol":"json","version":1}\x1e'
OPENED = b"{}\x1e"
PING = b'{"type":6}\x1e'


def context(**given: Any) -> Context:
    numbers = itertools.count(1)
    return Context("document", None, GAMES, new_id=lambda: f"id-{next(numbers)}", **given)


def call(target: str, *arguments: Any, id: Any = None, type: int = 1, **more: Any) -> bytes:  # noqa: A002
    message = {"target": target, "arguments": arguments, "type": type, **more}
    if id is not None:
        message["invocationId"] = id
    return json.dumps(message).encode() + b"\x1e"


def lobby(asked: object) -> tuple[Answer, list[Event]]:
    """The answers that a lobby can give."""
    if isinstance(asked, Enter) and asked.name == "taken":
        return Rejected(Code.NAME_TAKEN), []
    if isinstance(asked, ListGames):
        return Accepted(), [GamesListed(GAMES)]
    if isinstance(asked, ListPlayers):
        return Accepted(), [PLAYERS]
    return Accepted(), []


@define(eq=False)
class Wire(MemoryConnection):
    """The runtime's part, step by step."""

    protocol: ChatProtocol = Factory(ChatProtocol)
    peer: Peer = Factory(lambda: Peer(7, "10.0.0.1", 0))
    answers_at_once: bool = True
    asked: list[Any] = Factory(list)
    unanswered: deque[Any] = Factory(deque)

    def __attrs_post_init__(self) -> None:
        self.adapter = self.protocol.adapter(self.peer, context())
        assert self.adapter.greeting() == b""

    def tick(self, now_ms: int) -> bytes:
        """The clock runs to here, as the runtime runs it: what is due is done in time."""
        before = len(self.said)
        while self.ended is None and (due_ms := self.adapter.due_ms) is not None and due_ms <= now_ms:
            self.attempt(lambda due_ms=due_ms: self.adapter.tick(max(due_ms, 0)))
            self.pump()
            again_ms = self.adapter.due_ms
            assert again_ms is None or again_ms > due_ms or self.ended is not None, "due again at the same time"
        return bytes(self.said[before:])

    def tell(self, *events: Event) -> bytes:
        """Somebody else's doing; `next` is not asked, as it is not by the runtime."""
        before = len(self.said)
        self.said += b"".join(output.data for output in self.adapter.render(None, events))
        return bytes(self.said[before:])

    def answer(self, answer: Answer | None = None, *events: Event) -> bytes:
        """Answer the oldest question, as told or as the lobby would."""
        before = len(self.said)
        usual, its_events = lobby(self.unanswered.popleft())
        outputs = self.adapter.render(answer or usual, events or its_events)
        self.said += b"".join(output.data for output in outputs)
        self.pump()
        return bytes(self.said[before:])

    def farewell(self, refusal: Refusal) -> bytes:
        return self.adapter.farewell(refusal)

    @property
    def may_ask(self) -> bool:
        return not self.unanswered

    def take(self, item: Any) -> None:
        self.asked.append(item)
        self.unanswered.append(item)
        if self.answers_at_once:
            self.answer()


def opened(**options: Any) -> Wire:
    """A connection after its handshake; its answer is forgotten."""
    wire = Wire(**options)
    assert wire.hear(HANDSHAKE) == OPENED
    wire.said.clear()
    return wire


def nothing_told(_: str, data: bytes) -> Sequence[Told]:
    """The `Speaker.read` of a hub: nothing of a match, but every record has to be whole."""
    if data and not data.endswith(b"\x1e"):
        raise ValueError("the last record has no end")
    for record in records(data):
        json.dumps(record)
    return ()


def records(data: bytes) -> list[Any]:
    """The records, which must be whole."""
    *whole, rest = bytes(data).split(b"\x1e")
    assert rest == b"", "half a record"
    return [json.loads(record) for record in whole]
