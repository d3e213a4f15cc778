"""Players that play by themselves, many at once, and keep what they were told.

A bot listens with the strict client, which knows the rules of its game, and every match must end by play. It does not
care how the bytes reach it: `converse` brings them over a socket.
"""

import random
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager, suppress

import trio
from attrs import Factory, define, field

from tests.clients.strategic import Answered, Ended, Heard, Move, Opened, Shown, StrategicClient, Turn
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
    comment: str = ""


@define(eq=False)
class StrictBot:
    """One player, who plays with whoever comes."""

    name: str
    game: str
    wants_more: Callable[[], bool]
    """Asked whenever there is no match to play."""
    chance: random.Random
    matches: list[Told] = Factory(list)
    client: StrategicClient = field(factory=StrategicClient, repr=False)
    is_in_lobby: bool = False
    """True once everything has come that a login brings with it."""
    socket: trio.socket.SocketType | None = field(default=None, repr=False)
    _is_retired: bool = False

    @property
    def match(self) -> Told:
        """The match that is played, or was the last one."""
        return self.matches[-1]

    @property
    def is_playing(self) -> bool:
        """True while a match is under way."""
        return self.client.match is not None

    @property
    def is_done(self) -> bool:
        """True once it has left because it has what it wants."""
        return self.client.left and not self.client.unanswered

    def greet(self) -> bytes:
        """Return the first bytes of a new connection. The second answer tells that the first one is complete."""
        self.client = StrategicClient(GAMES.get)
        self.is_in_lobby = False
        return self.client.say(f"login {self.name}", "get gamelist")

    def retire(self) -> bytes:
        """Wait for no more matches, as nobody needs them; what to send for that now."""
        self._is_retired = True
        waits = self.is_in_lobby and not (self.is_playing or self.client.unanswered or self.client.left)
        return self.client.say("unsubscribe") if waits else b""

    def hear(self, heard: Heard) -> bytes:
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
                assert isinstance(heard, Shown), f"{self.name} heard {heard}"
        return b""

    def _accepted(self, command: str) -> bytes:
        if command == "get gamelist":
            self.is_in_lobby = True
        if command.startswith("subscribe ") and self._is_retired:
            return self.client.say("unsubscribe")
        return self._next() if command in {"get gamelist", "unsubscribe"} else b""

    def _next(self) -> bytes:
        """Return the bytes that lead to the next match, or out."""
        if self.is_playing:
            return b""
        if not self.wants_more():
            return self.client.say("logout")
        return self.client.say(f"subscribe {self.game}")

    def _opened(self, heard: Opened) -> None:
        assert heard.game == self.game
        self.matches.append(Told(heard.opponent, heard.game, heard.first))

    def _moved(self, heard: Move) -> None:
        assert heard.details == ""
        self.match.moves.append((heard.player, heard.text))

    def _chosen(self) -> str:
        seen = self.client.match
        assert seen is not None
        assert seen.state is not None
        return str(self.chance.choice(seen.state.legal_moves(seen.own_seat)))

    def _ended(self, heard: Ended) -> bytes:
        match = self.match
        match.result, match.scores, match.comment = heard.result, heard.scores, heard.comment
        assert match.comment == "", f"{self.name}'s match did not end by play: {match}"
        return self._next()


async def converse(bot: StrictBot, port: int, pause_s: float = 0.0) -> None:
    """One connection of a bot, to its end, whoever ends it; it thinks for so long about what to say."""
    with trio.socket.socket() as bot.socket, suppress(ConnectionError):
        await bot.socket.connect((LOCAL, port))
        await tell(bot, bot.greet())
        while received := await bot.socket.recv(65_536):
            for heard in bot.client.receive(received):
                if answer := bot.hear(heard):
                    await trio.sleep(pause_s)
                    await tell(bot, answer)
    bot.is_in_lobby = False


async def tell(bot: StrictBot, data: bytes) -> None:
    """Send something, all in one piece. A bot that has left has nothing to say, and no socket any more."""
    with suppress(ConnectionError):
        assert not data or await bot.socket.send(data) == len(data)


@asynccontextmanager
async def together(within_s: float = DEADLINE_S) -> AsyncIterator[trio.Nursery]:
    """A nursery with a deadline. Of bots that fail together, one is enough to read."""
    try:
        with trio.fail_after(within_s):
            async with trio.open_nursery() as nursery:
                yield nursery
    except* AssertionError as failed:
        raise failed.exceptions[0] from None


def check_records(bots: Iterable[StrictBot], recorded: Iterable[Recorded]) -> None:
    """Checks that each player was told what is on record, match by match and move by move.

    Both players are held against the same record, so they were told the same. A match that a player
    saw no end of may have ended without them; its record goes on from what they saw.
    """
    of_player: dict[str, list[Recorded]] = defaultdict(list)
    for match in recorded:
        assert match.reason == "played", match
        for player in match.players:
            of_player[player].append(match)
    for bot in bots:
        kept = of_player[bot.name]
        assert len(bot.matches) == len(kept), bot.name
        for told, record in zip(bot.matches, kept, strict=True):
            assert {bot.name, told.opponent} == set(record.players)
            assert (told.game, told.first) == (record.game, record.players[0])
            if told.result:
                assert told.moves == record.moves
                assert told.result == record.results[record.players.index(bot.name)]
                assert told.scores == tuple(map(str, record.points))
            else:
                assert told.moves == record.moves[: len(told.moves)]
