"""`python -m tests.support.transcripts [--write] FILE ...` prints, or writes, what the server really says."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import structlog
import trio
from trio.testing import MockClock

from tests.support.transcripts import perform, read


def main(arguments: Sequence[str]) -> None:
    """Print what the server says, or write it into the files."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    for name in arguments:
        if name != "--write":
            path = Path(name)
            clock: Any = MockClock(autojump_threshold=0)
            said = trio.run(perform, read(path.read_text("utf-8")), clock=clock)
            if "--write" in arguments:
                path.write_text(said, "utf-8")
            else:
                sys.stdout.write(said)


if __name__ == "__main__":
    main(sys.argv[1:])
