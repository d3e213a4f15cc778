"""The house players of the family by name, weakest first."""

from collections.abc import Callable, Mapping
from typing import Any

from games.backgammon.board import Board
from games.backgammon.cube import Cube
from games.backgammon.doubling import doubles, is_far_from_doubling, takes
from games.backgammon.evaluation import End, ends_of, odds_of
from games.backgammon.lanes import POINTS, count_at, occupied, stacked, total
from games.backgammon.lookahead import best_ahead, rolled
from games.backgammon.notation import Move, Word
from games.backgammon.phases import TurnPhase
from games.backgammon.scoring import MOTHER
from games.backgammon.search import Sequence
from games.backgammon.state import GameState
from games.backgammon.strategy import best_play, lead_percent, steady, still_meet
from games.backgammon.variants import Contact
from gameserver.game import Choose, Seat, Strategy

_NEVER_AT_RANDOM = {Word.DOUBLE, Word.UNDO}

NOVICE_DROPS_AT = 40
CLUB_DOUBLES_AT, CLUB_DROPS_AT, CLUB_DROPS_IN_CONTACT_AT = 8, 12, 40
"""Leads in per cent of the leader's pips."""

NOVICE_PIN, NOVICE_PINNED_MOTHER = 2, 5
"""The checkers left alone that a pin is worth to a novice, and a pin at the other side's start."""


def at_random(state: GameState, seat: Seat, choose: Choose[Move]) -> Move:
    """Any legal move that goes on with the game. Doubles and undone plays at random are a nuisance to opponents."""
    return choose([move for move in state.legal_moves(seat) if move not in _NEVER_AT_RANDOM])


def novice(state: GameState, seat: Seat, choose: Choose[Any]) -> Move:
    """Any play that leaves the fewest checkers alone; never doubles.

    It also likes to pin in Plakoto, and in Fevga, where nothing is hit, it holds as many points as it can.
    """
    match state.phase:
        case TurnPhase.MOVING:
            return _written(_liked(state, seat, choose))
        case TurnPhase.DOUBLED:
            return Word.DROP if lead_percent(state.position, 1 - seat) >= NOVICE_DROPS_AT else Word.TAKE
        case _:
            return _without_a_choice(state)


def _liked(state: GameState, seat: Seat, choose: Choose[End]) -> Sequence:
    ends = list(ends_of(state.position, seat, state.left))
    worth_of = _NOVICE_WORTH[state.position.variant.contact]
    worth = [worth_of(end) for end in ends]
    best = max(worth)
    return choose([end for end, each in zip(ends, worth, strict=True) if each == best]).way


def _together(end: End) -> int:
    return -(occupied(end.own) & ~stacked(end.own) & POINTS).bit_count()


def _together_and_pinning(end: End) -> int:
    holds_mother = count_at(end.other_pinned, MOTHER) > 0
    pins = NOVICE_PIN * total(end.other_pinned) + (NOVICE_PINNED_MOTHER - NOVICE_PIN) * holds_mother
    return pins + _together(end)


def _on_many_points(end: End) -> int:
    return (occupied(end.own) & POINTS).bit_count()


_NOVICE_WORTH: Mapping[Contact, Callable[[End], int]] = {
    Contact.HITS: _together,
    Contact.PINS: _together_and_pinning,
    Contact.BLOCKS: _on_many_points,
}


def club(state: GameState, seat: Seat, choose: Choose[Move]) -> Move:
    """Plays as `steady`. Doubles in a race alone, and takes unless it is far behind."""
    position = state.position
    match state.phase:
        case TurnPhase.MOVING:
            return _written(best_play(state, seat))
        case TurnPhase.DOUBLED:
            limit = CLUB_DROPS_IN_CONTACT_AT if still_meet(position) else CLUB_DROPS_AT
            return Word.DROP if lead_percent(position, 1 - seat) > limit else Word.TAKE
        case TurnPhase.TO_ROLL if state.may_double and not still_meet(position):
            return Word.DOUBLE if lead_percent(position, seat) >= CLUB_DOUBLES_AT else Word.ROLL
        case _:
            return _without_a_choice(state)


def master(state: GameState, seat: Seat, choose: Choose[Move]) -> Move:
    """The play whose board is worth most over the other side's next rolls; doubles and takes by its chances."""
    match state.phase, state.cube:
        case TurnPhase.MOVING, _:
            return _written(best_ahead(state.position, seat, state.left).end.way)
        case TurnPhase.DOUBLED, Cube() as cube:
            return Word.TAKE if takes(rolled(state.position, 1 - seat)[0], cube) else Word.DROP
        case TurnPhase.TO_ROLL, Cube() as cube if state.may_double:
            return Word.DOUBLE if _is_a_double(state.position, seat, cube) else Word.ROLL
        case _:
            return _without_a_choice(state)


def _is_a_double(position: Board, seat: Seat, cube: Cube) -> bool:
    """Looks at the rolls only where the board as it stands leaves it open."""
    if is_far_from_doubling(odds_of(position, 1 - seat).flipped, cube):
        return False
    return doubles(rolled(position, seat)[0], cube)


def _without_a_choice(state: GameState) -> Move:
    return Word.END if state.phase is TurnPhase.ENDING else Word.ROLL


def _written(way: Sequence) -> Move:
    """The steps as a move."""
    return tuple(sorted((step.hop for step in way), reverse=True))


STRATEGIES: Mapping[str, Strategy] = {
    "random": at_random,
    "novice": novice,
    "club": club,
    "master": master,
    "steady": steady,
}
