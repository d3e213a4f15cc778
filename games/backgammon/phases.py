"""The phases of a turn, and the question that each puts to the player."""

from enum import StrEnum

from games.backgammon.refusals import write_dice
from games.backgammon.search import Dice


class TurnPhase(StrEnum):
    """The input that the game waits for."""

    OPENING = "opening"
    TIED = "tied"
    TO_ROLL = "to roll"
    ROLLING = "rolling"
    MOVING = "moving"
    ENDING = "ending"
    DOUBLED = "doubled"
    OVER = "over"


def question(phase: TurnPhase, left: Dice, stake: int, *, has_moved: bool, may_double: bool) -> str:
    """The question to the player who is to act; `stake` is the number on the cube."""
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
