"""What is known of one connection: where it stands, and the match it plays.

    arrived --connect--> lobby --join--> room --start--> ready --the other's start--> playing
    playing --the end--> over --restart--> asked again --the other's restart--> playing
    any but arrived --exit game, time, the other is gone--> lobby
    any --disconnect--> left

What the client asks for moves a connection on only when the lobby has accepted it, and what the lobby
tells moves it on wherever it stands: both are in the tables at the end of this module.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from attrs import define, field

from gameserver.protocol import (
    Command,
    Enter,
    GameEnded,
    MatchOpened,
    MatchShown,
    MovePlayed,
    Peer,
    Query,
    Ready,
    Seated,
    TurnStarted,
    Unseated,
)
from gameserver.values import frozen
from protocols.connect_four.options import ConnectFourOptions
from protocols.connect_four.profiles import Profile


class Stage(StrEnum):
    """Where a connection stands."""

    ARRIVED = "arrived"
    LOBBY = "lobby"
    ROOM = "room"
    READY = "ready"
    PLAYING = "playing"
    OVER = "over"
    ASKED_AGAIN = "asked again"
    LEFT = "left"


PLAYING = Stage.PLAYING  # once and for all: in Python 3.11 to look a member up by its class costs more than a call


@frozen
class OwnSeat:
    """The match that a player is in, or has just played, where they sit, and the moves that were made."""

    match: int
    seat: int
    players: tuple[str, ...]
    moves: list[str] = field(factory=list)

    @property
    def opponent(self) -> str:
        """The other player."""
        return ", ".join(name for seat, name in enumerate(self.players) if seat != self.seat)


@define
class ConnectFourSession:
    """One connection's state, apart from bytes on their way."""

    peer: Peer
    profile: Profile
    options: ConnectFourOptions
    stage: Stage = Stage.ARRIVED
    view: OwnSeat | None = None
    read_in: int = 0
    """The match that the peer had been told of when the line at hand was read; 0 for none.

    What was written in one match must not count in the next, which may begin while it is on its way.
    """
    said: str = ""
    """The move that was asked for last, as the peer wrote it."""
    moves_owed: int = 0
    """How many `make move` the peer was sent and has not answered.

    Where the game ended meanwhile, or the server moved in its place, a move may still be on its way
    that was in order when it was made; it is dropped without a word, because a client that has
    seldom reads an error for its move in the next place.
    """

    @property
    def match(self) -> int:
        """What a line that is read now is meant for, as in `read_in`."""
        return self.view.match if self.view is not None and self.stage is PLAYING else 0

    @property
    def entered(self) -> bool:
        """True if the lobby has accepted a name."""
        return self.stage not in {Stage.ARRIVED, Stage.LEFT}

    def is_in(self, match: int) -> bool:
        """Whether this is the match that is played, or was played last."""
        return self.view is not None and self.view.match == match

    def accepted(self, asked: Command | Query) -> None:
        """What the lobby has accepted is so."""
        self.stage = ACCEPTED.get((self.stage, type(asked)), self.stage)

    def told(self, event: object) -> None:
        """What the lobby tells is so."""
        follow = TOLD.get(type(event))
        if follow is not None:
            follow(self, event)


def _take_place(conversation: ConnectFourSession, _: Seated) -> None:
    conversation.stage = Stage.ROOM


def _lose_place(conversation: ConnectFourSession, _: Unseated) -> None:
    conversation.stage = Stage.LOBBY


def _take_seat(conversation: ConnectFourSession, event: MatchOpened | MatchShown) -> None:
    conversation.stage = Stage.PLAYING
    conversation.view = OwnSeat(event.match, event.seat, event.players)
    conversation.moves_owed = 0
    if isinstance(event, MatchShown):
        for move in event.moves:
            _note_move(conversation, move)


def _note_move(conversation: ConnectFourSession, event: MovePlayed) -> None:
    if conversation.view is not None and conversation.view.match == event.match and event.seat is not None:
        conversation.view.moves.append(event.text)


def _note_turn(conversation: ConnectFourSession, event: TurnStarted) -> None:
    if conversation.view is not None and conversation.is_in(event.match) and conversation.view.seat in event.seats:
        conversation.moves_owed += 1


def _end_game(conversation: ConnectFourSession, event: GameEnded) -> None:
    if conversation.is_in(event.match) and conversation.stage is Stage.PLAYING:
        conversation.stage = Stage.OVER


ACCEPTED: Mapping[tuple[Stage, type], Stage] = {
    (Stage.ARRIVED, Enter): Stage.LOBBY,
    (Stage.ROOM, Ready): Stage.READY,
    (Stage.OVER, Ready): Stage.ASKED_AGAIN,
}
"""Where what was accepted leads; all else leads nowhere by itself."""

TOLD: Mapping[type, Callable[[ConnectFourSession, Any], None]] = {
    Seated: _take_place,
    Unseated: _lose_place,
    MatchOpened: _take_seat,
    MatchShown: _take_seat,
    MovePlayed: _note_move,
    TurnStarted: _note_turn,
    GameEnded: _end_game,
}
"""What follows from events; the others change nothing here."""
