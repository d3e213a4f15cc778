"""House players of the family, among them one of sense: it takes the end of its turn whose board it likes best.

It likes points held by two, most of all in a row and at home, and singles out of reach of the other side; it hits and
pins where that costs the other most, and counts pips for the cube. It does not look at the next roll. Values are in
hundredths of a pip, so that all sums are whole.
"""

from collections.abc import Callable, Mapping
from typing import Any

from games.backgammon.board import BackgammonBoard, Sequence
from games.backgammon.network import End, best_ahead, doubles, ends_of, is_far_from_doubling, odds_of, rolled, takes
from games.backgammon.notation import Move, Word
from games.backgammon.phases import MOTHER, Cube, TurnPhase
from games.backgammon.state import GameState
from games.backgammon.variants import BAR, LANE_BITS, POINTS, Contact, count_at, flag, occupied, places, stacked, total
from gameserver.game import Choose, Seat, Strategy

# Counted: direct shots, combinations and doubles among the 36 rolls.
_SHOTS = (0, 11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3)
"""Rolls of 36 that hit a single checker at a distance, with nothing between."""

_RACE_DOUBLE, _RACE_DROP = 8, 12
_CONTACT_DOUBLE, _CONTACT_DROP = 20, 35
"""Leads in per cent of the leader's pips: the old rules of thumb for a race, wider where the sides still meet."""


def steady(state: GameState, seat: Seat, choose: Choose[Move]) -> Move:
    """Chooses the move of the backgammon player `house-steady`."""
    match state.phase:
        case TurnPhase.MOVING:
            return tuple(sorted((step.hop for step in _best_play(state, seat)), reverse=True))
        case TurnPhase.DOUBLED:
            return (
                Word.DROP if _lead_percent(state.position, 1 - seat) > _limit(state.position, drop=True) else Word.TAKE
            )
        case TurnPhase.TO_ROLL:
            ahead = state.may_double and _lead_percent(state.position, seat) >= _limit(state.position, drop=False)
            return Word.DOUBLE if ahead else Word.ROLL
        case _:
            return Word.END


def _best_play(state: GameState, seat: Seat) -> Sequence:
    position = state.position
    plays = position.plays(seat, state.left)
    meets = any(_others(position, seat)[: _farthest(position.checkers[seat])])
    value = _VALUES[position.variant.contact](position, seat) if meets else _racing
    best = max(plays, key=lambda end: value(*end))
    return plays[best]


Value = Callable[[int, int], int]
"""The value to the mover of its checkers and of the flags of those it hit."""


def _others(position: BackgammonBoard, seat: Seat) -> list[int]:
    """The other side's checkers on each point as the mover counts, free or pinned; its bar is 0."""
    opposite, other = position.variant.opposite, 1 - seat
    counts = [
        position.count(other, opposite[point]) + count_at(position.pinned[other], opposite[point])
        for point in range(25)
    ]
    counts[0] = position.count(other, BAR)
    return counts


def _held(own: int) -> int:
    """Points held by two or more: most worth at home, in a row, and deep on the other side."""
    value = run = 0
    for point in range(1, 25):
        count = own >> LANE_BITS * point & 31
        if count >= 2:
            run += 1
            value += 150 + (200 if point <= 8 else 150 if point in {20, 21} else 0) + 60 * run * run
            value -= 60 * max(0, count - 3)
        else:
            run = 0
    return value


def _progress(own: int) -> int:
    """Checkers home and off: what a race is about."""
    home = (own & (1 << LANE_BITS * 7) - 1) % 31
    return 150 * home + 300 * (own & 31) - 100 * _farthest(own)


def _farthest(own: int) -> int:
    return (own.bit_length() - 1) // LANE_BITS


def _racing(own: int, hits: int) -> int:
    return _progress(own)


def _hitting(position: BackgammonBoard, seat: Seat) -> Value:
    others = _others(position, seat)

    def value(own: int, hits: int) -> int:
        behind = [point for point in range(1, 25) if others[point] and not hits & flag(point)]
        if hits or others[0]:
            behind.insert(0, 0)
        total = _held(own) + _progress(own)
        for point in range(1, 25):
            if hits & flag(point):
                total += 100 * point + 300
            if own >> LANE_BITS * point & 31 == 1:
                shots = sum(_SHOTS[point - other] for other in behind if 0 < point - other <= 12)
                total -= min(shots, 36) * 100 * (30 - point) // 36
        return total

    return value


def _pinning(position: BackgammonBoard, seat: Seat) -> Value:
    others = _others(position, seat)
    opposite, held = position.variant.opposite, position.pinned[1 - seat]
    singles = position.blots(seat) | sum(flag(opposite[place]) for place in places(occupied(held)))

    def value(own: int, hits: int) -> int:
        total = _held(own) + _progress(own)
        pinned = singles & occupied(own)
        for point in range(1, 25):
            count = own >> LANE_BITS * point & 31
            if pinned & flag(point):
                total += 150 * (25 - point)
            elif count == 1:
                shots = sum(_SHOTS[point - other] for other in range(1, point) if others[other] and point - other <= 12)
                total -= min(shots, 36) * 80 * point // 36
        return total

    return value


def _blocking(position: BackgammonBoard, seat: Seat) -> Value:
    others = _others(position, seat)

    def value(own: int, hits: int) -> int:
        total, run = _progress(own), 0
        for point in range(1, 25):
            if own >> LANE_BITS * point & 31:
                run += 1
                ahead = any(others[max(1, point - 12) : point])
                total += 120 + (40 * run * run if ahead else 0)
            else:
                run = 0
        return total

    return value


