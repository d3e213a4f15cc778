"""The example bots of the text protocol: how they are started."""

import subprocess
import sys
from collections.abc import Callable

from tests.examples.bot_processes import EXAMPLES

PYTHON_BOT = [sys.executable, "-W", "error", str(EXAMPLES / "python" / "random_bot.py")]

Run = Callable[..., subprocess.CompletedProcess[str]]


def bot(port: int, game: str = "Tic-tac-toe", *more: object) -> list[object]:
    return ["--host", "127.0.0.1", "--port", port, "--name", "ann", "--game", game, "--seed", 1, *more]
