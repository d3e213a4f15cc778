"""Room clients that answer late: one move for each `make move`, also after the server moved in their place.

The known clients do so. While the server waits for that answer it must be played for no question:
such a client goes on following the game, and notices at once if its board and the server's differ.
"""

from typing import TYPE_CHECKING

from games.connect_four_3d import GAME
from gameserver.core.events import By
from tests.simulation.room_board import Board, LateAnswer

if TYPE_CHECKING:
    from tests.simulation.rooms import RoomClient

GIVES_UP = 0.2
"""How likely a client gives up on a question that was answered in its place."""
CERTAIN_MS = 1_500
"""So much of the wait has to be left for a move to be sure to come within it."""
SOON_MS = 3_000
"""How late an answer is where the server does not wait for it."""


def begin(client: "RoomClient", board: Board) -> None:
    """Go on thinking about a question that was answered in this client's place."""
    assert board.turn is not None, "it was asked"
    chance = client.world.plan.stream(f"late answer of {client.index} in {board.meant.match}.{board.turn.turn}")
    if client.world.calm or board.reply_end is not None or chance.random() < GIVES_UP:
        return
    wait_ms = client.world.rules.late_answer_ms or SOON_MS
    # Most come soon, or a match of two seconds a turn would be over before they did.
    later_ms = int(wait_ms * chance.random() ** 3)
    board.late = LateAnswer(GAME.write_move(chance.randrange(16)), client.world.real_ms + later_ms)


def give(client: "RoomClient", board: Board) -> None:
    """Give the late answer once it is found."""
    late = board.late
    if late is None or late.due_ms > client.world.real_ms or not client.can_speak or client.speaks.awaits:
        return
    board.late = None
    is_certain = is_waited_for(client, board)
    client.say_move(late.move)
    if is_certain:
        # Else it may be taken for the answer to the next question.
        board.match.is_unsure = False
        client.world.count("room answered late")


def is_waited_for(client: "RoomClient", board: Board) -> bool:
    """Whether the server waits for an answer, and for as long as a move that is sent now can take."""
    process, wire = client.world.process, client.wire
    match = None if process is None else process.lobby.matches.get(board.meant.match)
    if process is None or match is None or wire is None or wire.held_until_ms > client.world.real_ms:
        return False
    until_ms = process.now_ms() + CERTAIN_MS
    return any(owed.seat == board.meant.seat and owed.until_ms > until_ms for owed in match.owed)


def was_waited_for(client: "RoomClient", board: Board) -> bool:
    """Whether an answer that crossed the news of the server's move was dropped, or will be."""
    process, wire = client.world.process, client.wire
    match = None if process is None else process.lobby.matches.get(board.meant.match)
    if match is None or wire is None or wire.held_until_ms > client.world.real_ms:
        return False
    has_time, seat = (match.policies.late_answer_ms or 0) > 2 * SOON_MS, board.meant.seat
    # A move that counted since is perhaps that answer: the server had given up on this seat, and now waits again.
    has_counted = any(move.seat == seat and move.by is By.PLAYER for move in match.moves[len(board.match.moves) :])
    return has_time and seat not in match.unanswering and not has_counted
