"""The house players: always there, accept any challenge, play any number of matches at once.

The house is a receiver like a connection. It is told of its turn, has the move worked out in another process
(`thinkers`), and submits it as a command like every other player's. As a part of the server it sees the state itself;
its strategies come from the games. A strategy that fails voids the match: a student must not win or lose by our bug.

At most `house.thinkers_max` turns are thought about at once; the others wait. A match waits with one turn for each of
its house players, so the order of their coming is fair among matches. Only a turn that is quick to think about, as its
strategy has shown before, overtakes slow ones, and none that has waited for long.

Where a whole class plays a strategy that thinks for long, a turn may wait for too long: the house then makes any legal
move, well in time. A weak move is a pity; a game that the house loses on time would be one that a student wins by it.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

import structlog
import trio

from gameserver.chance import number_below
from gameserver.core.commands import HOUSE_SESSION, Command, HousePlayer, Play, Void
from gameserver.core.events import Answer, Event, TurnStarted
from gameserver.core.identity import HOUSE_PREFIX
from gameserver.core.match import Match
from gameserver.game import Game
from gameserver.server.thinkers import RANDOM, ThinkerAnswer, Thinkers, Thought, think, think_at_random
from gameserver.settings import HouseTerms, Pace
from gameserver.values import value

# A real client reads 256 bytes of the list of players at once. More names than these would not fit for each game.
LEVELS = (RANDOM, "novice", "club", "master")
"""The strategies that are levels, weakest first."""
PACED_PROTOCOL = "web"
"""The protocol of people: the others are spoken by programs."""
# Judgement: a move that is there at once is hard to follow on a board.
PAUSE_MS = (600, 1500)
"""A person's time for a move, shortest and longest."""
_FORCED_PAUSE_MS = (200, 500)
"""The same where there is only one move."""
# Judgement: playing like a person must not bring a turn near its limit.
_PAUSE_PART = 10
"""A pause is at most this part of the time for a turn."""
# With `_THINK_PART` and `_WHOLE_PART`: waiting and thinking together leave a quarter of the time for a busy server.
_WAIT_PART = 0.5
"""The part of the time for a turn that a turn waits to be thought about, at most."""
_THINK_PART = 0.5
"""The part of the time for a turn that it is thought about, at most."""
_WHOLE_PART = 0.75
"""The part of the time for a turn after which there is a move in any case: the rest is for a busy server."""
# Judgement: a quick turn overtakes a slow one, unless the slow one has waited ten times as long as it takes.
_HANDICAP = 10.0
"""The seconds by which a turn is put back in the queue, for each second that its strategy has taken in the mean."""
# Judgement: about the last five turns count.
_SMOOTHING = 0.2
"""The weight of the latest time in that mean."""

_OPINIONS_MAX = 20
"""Matches of which opinions are kept: one a tournament is asked for."""

log = structlog.get_logger()


@value
class HouseTurn:
    """A turn of a house player, to be thought about."""

    match: int
    turn: int
    thought: Thought
    turn_time_ms: int | None
    began: float
    """The time of trio's clock at which it was told."""
    is_paced: bool

    def after(self, part: float) -> float:
        """The time of trio's clock after this part of the time for a house player's turn; never, without a limit."""
        return math.inf if self.turn_time_ms is None else self.began + part * self.turn_time_ms / 1000

    def think_s(self, now: float) -> float:
        """The seconds for which a house player may think from now on; 0 where the server was held up for too long."""
        # Not less than 0, which trio refuses: that error once ended the server after it was held up.
        return max(0.0, min(self.after(_THINK_PART) - self.began, self.after(_WHOLE_PART) - now))

    @property
    def kind(self) -> tuple[str, str]:
        """The game and strategy of a house player's turn: turns of one kind take about as long to think about."""
        return self.thought.game.name, self.thought.strategy


