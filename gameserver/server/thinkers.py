"""Worker processes in which house players think, outside of the event loop and of the process that serves.

A strategy is Python and takes up to a second for a move. In a thread it would hold the interpreter, and with it every
player's move; in a process of lower priority it takes only what the server leaves. trio-parallel keeps the processes.
Each thing that may happen to a process, and what the match gets then:

    its process dies                 the thought begins anew in another; if that dies too, any legal move
    it takes too long                its process is killed; any legal move
    the strategy raises, or cheats   the fault, and the match is void

The first two say nothing about the rules, and a match must not be lost or voided by a process that somebody killed or
that ran out of memory. A second try is worth it, since it was mostly not the thought's fault. A thought that took too
long would take as long again. The last would come to the same at every try, because choices follow from a seed: a weak
move would only hide the bug, and let a student win by it.
"""

import contextlib
import multiprocessing
import pickle
import sys
import traceback
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import islice
from typing import Any

import structlog
import trio
import trio_parallel
from attrs import field

from gameserver.chance import number_below
from gameserver.game import Choose, Game, Seat, State, Strategy
from gameserver.server.thinker_process import enter_worker
from gameserver.values import value

RANDOM = "random"
"""The strategy that every game has."""
IDLE_S = 600.0
"""Seconds after which a worker process without work ends. It has 28 MB, and a new one takes 0.2 to 0.5 s to come up."""
# Judgement: they have nothing to save.
_CLOSE_S = 1.0
"""Seconds that worker processes have to end at a stop before they are killed."""
_EVALUATE_MAX_S = 5.0
"""Seconds after which a position is no longer evaluated: its match has gone on."""
# One that took too long may have met a busy machine; an evaluator without an end would keep a core busy for good.
_EVALUATIONS_TOO_LONG_MAX = 5
"""So many positions of a game one after the other that took too long, and it is not asked again."""
# A process rarely dies of the thought itself: memory runs out, or somebody kills it.
TRIES = 2

log = structlog.get_logger()


@value
class Thought:
    """A turn that a house player's strategy is to think about.

    The choices that it leaves to chance follow from `seed` and `key`.

    A worker process imports this module and the game's own, nothing else of the server. The game goes over as an
    instance, by the name of its class, and with it the strategies: a game of a third party does as one of ours.
    """

    game: Game[Any]
    state: State[Any]
    seat: Seat
    strategy: str
    seed: str = field(repr=False)
    """64 hex digits."""
    key: str

    @property
    def is_quick(self) -> bool:
        """True if a thought needs no thinker, as any legal move will do."""
        return self.strategy == RANDOM and RANDOM not in self.game.strategies


@value
class ThinkerAnswer:
    """The move that a thinker came to, written out, or the fault of the strategy."""

    move: str = ""
    is_forced: bool = False
    """True if there was no other move."""
    fault: str = ""


class Thinkers(ABC):
    """The interface of what house players think with."""

    @abstractmethod
    def opened(self) -> contextlib.AbstractAsyncContextManager[None]:
        """The time during which the thinkers' `decide` may be called."""

    @abstractmethod
    async def decide(self, thought: Thought, within_s: float) -> ThinkerAnswer:
        """Think about a house player's turn; after `within_s`, or after crashes, the verdict is any legal move."""

    async def evaluate(self, game: Game[Any], state: State[Any]) -> float | None:
        """The chance to win that a house player gives the first seat in a position; None if it has no opinion."""
        return evaluation_of(game, state)


