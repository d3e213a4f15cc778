"""Rendering: events into lines.

Clients read one line for each action in the lobby and a room, and pairs of lines in a game, so an
event without a line here must not get one. Above all, nobody is told that a second player sat down.
The mover is not told of its own move.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from games.connect_four_3d import GAME, winning_line
from gameserver.protocol import (
    By,
    Depart,
    EndReason,
    Event,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchShown,
    MovePlayed,
    MoveRefused,
    RoomShown,
    RoomsListed,
    Said,
    Seated,
    TurnStarted,
    Unseated,
)
from protocols.connect_four.schema import (
    FreeLobby,
    Game,
    GameOver,
    Lobby,
    MakeMove,
    OpponentMoved,
    Reason,
    Started,
    Winner,
    write,
)
from protocols.connect_four.session import ConnectFourSession
from protocols.lines import ANSWER_EVENTS, CHALLENGE_EVENTS, PRESENCE_EVENTS, READY_EVENTS, TICKET_EVENTS, Steps

# The original's words; no player can have them for a name.
_NO_FIRST_PLAYER = "No player1 yet"
_NO_SECOND_PLAYER = "No player2 yet"

# It never differs, so it is written once.
_MAKE_MOVE = write(MakeMove())


def _lobby_line(event: RoomsListed | Unseated, _: ConnectFourSession) -> bytes:
    return write(Lobby(tuple(map(_free_lobby, event.rooms))))


def _free_lobby(room: RoomShown) -> FreeLobby:
    return FreeLobby(room.number, _NO_FIRST_PLAYER if room.host is None else room.host)


def _game_line(event: Seated, _: ConnectFourSession) -> bytes:
    # To the one who sat down alone: a second `game` to the waiting player breaks SimpleClient 0.5.3, which prints
    # "impossible -1" and never plays (tested).
    return write(Game(_NO_SECOND_PLAYER if event.opponent is None else event.opponent))


def _started_line(_: MatchOpened, session: ConnectFourSession) -> bytes:
    return write(Started(_opponent(session)))


def _started_again_line(event: MatchShown, session: ConnectFourSession) -> bytes:
    """A game that goes on, with its moves. One that waits for the opponent is told when it begins."""
    if event.ready is not None:
        return b""
    return write(Started(_opponent(session), tuple(move.text for move in event.moves if move.seat is not None)))


def _opponent(session: ConnectFourSession) -> str:
    return "" if session.view is None else session.view.opponent


def _turn_line(event: TurnStarted, session: ConnectFourSession) -> bytes:
    """The player's turn; another's is silent."""
    return _MAKE_MOVE if _seat(event, session) in event.seats else b""


def _move_line(event: MovePlayed, session: ConnectFourSession) -> bytes:
    """The opponent's move, or one that was made in the player's own place."""
    seat = _seat(event, session)
    if event.seat is None or seat is None:
        return b""
    # The mover is told nothing of its own move, as by the original: its next line is the opponent's move, or the end.
    if event.seat != seat:
        return write(OpponentMoved(event.text))
    if event.by is By.PLAYER or not session.options.time_elapsed_error:
        return b""
    return session.profile.error(Reason.TIME_ELAPSED, f"{event.text} was played for you", event.text)


_WINNERS = {"win": Winner.YOU, "loss": Winner.OPPONENT, "draw": Winner.DRAW}


def _game_over_line(event: GameEnded, session: ConnectFourSession) -> bytes:
    """The end, and the line that has won if it was one."""
    seat = _seat(event, session)
    if seat is None:
        return b""
    moves = () if session.view is None else session.view.moves
    result = event.result
    # Null for a draw and where a player left, as the original has it.
    line = _winning_cells(moves) if result.reason is EndReason.PLAYED and result.winners else None
    return write(GameOver(_WINNERS[result.for_seat(seat)], line))


def _winning_cells(moves: Iterable[str]) -> tuple[str, ...] | None:
    """The cells of the line that the last of these moves made."""
    position = GAME.start(GAME.options_type())
    for move in moves:
        position = position.play(position.turn.seats[0], GAME.read_move(move))
    return winning_line(position)


def _seat(event: TurnStarted | MovePlayed | GameEnded, session: ConnectFourSession) -> int | None:
    """The player's seat in the match of the event; None if it is not the player's match."""
    view = session.view
    return None if view is None or view.match != event.match else view.seat


def _without_end(events: Sequence[Event]) -> Sequence[Event]:
    """The events, except the end of a game that the player has just left."""
    return [event for event in events if not isinstance(event, GameEnded)]


STEPS: Steps = {Depart: _without_end}
"""A player who leaves a running game is told of the lobby, not of having lost."""

LINES: Mapping[type, Callable[[Any, ConnectFourSession], bytes]] = {
    GameEnded: _game_over_line,
    MatchOpened: _started_line,
    MatchShown: _started_again_line,
    MovePlayed: _move_line,
    Seated: _game_line,
    RoomsListed: _lobby_line,
    TurnStarted: _turn_line,
    Unseated: _lobby_line,
}
"""The line of each event, as it is after the event has changed the session."""

SILENT = (
    ANSWER_EVENTS | CHALLENGE_EVENTS | PRESENCE_EVENTS | READY_EVENTS | TICKET_EVENTS | {MatchEnded, MoveRefused, Said}
)
"""Clients know no line for these, and some do not survive one that they do not know."""
