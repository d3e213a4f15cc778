"""Ends of a game, and what each is worth."""

from enum import IntEnum

from attrs import frozen

from games.backgammon.board import Board
from games.backgammon.lanes import CHECKERS, LANE_BITS, OFF
from games.backgammon.variants import Contact
from gameserver.game import Outcome, Seat


class Victory(IntEnum):
    """The kind of a victory; its number multiplies the stake."""

    SINGLE = 1
    GAMMON = 2
    """The loser has borne off nothing."""
    BACKGAMMON = 3
    """Nor has left the winner's home, or stands on the bar."""


@frozen
class Ending:
    """The winner of a game and the kind of victory; neither at a draw."""

    winner: Seat | None
    victory: Victory | None = None


MOTHER = 24
"""The point where the checkers of Plakoto start from."""


def ending_of(board: Board) -> Ending | None:
    """The end of the game on this board; None while it goes on."""
    for seat in (0, 1):
        if board.count(seat, OFF) == CHECKERS:
            return Ending(seat, _victory(board, 1 - seat))
    if board.variant.contact is Contact.PINS and all(lanes >> LANE_BITS * MOTHER & 31 for lanes in board.pinned):
        return Ending(None)
    return None


def _victory(board: Board, loser: Seat) -> Victory:
    if board.count(loser, OFF):
        return Victory.SINGLE
    # The winner's home is the loser's points from 24 to 19, and the bar is beyond them: one shift finds both.
    if board.variant.has_triple and board.checkers[loser] >> LANE_BITS * 19:
        return Victory.BACKGAMMON
    return Victory.GAMMON


def outcome_of(ending: Ending, stake: int) -> Outcome:
    """The points of an ending: the stake, once or several times."""
    if ending.winner is None or ending.victory is None:
        return Outcome((0, 0), (), "both mothers are pinned")
    reason = "" if ending.victory is Victory.SINGLE else ending.victory.name.lower()
    return won(ending.winner, ending.victory * stake, reason)


def won(winner: Seat, points: int, reason: str = "") -> Outcome:
    """A game won; the loser has no points."""
    return Outcome((points, 0) if winner == 0 else (0, points), (winner,), reason)
