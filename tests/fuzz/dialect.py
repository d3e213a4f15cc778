"""A protocol as the fuzzer speaks it: what clients send that is right, and what is well formed.

What is right comes from the transcripts, and from what clients say in the course of a game. Where
that depends on the server's words (ids, legal moves), it is picked from what it said last.
"""

import re
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path
from random import Random
from typing import ClassVar

from gameserver.protocol import WireProtocol
from tests.simulation.power import Machine
from tests.support.transcripts.text import to_bytes

TRANSCRIPTS = Path(__file__).parents[1] / "protocols" / "transcripts"
OTHERS = ("connect_four", "gammonx", "mastermind_", "web", "meeting_web")
"""Transcripts of other protocols than the text protocol."""


class IllFormed(Exception):
    """The server sent something that its protocol does not have."""


@cache
def spoken(*prefixes: str) -> tuple[bytes, ...]:
    """The lines that clients send in the transcripts whose names begin so; without any, in the text protocol's."""
    lines = [
        to_bytes(line)
        for path in sorted(TRANSCRIPTS.glob("*.txt"))
        if (path.name.startswith(prefixes) if prefixes else not path.name.startswith(OTHERS))
        for line in re.findall(r"^C\d> (.*)$", path.read_text("utf-8"), re.MULTILINE)
    ]
    return tuple(dict.fromkeys(line for line in lines if len(line) < 1_000))


class Dialect(ABC):
    """One protocol."""

    protocol: WireProtocol
    right_share: ClassVar[float] = 0.45
    """The share of the messages that are left as they are; without it nobody would get anywhere."""
    unfinished_bytes_max: ClassVar[int] = 17_000
    """The bytes that a connection may keep, beyond a new one, of something that has been begun."""
    probe: ClassVar[bytes | None] = None
    """Bytes that end whatever was begun, and then ask a question that has to be answered; None if there are none."""
    end: ClassVar[bytes] = b"\n"
    """The end of each message of the server's."""

    def connects(self, machine: Machine, number: int) -> None:  # noqa: B027 - most need nothing
        """A connection of this number is about to be opened."""

    @abstractmethod
    def right(self, chance: Random, number: int, heard: bytes) -> bytes:
        """A message that the client of a connection might send after the last one that it heard."""

    def check(self, number: int, said: bytes) -> None:
        """Check that this is well formed. Raises `IllFormed`, `ValueError` or `KeyError`."""
        *messages, rest = said.split(self.end)
        if rest:
            raise IllFormed(f"a message without its end: {said[-300:]!r}")
        for message in messages:
            self.check_message(message)

    def check_message(self, message: bytes) -> None:  # noqa: B027 - not all can be looked at
        """Check that one message is well formed, as above."""
