"""Where a client stands: what it may do depends on that alone."""

from enum import Enum, auto

from games.backgammon.notation import Word
from games.backgammon.phases import Phase
from games.backgammon.state import GameState
from protocols.gammonx.match_state import MatchView


class Standing(Enum):
    """The rows of the table of methods."""

    OUTSIDE = auto()
    """No match has been joined."""
    WAITING = auto()
    """It has, and the opponent is not there."""
    BEFORE_MATCH = auto()
    """Before the first game."""
    BEFORE_GAME = auto()
    """Between two games."""
    STARTED = auto()
    """Ready for a game, for which the opponent is not."""
    TO_ROLL = auto()
    TO_ROLL_OR_DOUBLE = auto()
    ROLLED = auto()
    """The dice can be played, and there is nothing to undo."""
    STUCK = auto()
    """The dice cannot be played, and there is nothing to undo."""
    MOVED = auto()
    """Some dice are played, others can be."""
    DONE = auto()
    """As many dice are played as can be."""
    DOUBLED = auto()
    """The opponent has offered to double."""
    OPPONENTS_TURN = auto()
    OVER = auto()
    """The match is over."""


def standing_of(view: MatchView) -> Standing:
    """Where a client stands whose match has been found."""
    if view.is_over:
        return Standing.OVER
    if not view.is_playing or view.state is None:
        if view.is_ready:
            return Standing.STARTED
        return Standing.BEFORE_GAME if view.score.rounds else Standing.BEFORE_MATCH
    if not view.has_started:
        return Standing.BEFORE_MATCH if view.is_active else Standing.STARTED
    return _in_turn(view.state) if view.is_active else Standing.OPPONENTS_TURN


def _in_turn(state: GameState) -> Standing:
    can_undo = state.allows(Word.UNDO)
    match state.phase:
        case Phase.MOVING:
            return Standing.MOVED if can_undo else Standing.ROLLED
        case Phase.ENDING:
            return Standing.DONE if can_undo else Standing.STUCK
        case Phase.DOUBLED:
            return Standing.DOUBLED
        case _:
            return Standing.TO_ROLL_OR_DOUBLE if state.may_double else Standing.TO_ROLL
