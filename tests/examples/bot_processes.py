"""Bots in processes of their own: run to the end, and read."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from tests.examples.fake_strategic_server import Peer, Script, fake_server
from tests.support.java import java_command

PYTHON = Path(__file__).parents[2] / "examples" / "python"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


class Bots:
    """A client in both languages: its script in Python, and its class in Java, which is compiled once."""

    def __init__(self, factory: pytest.TempPathFactory, script: str, java: str) -> None:
        self._factory, self._script, self._java = factory, script, java

    def run(self, language: str) -> Run:
        """Give what runs the bot with some arguments to its end."""
        if language == "java":
            return partial(execute, java_command(self._factory, self._java))
        return partial(execute, [sys.executable, "-W", "error", str(PYTHON / self._script)])

    def all(self) -> list[Run]:
        """The same in every language that is here."""
        return [self.run("python"), *([self.run("java")] if shutil.which("javac") else [])]


def against(run: Run, options: str, *scripts: Script, peer: type[Peer] = Peer) -> "subprocess.CompletedProcess[str]":
    """Run a bot to its end against a fake server that follows these scripts."""
    with fake_server(*scripts, peer=peer) as server:
        place = ["--host", "127.0.0.1", "--port", server.port]
        return run(*place, "--name", "ann", "--seed", 1, *options.split())


def execute(command: list[str], *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60)


def results(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done
    assert done.stderr == ""
    return [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]


def sentence(done: subprocess.CompletedProcess[str], exit_code: int) -> str:
    """The one line on stderr with which the bot gave up."""
    assert done.returncode == exit_code, done
    (line,) = done.stderr.splitlines()
    return line


def are_lost_for_good(bots: Bots, options: str, let_in: Script, peer: type[Peer] = Peer) -> None:
    """See bots give up whose server lets them in and goes, all at once: a state is told once for all attempts."""

    def gone(peer: Peer) -> None:
        let_in(peer)
        peer.hear()  # what is not read when a socket is closed resets the connection, and the bot tells that

    def lost(run: Run) -> "subprocess.CompletedProcess[str]":
        return against(run, f"{options} --retry-for 1", gone, peer=peer)

    with ThreadPoolExecutor() as pool:
        for done in pool.map(lost, bots.all()):
            assert "no server at 127.0.0.1, port " in sentence(done, 1)
            states = [line for line in done.stdout.splitlines() if re.match("connection lost|not back yet", line)]
            assert states == [
                "connection lost (the server closed it), trying to come back for 1 s",
                "not back yet (Connection refused)",
            ]
