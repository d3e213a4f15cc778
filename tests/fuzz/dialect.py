"""A protocol as the fuzzer speaks it: its adapter, what clients send that is right, and what is well formed.

What is right comes from the transcripts, and from what clients say in the course of a game. Where
that depends on the server's words (ids, legal moves), it is picked from what it said last.
"""

import itertools
import re
from abc import ABC, abstractmethod
from functools import cache
from pathlib import Path
from random import Random
from typing import ClassVar

from gameserver.http.host_context import HostContext
from gameserver.protocol import Adapter, Context, Peer, WireProtocol
from tests.support.lobbies import LobbyHarness
from tests.support.own_plugins import OWN
from tests.support.transcripts.text import to_bytes

TRANSCRIPTS = Path(__file__).parents[1] / "protocols" / "transcripts"
GAMES = {game.name.lower(): game for game in OWN.games.values()}


class IllFormed(Exception):
    """The server sent something that its protocol does not have."""


@cache
def spoken(*prefixes: str, beside: tuple[str, ...] = ()) -> tuple[bytes, ...]:
    """The lines that clients send in the transcripts whose names begin so, or do not begin so."""
    lines = [
        to_bytes(line)
        for path in sorted(TRANSCRIPTS.glob("*.txt"))
        if path.name.startswith(prefixes or ("",)) and not (beside and path.name.startswith(beside))
        for line in re.findall(r"^C\d> (.*)$", path.read_text("utf-8"), re.MULTILINE)
    ]
    return tuple(dict.fromkeys(line for line in lines if len(line) < 1_000))


class Dialect(ABC):
    """One protocol."""

    protocol: ClassVar[WireProtocol]
    right_share: ClassVar[float] = 0.45
    """The share of the messages that are left as they are; without it nobody would get anywhere."""
    unfinished_bytes_max: ClassVar[int] = 17_000
    """The bytes that a connection may keep, beyond a new one, of something that has been begun."""
    bytes_max: ClassVar[int] = 500
    """The bytes that it may keep at rest."""
    probe: ClassVar[bytes | None]
    """Bytes that end whatever was begun, and then ask a question that has to be answered; None if there are none."""
    patience_ms: ClassVar[int] = 0
    """The time until a connection that has nothing to say is let go, where there is no probe."""

    def __init__(self) -> None:
        self._ids = itertools.count()

    def adapter(self, peer: Peer, number: int) -> Adapter:
        """A new connection's."""
        profiles = self.protocol.profiles
        options = self.protocol.options_type()
        names = tuple(sorted(game.name for game in GAMES.values()))
        kind = HostContext if self.protocol.carries_others else Context
        context = kind(profiles[number % len(profiles)], options, names, new_id=self._new_id)
        return self.protocol.adapter(peer, context)

    def _new_id(self) -> str:
        return f"id-{next(self._ids):017}"

    def connected(self, harness: LobbyHarness, session: int) -> None:  # noqa: B027 - most need nothing
        """Somebody is about to connect."""

    @abstractmethod
    def right(self, chance: Random, session: int, heard: bytes) -> bytes:
        """A message that a client might send after the last one that it heard."""

    def check(self, session: int, said: bytes) -> None:  # noqa: B027 - not all can be looked at
        """Check that this is well formed. Raises `IllFormed`."""
