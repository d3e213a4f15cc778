"""Games whose strategies do what no strategy should: for tests of the processes in which house players think."""

import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from attrs import field, frozen

from gameserver.game import Evaluator, Strategy
from tests.support.games import Countdown, CountdownState

MARK = "GAMESERVER_TEST_MARK"
"""The environment variable that names the file in which `dies_once` and `forever` note that they were here."""


def mark() -> Path:
    return Path(os.environ[MARK])


def takes_the_most(state: Any, seat: int, choose: Any) -> int:
    return max(state.legal_moves(seat))


def takes_any(state: Any, seat: int, choose: Any) -> int:
    return choose(state.legal_moves(seat))


def dies(state: Any, seat: int, choose: Any) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def dies_once(state: Any, seat: int, choose: Any) -> int:
    if not mark().exists():
        mark().touch()
        os.kill(os.getpid(), signal.SIGSEGV)
    return max(state.legal_moves(seat))


def forever(state: Any, seat: int, choose: Any) -> int:
    mark().write_text(str(os.getpid()))
    while True:
        pass


def naps(state: Any, seat: int, choose: Any) -> int:
    time.sleep(0.02)
    return max(state.legal_moves(seat))


def tells_its_process(state: Any, seat: int, choose: Any) -> int:
    raise RuntimeError(f"process {os.getpid()} of niceness {os.nice(0)}")


def leaves(state: Any, seat: int, choose: Any) -> int:
    raise SystemExit(3)


def cheats(state: Any, seat: int, choose: Any) -> int:
    return 3


class Thoughtful(Countdown):
    """A game that can be thought about in another process."""

    name = "Thoughtful"
    strategies: ClassVar[Mapping[str, Strategy]] = {
        "most": takes_the_most,
        "any": takes_any,
        "dies": dies,
        "dies-once": dies_once,
        "forever": forever,
        "naps": naps,
        "tells": tells_its_process,
        "leaves": leaves,
        "cheat": cheats,
    }


@frozen
class LocalState(CountdownState):
    """A position that holds a function of its own, which no other process can have."""

    local: Callable[[], int] = field(default=lambda: 0, eq=False)


class Homebound(Countdown):
    """A game that cannot be thought about anywhere else."""

    name = "Homebound"
    strategies: ClassVar[Mapping[str, Strategy]] = {"most": takes_the_most, "tells": tells_its_process, "naps": naps}

    def start(self, options: Any) -> LocalState:
        return LocalState()


GAME, LOCAL = Thoughtful(), Homebound()


def leaves_instead(state: Any) -> float:
    raise SystemExit(3)


class Unjudged(Thoughtful):
    """A game whose evaluator fails."""

    name = "Unjudged"
    evaluators: ClassVar[Mapping[str, Evaluator]] = {"most": leaves_instead}
