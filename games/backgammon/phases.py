"""Phases of a turn with the question that each puts to the player, the doubling cube, and ends of a game."""

from enum import IntEnum, StrEnum

from attrs import field, frozen, validators

from games.backgammon.board import BackgammonBoard, Dice
from games.backgammon.notation import write_dice
from games.backgammon.variants import CHECKERS, LANE_BITS, OFF, Contact
from gameserver.game import Outcome, Seat

# The highest face of a cube; GammonX refuses to double beyond it.
CUBE_MAX = 64


@frozen
class Cube:
    """The doubling cube: the stake, and the side that may raise it, either one while nobody owns the cube."""

    value: int = field(default=1, validator=validators.in_([1 << power for power in range(7)]))
    owner: Seat | None = None

    def may_be_offered_by(self, seat: Seat) -> bool:
        """True if this side may double the stake of the cube."""
        return self.value < CUBE_MAX and self.owner in {None, seat}

    def taken_by(self, seat: Seat) -> "Cube":
        """Makes the cube after this side took a double; ValueError where the other could not offer it."""
        if not self.may_be_offered_by(1 - seat):
            raise ValueError(f"nobody could offer the cube to seat {seat}")
        return Cube(2 * self.value, seat)


class Victory(IntEnum):
    """The kind of a victory at backgammon; its number multiplies the stake."""

    SINGLE = 1
    GAMMON = 2
    """The loser has borne off nothing."""
    BACKGAMMON = 3
    """Nor has left the winner's home, or stands on the bar."""


@frozen
class _Ending:
    """The winner of a backgammon game and the kind of victory; neither at a draw."""

    winner: Seat | None
    victory: Victory | None = None


# GammonX ends the game as a draw where both sides are pinned on it.
MOTHER = 24
"""The point where the checkers of Plakoto start from."""


def ending_of(board: BackgammonBoard) -> _Ending | None:
    """Tells if the phases of a backgammon game are over on this board, and how it has ended; None while it goes on."""
    for seat in (0, 1):
        if board.count(seat, OFF) == CHECKERS:
            return _Ending(seat, _victory(board, 1 - seat))
    if board.variant.contact is Contact.PINS and all(lanes >> LANE_BITS * MOTHER & 31 for lanes in board.pinned):
        return _Ending(None)
    return None


def _victory(board: BackgammonBoard, loser: Seat) -> Victory:
    if board.count(loser, OFF):
        return Victory.SINGLE
    # The winner's home is the loser's points from 24 to 19, and the bar is beyond them: one shift finds both.
    if board.variant.has_triple and board.checkers[loser] >> LANE_BITS * 19:
        return Victory.BACKGAMMON
    return Victory.GAMMON


def outcome_of(ending: _Ending, stake: int) -> Outcome:
    """Counts the points when the phases of a backgammon game are over: the stake, once or several times."""
    if ending.winner is None or ending.victory is None:
        return Outcome((0, 0), (), "both mothers are pinned")
    reason = "" if ending.victory is Victory.SINGLE else ending.victory.name.lower()
    return won(ending.winner, ending.victory * stake, reason)


def won(winner: Seat, points: int, reason: str = "") -> Outcome:
    """The outcome when the phases of a backgammon game end in a win; the loser has no points."""
    return Outcome((points, 0) if winner == 0 else (0, points), (winner,), reason)


class TurnPhase(StrEnum):
    """The phase of a backgammon turn: the input that the game waits for."""

    OPENING = "opening"
    TIED = "tied"
    TO_ROLL = "to roll"
    ROLLING = "rolling"
    MOVING = "moving"
    ENDING = "ending"
    DOUBLED = "doubled"
    OVER = "over"


def question(phase: TurnPhase, left: Dice, stake: int, *, has_moved: bool, may_double: bool) -> str:
    """Asks the player of a backgammon phase what to do; `stake` is the number on the cube."""
    match phase:
        case TurnPhase.TIED:
            return "a tie, roll again"
        case TurnPhase.MOVING:
            return f"dice {write_dice(left)}"
        case TurnPhase.ENDING if has_moved:
            return "end or undo"
        case TurnPhase.ENDING:
            return f"dice {write_dice(left)} cannot be played, end"
        case TurnPhase.DOUBLED:
            return f"take or drop, cube {stake} to {2 * stake}"
        case _:
            return f"roll or double, cube {stake}" if may_double else "roll"