class HousePlayers:
    """All house players of a server, as one receiver of events. `match_of` gives a live match by its number."""

    def __init__(
        self,
        match_of: Callable[[int], Match | None],
        submit: Callable[[Command], None],
        terms: HouseTerms,
        thinkers: Thinkers,
    ) -> None:
        self._match_of = match_of
        self._submit = submit
        self._terms = terms
        self._thinkers = thinkers
        self._seed = hashlib.sha256(terms.seed.encode()).hexdigest() if terms.seed else ""
        self._waiting: dict[int, HouseTurn] = {}
        """The turns that nobody thinks about yet, by their number of arrival."""
        self._queue: list[tuple[float, int]] = []
        """A heap of them, by the time from which a turn is due to be thought about."""
        self._queued = trio.Semaphore(0)
        self._hurries: list[tuple[float, int]] = []
        """A heap of them, by the time until which a turn may wait."""
        self._hurries_changed = trio.Event()
        self._send_quick, self._receive_quick = trio.open_memory_channel[HouseTurn](float("inf"))
        self._arrivals = count()
        self._mean_s: dict[tuple[str, str], float] = defaultdict(float)
        self.has_opinion: Callable[[], None] = lambda: None
        """Called whenever a house player has come to an opinion."""
        self._opinions: dict[int, dict[int, float]] = {}
        """Each match's, by its number of moves; the matches that were asked for last."""
        self._to_evaluate: dict[int, Match] = {}
        self._asked, self._taken = trio.Event(), trio.Event()

    def deliver(self, answer: Answer | None, events: Sequence[Event]) -> None:
        """Take events for the house players; a turn of one of them is queued for thought."""
        for event in events:
            if isinstance(event, TurnStarted):
                try:
                    self._consider(event)
                except Exception:
                    log.exception("a house player failed", match=event.match)
                    self._submit(Void(event.match, "a house player could not play"))

    def flush(self) -> None:
        """Do nothing: no output of house players is ever queued."""

    def resume(self) -> None:
        """Do nothing: no input of house players ever waits."""

    def dismiss(self, why: str) -> None:
        """Do nothing: house players have no connection that could be ended."""

    def opinions(self, match: Match) -> Mapping[int, float]:
        """The chances to win that a house player gave the first seat of a match, by the number of moves made.

        The present position is thought about next, unless it is known: when no turn of a house player waits.
        """
        if not match.game.evaluators:
            return {}
        known = self._opinions[match.id] = self._opinions.pop(match.id, {})
        while len(self._opinions) > _OPINIONS_MAX:
            del self._opinions[next(iter(self._opinions))]
        if match.turn.seats and match.real_moves not in known:
            self._to_evaluate[match.id] = match
            self._asked.set()
        return known

    async def run(self) -> None:
        """Have house players think about their turns, for ever."""
        async with self._thinkers.opened(), trio.open_nursery() as nursery:
            for _ in range(self._terms.workers_max):
                nursery.start_soon(self._think_on, nursery)
            nursery.start_soon(self._hurry_on, nursery)
            nursery.start_soon(self._evaluate_on)
            async for turn in self._receive_quick:
                self._answer(turn, think(turn.thought), nursery)

    def _consider(self, event: TurnStarted) -> None:
        match = self._match_of(event.match)
        # Events are delivered after the commit, and the match may have gone on since.
        if match is None or match.turn.number != event.turn:
            return
        for seat in event.seats:
            if match.seats[seat].is_house:
                turn = self._turn_of(match, seat)
                # A random move takes less than a process costs, and never waits behind thoughts.
                if turn.thought.is_quick:
                    self._send_quick.send_nowait(turn)
                    continue
                number = next(self._arrivals)
                self._waiting[number] = turn
                heappush(self._queue, (turn.began + _HANDICAP * self._mean_s[turn.kind], number))
                self._queued.release()
                if turn.turn_time_ms is not None:
                    heappush(self._hurries, (turn.after(_WAIT_PART), number))
                    self._hurries_changed.set()

    def _turn_of(self, match: Match, seat: int) -> HouseTurn:
        strategy = _strategy_name(match.seats[seat].player)
        if strategy not in match.game.strategies:
            strategy = RANDOM
        steps = f"{match.game_number}|{len(match.moves)}|{seat}|{strategy}"
        # With a seed of the setting, the match's number counts for nothing: the same moves get the same answers.
        seed, key = (self._seed, steps) if self._seed else (match.chance.seed, f"{match.chance.key}|{steps}")
        return HouseTurn(
            match.id,
            match.turn.number,
            Thought(match.game, match.state, seat, strategy, seed, key),
            match.policies.clock.turn_time_ms,
            trio.current_time(),
            self._is_paced(match),
        )

    def _is_paced(self, match: Match) -> bool:
        if self._terms.pace is Pace.WEB:
            return any(holder.protocol == PACED_PROTOCOL for holder in match.seats)
        return self._terms.pace is Pace.ALWAYS

    async def _think_on(self, nursery: trio.Nursery) -> None:
        """Take one turn after the other."""
        while True:
            await self._queued.acquire()
            turn = self._waiting.pop(heappop(self._queue)[1], None)
            self._taken.set()
            if turn is not None and self._is_still_due(turn):
                self._answer(turn, await self._decide(turn), nursery)

    async def _hurry_on(self, nursery: trio.Nursery) -> None:
        """Make a move for each turn that has waited for too long."""
        while True:
            self._hurries_changed = trio.Event()
            while self._hurries and self._hurries[0][1] not in self._waiting:
                heappop(self._hurries)
            with trio.move_on_at(self._hurries[0][0] if self._hurries else math.inf) as wait:
                await self._hurries_changed.wait()
            if not wait.cancelled_caught:
                continue
            turn = self._waiting.pop(heappop(self._hurries)[1], None)
            self._taken.set()
            if turn is not None and self._is_still_due(turn):
                game, strategy = turn.kind
                log.error(
                    "a turn of the house has waited too long; any legal move is made", game=game, strategy=strategy
                )
                # A weak move is a pity; a house that loses on time gives a student a win that is not earned.
                self._answer(turn, think_at_random(turn.thought), nursery)

    async def _evaluate_on(self) -> None:
        """Think about one position after the other of which somebody wants an opinion, while no turn waits."""
        while True:
            await self._asked.wait()
            while self._to_evaluate:
                while self._waiting:
                    self._taken = trio.Event()
                    await self._taken.wait()
                match = self._to_evaluate.pop(next(iter(self._to_evaluate)))
                chance = await self._thinkers.evaluate(match.game, match.state)
                if chance is not None and match.id in self._opinions:
                    self._opinions[match.id][match.real_moves] = chance
                    self.has_opinion()
            self._asked = trio.Event()

    def _is_still_due(self, turn: HouseTurn) -> bool:
        match = self._match_of(turn.match)
        return match is not None and match.turn.number == turn.turn and turn.thought.seat in match.turn.seats

    async def _decide(self, turn: HouseTurn) -> ThinkerAnswer:
        began = trio.current_time()
        verdict = await self._thinkers.decide(turn.thought, min(self._terms.think_max_s, turn.think_s(began)))
        self._mean_s[turn.kind] += _SMOOTHING * (trio.current_time() - began - self._mean_s[turn.kind])
        return verdict

    def _answer(self, turn: HouseTurn, verdict: ThinkerAnswer, nursery: trio.Nursery) -> None:
        """Submit the move, at a person's pace where that is wanted."""
        if verdict.fault:
            log.error("a house player failed", game=turn.thought.game.name, match=turn.match, why=verdict.fault)
            self._submit(Void(turn.match, "a house player could not make up its mind"))
            return
        play = Play(HOUSE_SESSION, verdict.move, turn.match, turn.thought.seat, turn.turn)
        if turn.is_paced:
            pause = pause_ms(turn.thought, is_forced=verdict.is_forced, turn_time_ms=turn.turn_time_ms)
            nursery.start_soon(self._submit_at, turn.began + pause / 1000, play)
        else:
            self._submit(play)

    async def _submit_at(self, time_s: float, command: Command) -> None:
        await trio.sleep_until(time_s)
        self._submit(command)


