"""Consequences of a decision: handlers add them to the draft, and `core.consequences` draws them.

A follow-up is a value, so what two handlers add is drawn once. One that is being drawn still counts as waiting:
what its handler changes in the same place needs no second look. They are tuples, which hash without a Python call.
"""

from typing import NamedTuple


class MatchFinished(NamedTuple):
    """A match has ended, which a tournament may wait for."""

    match: int


class RoomChanged(NamedTuple):
    """A room's row was written, and more may follow there."""

    room: int


class PlayerAvailable(NamedTuple):
    """A player may have become free for a tournament: by coming in, by being ready, by what a tournament keeps."""

    player: str


class TournamentChanged(NamedTuple):
    """A tournament's row was written, or one of its players may be free: matches that can begin now do."""

    tournament: int


class SeekResumed(NamedTuple):
    """A player who looks for an opponent is free to meet one again.

    `held_by` is the row that kept them from it, a match or a tournament, as table and key. Players who are freed by two
    rows in one decision are drawn twice: the second time puts players who still wait at the end of their queue.
    """

    player: str
    held_by: tuple[str, int]


FollowUp = MatchFinished | RoomChanged | PlayerAvailable | TournamentChanged | SeekResumed


class FollowUps(dict[type[FollowUp], dict[FollowUp, None]]):
    """Consequences to be drawn, by kind, each kind in the order in which it came."""

    __slots__ = ()

    def add(self, follow_up: FollowUp) -> None:
        """Have this drawn before the decision is over, once."""
        self.setdefault(type(follow_up), {})[follow_up] = None
