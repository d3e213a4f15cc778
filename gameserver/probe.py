"""Probe of games in a child process with limits of time and memory, before the server itself loads them.

A game that rests on a library of C or C++ can bring the process down: in OpenSpiel 2.0.2 `havannah(board_size=-1)` is
a segmentation fault while it is loaded, and the moves of `hex(board_size=3000)` take half a gigabyte. Here it is a
child that dies. One child probes all games in turn, since an import of OpenSpiel each would take the longest; the game
after those that it tells of brought it down, and the games after that go to a new child.
"""

import faulthandler
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import psutil

from gameserver.game import Game, after_draws

_GAMES = 3
"""Random games that a probe plays of each game."""
# The slowest of OpenSpiel's, chess, plays a random game in some 0.2 s; a crash shows at the load or in the first moves.
_PLAY_S = 1.0
"""Seconds after which a probe begins no further move: a game that is long is no fault."""
_CHILD = "from gameserver.probe import probe_in_child; probe_in_child()"


def faults_of(
    makes: Mapping[str, Callable[[], Game[Any]]], time_s: float = 20.0, memory_bytes: int = 200_000_000
) -> dict[str, str]:
    """Probe games, each made by its function; gives the fault, in a line, of each one that has one.

    One game may take `time_s` by the clock, more than any needs on a busy machine, and so much memory beyond what the
    child had before: the server keeps some positions of every match.
    """
    found: list[str] = []
    packed = [pickle.dumps(make) for make in makes.values()]
    while len(found) < len(packed):
        found += _probed(packed[len(found) :], time_s, memory_bytes)
    return {what: fault for what, fault in zip(makes, found, strict=True) if fault}


def reason_of(error: BaseException) -> str:
    """Writes why a plug-in cannot be used, in a line. A `ValueError` is raised to be read, others tell their type."""
    text = " ".join(str(error).split())
    return text if text and isinstance(error, ValueError) else f"{type(error).__name__}: {text}"


def _probed(packed: Sequence[bytes], time_s: float, memory_bytes: int) -> list[str]:
    """Have one child probe games in turn, as far as it gets: the fault of each, or "", with that of the last one."""
    path = os.pathsep.join(place or "." for place in sys.path)  # plug-ins may lie beside the config file
    child = subprocess.run(  # noqa: S603 - this interpreter
        [sys.executable, "-P", "-c", _CHILD],
        input=pickle.dumps((packed, time_s, memory_bytes)),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # OpenSpiel writes its 126 names there if one is wrong
        env=os.environ | {"PYTHONPATH": path},
        check=False,
    )
    faults: list[str] = []
    for line in child.stdout.splitlines():
        if line.startswith(b"Timeout"):  # of the watchdog, which writes where the child was at
            return [*faults, f"it hangs: a few games of it took more than {time_s:g} s"]
        faults.append(json.loads(line))
    return faults if len(faults) == len(packed) else [*faults, _crash(child.returncode)]


def _crash(code: int) -> str:
    with suppress(ValueError):
        return f"it crashed the process that tried it ({signal.Signals(-code).name})"
    return f"it crashed the process that tried it (exit code {code})"


def probe_in_child() -> None:
    """Probe in the child what the parent asks for: a line for each game, its fault or an empty text."""
    # Libraries print to the standard output as well.
    report = os.fdopen(os.dup(1), "w", buffering=1, encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    packed, time_s, memory_bytes = pickle.load(sys.stdin.buffer)  # noqa: S301 - the parent wrote it
    for number, make in enumerate(packed):
        # A thread of C, which ends the process even while a library holds the interpreter.
        faulthandler.dump_traceback_later(time_s, exit=True, file=report)
        report.write(json.dumps(_fault(make, number, memory_bytes)) + "\n")
        faulthandler.cancel_dump_traceback_later()


def _fault(packed: bytes, seed: int, memory_bytes: int) -> str:
    """Make a game and play it; gives its fault, or ""."""
    process, too_much = psutil.Process(), f"it takes more than {memory_bytes // 1_000_000} MB of memory"
    try:
        make = pickle.loads(packed)  # noqa: S301 - the parent wrote it; it imports the library, with memory of its own
        before = process.memory_info()
        if sys.platform == "linux":  # macOS takes the limit and does not keep it
            with suppress(ValueError):  # a harder limit is in force
                process.rlimit(psutil.RLIMIT_AS, (before.vms + memory_bytes, process.rlimit(psutil.RLIMIT_AS)[1]))
        _play(make(), random.Random(seed))  # noqa: S311 - any moves will do, but the same ones each time
    except MemoryError:
        return too_much
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a game raises is its fault
        # A binding of C++ that has no memory for a list says that it cannot convert it.
        return too_much if isinstance(error.__cause__, MemoryError) else reason_of(error)
    return too_much if process.memory_info().rss > before.rss + memory_bytes else ""


def _play(game: Game[Any], chance: random.Random) -> None:
    """Play a few random games of legal moves alone."""
    stop_s = time.monotonic() + _PLAY_S
    start = game.start(game.options_type())
    if start.outcome is not None:
        raise ValueError("it is over before the first move")
    for _ in range(_GAMES):
        state = start
        while (state := after_draws(state, chance.randint)).outcome is None and time.monotonic() < stop_s:
            seat = state.turn.seats[0]
            state = state.play(seat, chance.choice(state.legal_moves(seat)))
        state.view(None), state.board(None), state.picture(None)
