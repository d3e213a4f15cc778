"""A player of the protocol `web` that outlives its server: it comes back to its seat by its key."""

import json
import random
from contextlib import suppress
from typing import Any

import trio
from attrs import Factory, define

from games.reversi import GAME as REVERSI
from tests.end_to_end.arena import Arena
from tests.end_to_end.recorded import Recorded
from tests.end_to_end.server_process import Server
from tests.support.socket_clients import Closed, WebPlayer


@define
class Known:
    """A match as the player was told of it."""

    seat: int
    moves: list[tuple[int | None, str]] = Factory(list)
    result: str = ""


@define(eq=False)
class WebSurvivor:
    """A player at random, one match after the other."""

    arena: Arena
    chance: random.Random
    name: str
    is_done: bool = False
    is_waiting: bool = False
    """True if it looks for an opponent."""
    key: str = ""
    matches: dict[int, Known] = Factory(dict)
    _client: WebPlayer | None = None

    async def converse(self, server: Server) -> None:
        """One connection, to its end, whoever ends it."""
        with suppress(OSError, Closed, trio.BrokenResourceError, trio.ClosedResourceError):
            self._client = await WebPlayer.connect(server.port_of("http"))
            self._client.client.rules = {REVERSI.name: REVERSI}.get
            async with self._client.stream:
                await self._come_in(self._client)
                while not self.is_done:
                    await self._hear(self._client, await self._client.message())

    async def retire(self) -> None:
        """Wait for no opponent any more."""
        self.is_done = True
        if self._client is not None:
            await self._client.stream.aclose()

    async def _come_in(self, client: WebPlayer) -> None:
        self.is_waiting = False
        welcome = await client.ask(do="login", name=self.name, **({"key": self.key} if self.key else {}))
        assert welcome["tell"] == "welcome", f"{self.name} is not let in: {welcome}"
        self.key = welcome["key"]
        board = await client.ask(do="board")
        if board["tell"] == "error":
            await self._look_for_a_match(client)

    async def _look_for_a_match(self, client: WebPlayer) -> None:
        self.is_done = self.arena.finishing and any(known.result for known in self.matches.values())
        if self.is_done:
            await client.send(do="bye")
        else:
            self.is_waiting = True
            await client.send(do="seek", game="Reversi")

    async def _hear(self, client: WebPlayer, told: dict[str, Any]) -> None:
        kind, known = told["tell"], self.matches.get(told.get("match", 0))
        if kind == "paired":
            self.is_waiting = False
            # Ready before a kill is ready after it; the match may begin before a second word arrives.
            if told["you"] not in told["ready"]:
                await client.send(do="ready")
        elif kind == "match":
            self.is_waiting = False
            self._take_in(told)
        elif kind == "moved":
            assert known is not None
            known.moves.append((told["seat"], told["move"]))
            self.arena.a_move_was_taken()
        elif kind == "turn":
            match = client.client.match
            assert match is not None
            assert match.state is not None
            move = REVERSI.write_move(self.chance.choice(match.state.legal_moves(match.seat)))
            await client.send(do="move", move=move, match=told["match"])
        elif kind == "game over":
            assert known is not None
            known.result = told["result"]
        elif kind == "match over":
            await self._look_for_a_match(client)
        else:
            silent = {"ok", "seat ready", "board", "dropped", "returned"}
            assert kind in silent or told.get("code") == "ready already", f"{self.name} heard {json.dumps(told)}"

    def _take_in(self, told: dict[str, Any]) -> None:
        """A match begins, or is shown: then every move that was told of is there, in its place."""
        shown = [(move["seat"], move["move"]) for move in told["moves"]]
        known = self.matches.setdefault(told["match"], Known(told["you"]))
        assert known.seat == told["you"]
        assert shown[: len(known.moves)] == known.moves, f"{self.name} knows {known.moves} and is shown {shown}"
        known.moves = shown

    def check(self, recorded: list[Recorded]) -> None:
        """Every match that the player knows of is on record with the moves that were told, and no other with moves."""
        own = {match.match: match for match in recorded if self.name in match.players}
        assert self.matches.keys() <= own.keys(), f"{self.name} knows of {self.matches.keys()}, {own.keys()} is there"
        for number, known in self.matches.items():
            match = own[number]
            moves = [(match.players.index(who), text) for who, text in match.moves]
            assert match.reason == "played", match
            assert moves[: len(known.moves)] == known.moves
            if known.result:
                assert match.results[known.seat] == known.result
                assert moves == known.moves
