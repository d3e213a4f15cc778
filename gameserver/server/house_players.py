"""The house players: always there, accept any challenge, play any number of matches at once.

The house is a receiver like a connection. It is told of its turn, works the move out off the event loop, and submits it
as a command like every other player's. As a part of the server it sees the state itself; its strategies come from the
games. A strategy that fails voids the match: a student must not win or lose by our bug.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import structlog
import trio

from gameserver.core.messages.commands import HOUSE_SESSION, Command, HousePlayer, Play, Void
from gameserver.core.messages.events import Answer, Event, TurnStarted
from gameserver.core.state.match import Match
from gameserver.game import Choose, Game, Seat, State, Strategy
from gameserver.values import value

THINKERS_MAX = 2
"""Moves that are worked out at once. Strategies are Python: more threads would not be faster."""

log = structlog.get_logger()


class HousePorts(Protocol):
    """The part of the server that the house calls."""

    def match(self, number: int) -> Match | None:
        """A live match."""

    def submit(self, command: Command, stamp_ms: int) -> None:
        """Take a command of the house."""


@value
class Thought:
    """A turn to think about."""

    match: int
    game: Game[Any]
    state: State[Any]
    seat: Seat
    turn: int
    strategy: Strategy


def play_at_random(state: State[Any], seat: Seat, choose: Choose[Any]) -> Any:
    """Choose any legal move."""
    return choose(state.legal_moves(seat))


def house_players(games: Mapping[str, Game[Any]]) -> tuple[HousePlayer, ...]:
    """`house-random`, which plays everything, and a player for each strategy that games bring."""
    known: dict[str, list[str]] = {"house-random": []}
    for game in games.values():
        known["house-random"].append(game.name)
        for strategy in (name for name in game.strategies if name != "random"):
            known.setdefault(f"house-{strategy}", []).append(game.name)
    return tuple(HousePlayer(name, tuple(played)) for name, played in known.items())


def strategy_name(player: str) -> str:
    """The strategy of a house player: `greedy` for `house-greedy`, and for `house-greedy-2` of a tournament."""
    name = player.removeprefix("house-")
    stem, _, number = name.rpartition("-")
    return stem if stem and number.isascii() and number.isdigit() else name


class HousePlayers:
    """All house players."""

    def __init__(self, ports: HousePorts, now_ms: Callable[[], int], chance: random.Random) -> None:
        self._ports = ports
        self._now_ms = now_ms
        self._choose: Choose[Any] = chance.choice
        self._send, self._receive = trio.open_memory_channel[Thought](float("inf"))

    def deliver(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Take events; a turn of the house is queued for thought."""
        for event in events:
            if isinstance(event, TurnStarted):
                try:
                    self._consider(event)
                except Exception:
                    log.exception("a house player failed", match=event.match)
                    self._ports.submit(Void(event.match, "a house player could not play"), self._now_ms())

    def flush(self) -> None:
        """Do nothing: no output is ever queued."""

    def resume(self) -> None:
        """Do nothing: no input ever waits."""

    def dismiss(self, why: str) -> None:
        """Do nothing: the house has no connection that could be ended."""

    async def run(self) -> None:
        """Think, for ever."""
        limiter = trio.CapacityLimiter(THINKERS_MAX)
        async with trio.open_nursery() as nursery:
            async for thought in self._receive:
                if thought.strategy is play_at_random:
                    self._submit(thought, _move_text(thought, self._choose))
                else:
                    nursery.start_soon(self._think, thought, limiter)

    def _consider(self, event: TurnStarted) -> None:
        match = self._ports.match(event.match)
        if match is None or match.turn.number != event.turn:
            return
        for seat in event.seats:
            holder = match.seats[seat]
            if holder.is_house:
                strategy = match.game.strategies.get(strategy_name(holder.player), play_at_random)
                self._send.send_nowait(Thought(match.id, match.game, match.state, seat, event.turn, strategy))

    async def _think(self, thought: Thought, limiter: trio.CapacityLimiter) -> None:
        text = await trio.to_thread.run_sync(_move_text, thought, self._choose, limiter=limiter, abandon_on_cancel=True)
        self._submit(thought, text)

    def _submit(self, thought: Thought, text: str | None) -> None:
        command: Command
        if text is None:
            command = Void(thought.match, "a house player could not make up its mind")
        else:
            command = Play(HOUSE_SESSION, text, thought.match, thought.seat, thought.turn)
        self._ports.submit(command, self._now_ms())


def _move_text(thought: Thought, choose: Choose[Any]) -> str | None:
    """The move that the strategy picks, written out; None if it fails or breaks the rules."""
    try:
        move = thought.strategy(thought.state, thought.seat, choose)
        legal = move in thought.state.legal_moves(thought.seat)
        text = thought.game.write_move(move)
    except Exception:
        log.exception("a house player failed", game=thought.game.name, match=thought.match)
        return None
    if not legal:
        log.error("a house player picked an illegal move", game=thought.game.name, match=thought.match, move=text)
        return None
    return text
