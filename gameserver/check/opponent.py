"""A player of the check: a client of the text protocol, on a socket, whose legal moves come from the server itself."""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import trio
from attrs import define, field

from gameserver.check.choosing import choose
from gameserver.check.foresight import Foresight
from gameserver.check.server_under_check import HOST, ServerUnderCheck
from gameserver.check.steps import Aim
from gameserver.core.match import Match
from gameserver.proxy import streams

_LINE_END = b"\r\n"


@define(eq=False)
class Opponent:
    """One player. `changed` is called whenever it has heard something."""

    name: str
    server: ServerUnderCheck
    chance: Random
    changed: Callable[[], None]
    aim: Aim | None = None
    think_s: float = 0.0
    wish: str = ""
    """The move that it makes as soon as that is legal; empty for none."""
    is_late: bool = False
    """True if it makes no move any more in this match."""
    heard: list[str] = field(factory=list)
    is_asked: bool = False
    """True since the server has asked for a move."""
    _foresight: Foresight = field(factory=Foresight, init=False)
    _stream: trio.SocketStream | None = None
    _sending: trio.Lock = field(factory=trio.Lock, init=False)

    @property
    def is_connected(self) -> bool:
        """True while it has a connection."""
        return self._stream is not None

    async def connect(self, nursery: trio.Nursery) -> None:
        """Connect and log in; the answer is heard later."""
        self._stream = await trio.open_tcp_stream(HOST, self.server.own_port)
        self.is_asked = False
        nursery.start_soon(self._listen, self._stream)
        await self.send(f"login {self.name}")

    async def send(self, line: str) -> None:
        """Send a line, if there is a connection."""
        stream = self._stream
        if stream is None:
            return
        try:
            async with self._sending:  # a move and the words of a step may come at once
                await stream.send_all(f"{line}\n".encode())
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            if self._stream is stream:
                self._stream = None

    async def reset(self) -> None:
        """Drop the connection as a program does that dies."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await streams.reset(stream)

    async def leave(self) -> None:
        """Log out."""
        await self.send("logout")
        await self.close()

    async def close(self) -> None:
        """Close the connection."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await trio.aclose_forcefully(stream)

    @property
    def match(self) -> Match | None:
        """The match that it is in."""
        return self.server.match_of(self.name)

    def may_move(self, match: Match) -> bool:
        """True if a move of this player is what the match waits for, and it has been asked."""
        return self.is_asked and not self.is_late and match.seat_of(self.name) in match.turn.seats

    async def move(self, match: Match) -> None:
        """Make a move."""
        self.is_asked = False
        if self.think_s:
            await trio.sleep(self.think_s)
        game: Any = match.game
        seat = match.seat_of(self.name)
        if self.wish and self.wish in map(game.write_move, match.state.legal_moves(seat)):
            move, self.wish = self.wish, ""
        else:
            move = game.write_move(choose(match, seat, self.aim, self.chance, self._foresight))
        await self.send(f"move {move}")

    async def _listen(self, stream: trio.SocketStream) -> None:
        buffer = b""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async with stream:  # the scenario may end while it is connected
                async for data in stream:
                    *lines, buffer = (buffer + data).split(_LINE_END)
                    for line in lines:
                        self._hear(line.decode("utf-8", "replace"))
                    self.changed()
        if self._stream is stream:
            self._stream = None
        self.changed()

    def _hear(self, line: str) -> None:
        self.heard.append(line)
        if line.startswith("SVR GAME YOURTURN"):
            self.is_asked = True
        elif line.startswith("SVR GAME MATCH"):
            self.is_asked, self.is_late = False, False
