"""Stages of a client: what it may do depends on its stage alone."""

from enum import Enum, auto

from games.backgammon.notation import Word
from games.backgammon.phases import TurnPhase
from games.backgammon.state import GameState
from protocols.gammonx.match_state import OwnMatch


class Stage(Enum):
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
    """All dice that can be played are played."""
    DOUBLED = auto()
    """The opponent has offered to double."""
    OPPONENTS_TURN = auto()
    OVER = auto()
    """The match is over."""


def standing_of(view: OwnMatch) -> Stage:
    """The stage of a client whose match has been found."""
    if view.is_over:
        return Stage.OVER
    if not view.is_playing or view.state is None:
        if view.is_ready:
            return Stage.STARTED
        return Stage.BEFORE_GAME if view.score.rounds else Stage.BEFORE_MATCH
    if not view.has_started:
        return Stage.BEFORE_MATCH if view.is_active else Stage.STARTED
    return _in_turn(view.state) if view.is_active else Stage.OPPONENTS_TURN


def _in_turn(state: GameState) -> Stage:
    can_undo = state.allows(Word.UNDO)
    match state.phase:
        case TurnPhase.MOVING:
            return Stage.MOVED if can_undo else Stage.ROLLED
        case TurnPhase.ENDING:
            return Stage.DONE if can_undo else Stage.STUCK
        case TurnPhase.DOUBLED:
            return Stage.DOUBLED
        case _:
            return Stage.TO_ROLL_OR_DOUBLE if state.may_double else Stage.TO_ROLL
