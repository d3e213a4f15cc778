"""The state of one connection: its player, and the game that it plays."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from attrs import define, evolve, field

from gameserver.protocol import MatchEnded, MatchOpened, MovePlayed, Peer
from gameserver.values import value
from protocols.lines import LineSession
from protocols.mastermind.profiles import MastermindProfile
from protocols.mastermind.schema import NewGame


class MastermindStage(StrEnum):
    """The stage of a connection of the Mastermind protocol."""

    ARRIVED = "arrived"
    IDLE = "idle"
    PLAYING = "playing"


@value
class _Running:
    """The Mastermind game that a connection plays: its match, its size, and the number of guesses."""

    match: int
    size: NewGame
    tries: int = 0


@define
class MastermindSession(LineSession):
    """The state of one connection of the Mastermind protocol, apart from bytes on their way.

    A message is meant for the game that is on when the message is taken: a client may send a NewGame and
    the first guess in one packet.
    """

    peer: Peer
    profile: MastermindProfile
    has_spoken: bool = False
    """True if the peer has sent a message of the protocol."""
    entered: bool = False
    wanted: NewGame | None = None
    """The game that was asked for last; it waits until its player has entered."""
    running: _Running | None = field(default=None)

    @property
    def stage(self) -> MastermindStage:
        """The stage of a connection of the Mastermind protocol, by its login and its game."""
        if self.running is not None:
            return MastermindStage.PLAYING
        # The name stays after the first game: the next NewGame needs no second login.
        return MastermindStage.IDLE if self.entered else MastermindStage.ARRIVED

    def running_in(self, match: int) -> _Running | None:
        """The game that a Mastermind client plays, if it is this match."""
        return self.running if self.running is not None and self.running.match == match else None

    def forget_tries(self) -> None:
        """Resets the count: after a retreat the original Mastermind server reported 0 tries, however many."""
        if self.running is not None:
            self.running = evolve(self.running, tries=0)


def _begin(session: MastermindSession, event: MatchOpened) -> None:
    assert session.wanted is not None, "no match is opened that was not asked for"
    session.running = _Running(event.match, session.wanted)


def _count_try(session: MastermindSession, event: MovePlayed) -> None:
    running = session.running_in(event.match)
    if running is not None and event.seat is not None:
        session.running = evolve(running, tries=running.tries + 1)


def _end(session: MastermindSession, event: MatchEnded) -> None:
    if session.running_in(event.match) is not None:
        session.running = None


UPDATES: Mapping[type, Callable[[MastermindSession, Any], None]] = {
    MatchOpened: _begin,
    MovePlayed: _count_try,
    MatchEnded: _end,
}
"""The changes that events make to the session. Other events change nothing here."""
