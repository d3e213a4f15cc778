"""A game that brings its process down is found out in a child, and the games after it are probed all the same."""

import os
import sys
from functools import partial

from gameserver.probe import faults_of
from tests.support.games import Countdown


def test_each_fault_is_blamed_on_its_game() -> None:
    makes = {
        "fine": Countdown,
        "crash": os.abort,
        "exit": partial(os._exit, 3),
        "hang": partial(sum, iter(int, 1)),
        "refusal": partial(int, "seven"),
        "bug": partial(divmod, 1, 0),
        "fine after all that": Countdown,
    }
    expected = {
        "exit": "it crashed the process that tried it (exit code 3)",
        "hang": "it hangs: a few games of it took more than 1.5 s",
        "refusal": "invalid literal for int() with base 10: 'seven'",
        "bug": "ZeroDivisionError: integer division or modulo by zero",
    }
    if sys.platform == "linux":  # elsewhere memory is looked at after the game, when it is given back
        makes["memory"] = partial(bytearray, 500_000_000)
        expected["memory"] = "it takes more than 100 MB of memory"
    faults = faults_of(makes, time_s=1.5, memory_bytes=100_000_000)
    assert faults.pop("crash").startswith("it crashed the process that tried it")
    assert faults == expected
