"""Finds and runs the installed command for the end-to-end tests. Everything that waits has a deadline."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from gameserver.cli.effective_config import find_plugins
from gameserver.cli.main import main
from tests.support.elsewhere import SYSTEM, elsewhere

COMMAND = str(Path(sys.executable).with_name("gameserver"))
"""The installed command."""

EXAMPLES = Path(__file__).parents[2] / "examples"

DEADLINE_S = 60.0
"""The limit for anything that should happen at once. Only a test that fails waits that long."""

LOCAL = "127.0.0.1"
NEIGHBOUR = "127.0.0.2"
"""A second address of this machine, for what is counted by address."""

GOODBYE = "ERR The server is stopping; matches are saved, log in again when it is back"


def eventually(condition: Callable[[], Any], what: str, within_s: float = DEADLINE_S) -> Any:
    """Look until the condition holds; what it gave then. For what has no event to wait for."""
    give_up_s = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < give_up_s, f"not within {within_s:g} s: {what}"
        time.sleep(0.01)
    return found


def environment() -> dict[str, str]:
    """The environment of a command: a wide terminal, so that no table is wrapped, and UTF-8."""
    return os.environ | {"COLUMNS": "200", "PYTHONUTF8": "1"} | (elsewhere(SYSTEM) if SYSTEM else {})


def run(
    *arguments: str, env: Mapping[str, str] | None = None, encoding: str = "utf-8", errors: str = "strict"
) -> subprocess.CompletedProcess[str]:
    """The command with these arguments, to its end. What would listen at its default port is switched off."""
    return subprocess.run(
        [COMMAND, *arguments, *(_others_off(arguments) if arguments[0] == "serve" else ())],
        capture_output=True,
        encoding=encoding,
        errors=errors,
        check=False,
        timeout=DEADLINE_S,
        env=environment() | dict(env or {}),
    )


def called(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in this process, for what starts no server; a new process would take a second each."""
    done = CliRunner(env={"COLUMNS": "200"}).invoke(main, arguments)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def _others_off(arguments: Sequence[str]) -> Iterator[str]:
    for name in find_plugins().protocols.keys() - {"strategic"}:
        if not any(argument.startswith(f"{name}=") for argument in arguments):
            yield from ("--listen", f"{name}=off")


@cache
def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True
