"""Players that play by themselves, many at once, and keep what they were told.

A bot is strict: it knows the rules, and whatever it hears must be right. One OK or ERR for each
command, no move that is not legal where it comes, YOURTURN for whoever is on turn, the result that
follows from the moves. It does not care how the lines reach it: `converse` brings them over a
socket.
"""

import random
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import trio
from attrs import Factory, define, field

from games.reversi import GAME as REVERSI
from games.tic_tac_toe import GAME as TIC_TAC_TOE
from gameserver.game import IllegalMove
from tests.end_to_end.blocking_client import fields_of
from tests.end_to_end.recorded import Recorded
from tests.end_to_end.support import DEADLINE_S, LOCAL

GAMES = {game.name: game for game in (TIC_TAC_TOE, REVERSI)}
RESULTS = {"WIN": "win", "LOSS": "loss", "DRAW": "draw"}


@define
class Told:
    """A match as one player was told of it."""

    opponent: str
    game: str
    first: str
    moves: list[tuple[str, str]] = Factory(list)
    """Who played what."""
    result: str = ""
    scores: tuple[str, str] = ("", "")
    comment: str = ""


@define(eq=False)
class StrictBot:
    """One player. With a rival it challenges that one for each match, without it takes whoever comes."""

    name: str
    game: str
    wants_more: Callable[[], bool]
    """Asked whenever there is no match to play."""
    chance: random.Random
    rival: str = ""
    matches: list[Told] = Factory(list)
    unanswered: deque[str] = Factory(deque)
    is_in_lobby: bool = False
    """Whether everything has come that a login brings with it."""
    is_playing: bool = False
    socket: trio.socket.SocketType | None = field(default=None, repr=False)
    _state: Any = None
    _is_retired: bool = False

    @property
    def match(self) -> Told:
        """The match that is played, or was the last one."""
        return self.matches[-1]

    def greet(self) -> list[str]:
        """The lines to send on a new connection. The second answer tells that the first one is complete."""
        self.unanswered.clear()
        self.is_in_lobby = self.is_playing = False
        return self._say(f"login {self.name}", "get gamelist")

    def retire(self) -> list[str]:
        """Wait for no more matches, as nobody needs them; what to send for that now."""
        self._is_retired = True
        waits = self.is_in_lobby and not self.is_playing and not self.unanswered
        return self._say("unsubscribe") if waits else []

    def hear(self, line: str) -> list[str]:
        """Take a line in; what to send now."""
        if line == "OK":
            return self._accepted(self.unanswered.popleft())
        kind, _, _ = line.removeprefix("SVR GAME ").partition(" {")
        if kind in RESULTS:
            return self._ended(kind, fields_of(line))
        if kind == "MATCH":
            self._opened(fields_of(line))
        elif kind == "MOVE":
            self._moved(fields_of(line))
        elif kind == "YOURTURN":
            return self._chosen()
        else:
            assert line.startswith("SVR GAMELIST "), f"{self.name} heard {line!r}, unanswered {list(self.unanswered)}"
        return []

    def _say(self, *commands: str) -> list[str]:
        self.unanswered += commands
        return list(commands)

    def _accepted(self, command: str) -> list[str]:
        if command == "get gamelist":
            self.is_in_lobby = True
        if command.startswith("subscribe ") and self._is_retired:
            return self._say("unsubscribe")
        return self._next() if command in {"get gamelist", "unsubscribe"} else []

    def _next(self) -> list[str]:
        """The lines to send while no match is under way."""
        if self.is_playing:
            return []
        if not self.wants_more():
            return self._say("logout")
        return self._say(f'challenge "{self.rival}" "{self.game}"' if self.rival else f"subscribe {self.game}")

    def _opened(self, said: dict[str, str]) -> None:
        assert not self.is_playing, f"{self.name} is in two matches"
        assert self.name != said["OPPONENT"]
        assert said["PLAYERTOMOVE"] in {self.name, said["OPPONENT"]}
        assert said["GAMETYPE"] == self.game
        self.matches.append(Told(said["OPPONENT"], said["GAMETYPE"], said["PLAYERTOMOVE"]))
        self._begin()

    def _begin(self) -> None:
        self.is_playing = True
        self._state = GAMES[self.game].start(None)

    def _seat(self, player: str) -> int:
        return 0 if player == self.match.first else 1

    def _moved(self, said: dict[str, str]) -> None:
        assert self.is_playing
        player, move = said["PLAYER"], said["MOVE"]
        assert player in {self.name, self.match.opponent}
        assert said["DETAILS"] == ""
        try:
            self._state = self._state.play(self._seat(player), GAMES[self.game].read_move(move))
        except IllegalMove as error:
            raise AssertionError(f"{self.name} heard {player}'s {move} after {self.match}: {error}") from error
        self.match.moves.append((player, move))

    def _chosen(self) -> list[str]:
        assert self.is_playing
        moves = self._state.legal_moves(self._seat(self.name))
        assert moves, f"{self.name} has no move, but was asked for one after {self.match}"
        return self._say(f"move {self.chance.choice(moves)}")

    def _ended(self, result: str, said: dict[str, str]) -> list[str]:
        assert self.is_playing
        self.is_playing = False
        match, outcome = self.match, self._state.outcome
        match.result, match.comment = RESULTS[result], said["COMMENT"]
        match.scores = (said["PLAYERONESCORE"], said["PLAYERTWOSCORE"])
        assert match.comment == "", f"{self.name}'s match did not end by play: {match}"
        assert outcome is not None, f"{self.name} was told a result before the end: {match}"
        expected = "draw" if not outcome.winners else "win" if self._seat(self.name) in outcome.winners else "loss"
        assert match.result == expected, match
        assert match.scores == tuple(map(str, outcome.points)), match
        return self._next()


async def converse(bot: StrictBot, port: int, pause_s: float = 0.0) -> None:
    """One connection of a bot, to its end, whoever ends it; it thinks for so long about what to say."""
    with trio.socket.socket() as bot.socket, suppress(ConnectionError):
        await bot.socket.connect((LOCAL, port))
        banner = 2
        await tell(bot, bot.greet())
        unread = b""
        while received := await bot.socket.recv(65_536):
            *lines, unread = (unread + received).split(b"\r\n")
            for line in lines:
                if banner:
                    banner -= 1
                elif commands := bot.hear(line.decode()):
                    await trio.sleep(pause_s)
                    await tell(bot, commands)
    bot.is_in_lobby = False


async def tell(bot: StrictBot, commands: Sequence[str]) -> None:
    """Send commands, all in one piece."""
    if commands:
        data = "".join(f"{command}\r\n" for command in commands).encode()
        with suppress(ConnectionError):
            assert await bot.socket.send(data) == len(data)


async def play_all(bots: Iterable[StrictBot], port: int) -> None:
    """All bots, until they have what they want."""
    async with together() as nursery:
        for bot in bots:
            nursery.start_soon(play_out, bot, port)


async def play_out(bot: StrictBot, port: int) -> None:
    """One bot, until it has what it wants, on one connection."""
    await converse(bot, port)
    assert list(bot.unanswered) == ["logout"], f"{bot.name} lost the connection"


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


def counted(total: int) -> Callable[[], bool]:
    """True so many times: a bot's wish for a number of matches."""
    left = iter(range(total))
    return lambda: next(left, None) is not None
