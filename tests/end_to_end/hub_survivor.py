"""A player of GammonX that lives longer than its server: it comes back by its match's id and token.

It is strict: whatever it hears must be right, and every move that was answered must be on record.
"""

import json
import random
import uuid
from collections import deque
from contextlib import suppress
from typing import Any

import trio
from attrs import Factory, define

from protocols.gammonx.schema import player_name
from tests.clients.gammonx import HANDSHAKE, GammonXClient
from tests.clients.websocket import Frames, Responses, handshake, request
from tests.end_to_end.arena import Arena
from tests.end_to_end.line_survivors import connected
from tests.end_to_end.recorded import Recorded
from tests.end_to_end.server_process import Server
from tests.end_to_end.signalr_players import ACTIONS, Asked, check_moves


async def join(port: int, guid: str) -> Any:
    """Look for an opponent over REST; `OSError` where the answer does not come."""
    body = json.dumps({"PlayerId": guid, "MatchVariant": 1, "MatchModus": 0, "MatchType": 2}).encode()
    async with await connected(port) as stream:
        await stream.send_all(request("POST", "/api/matches/join", body, ("Connection: close",)))
        data = b"".join([bytes(received) async for received in stream])
    for _, answer in Responses().feed(data):
        told = json.loads(answer)
        assert told["type"] == "OK", told
        return told["payload"]
    raise ConnectionResetError


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
    _client: GammonXClient = Factory(GammonXClient)
    _frames: Frames = Factory(Frames)
    _pending: deque[Asked] = Factory(deque)

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
        self._client, self._frames = GammonXClient(), Frames()
        async with await connected(port) as self._stream:
            await self._stream.send_all(handshake(f"/matchhub?token={self._seat.token}"))
            await self._say(HANDSHAKE)
            await self._invoke("JoinMatch", self._seat.guid)
            async for data in self._stream:
                for message in self._frames.feed(bytes(data)):
                    for name, payload in self._client.receive(message):
                        await self._hear_event(name, payload)
                        if self._seat is None:
                            return True
        return False

    async def _hear_event(self, name: str, payload: Any) -> None:
        assert self._seat is not None
        if name == "done":
            asked = self._pending.popleft()
            asked.is_done = True
            if asked.text:
                self.arena.a_move_was_taken()
        elif name == "error":
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
        asked = Asked(method, arguments)
        self._pending.append(asked)
        self._seat.asked.append(asked)
        await self._say(self._client.call(method, self._seat.match_id, *arguments))

    async def _say(self, record: bytes) -> None:
        assert self._stream is not None
        await self._stream.send_all(self._frames.message(record))

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
