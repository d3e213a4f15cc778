"""Rendering: events into lines.

Clients read one line for each action in the lobby and a room, and pairs of lines in a game, so what
has no line here must not get one: above all, nobody is told that a second player sat down. The
mover hears nothing of its own move.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from games.connect_four_3d import GAME, winning_line
from gameserver.protocol import (
    BoardShown,
    By,
    Displaced,
    EndReason,
    GameEnded,
    GamesListed,
    MatchEnded,
    MatchOpened,
    MatchPaired,
    MatchShown,
    MatchStanding,
    MovePlayed,
    MoveRefused,
    OfferClosed,
    OfferOpened,
    OwnDrawShown,
    PlayersListed,
    Said,
    SeatDropped,
    Seated,
    SeatReady,
    SeatReturned,
    TableShown,
    TablesListed,
    TicketClosed,
    TicketShown,
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

NO_FIRST_PLAYER = "No player1 yet"
NO_SECOND_PLAYER = "No player2 yet"

_MAKE_MOVE = write(MakeMove())


def lobby_line(event: TablesListed | Unseated, _: ConnectFourSession) -> bytes:
    """The rooms in which a game can still begin."""
    return write(Lobby(tuple(map(_free_lobby, event.tables))))


def _free_lobby(table: TableShown) -> FreeLobby:
    return FreeLobby(table.number, NO_FIRST_PLAYER if table.host is None else table.host)


def game_line(event: Seated, _: ConnectFourSession) -> bytes:
    """A place in a room."""
    return write(Game(NO_SECOND_PLAYER if event.opponent is None else event.opponent))


def started_line(_: MatchOpened, conversation: ConnectFourSession) -> bytes:
    """The beginning of a game."""
    return write(Started(_opponent(conversation)))


def started_again_line(event: MatchShown, conversation: ConnectFourSession) -> bytes:
    """A game that goes on, with its moves."""
    return write(Started(_opponent(conversation), tuple(move.text for move in event.moves if move.seat is not None)))


def _opponent(conversation: ConnectFourSession) -> str:
    return "" if conversation.view is None else conversation.view.opponent


def turn_line(event: TurnStarted, conversation: ConnectFourSession) -> bytes:
    """The player's turn; another's is silent."""
    return _MAKE_MOVE if _seat(event, conversation) in event.seats else b""


def move_line(event: MovePlayed, conversation: ConnectFourSession) -> bytes:
    """The opponent's move, or one that was made in the player's own place."""
    seat = _seat(event, conversation)
    if event.seat is None or seat is None:
        return b""
    if event.seat != seat:
        return write(OpponentMoved(event.text))
    if event.by is By.PLAYER or not conversation.options.time_elapsed_error:
        return b""
    return conversation.profile.error(Reason.TIME_ELAPSED, f"{event.text} was played for you", event.text)


def game_over_line(event: GameEnded, conversation: ConnectFourSession) -> bytes:
    """The end, and the line that has won if it was one."""
    seat = _seat(event, conversation)
    if seat is None:
        return b""
    moves = () if conversation.view is None else conversation.view.moves
    line = winning_cells(moves) if event.reason is EndReason.PLAYED and event.winners else None
    return write(GameOver(_winner(event, seat), line))


def _winner(event: GameEnded, seat: int) -> Winner:
    if not event.winners:
        return Winner.DRAW
    return Winner.YOU if seat in event.winners else Winner.OPPONENT


def winning_cells(moves: Iterable[str]) -> tuple[str, ...] | None:
    """The cells of the line that the last of these moves made."""
    position = GAME.start(GAME.options_type())
    for move in moves:
        position = position.play(position.turn.seats[0], GAME.read_move(move))
    return winning_line(position)


def _seat(event: TurnStarted | MovePlayed | GameEnded, conversation: ConnectFourSession) -> int | None:
    """Where the player sits in the match of the event; None where it is another's."""
    view = conversation.view
    return None if view is None or view.match != event.match else view.seat


def no_line(_event: object, _: ConnectFourSession) -> bytes:
    """Clients know no line for this, and some do not survive one that they do not know."""
    return b""


LINES: Mapping[type, Callable[[Any, ConnectFourSession], bytes]] = {
    BoardShown: no_line,
    GameEnded: game_over_line,
    GamesListed: no_line,
    MatchEnded: no_line,
    MatchOpened: started_line,
    MatchShown: started_again_line,
    MatchStanding: no_line,
    MovePlayed: move_line,
    MoveRefused: no_line,
    OfferClosed: no_line,
    OfferOpened: no_line,
    PlayersListed: no_line,
    Said: no_line,
    SeatDropped: no_line,
    SeatReturned: no_line,
    SeatReady: no_line,
    OwnDrawShown: no_line,
    Displaced: no_line,
    TicketClosed: no_line,
    TicketShown: no_line,
    MatchPaired: no_line,
    Seated: game_line,
    TablesListed: lobby_line,
    TurnStarted: turn_line,
    Unseated: lobby_line,
}
"""The line of each event, as it is after the event has taken effect on the conversation."""
