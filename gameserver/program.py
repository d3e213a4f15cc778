"""Programs of other people, in any language: how their command is filled in, started, watched and ended.

A program is started apart (`processes`), so that Ctrl-C is for us alone. What it prints goes into a file. Its standard
input is open and silent until its part is over, as a terminal's is at home: many bots read it in a thread to end on a
key, and take its end for that, or read it again and again.
"""

import re
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

import psutil
from attrs import define

from gameserver import processes

TAIL_BYTES = 16_000
PLACEHOLDERS = "{host}, {port}, {port:PROTOCOL}, {name}, {game} and {games}"

_PLACEHOLDER = re.compile(r"\{([a-z]+)(?::([a-z0-9:-]+))?\}")


class WrongPlaceholder(ValueError):
    """A command cannot be filled in; the text says why."""


def filled(
    command: Sequence[str], facts: Mapping[str, str], listening: Mapping[str, str], protocol: str = "strategic"
) -> tuple[str, ...]:
    """The command with its placeholders filled in.

    `facts` are `name`, `game` and `games`. `listening` is where each protocol is reached, as HOST:PORT, with `tls://`
    before it where that is spoken; `protocol` is the one that `{host}` and `{port}` mean. Raises `WrongPlaceholder`
    for one that there is not, and for a protocol that is not listened for.
    """

    def value(found: re.Match[str]) -> str:
        word, named = found.groups()
        if named is None and word in facts:
            return facts[word]
        if word not in {"host", "port"}:
            raise WrongPlaceholder(f"there is no {found[0]}; there are {PLACEHOLDERS}")
        place = listening.get(named or protocol)
        if place is None:
            known = ", ".join(listening) or "nothing that it reports; restart it"
            raise WrongPlaceholder(f"{found[0]}: the server listens for {known}")
        host, _, port = place.removeprefix("tls://").rpartition(":")
        return port if word == "port" else host.strip("[]")

    return tuple(_PLACEHOLDER.sub(value, word) for word in command)


@define
class Program:
    """A program that was started."""

    name: str
    process: "subprocess.Popen[bytes]"
    output: Path

    @classmethod
    def start(cls, name: str, command: Sequence[str], output: Path) -> Self:
        """Start it. Raises `OSError`."""
        with output.open("wb") as stream:
            process = processes.start_apart(command, stdin=subprocess.PIPE, stdout=stream, stderr=subprocess.STDOUT)
        return cls(name, process, output)

    @property
    def end(self) -> str | None:
        """The way in which it ended, if it did."""
        code = self.process.poll()
        if code is None:
            return None
        return f"ended with exit code {code}" if code >= 0 else f"was ended ({signal.strsignal(-code)})"

    def tail(self, lines_max: int) -> list[str]:
        """The last lines that it printed."""
        with self.output.open("rb") as stream:
            stream.seek(max(0, self.output.stat().st_size - TAIL_BYTES))
            return stream.read().decode("utf-8", "replace").splitlines()[-lines_max:]

    def tree(self) -> list[psutil.Process]:
        """The processes that run: its own, and all that it has started. Those of a starter that has ended are lost."""
        try:
            own = psutil.Process(self.process.pid)
            return [own, *own.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []

    @property
    def memory_bytes(self) -> int:
        """The memory that all its processes have in use together."""
        total = 0
        for process in self.tree():
            with suppress(psutil.Error):
                total += process.memory_info().rss
        return total

    def end_input(self) -> None:
        """Close its standard input: its part is over."""
        if self.process.stdin is not None:
            self.process.stdin.close()

    def kill(self) -> None:
        """End it and everything that it has started, at once."""
        tree = self.tree()
        self.end_input()
        processes.end(self.process)
        for process in tree:  # those that have sessions of their own, too
            with suppress(psutil.Error):
                process.kill()
        self.process.wait()
