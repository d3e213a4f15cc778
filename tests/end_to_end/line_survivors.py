"""Players of Mastermind and 3D Connect Four: at play at random, and longer alive than their server.

Each is strict: whatever it hears must be right, and when the server is back, what it is shown must
hold every move that it was told of. How a player comes back is its protocol's own way: by its room
or, in Mastermind, not at all.
"""

import random
from contextlib import suppress
from typing import Any

import trio
from attrs import Factory, define, field

from tests.clients.connect_four import ConnectFourClient, Stage
from tests.clients.mastermind import Accepted, Answered, Ended, MastermindClient
from tests.end_to_end.arena import Arena
from tests.end_to_end.recorded import Recorded
from tests.end_to_end.server_process import Server
from tests.end_to_end.support import LOCAL

COLOURS, LENGTH, TRIES = 10, 10, 12
"""So many codes that no two games begin with the same guess."""
READ_BYTES = 65_536


async def connected(port: int) -> trio.SocketStream:
    """A connection to the server; `OSError` where it is dead."""
    return await trio.open_tcp_stream(LOCAL, port)


@define(eq=False)
class LineSurvivor:
    """A player of a protocol of lines."""

    arena: Arena
    chance: random.Random
    is_done: bool = False
    stream: trio.SocketStream | None = field(default=None, init=False)

    async def converse(self, server: Server) -> None:
        """One connection, to its end, whoever ends it."""
        with suppress(OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            self.stream = await connected(server.port_of(self.protocol))
            async with self.stream:
                await self.tell(*self.greet())
                unread = b""
                async for data in self.stream:
                    *lines, unread = (unread + bytes(data)).split(b"\n")
                    for line in lines:
                        await self.tell(*self.hear(line.decode()))
                        if self.is_done:
                            return

    async def tell(self, *lines: str) -> None:
        """Send lines, all in one piece."""
        if lines:
            assert self.stream is not None
            await self.stream.send_all("".join(f"{line}\n" for line in lines).encode())

    @property
    def protocol(self) -> str:
        """The name of what is spoken."""
        raise NotImplementedError

    def greet(self) -> list[str]:
        """Lines for a new connection."""
        raise NotImplementedError

    def hear(self, line: str) -> list[str]:
        """Take a line in; what to send now."""
        raise NotImplementedError


@define
class Guesses:
    """A game of one code."""

    sent: list[str] = Factory(list)
    answered: int = 0
    is_over: bool = False


@define(eq=False)
class Breaker(LineSurvivor):
    """A code breaker. Its game is over when its connection is."""

    games: list[Guesses] = Factory(list)
    protocol = "mastermind"
    _client: MastermindClient = Factory(MastermindClient)

    def greet(self) -> list[str]:
        self._client = MastermindClient()
        return [self._client.new_game(COLOURS, TRIES, LENGTH).decode()]

    def hear(self, line: str) -> list[str]:
        heard = self._client.hear(line.encode())
        if isinstance(heard, Accepted):
            self.games.append(Guesses())
            return [self._guess()]
        assert isinstance(heard, Answered | Ended), heard
        game = self.games[-1]
        game.answered += 1
        self.arena.a_move_was_taken()
        if isinstance(heard, Answered):
            return [self._guess()]
        game.is_over = True
        self.is_done = self.arena.finishing
        return [] if self.is_done else [self._client.new_game(COLOURS, TRIES, LENGTH).decode()]

    def _guess(self) -> str:
        code = [self.chance.randrange(COLOURS) for _ in range(LENGTH)]
        self.games[-1].sent.append("".join(map(str, code)))
        return self._client.guess(code).decode()

    def check(self, recorded: list[Recorded]) -> None:
        """Every game with an answered guess is on record, with all of those and at most the one under way."""
        by_first = {
            moves[0]: (match, moves) for match in recorded if (moves := [text for who, text in match.moves if who])
        }
        for game in self.games:
            if game.answered:
                match, moves = by_first.pop(game.sent[0])
                assert moves == game.sent[: len(moves)], f"{moves} on record, {game} sent"
                assert len(moves) >= game.answered, f"{moves} on record, {game.answered} answered of {game}"
                assert match.reason == "played" if game.is_over else match.reason in {"played", "abandoned"}, match


@define
class Columns:
    """A game of one room, as one player was told of it."""

    moves: list[str] = Factory(list)
    is_last_certain: bool = True
    """True if the server has told of the last move; a player's own is told by the opponent's next."""
    winner: str = ""


@define(eq=False)
class Roommate(LineSurvivor):
    """One of two players in a room of 3D Connect Four, who come back to it."""

    name: str = ""
    room: int = 0
    games: list[Columns] = Factory(list)
    protocol = "connect-four"
    _client: ConnectFourClient = Factory(ConnectFourClient)

    def greet(self) -> list[str]:
        self._client = ConnectFourClient()
        return [self._say("connect", name=self.name)]

    def _say(self, action: str, **more: Any) -> str:
        return self._client.say(action, **more).decode().rstrip()

    def hear(self, line: str) -> list[str]:
        was = self._client.stage
        told = self._client.hear(line.encode())
        match told["event"]:
            case "lobby":
                self.is_done = was is not Stage.ARRIVED and self.arena.finishing
                return [] if self.is_done else [self._say("join", room_number=self.room)]
            case "game":
                return [self._say("start")]
            case "started":
                self._started(told.get("moves"))
            case "opponent moved":
                self.games[-1].moves.append(told["move"])
                self.games[-1].is_last_certain = True
                self.arena.a_move_was_taken()
            case "make move":
                return [self._move()]
            case "game over":
                self.games[-1].winner, self.games[-1].is_last_certain = told["winner"], True
                self.is_done = self.arena.finishing
                return [] if self.is_done else [self._say("restart")]
            case _:
                raise AssertionError(f"{self.name} heard {line}, after {self.games[-1:]}")
        return []

    @property
    def _is_playing(self) -> bool:
        return bool(self.games) and not self.games[-1].winner

    def _started(self, shown: list[str] | None) -> None:
        if shown is None or not self._is_playing or not self._goes_on(shown):
            assert not shown or len(shown) <= 2, f"{self.name} is shown {shown} of a game it does not know"
            self.games.append(Columns())
        self.games[-1].moves, self.games[-1].is_last_certain = list(shown or ()), True

    def _move(self) -> str:
        assert self._client.match is not None
        move = self.chance.choice(self._client.match.legal_moves)
        self.games[-1].moves.append(move)
        self.games[-1].is_last_certain = False
        return self._say("move", move=move)

    def _goes_on(self, shown: list[str]) -> bool:
        """True if the game that is shown is the one that was played; then nothing of it may be missing."""
        known = self.games[-1].moves
        certain = known if self.games[-1].is_last_certain else known[:-1]
        if shown[: len(certain)] != certain:
            assert len(shown) <= 2, f"{self.name} was told of {known}, and is shown {shown}"
            return False
        assert shown[: len(known)] == known[: len(shown)], f"{self.name} played {known}, and is shown {shown}"
        return True

    def check(self, recorded: list[Recorded]) -> None:
        """Every game is on record, in order, with every move that was told; none is there that was not played."""
        own = [match for match in recorded if self.name in match.players]
        assert len(own) == len(self.games), f"{self.name} knows of {len(self.games)} games, {len(own)} are on record"
        for game, match in zip(self.games, own, strict=True):
            assert match.reason == "played", match
            moves = [text for _, text in match.moves]
            certain = game.moves if game.is_last_certain else game.moves[:-1]
            assert moves[: len(certain)] == certain, f"{self.name} was told {game}, {match} is on record"
            result = match.results[match.players.index(self.name)]
            if game.winner:
                assert moves == game.moves
                assert {"you": "win", "opponent": "loss"}.get(game.winner, game.winner) == result
