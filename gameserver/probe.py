"""Probe of games in a child process with limits of time and memory, before the server itself loads them.

A game that rests on a library of C or C++ can bring the process down: in OpenSpiel 2.0.2 `havannah(board_size=-1)` is
a segmentation fault while it is loaded, and the moves of `hex(board_size=3000)` take half a gigabyte. Here it is a
child that dies. One child probes all games in turn and says which one it is at, so that the fault is blamed on the
right one; the games after that go to a new child.
"""

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

import psutil
from attrs import astuple

from gameserver.game import Game
from gameserver.values import value

_GAMES = 3
"""Random games that a probe plays of each game."""
# The slowest of OpenSpiel's, chess, plays a random game in some 0.2 s; a crash shows at the load or in the first moves.
_PLAY_S = 1.0
"""Seconds after which a probe begins no further move: a game that is long is no fault."""
_POLL_S = 0.02
_PATIENCE = 10
"""Times the limit of processor time that a game may take by the clock: it may wait for something that never comes."""
_CHILD = "from gameserver.probe import probe_in_child; probe_in_child()"


@value
class ProbeLimits:
    """What one game may take in a probe."""

    time_s: float = 5.0
    """Processor time, and a tenth of the time by the clock."""
    memory_bytes: int = 200_000_000
    """Memory beyond what the child had before the game: the server keeps some positions of every match."""


_LIMITS = ProbeLimits()


def faults_of(makes: Mapping[str, Callable[[], Game[Any]]], limits: ProbeLimits = _LIMITS) -> dict[str, str]:
    """Probe games, each made by its function; gives the fault, in a line, of each one that has one."""
    faults: dict[str, str] = {}
    left = {what: pickle.dumps(make) for what, make in makes.items()}
    while left:
        for what, fault in _probed(dict(left), limits):
            del left[what]
            if fault:
                faults[what] = fault
    return faults


def reason_of(error: BaseException) -> str:
    """Writes why a plug-in cannot be used, in a line. A `ValueError` is raised to be read, others tell their type."""
    text = " ".join(str(error).split())
    return text if text and isinstance(error, ValueError) else f"{type(error).__name__}: {text}"


def _probed(packed: Mapping[str, bytes], limits: ProbeLimits) -> Iterator[tuple[str, str]]:
    """Have one child probe games in turn, as far as it gets: each that is done, with its fault or "".

    The last one is the game that brought the child down, if any did.
    """
    path = os.pathsep.join(place or "." for place in sys.path)  # plug-ins may lie beside the config file
    with subprocess.Popen(  # noqa: S603 - this interpreter
        [sys.executable, "-P", "-c", _CHILD],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # OpenSpiel writes its 126 names there if one is wrong
        env=os.environ | {"PYTHONPATH": path},
    ) as child:
        try:
            lines = _lines_of(child, pickle.dumps((list(packed.values()), limits.memory_bytes)))
            for what in packed:
                fault = _fault(child, lines, limits)
                yield what, fault
                if child.poll() is not None:
                    return
        finally:
            child.kill()


def _lines_of(child: "subprocess.Popen[bytes]", told: bytes) -> "SimpleQueue[bytes]":
    """Tell the child of a probe what to do, and have a thread collect its lines; an empty one is its end."""
    assert child.stdin is not None
    assert child.stdout is not None
    lines: SimpleQueue[bytes] = SimpleQueue()
    stdout = child.stdout

    def collect() -> None:
        for line in stdout:
            lines.put(line)
        lines.put(b"")

    Thread(target=collect, daemon=True).start()
    with suppress(OSError), child.stdin:  # it has died already, which the end of its lines tells
        child.stdin.write(told)
    return lines


def _fault(child: "subprocess.Popen[bytes]", lines: "SimpleQueue[bytes]", limits: ProbeLimits) -> str:
    """The fault of the game that the child is at, or ""; where the game is too much, the child is killed."""
    give_up_s = time.monotonic() + _PATIENCE * limits.time_s
    before: _Used | None = None
    while True:
        try:
            line = lines.get(timeout=_POLL_S)
        except Empty:
            used = _used(psutil.Process(child.pid))
            if before is not None and used.memory_bytes > before.memory_bytes + limits.memory_bytes:
                fault = _too_much(limits.memory_bytes)
            elif time.monotonic() > give_up_s or (before is not None and used.time_s > before.time_s + limits.time_s):
                fault = f"it hangs: a few games of it took more than {limits.time_s:g} s"
            else:
                continue
            child.kill()
            child.wait()
            return fault
        if not line:
            return _crash(child.wait())
        told = json.loads(line)
        if isinstance(told, str):
            return told
        before = _Used(*told)


@value
class _Used:
    """What the child of a probe has used."""

    memory_bytes: int
    time_s: float
    """Processor time: on a busy machine a quick game takes long by the clock."""


def _used(process: psutil.Process) -> _Used:
    try:
        times = process.cpu_times()
        return _Used(process.memory_info().rss, times.user + times.system)
    except psutil.Error:  # it has just ended
        return _Used(0, 0.0)


def _too_much(memory_bytes: int) -> str:
    return f"it takes more than {memory_bytes // 1_000_000} MB of memory"


def _crash(code: int) -> str:
    with suppress(ValueError):
        return f"it crashed the process that tried it ({signal.Signals(-code).name})"
    return f"it crashed the process that tried it (exit code {code})"


def probe_in_child() -> None:
    """Probe in the child what the parent asks for: a line of what was used before each game, and one of its fault."""
    # Libraries print to the standard output as well.
    report = os.fdopen(os.dup(1), "w", buffering=1, encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    packed, memory_bytes = pickle.load(sys.stdin.buffer)  # noqa: S301 - the parent wrote it
    for number, make in enumerate(packed):
        report.write(json.dumps(astuple(_used(psutil.Process()))) + "\n")
        try:
            made = pickle.loads(make)  # noqa: S301 - likewise; it imports the library, which maps memory of its own
            _limit_memory(memory_bytes)
            _play(made(), random.Random(number))  # noqa: S311 - any moves will do, but the same ones each time
        except MemoryError:
            fault = _too_much(memory_bytes)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a game raises is its fault
            fault = reason_of(error)
        else:
            fault = ""
        report.write(json.dumps(fault) + "\n")


def _limit_memory(memory_bytes: int) -> None:
    """Have the system refuse more memory than this; the parent, which looks now and then, may be too late."""
    if sys.platform == "linux":  # macOS takes the limit and does not keep it
        import resource  # noqa: PLC0415 - not on every platform

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = psutil.Process().memory_info().vms + memory_bytes
        if hard == resource.RLIM_INFINITY or most < hard:
            resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _play(game: Game[Any], chance: random.Random) -> None:
    """Play a few random games of legal moves alone."""
    if game.series(game.options_type()) is not None:  # then its own `start` is not for calling
        return
    stop_s = time.monotonic() + _PLAY_S
    if game.start(game.options_type()).outcome is not None:
        raise ValueError("it is over before the first move")
    for _ in range(_GAMES):
        state = game.start(game.options_type())
        while state.outcome is None and time.monotonic() < stop_s:
            draw = state.chance
            if draw is not None:
                state = state.drawn(tuple(chance.randint(1, draw.sides) for _ in range(draw.count)))
                continue
            seat = state.turn.seats[0]
            state = state.play(seat, chance.choice(state.legal_moves(seat)))
        state.view(None), state.board(None), state.picture(None)