class WorkerThinkers(Thinkers):
    """Thinkers in worker processes, which start when they are first needed, and end after some idle minutes."""

    def __init__(self, workers_max: int, idle_s: float = IDLE_S) -> None:
        self._limiter = trio.CapacityLimiter(workers_max)
        # A thread cannot be stopped. One that never ends must not use up those that everything else runs in.
        self._threads = trio.CapacityLimiter(workers_max)
        self._idle_s = idle_s
        self._context: trio_parallel.WorkerContext | None = None
        self._bound_here: set[str] = set()
        """The games whose thoughts cannot leave this process."""
        # A slot of its own: a turn of a house player never waits for one that an opinion takes.
        self._evaluations = trio.CapacityLimiter(1)
        self._without_opinion: set[str] = set()
        """The games whose evaluator has failed."""
        self._too_long: Counter[str] = Counter()
        """Positions of each game that took too long since the last one that did not."""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Keep the worker processes of thinkers; at the end none is left."""
        try:
            # Rejected: multiprocessing's own pool, which neither kills a worker for one thought nor tells of one that
            # died.
            async with trio_parallel.open_worker_context(
                idle_timeout=self._idle_s, init=enter_worker, grace_period=_CLOSE_S
            ) as self._context:
                yield
        except trio_parallel.BrokenWorkerError as error:
            log.debug("a thinking process did not end by itself", why=str(error))
        finally:
            self._context = None

    @property
    def processes(self) -> int:
        """The number of worker processes that thinkers have now."""
        if self._context is None:
            return 0
        counted = self._context.statistics()
        return int(counted.idle_workers + counted.running_workers)

    async def decide(self, thought: Thought, within_s: float) -> ThinkerAnswer:
        """Think in a worker process, or in a thread where the game cannot leave this process."""
        game = thought.game.name
        known = {"game": game, "strategy": thought.strategy}
        verdict: ThinkerAnswer | None = None
        with trio.move_on_after(within_s) as scope:
            if game not in self._bound_here:
                try:
                    return await self._in_a_process(packed(thought), known) or think_at_random(thought)
                except Exception as error:  # noqa: BLE001 - pickling a stranger's values may raise anything
                    self._bound_here.add(game)
                    log.warning(
                        "a game cannot be handed to a thinking process; its house players think in a thread, "
                        "which holds other players up",
                        game=game,
                        why=f"{type(error).__name__}: {error}",
                    )
            # A thread cannot be stopped, so it is left behind; `_threads` limits how many can be.
            verdict = await trio.to_thread.run_sync(think, thought, abandon_on_cancel=True, limiter=self._threads)
        if scope.cancelled_caught or verdict is None:
            log.error("a house player took too long; any legal move is made for it", within_s=within_s, **known)
            return think_at_random(thought)
        return verdict

    async def evaluate(self, game: Game[Any], state: State[Any]) -> float | None:
        """Evaluate a position in a worker process. A game whose evaluator fails is not asked again."""
        if self._context is None or game.name in self._without_opinion | self._bound_here:
            return None
        why = ""
        with trio.move_on_after(_EVALUATE_MAX_S):
            try:
                data = pickle.dumps((game, state), pickle.HIGHEST_PROTOCOL)
                chance: float | None = await self._context.run_sync(
                    evaluate_packed, data, kill_on_cancel=True, limiter=self._evaluations
                )
            except Exception as error:  # noqa: BLE001 - an evaluator may be anybody's
                why = _cause_of(error)
            else:
                del self._too_long[game.name]
                return chance
        if not why:
            self._too_long[game.name] += 1
            if self._too_long[game.name] < _EVALUATIONS_TOO_LONG_MAX:
                return None
            why = f"it took more than {_EVALUATE_MAX_S:.0f} s, {_EVALUATIONS_TOO_LONG_MAX} times in a row"
        self._without_opinion.add(game.name)
        log.warning("a house player's opinion cannot be had; no bar is shown at this game", game=game.name, why=why)
        return None

    async def _in_a_process(self, data: bytes, known: dict[str, str]) -> ThinkerAnswer | None:
        """The verdict of a process; None if every process that was to think of this died."""
        assert self._context is not None, "decide is called while the thinkers are open"
        for attempt in range(1, TRIES + 1):
            try:
                verdict: ThinkerAnswer = await self._context.run_sync(
                    think_packed, data, kill_on_cancel=True, limiter=self._limiter
                )
            except (trio_parallel.BrokenWorkerError, OSError) as error:
                log.warning("a thinking process died", attempt=attempt, why=_cause_of(error), **known)
            else:
                return verdict
        log.error("thinking processes keep dying; any legal move is made for the house player", **known)
        return None


class InlineThinkers(Thinkers):
    """Thinkers on the event loop. Only for virtual time, which must not pass while another process works."""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[None]:
        """Open nothing, as these thinkers have no process."""
        yield

    async def decide(self, thought: Thought, within_s: float) -> ThinkerAnswer:
        """Think on the event loop, for as long as it takes."""
        return think(thought)


def _cause_of(error: Exception) -> str:
    """The cause of the end of a process, as far as it is known: its signal, as a negative number, or its exit code."""
    process = error.args[-1] if error.args else None
    if isinstance(process, multiprocessing.process.BaseProcess):
        return f"exit code {process.exitcode}"
    return f"{type(error).__name__}: {error}"


def think(thought: Thought) -> ThinkerAnswer:
    """Have a house player's strategy think, and pick a move."""
    game, state, seat = thought.game, thought.state, thought.seat
    strategy: Strategy = game.strategies.get(thought.strategy, play_at_random)
    try:
        move = strategy(state, seat, _SeededChoice(thought.seed, thought.key))
        legal = state.legal_moves(seat)
        text = str(game.write_move(move))
        if move not in legal:
            return ThinkerAnswer(fault=f"it picked an illegal move: {text}")
        return ThinkerAnswer(text, is_forced=len(list(islice(legal, 2))) < 2)
    except BaseException:  # noqa: BLE001 - a strategy may be anybody's, and its SystemExit would go over to the server
        return ThinkerAnswer(fault=traceback.format_exc())