_VALUES: Mapping[Contact, Callable[[BackgammonBoard, Seat], Value]] = {
    Contact.HITS: _hitting,
    Contact.PINS: _pinning,
    Contact.BLOCKS: _blocking,
}


def _lead_percent(position: BackgammonBoard, seat: Seat) -> int:
    """A side's lead, in per cent of its pip count."""
    own, other = position.pips(seat), position.pips(1 - seat)
    return 100 * (other - own) // max(own, 1)


def _limit(position: BackgammonBoard, *, drop: bool) -> int:
    """The lead from which to double, or beyond which to drop."""
    if _still_meet(position):
        return _CONTACT_DROP if drop else _CONTACT_DOUBLE
    return _RACE_DROP if drop else _RACE_DOUBLE


def _still_meet(position: BackgammonBoard) -> bool:
    """True unless the sides have passed each other. They always meet where both go the same way round."""
    return _farthest(position.checkers[0]) + _farthest(position.checkers[1]) > 25


# A random double ends many games at the first answer, and undone plays only take time.
_NEVER_AT_RANDOM = {Word.DOUBLE, Word.UNDO}

_NOVICE_DROPS_AT = 40
CLUB_DOUBLES_AT, CLUB_DROPS_AT, CLUB_DROPS_IN_CONTACT_AT = 8, 12, 40
"""Leads in per cent of the leader's pips."""

# Without them a novice won only 78 % of its matches of Plakoto against random moves.
NOVICE_PIN, NOVICE_PINNED_MOTHER = 2, 5
"""The checkers left alone that a pin is worth to a novice, and a pin at the other side's start."""


def at_random(state: GameState, seat: Seat, choose: Choose[Move]) -> Move:
    """Chooses any backgammon move that goes on with the game: random doubles and undone plays are a nuisance."""
    return choose([move for move in state.legal_moves(seat) if move not in _NEVER_AT_RANDOM])


def novice(state: GameState, seat: Seat, choose: Choose[Any]) -> Move:
    """Chooses the backgammon play that leaves the fewest checkers alone; never doubles.

    It also likes to pin in Plakoto, and in Fevga, where nothing is hit, it holds as many points as it can.
    """
    match state.phase:
        case TurnPhase.MOVING:
            return _written(_liked(state, seat, choose))
        case TurnPhase.DOUBLED:
            return Word.DROP if _lead_percent(state.position, 1 - seat) >= _NOVICE_DROPS_AT else Word.TAKE
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
    """Plays backgammon as `steady`; doubles in a race alone, and takes unless it is far behind."""
    position = state.position
    match state.phase:
        case TurnPhase.MOVING:
            return _written(_best_play(state, seat))
        case TurnPhase.DOUBLED:
            limit = CLUB_DROPS_IN_CONTACT_AT if _still_meet(position) else CLUB_DROPS_AT
            return Word.DROP if _lead_percent(position, 1 - seat) > limit else Word.TAKE
        case TurnPhase.TO_ROLL if state.may_double and not _still_meet(position):
            return Word.DOUBLE if _lead_percent(position, seat) >= CLUB_DOUBLES_AT else Word.ROLL
        case _:
            return _without_a_choice(state)


def master(state: GameState, seat: Seat, choose: Choose[Move]) -> Move:
    """Chooses the backgammon play that is best over the other's next rolls; doubles and takes by its chances."""
    match state.phase, state.cube:
        case TurnPhase.MOVING, _:
            return _written(best_ahead(state.position, seat, state.left).end.way)
        case TurnPhase.DOUBLED, Cube() as cube:
            return Word.TAKE if takes(rolled(state.position, 1 - seat)[0], cube) else Word.DROP
        case TurnPhase.TO_ROLL, Cube() as cube if state.may_double:
            return Word.DOUBLE if _is_a_double(state.position, seat, cube) else Word.ROLL
        case _:
            return _without_a_choice(state)


def _is_a_double(position: BackgammonBoard, seat: Seat, cube: Cube) -> bool:
    """Looks at the rolls only where the board as it stands leaves it open."""
    # Looking at all 21 rolls takes some 30 ms, and most boards are far from a double.
    if is_far_from_doubling(odds_of(position, 1 - seat).flipped, cube):
        return False
    return doubles(rolled(position, seat)[0], cube)


def _without_a_choice(state: GameState) -> Move:
    return Word.END if state.phase is TurnPhase.ENDING else Word.ROLL


def _written(way: Sequence) -> Move:
    return tuple(sorted((step.hop for step in way), reverse=True))


def win_chance(state: GameState) -> float:
    """The opinion of `master` on a backgammon position: the chance that the first seat wins the game."""
    mover = state.mover
    match state.phase:
        case TurnPhase.OPENING | TurnPhase.TIED:
            return 0.5
        case TurnPhase.MOVING:
            odds = best_ahead(state.position, mover, state.left).odds
        case TurnPhase.ENDING:
            odds = odds_of(state.position, mover)
        case _:
            odds = rolled(state.position, mover)[0]
    return 1 - odds.win if mover else odds.win


STRATEGIES: Mapping[str, Strategy] = {
    "random": at_random,
    "novice": novice,
    "club": club,
    "master": master,
    "steady": steady,
}
