"""A player of the check: a client of the text protocol, on a socket, whose legal moves come from the server itself.

Its moves are chosen by chance, or for an aim. For a result, a small game is looked through to its end (`foresight`),
and a larger one is played on at random. For a pass that would take too long: in Reversi hardly every fourth random game
has one. What leads there is to leave a side few moves; then three of four games have one. All of it is limited in
positions, never in time: a busy machine must not play worse, and fail the client for it.
"""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from random import Random
from typing import Any

import trio
from attrs import define, field

from gameserver.check.foresight import Foresight, Worth
from gameserver.check.server_under_check import HOST, ServerUnderCheck
from gameserver.check.steps import Aim
from gameserver.core.match import Match
from gameserver.game import Outcome, State, after_draws
from gameserver.proxy import relay

# Positions, not milliseconds: weighed by random games for 50 ms on a busy machine, only 10 of 40 matches with a perfect
# player of Tic-tac-toe ended in the draw that the scenario was about.
_POSITIONS_MAX = 2_000
"""Positions that games at random go through for a move with an aim."""
_PLAYOUTS_MIN = 2
"""Games that are played for each move at least, however many positions that takes."""
_STEPS_MAX = 400
"""Moves after which a game that is played on is given up."""
_GAME_OVER, _PASSED_OVER = 20.0, 10.0
"""For a player that wants a pass of its own: the cost of the game's end, and the value of a pass, in moves."""

_ROUNDING = 1e-9
"""Sums of likelihoods differ by less, though their moves are equally good."""

_LINE_END = b"\r\n"


@define(eq=False)
class Opponent:
    """One opponent of the checked client: a player of the check, on a socket.

    `changed` is called when it has heard something.
    """

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
        """True while this opponent of the checked client has a connection."""
        return self._stream is not None

    async def connect(self, nursery: trio.Nursery) -> None:
        """Connect this opponent of the checked client, and log it in; the answer is heard later."""
        self._stream = await trio.open_tcp_stream(HOST, self.server.own_port)
        self.is_asked = False
        nursery.start_soon(self._listen, self._stream)
        await self.send(f"login {self.name}")

    async def send(self, line: str) -> None:
        """Send a line of the check's opponent, if it has a connection."""
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
        """Drop the opponent's connection, as a program does that dies."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await relay.reset(stream)

    async def leave(self) -> None:
        """Log the check's opponent out."""
        await self.send("logout")
        await self.close()

    async def close(self) -> None:
        """Close the connection of the check's opponent."""
        stream, self._stream = self._stream, None
        if stream is not None:
            await trio.aclose_forcefully(stream)

    @property
    def match(self) -> Match | None:
        """The match that this opponent of the checked client is in."""
        return self.server.match_of(self.name)

    def may_move(self, match: Match) -> bool:
        """True if the match waits for a move of the check's opponent, and it has been asked for one."""
        return self.is_asked and not self.is_late and match.seat_of(self.name) in match.turn.seats

    async def move(self, match: Match) -> None:
        """Make a move of the check's opponent, after the time that it is to think."""
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


def choose(match: Match, seat: int, aim: Aim | None, chance: Random, foresight: Foresight) -> Any:
    """Chooses the legal move of a check's opponent, by chance or for its aim.

    `foresight` is kept for the other player over all matches.
    """
    moves = match.state.legal_moves(seat)
    if aim is None:
        return chance.choice(moves)
    of_position = _OF_POSITIONS.get(aim)
    if of_position is None:
        values = foresight.values(match, seat, *_WORTHS[aim]) or _by_playouts(match.state, seat, aim, chance)
    else:
        values = [of_position(match.state, match.state.play(seat, move), seat) for move in moves]
    best = max(values) - _ROUNDING
    return chance.choice([move for move, worth in zip(moves, values, strict=True) if worth >= best])


def _by_playouts(state: State[Any], seat: int, aim: Aim, chance: Random) -> list[float]:
    after = [state.play(seat, move) for move in state.legal_moves(seat)]
    values = [0.0] * len(after)
    positions = playouts = 0
    while playouts < _PLAYOUTS_MIN or positions < _POSITIONS_MAX:
        for place, each in enumerate(after):
            worth, length = _played_on(each, seat, aim, chance)
            values[place] += worth
            positions += length + 1
        playouts += 1
    return values


def _played_on(state: State[Any], seat: int, aim: Aim, chance: Random) -> tuple[float, int]:
    """The value of a game that is played on at random from a position, and its length in moves."""
    worth, worth_of_move = _WORTHS[aim]
    length = 0
    while length < _STEPS_MAX and (state := after_draws(state, chance.randint)).outcome is None:
        mover = state.turn.seats[0]
        state = state.play(mover, chance.choice(state.legal_moves(mover)))
        length += 1
    outcome = state.outcome
    return (0.0 if outcome is None else worth(outcome, seat)) + worth_of_move * length, length


def _is_passed_over(before: State[Any], after: State[Any], seat: int) -> bool:
    """True if a player who has moved is on turn again, because the other one has no move."""
    return before.turn.seats == after.turn.seats == (seat,) and before.turn.number != after.turn.number


def _is_open(state: State[Any]) -> bool:
    return state.outcome is None and state.chance is None


def _starves_other(before: State[Any], state: State[Any], seat: int) -> float:
    """Better the fewer moves the other side has, and best if it has none."""
    if not _is_open(state):
        return -math.inf
    if _is_passed_over(before, state, seat):
        return 0.0
    return -float(len(state.legal_moves(state.turn.seats[0])))


def _starves_itself(before: State[Any], state: State[Any], seat: int) -> float:
    """Better the fewer moves are left to this side after the other's, and best where those leave it none."""
    if not _is_open(state) or state.turn.seats == (seat,):
        return -math.inf
    other = state.turn.seats[0]
    replies = [state.play(other, move) for move in state.legal_moves(other)]
    return sum(_hunger(state, reply, seat) for reply in replies) / len(replies)


def _hunger(before: State[Any], reply: State[Any], seat: int) -> float:
    if not _is_open(reply):
        return -_GAME_OVER
    if reply.turn.seats != (seat,):
        return _PASSED_OVER
    return -math.sqrt(len(reply.legal_moves(seat)))


def _of_win(outcome: Outcome, seat: int) -> float:
    return float(seat in outcome.winners)


def _of_loss(outcome: Outcome, seat: int) -> float:
    return float(bool(outcome.winners) and seat not in outcome.winners)


def _of_draw(outcome: Outcome, _: int) -> float:
    return float(not outcome.winners)


def _of_length(_: Outcome, _seat: int) -> float:
    return 0.0


_WORTHS: Mapping[Aim, tuple[Worth, float]] = {
    Aim.WIN: (_of_win, 0.0),
    Aim.LOSS: (_of_loss, 0.0),
    Aim.DRAW: (_of_draw, 0.0),
    Aim.LONG_MATCH: (_of_length, 1.0),
}
"""For each result: the value of an outcome, and of each move on the way to it."""
_OF_POSITIONS: Mapping[Aim, Callable[[State[Any], State[Any], int], float]] = {
    # Measured in Reversi: passes come about in three of four matches by mobility, in one of four random games.
    Aim.SKIP: _starves_other,
    Aim.OWN_SKIP: _starves_itself,
}