def evaluation_of(game: Game[Any], state: State[Any]) -> float | None:
    """Asks a game's first evaluator about a position; None without one, or if the position hides anything.

    Then an opinion would give away what it is, as it rests on the whole.
    """
    evaluator = next(iter(game.evaluators.values()), None)
    if evaluator is None or any(state.view(seat) != state.view(None) for seat in range(game.seats)):
        return None
    return min(1.0, max(0.0, float(evaluator(state))))


def evaluate_packed(data: bytes) -> float | None:
    """Unpickles a position that came from the serving process, and evaluates it as one of the thinkers."""
    try:
        game, state = pickle.loads(data)  # noqa: S301 - the server itself wrote it, into a pipe
        return evaluation_of(game, state)
    except BaseException as error:  # noqa: BLE001 - a SystemExit would go over to the server
        message = f"{type(error).__name__}: {error}"
        raise ValueError(message) from None


def think_at_random(thought: Thought) -> ThinkerAnswer:
    """Pick any legal move in the place of a strategy that could not think."""
    return think(Thought(thought.game, thought.state, thought.seat, "", thought.seed, thought.key))


def packed(thought: Thought) -> bytes:
    """Pickles a house player's thought that is to leave the serving process for one of the thinkers.

    Raises whatever pickling raises for a game that cannot leave this process.
    """
    return pickle.dumps(thought, pickle.HIGHEST_PROTOCOL)


def think_packed(data: bytes) -> ThinkerAnswer:
    """Unpickles a thought that came from the serving process, and thinks it as one of the thinkers."""
    try:
        thought: Thought = pickle.loads(data)  # noqa: S301 - the server itself wrote it, into a pipe
    except Exception as error:  # noqa: BLE001 - unpickling a stranger's values may raise anything
        # For example where it cannot import the game. The error itself may be of a class that cannot go back.
        message = f"a thinking process cannot read the thought: {type(error).__name__}: {error}"
        raise ValueError(message) from None
    return think(thought)


class _SeededChoice:
    """Chooses by draws that follow from a seed, so that the same thought always comes to the same move."""

    def __init__(self, seed: str, key: str) -> None:
        self._seed, self._key, self._made = seed, key, 0

    def __call__(self, options: Sequence[Any]) -> Any:
        try:
            count = len(options)
        except OverflowError:  # more than an index can tell, such as the codes of a large Mastermind: one of the first
            count = sys.maxsize
        if not count:
            raise IndexError("there is nothing to choose from")
        self._made += 1
        return options[number_below(count, self._seed, f"house|{self._key}", self._made)]


def play_at_random(state: State[Any], seat: Seat, choose: Choose[Any]) -> Any:
    """The thinkers' plainest strategy, which every game has: chooses any legal move."""
    return choose(state.legal_moves(seat))
