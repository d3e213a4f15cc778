"""Holds the core to its word: a decision changes nothing of the lobby that it is made upon.

Nothing guards a value against assignment while a server runs (`gameserver.values`), and the tests use the same
classes. mypy refuses assignments in our own code; this finds those that it cannot see, in handlers and in games,
by comparing the lobby before and after.
"""

from collections.abc import Callable
from itertools import count
from typing import Any

from gameserver.core.decide import decide
from gameserver.core.lobby import Lobby
from gameserver.engine import batch
from gameserver.journal.snapshot import write_snapshot

EVERY = 16
"""One of so many decisions is looked at: to write the lobby out twice takes as long as some ten of them."""


class ImpureDecisionError(BaseException):
    """A decision changed the lobby that it was made upon. No `Exception`: a batch takes those for refusals."""


def watched(decide: Callable[..., Any], every: int = EVERY) -> Callable[..., Any]:
    """The same function, which fails where one of `every` calls changes the lobby."""
    numbers = count()

    def decide_and_compare(lobby: Any, command: Any, at: Any, **more: Any) -> Any:
        if next(numbers) % every:
            return decide(lobby, command, at, **more)
        before = _fingerprint(lobby)
        decision = decide(lobby, command, at, **more)
        if _fingerprint(lobby) != before:
            raise ImpureDecisionError(f"the decision of {command} changed the lobby that it was made upon")
        return decision

    return decide_and_compare


def _fingerprint(lobby: Lobby) -> tuple[bytes, str]:
    """Everything that the lobby's rows hold, and the positions, which a snapshot leaves to the moves."""
    positions = "".join(repr(match.state) for match in lobby.matches.values())
    return write_snapshot(lobby, 0, 0).body, positions


def watch_decisions() -> None:
    """Have every batch of this process decide under watch."""
    batch.decide = watched(decide)  # type: ignore[assignment]
