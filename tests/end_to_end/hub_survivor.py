"""A player of GammonX that lives longer than its server: it comes back by its match's id and token.

It is strict: whatever it hears must be right, and every move that was answered must be on record.
"""

import itertools
import json
import random
import uuid
from collections.abc import Iterator
from contextlib import aclosing, suppress
from typing import Any

import trio
from attrs import Factory, define
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.protocol import State
from websockets.uri import parse_uri

from protocols.gammonx.guids import player_name
from tests.end_to_end.arena import Arena
from tests.end_to_end.line_survivors import connected
from tests.end_to_end.recorded import Recorded
from tests.end_to_end.server_process import Server
from tests.end_to_end.signalr_players import ACTIONS, Asked, check_moves


async def join(port: int, guid: str) -> Any:
    """Look for an opponent over REST; `OSError` where the answer does not come."""
    body = json.dumps({"PlayerId": guid, "MatchVariant": 1, "MatchModus": 0, "MatchType": 2})
    lines = ("POST /api/matches/join HTTP/1.1", "Host: test", "Connection: close", "Content-Type: application/json")
    head = "".join(f"{line}\r\n" for line in (*lines, f"Content-Length: {len(body)}", ""))
    async with await connected(port) as stream:
        await stream.send_all(f"{head}{body}".encode())
        data = b"".join([bytes(received) async for received in stream])
    answer = data.partition(b"\r\n\r\n")[2]
    if not answer.endswith(b"}}"):
        raise ConnectionResetError
    told = json.loads(answer)
    assert told["type"] == "OK", told
    return told["payload"]


def upgrade(token: str) -> bytes:
    """The request that opens a WebSocket to the hub."""
    lines = ("Host: test", "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
    head = (f"GET /matchhub?token={token} HTTP/1.1", *lines, "Sec-WebSocket-Version: 13", "")
    return "".join(f"{line}\r\n" for line in head).encode()


@define(eq=False)
class Seat:
    """A match of one player of GammonX."""

    guid: str
    match_id: str
    token: str
    asked: list[Asked] = Factory(list)
    is_known: bool = False
    """True if the match has begun, as far as the player knows."""
    ended: Any = None


@define(eq=False)
class HubSurvivor:
    """A player at the SignalR hub, who comes back with the id of its match and its token."""

    arena: Arena
    chance: random.Random
    is_done: bool = False
    seats: list[Seat] = Factory(list)
    _seat: Seat | None = None
    _stream: trio.SocketStream | None = None
    _numbers: Iterator[int] = Factory(itertools.count)
    _pending: dict[str, Asked] = Factory(dict)

    @property
    def is_waiting(self) -> bool:
        """True while it has no opponent."""
        return self._seat is None or not self._seat.is_known

    async def converse(self, server: Server) -> None:
        """One connection, to its end, whoever ends it."""
        with suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            while not self.is_done:
                if not await self._play(server.port_of("http")):
                    return

    async def retire(self) -> None:
        """Wait for no opponent any more."""
        self.is_done = True
        if self._stream is not None:
            await self._stream.aclose()

    async def _play(self, port: int) -> bool:
        """Come to a match, old or new; whether it has been left, and the connection was not lost before."""
        if self._seat is None:
            # A join whose answer is lost is lost with it, so each is somebody else's.
            guid = str(uuid.UUID(int=self.chance.getrandbits(128), version=4))
            payload = await join(port, guid)
            self._seat = Seat(guid, payload["matchId"], payload["token"])
        self._pending.clear()
        async with await connected(port) as self._stream:
            await self._stream.send_all(upgrade(self._seat.token))
            await self._say('{"protocol":"json","version":1}')
            await self._invoke("JoinMatch", self._seat.guid)
            async with aclosing(self._records()) as records:
                async for record in records:
                    await self._hear(record)
                    if self._seat is None:
                        return True
        return False

    async def _records(self) -> Any:
        assert self._stream is not None
        reader = ClientProtocol(parse_uri("ws://test/"), state=State.OPEN)
        head, unread = b"", b""
        async for data in self._stream:
            if b"\r\n\r\n" in head:
                reader.receive_data(bytes(data))
            else:
                head += bytes(data)
                assert head.startswith(b"HTTP/1.1 101 "[: len(head)]), head
                reader.receive_data(head.partition(b"\r\n\r\n")[2])
            for event in reader.events_received():
                assert isinstance(event, Frame)
                if event.opcode is Opcode.TEXT:
                    *records, unread = (unread + bytes(event.data)).split(b"\x1e")
                    for record in records:
                        yield json.loads(record)

    async def _hear(self, record: Any) -> None:
        assert self._seat is not None
        if record.get("type") == 3:
            assert record["result"] is None, record
            asked = self._pending.pop(record["invocationId"])
            asked.is_done = True
            if asked.text:
                self.arena.a_move_was_taken()
        elif record.get("type") == 1:
            payload = record["arguments"][0]["payload"]
            await self._hear_event(record["target"], payload)

    async def _hear_event(self, name: str, payload: Any) -> None:
        assert self._seat is not None
        if name == "error":
            # The match came to its end while nobody heard.
            assert payload["message"] == "No match lobby was found with the given matchId.", payload
            self._leave()
        elif name == "match-ended":
            self._seat.ended = payload
            self._leave()
        elif "boardState" in payload or "gameRounds" in payload:
            self._seat.is_known = True
            await self._act(payload)

    def _leave(self) -> None:
        assert self._seat is not None
        self.seats.append(self._seat)
        self._seat = None
        self.is_done = self.arena.finishing

    async def _act(self, payload: Any) -> None:
        action = next((action for action in ACTIONS if action in payload["allowedCommands"]), None)
        if action == "Move":
            moves = [sequence["moves"][0] for sequence in payload["moveSequences"]]
            move = min(moves, key=lambda move: (move["to"] >= 0, move["from"]))
            await self._invoke(action, move["from"], move["to"])
        elif action is not None:
            await self._invoke(action)

    async def _invoke(self, method: str, *arguments: Any) -> None:
        assert self._seat is not None
        number, asked = str(next(self._numbers)), Asked(method, arguments)
        self._pending[number] = asked
        self._seat.asked.append(asked)
        call = {"type": 1, "invocationId": number, "target": method, "arguments": [self._seat.match_id, *arguments]}
        await self._say(json.dumps(call))

    async def _say(self, record: str) -> None:
        assert self._stream is not None
        await self._stream.send_all(Frame(Opcode.TEXT, f"{record}\x1e".encode()).serialize(mask=True))

    def check(self, recorded: list[Recorded]) -> None:
        """Every match with an opponent is on record, with every move that was answered and none that was not asked."""
        for seat in self.seats:
            name = player_name(seat.guid)
            own = [match for match in recorded if name in match.players]
            assert len(own) == seat.is_known, f"{name} is on record as {own}"
            for match in own:
                assert match.reason == "played", match
                check_moves(name, seat.asked, [text for who, text in match.moves if who == name])
                if seat.ended is not None:
                    points = {each["id"]: each["score"] for each in (seat.ended["player1"], seat.ended["player2"])}
                    assert match.points[match.players.index(name)] == points[seat.guid]
