"""The state of one connection: its stage, and the match that it plays.

    arrived --connect--> lobby --join--> room --start--> ready --the other's start--> playing
    playing --the end--> over --restart--> asked again --the other's restart--> playing
    any but arrived --exit game, time, the other is gone--> lobby
    any --disconnect--> left

A request changes the stage only once the lobby has accepted it. An event changes the stage whatever it was. The tables
at the end of this module have both.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from attrs import define, field, validators

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
from gameserver.values import value
from protocols.connect_four.profiles import ConnectFourProfile
from protocols.lines import LineSession


@value
class ConnectFourOptions:
    """The table `connect-four` in the configuration."""

    time_elapsed_error: bool = field(default=True, validator=validators.instance_of(bool))
    """True if a late client receives `time elapsed` with the move that was made for it. No original server sent it."""


class ConnectFourStage(StrEnum):
    """The stage of a 3D Connect Four connection, from the first line to the last."""

    ARRIVED = "arrived"
    LOBBY = "lobby"
    ROOM = "room"
    READY = "ready"
    PLAYING = "playing"
    OVER = "over"
    ASKED_AGAIN = "asked again"
    LEFT = "left"


# Looked up once: in Python 3.11 looking a member up by its class costs more than a call.
PLAYING = ConnectFourStage.PLAYING
_LEFT = ConnectFourStage.LEFT


@value
class _OwnSeat:
    """The 3D Connect Four match that a player is in or has just played, the player's seat, and the moves."""

    match: int
    seat: int
    players: tuple[str, ...]
    moves: list[str] = field(factory=list)

    @property
    def opponent(self) -> str:
        """The name of the other player of a 3D Connect Four match."""
        return ", ".join(name for seat, name in enumerate(self.players) if seat != self.seat)


@define
class ConnectFourSession(LineSession):
    """The state of one 3D Connect Four connection, apart from bytes on their way."""

    peer: Peer
    profile: ConnectFourProfile
    options: ConnectFourOptions
    stage: ConnectFourStage = ConnectFourStage.ARRIVED
    view: _OwnSeat | None = None
    said: str = ""
    """The move that was asked for last, as the peer wrote it."""
    moves_owed: int = 0
    """The number of `make move` messages that the peer has not answered.

    If the game ended meanwhile, or the server moved for the player, a move that was legal when it was made
    may still arrive. It is dropped silently: few clients can read an error for a move as their next line.
    """
    discarded: int = 0
    """The number of lines that were no JSON objects."""

    @property
    def match(self) -> int:
        """The 3D Connect Four match that a line read now is meant for, as in `read_in`."""
        return self.view.match if self.view is not None and self.stage is PLAYING else 0

    @property
    def entered(self) -> bool:
        """True if the lobby has accepted the name of a 3D Connect Four client."""
        return self.stage not in {ConnectFourStage.ARRIVED, ConnectFourStage.LEFT}

    @property
    def left(self) -> bool:
        """True if the 3D Connect Four client said goodbye or was denied entry."""
        return self.stage is _LEFT

    def is_in(self, match: int) -> bool:
        """True if the 3D Connect Four client plays this match, or played it last."""
        return self.view is not None and self.view.match == match

    def accepted(self, asked: Command | Query) -> None:
        """Moves the 3D Connect Four client to the stage that an accepted request leads to."""
        self.stage = _ACCEPTED.get((self.stage, type(asked)), self.stage)


def _take_place(session: ConnectFourSession, _: Seated) -> None:
    # The one who came first is told nothing of the second, so both are here until both have started.
    session.stage = ConnectFourStage.ROOM


def _lose_place(session: ConnectFourSession, _: Unseated) -> None:
    session.stage = ConnectFourStage.LOBBY


def _take_seat(session: ConnectFourSession, event: MatchOpened | MatchShown) -> None:
    if isinstance(event, MatchShown) and event.ready is not None:
        return  # the opponent's protocol has a question before each game, and that is not answered yet
    session.stage = ConnectFourStage.PLAYING
    session.view = _OwnSeat(event.match, event.seat, event.players)
    session.moves_owed = 0
    # Moves from before the connection broke count for the line that wins.
    if isinstance(event, MatchShown):
        for move in event.moves:
            _note_move(session, move)


def _note_move(session: ConnectFourSession, event: MovePlayed) -> None:
    if session.view is not None and session.view.match == event.match and event.seat is not None:
        session.view.moves.append(event.text)


def _note_turn(session: ConnectFourSession, event: TurnStarted) -> None:
    if session.view is not None and session.is_in(event.match) and session.view.seat in event.seats:
        session.moves_owed += 1


def _end_game(session: ConnectFourSession, event: GameEnded) -> None:
    if session.is_in(event.match) and session.stage is ConnectFourStage.PLAYING:
        session.stage = ConnectFourStage.OVER


_ACCEPTED: Mapping[tuple[ConnectFourStage, type], ConnectFourStage] = {
    (ConnectFourStage.ARRIVED, Enter): ConnectFourStage.LOBBY,
    (ConnectFourStage.ROOM, Ready): ConnectFourStage.READY,
    (ConnectFourStage.OVER, Ready): ConnectFourStage.ASKED_AGAIN,
}
"""The stage after each accepted request. Other requests do not change it by themselves."""

UPDATES: Mapping[type, Callable[[ConnectFourSession, Any], None]] = {
    Seated: _take_place,
    Unseated: _lose_place,
    MatchOpened: _take_seat,
    MatchShown: _take_seat,
    MovePlayed: _note_move,
    TurnStarted: _note_turn,
    GameEnded: _end_game,
}
"""The changes that events make to the session. Other events change nothing here."""
