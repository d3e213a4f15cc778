"""The clients in `examples/` as processes: how they are started, and what they told when they are done."""

import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Self

from attrs import Factory, define

from tests.end_to_end.recorded import Recorded
from tests.end_to_end.server_process import Program
from tests.end_to_end.support import EXAMPLES, LOCAL

RESULT = re.compile(r"RESULT (win|loss|draw) (.+) (-?\d+):(-?\d+)")


def python_command(script: str) -> list[str]:
    """The command that starts a Python client."""
    return [sys.executable, "-W", "error", str(EXAMPLES / "python" / script)]


@define
class ExampleBot(Program):
    """One running client."""

    name: str = ""

    @classmethod
    def start(cls, to_end: ExitStack, command: Sequence[str], port: int, name: str, *arguments: object) -> Self:
        """Start one of a line protocol; it ends with the test at the latest."""
        more = ["--host", LOCAL, "--port", str(port), "--name", name, *map(str, arguments)]
        return cls.launch(to_end, [*command, *more], name=name)

    def finish(self) -> "Story":
        """Wait for its end, which must be a good one; what it told."""
        printed, complained = self.end()
        assert complained == "", printed + complained
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


def check_told(name: str, story: Story, recorded: Sequence[Recorded]) -> None:
    """Check that the matches that a bot tells of are on record as it tells them, in the same order.

    Of a match that it was shown late it may not know the first moves; one whose end it has missed it does not tell.
    """
    own = (match for match in recorded if name in match.players)
    for result, moves in zip(story.results, story.moves, strict=True):
        assert any(_is_told(name, result, moves, match) for match in own), (
            f"{name} tells of {result[0]} after {moves}; last on record: {recorded[-3:]}"
        )


def _is_told(name: str, result: re.Match[str], moves: Sequence[tuple[str, str]], match: Recorded) -> bool:
    mine = match.players.index(name)
    outcome, opponent, *scores = result.groups()
    possible = [[str(match.points[mine]), str(match.points[1 - mine])]]
    if match.reason != "played":
        possible.append(["0", "0"])  # the text protocol's scores of a match that was not played out
    is_same = (outcome, opponent) == (match.results[mine], match.players[1 - mine]) and scores in possible
    return is_same and numbered(moves) == numbered(match.moves)[-len(moves) :]


def numbered(moves: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
    """Moves with their columns as numbers, whichever way they were written."""
    return [(who, 4 * "abcd".index(move[0]) + int(move[1]) if move[0] in "abcd" else int(move)) for who, move in moves]
