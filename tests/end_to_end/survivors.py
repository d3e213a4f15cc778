"""Players of the text protocol that outlive their server, and what is known of each match from both of its players.

A survivor listens with the strict client, which knows the rules of its game. Every match must end by play, and a login
must show what was acknowledged of a match before.
"""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from random import Random
from typing import Self

import trio
from attrs import Factory, define, field

from tests.clients.strategic import Answered, Ended, Heard, LastWords, Move, Opened, Shown, StrategicClient, Turn
from tests.end_to_end.arena import Arena
from tests.end_to_end.blocking_client import GAMES
from tests.end_to_end.recorded import Recorded
from tests.end_to_end.support import DEADLINE_S, LOCAL


@define
class Told:
    """A match as one player was told of it."""

    opponent: str
    game: str
    first: str
    moves: list[tuple[str, str]] = Factory(list)
    """Each move with its player."""
    result: str = ""
    scores: tuple[str, str] = ("", "")


@define
class Ledger:
    """A match as both of its players know it."""

    sent: set[tuple[int, str, str]] = Factory(set)
    """Every move that was sent: for which place, by whom, and the move."""
    acknowledged: list[tuple[str, str]] = Factory(list)
    """Every move that either player was told of, in order."""

    def acknowledge(self, place: int, player: str, move: str) -> None:
        assert (place, player, move) in self.sent, f"{player} never sent {move} as move {place} of {self}"
        if place < len(self.acknowledged):
            assert self.acknowledged[place] == (player, move), f"{player}'s {move} stands in the place of {self}"
        else:
            assert place == len(self.acknowledged), f"{player}'s {move} came as move {place} of {self}"
            self.acknowledged.append((player, move))


