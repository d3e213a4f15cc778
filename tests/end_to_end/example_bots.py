"""The clients in `examples/` as processes: how they are started, and what they told when they are done."""

import re
import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from attrs import Factory, define

from tests.end_to_end.server_process import Printed
from tests.end_to_end.support import DEADLINE_S, EXAMPLES, LOCAL

RESULT = re.compile(r"RESULT (win|loss|draw) (.+) (-?\d+):(-?\d+)")
OPPOSITE = {"win": "loss", "loss": "win", "draw": "draw"}


def python_command(script: str) -> list[str]:
    """The command that starts a Python client."""
    return [sys.executable, "-W", "error", str(EXAMPLES / "python" / script)]


@define
class ExampleBot:
    """One running client."""

    name: str
    process: subprocess.Popen[str]
    printed: Printed
    complained: Printed

    @classmethod
    def start(cls, to_end: ExitStack, command: Sequence[str], port: int, name: str, *arguments: object) -> Self:
        """Start one of a line protocol; it ends with the test at the latest."""
        return cls.launch(
            to_end, [*command, "--host", LOCAL, "--port", str(port), "--name", name, *map(str, arguments)], name
        )

    @classmethod
    def launch(cls, to_end: ExitStack, command: Sequence[str], name: str) -> Self:
        """Start one by its whole command; it ends with the test at the latest."""
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
        to_end.callback(process.wait)
        to_end.callback(process.kill)
        assert process.stdout is not None
        assert process.stderr is not None
        return cls(name, process, Printed(process.stdout), Printed(process.stderr))

    def finish(self) -> "Story":
        """Wait for its end, which must be a good one; what it told."""
        code = self.process.wait(3 * DEADLINE_S)
        self.printed.join()
        self.complained.join()
        assert (code, self.complained.text) == (0, ""), self.printed.text + self.complained.text
        return Story.of(self.printed.lines)


@define
class Story:
    """The matches that a bot told of: the moves of each with their player, as text or column number, and its result."""

    results: list[re.Match[str]] = Factory(list)
    moves: list[list[tuple[str, str]]] = Factory(list)

    @classmethod
    def of(cls, lines: Sequence[str]) -> Self:
        """Reads the story out of a bot's lines. A match that is shown again is told from its beginning."""
        story, moves = cls(), []
        for line in lines:
            if line.startswith("match of "):
                moves = []
            elif line.startswith("move "):
                _, player, move = line.split()
                moves.append((player, move))
            elif line.startswith("RESULT"):
                result = RESULT.fullmatch(line)
                assert result is not None, line
                story.results.append(result)
                story.moves.append(moves)
        return story


def agree(one: Sequence[re.Match[str]], other: Sequence[re.Match[str]]) -> None:
    """Two bots tell of the same matches, each from its own side."""
    for mine, theirs in zip(one, other, strict=True):
        assert mine[1] == OPPOSITE[theirs[1]]
        assert (mine[3], mine[4]) == (theirs[4], theirs[3])