def house_players(games: Mapping[str, Game[Any]]) -> tuple[HousePlayer, ...]:
    """The house players for these games.

    There is `house-random`, which plays everything, and one for each strategy that games bring.

    The levels come first, weakest first. They alone are on the list of players, which has to stay short.
    """
    known: dict[str, list[str]] = {level: [] for level in LEVELS}
    for game in games.values():
        known[RANDOM].append(game.name)
        for strategy in (name for name in game.strategies if name != RANDOM):
            known.setdefault(strategy, []).append(game.name)
    return tuple(
        HousePlayer(f"{HOUSE_PREFIX}{strategy}", tuple(played), is_listed=strategy in LEVELS)
        for strategy, played in known.items()
        if played
    )


def _strategy_name(player: str) -> str:
    """The strategy of a house player: `greedy` for `house-greedy`, and for `house-greedy-2` of a tournament."""
    name = player.removeprefix(HOUSE_PREFIX)
    stem, _, number = name.rpartition("-")
    return stem if stem and number.isascii() and number.isdigit() else name


def pause_ms(thought: Thought, *, is_forced: bool, turn_time_ms: int | None) -> int:
    """The pause before a house player's move, from the turn on, with which it plays like a person."""
    shortest, longest = _FORCED_PAUSE_MS if is_forced else PAUSE_MS
    pause = shortest + number_below(longest - shortest + 1, thought.seed, f"house|pace|{thought.key}", 0)
    return pause if turn_time_ms is None else min(pause, turn_time_ms // _PAUSE_PART)