@define(eq=False)
class Survivor:
    """One player, who plays with whoever comes until the arena is finishing."""

    name: str
    game: str
    arena: Arena = field(repr=False)
    chance: Random = field(repr=False)
    ledgers: dict[tuple[frozenset[str], int], Ledger] = field(repr=False)
    """By both players and the number of the match between them; all survivors share it."""
    pause_s: float = 0.0
    """Seconds to think about what to say."""
    matches: list[Told] = Factory(list)
    client: StrategicClient = field(factory=StrategicClient, repr=False)
    is_in_lobby: bool = False
    """True once everything has come that a login brings with it."""
    _socket: trio.socket.SocketType | None = field(default=None, repr=False)
    _is_retired: bool = False
    _owed: list[tuple[str, str]] | None = None
    """The moves that have to be shown before the login is complete, if the match goes on at all."""
    _ended_unheard: bool = False
    """True if a login has not shown the latest match again: what the next one shows is another, if of the same two."""

    @classmethod
    def several(cls, players: Mapping[str, int], arena: Arena, chance: Random, pause_s: float = 0.0) -> list[Self]:
        """Make so many players of each game, who know of each other's matches."""
        ledgers: dict[tuple[frozenset[str], int], Ledger] = {}
        return [
            cls(f"{game} {number}", game, arena, Random(chance.random()), ledgers, pause_s)
            for game, count in players.items()
            for number in range(count)
        ]

    @property
    def match(self) -> Told:
        """The match that is played, or was the last one."""
        return self.matches[-1]

    @property
    def ledger(self) -> Ledger:
        """The one of the latest match. Both players know which of the matches between them it is."""
        pair = frozenset({self.name, self.match.opponent})
        number = sum(match.opponent == self.match.opponent for match in self.matches)
        return self.ledgers.setdefault((pair, number), Ledger())

    @property
    def is_playing(self) -> bool:
        """True while a match is under way."""
        return self.client.match is not None

    @property
    def is_done(self) -> bool:
        """True once it has left because it has what it wants."""
        return self.client.left and not self.client.unanswered

    async def converse(self, port: int) -> None:
        """Hold one connection, to its end, whoever ends it."""
        with trio.socket.socket() as self._socket, suppress(ConnectionError):
            await self._socket.connect((LOCAL, port))
            await self._tell(self._greet())
            while received := await self._socket.recv(65_536):
                for heard in self.client.receive(received):
                    if answer := self._hear(heard):
                        await trio.sleep(self.pause_s)
                        await self._tell(answer)
        self.is_in_lobby = False

    async def retire(self) -> None:
        """Wait for no more matches, as nobody needs them."""
        self._is_retired = True
        if self.is_in_lobby and not (self.is_playing or self.client.unanswered or self.client.left):
            await self._tell(self.client.say("unsubscribe"))

    async def _tell(self, data: bytes) -> None:
        """Send something, all in one piece."""
        assert self._socket is not None
        with suppress(ConnectionError):
            assert await self._socket.send(data) == len(data)

    def _greet(self) -> bytes:
        """Return the first bytes of a new connection. The second answer tells that the first one is complete."""
        under_way = bool(self.matches) and not (self.match.result or self._ended_unheard)
        self._owed = list(self.ledger.acknowledged) if under_way else None
        self.client = StrategicClient(GAMES.get)
        self.is_in_lobby = False
        return self.client.say(f"login {self.name}", "get gamelist")

    def _hear(self, heard: Heard) -> bytes:
        """React to what the server has said; what to send now."""
        match heard:
            case Answered(ok=True, command=command):
                return self._accepted(command)
            case Ended():
                return self._ended(heard)
            case Opened():
                self._opened(heard)
            case Move():
                self._moved(heard)
            case Turn():
                return self.client.say(f"move {self._chosen()}")
            case _:
                assert isinstance(heard, Shown | LastWords), f"{self.name} heard {heard}"
        return b""

    def _accepted(self, command: str) -> bytes:
        if command.startswith("move "):
            self.ledger.acknowledge(len(self.match.moves), self.name, command.removeprefix("move "))
            self.arena.a_move_was_taken()
        elif command == "get gamelist":
            self._come_in()
        if command.startswith("subscribe ") and self._is_retired:
            return self.client.say("unsubscribe")
        return self._next() if command in {"get gamelist", "unsubscribe"} else b""

    def _come_in(self) -> None:
        self.is_in_lobby = True
        if not self.is_playing:
            self._ended_unheard = True
        elif self._owed is not None:
            shown = self.match.moves[: len(self._owed)]
            assert shown == self._owed, f"{self.name} was owed {self._owed}, and is shown {self.match.moves}"

    def _next(self) -> bytes:
        """Return the bytes that lead to the next match, or out."""
        if self.is_playing:
            return b""
        return self.client.say("logout" if self.arena.finishing else f"subscribe {self.game}")

    def _opened(self, heard: Opened) -> None:
        assert heard.game == self.game
        self._ended_unheard = False
        if self._owed is not None and not self.is_in_lobby:
            seen = self.matches.pop()
            assert (heard.opponent, heard.game, heard.first) == (seen.opponent, seen.game, seen.first)
        self.matches.append(Told(heard.opponent, heard.game, heard.first))

    def _moved(self, heard: Move) -> None:
        assert heard.details == ""
        self.match.moves.append((heard.player, heard.text))
        self.ledger.acknowledge(len(self.match.moves) - 1, heard.player, heard.text)

    def _chosen(self) -> str:
        seen = self.client.match
        assert seen is not None
        assert seen.state is not None
        move = str(self.chance.choice(seen.state.legal_moves(seen.own_seat)))
        self.ledger.sent.add((len(self.match.moves), self.name, move))
        return move

    def _ended(self, heard: Ended) -> bytes:
        assert heard.comment == "", f"{self.name}'s match did not end by play: {heard} after {self.match}"
        self.match.result, self.match.scores = heard.result, heard.scores
        return self._next()


@asynccontextmanager
async def together(within_s: float = DEADLINE_S) -> AsyncIterator[trio.Nursery]:
    """A nursery with a deadline. Of players that fail together, one is enough to read."""
    try:
        with trio.fail_after(within_s):
            async with trio.open_nursery() as nursery:
                yield nursery
    except* AssertionError as failed:
        raise failed.exceptions[0] from None


def check_records(survivors: Iterable[Survivor], recorded: Iterable[Recorded]) -> None:
    """Check that each player was told what is on record, match by match and move by move.

    Both players are held against the same record, so they were told the same. A match that a player
    saw no end of may have ended without them; its record goes on from what they saw.
    """
    of_player: dict[str, list[Recorded]] = defaultdict(list)
    for match in recorded:
        assert match.reason == "played", match
        for player in match.players:
            of_player[player].append(match)
    for survivor in survivors:
        kept = of_player[survivor.name]
        assert len(survivor.matches) == len(kept), survivor.name
        for told, record in zip(survivor.matches, kept, strict=True):
            assert {survivor.name, told.opponent} == set(record.players)
            assert (told.game, told.first) == (record.game, record.players[0])
            if told.result:
                assert told.moves == record.moves
                assert told.result == record.results[record.players.index(survivor.name)]
                assert told.scores == tuple(map(str, record.points))
            else:
                assert told.moves == record.moves[: len(told.moves)]
