"""The play generator: everything that one side can do with its dice.

During a turn the other side does not move, and a single checker never blocks, so hitting or pinning
one changes nothing for the steps that follow. What can be played therefore depends on nothing but
the mover's own checkers, the points that were blocked at the start of the turn, and the dice that
are left. Positions are few and the orders that lead to them many, so every answer is remembered by
(checkers, dice): the tree of sequences, thousands of leaves for a double, is searched as a graph of
some hundred positions.

The rule of the dice, "play as many as can be played, and the higher one where only one of two can",
is applied where steps are asked for: a step is offered only if as much can be played after it as
after any other. How much can be played is found by the first line of play that uses all the dice,
so the whole graph is walked only where none does.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from games.backgammon.lanes import (
    BAR,
    BAR_FLAG,
    FIFTEENS,
    FLAGS,
    LANE_BITS,
    OFF,
    ON_POINTS,
    OUTSIDE_HOME_SHIFT,
    POINTS,
    THIRTEENS,
    flag,
    occupied,
    stacked,
    total,
)
from games.backgammon.variants import Variant

Dice = tuple[int, ...]
"""The dice that are left, in ascending order; a double is four."""

Hop = tuple[int, int]
"""A checker's way as a player says it, `(from, to)`: one step, or several of the same checker."""


Hops = tuple[Hop, ...]
"""Several, the rearmost first: their order makes no difference to where they lead."""


class Step(NamedTuple):
    """One checker moved by one die, between places as the mover counts."""

    source: int
    target: int
    die: int

    @property
    def hop(self) -> Hop:
        """From where to where."""
        return self.source, self.target


Sequence = tuple[Step, ...]
Reached = tuple[Step, int]
"""A step, and the mover's checkers after it."""
Offer = tuple[Step, int, Dice]
"""A step, the mover's checkers after it, and the dice left then."""

_START_RANGE = sum(flag(point) for point in range(7, 13))
"""The other side's start range in Fevga, where six points in a row are forbidden."""
_PASSED = sum(flag(point) for point in range(1, 13))
"""The points behind the other side's start in Fevga."""

_ASCENDING = (*range(25), 0)
_FROM_THE_MIDDLE = (0, *(13 - point for point in range(1, 13)), *(37 - point for point in range(13, 25)), 0)
"""The second seat's places by the number of their field: facing the first seat, and half a turn ahead of it."""


@cache
def _step(source: int, target: int, die: int) -> Step:
    return Step(source, target, die)


@cache
def _beyond(die: int) -> int:
    """The flags of the places from which a die leads to a point."""
    shift = LANE_BITS * (die + 1)
    return FLAGS >> shift << shift


@cache
def _choices(dice: Dice) -> tuple[tuple[int, Dice], ...]:
    """Each different die, ascending, and what is left without it."""
    return tuple((die, without(dice, die)) for die in sorted(set(dice)))


def without(dice: Dice, die: int) -> Dice:
    """The dice that are left when one has been played."""
    index = dice.index(die)
    return dice[:index] + dice[index + 1 :]


class Search:
    """The answers for one side in one turn.

    `blocked` are the flags of the points closed to it. Steps come in the order of GammonX: by die,
    then the bar, then the fields of its board from 0 up, which the second seat walks the other way.
    """

    __slots__ = ("_bears_off", "_blocked", "_longest", "_rank", "_reached", "_sequences", "_steps", "_variant")

    def __init__(self, variant: Variant, *, second_seat: bool, blocked: int, bears_off: bool) -> None:
        self._variant = variant
        self._blocked = blocked
        self._bears_off = bears_off
        """True if the side may bear off once it is home: not while a checker of its own is pinned."""
        self._rank: tuple[int, ...] | None = None
        if second_seat:
            self._rank = _FROM_THE_MIDDLE if variant.runs_first else _ASCENDING
        self._reached: dict[tuple[int, int], list[Reached]] = {}
        self._longest: dict[tuple[int, Dice], int] = {}
        self._steps: dict[tuple[int, Dice], list[Offer]] = {}
        self._sequences: dict[tuple[int, Dice], list[Sequence]] = {}

    def reach(self, own: int, die: int) -> list[Reached]:
        """Every step with this die, whether or not the others could follow."""
        key = own, die
        found = self._reached.get(key)
        if found is None:
            found = self._reached[key] = self._reach(own, die)
        return found

    def _reach(self, own: int, die: int) -> list[Reached]:
        shift = LANE_BITS * die
        movable = occupied(own) & ~(self._blocked << shift) & _beyond(die)
        if self._variant.enters_first:
            if own >> LANE_BITS * BAR:
                movable &= BAR_FLAG
        elif self._variant.runs_first and not _has_passed(own):
            movable &= _runner(own)
        found: list[Reached] = []
        while movable:
            top = movable.bit_length() - 1
            movable ^= 1 << top
            after = own - (1 << top - 4) + (1 << top - 4 - shift)
            if self._variant.runs_first and after + FIFTEENS & _START_RANGE == _START_RANGE:
                continue
            source = top // LANE_BITS
            found.append((_step(source, source - die, die), after))
        if self._bears_off and not own >> OUTSIDE_HOME_SHIFT:
            self._bear_off(own, die, found)
        if self._rank is not None:
            rank = self._rank
            found.sort(key=lambda reached: rank[reached[0].source])
        return found

    def _bear_off(self, own: int, die: int, found: list[Reached]) -> None:
        """Bear off by the exact die, or by a larger one where nobody stands farther from the exit."""
        farthest = ((own >> LANE_BITS).bit_length() + LANE_BITS - 1) // LANE_BITS
        source = die if die < farthest and own >> LANE_BITS * die & 31 else farthest
        if 0 < source <= die:
            found.append((_step(source, OFF, die), own - (1 << LANE_BITS * source) + 1))

    def longest(self, own: int, dice: Dice) -> int:
        """Number of dice that can be played."""
        if not dice:
            return 0
        key = own, dice
        best = self._longest.get(key)
        if best is None:
            best = self._longest[key] = self._find_longest(own, dice)
        return best

    def _find_longest(self, own: int, dice: Dice) -> int:
        best = 0
        for die, rest in _choices(dice):
            for _, after in self.reach(own, die):
                length = 1 + self.longest(after, rest)
                if length == len(dice):
                    return length
                best = max(best, length)
        return best

    def steps(self, own: int, dice: Dice) -> list[Offer]:
        """The steps that the rule of the dice allows."""
        key = own, dice
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = self._allowed(own, dice)
        return found

    def _allowed(self, own: int, dice: Dice) -> list[Offer]:
        best = self.longest(own, dice)
        found = [
            (step, after, rest)
            for die, rest in _choices(dice)
            for step, after in self.reach(own, die)
            if 1 + self.longest(after, rest) == best
        ]
        if best == 1 and len(dice) > 1:
            return [offer for offer in found if offer[0].die == dice[-1]] or found
        return found

    def sequences(self, own: int, dice: Dice) -> list[Sequence]:
        """Every order of steps that ends a turn, in the order of discovery; none where nothing can be played."""
        found = self._all_sequences(own, dice)
        if len(set(dice)) < 2:
            return found
        # Borne off by either of two dice it is the same move to everybody: the first one counts.
        first: dict[Hops, Sequence] = {}
        for sequence in found:
            first.setdefault(tuple(step.hop for step in sequence), sequence)
        return list(first.values())

    def _all_sequences(self, own: int, dice: Dice) -> list[Sequence]:
        key = own, dice
        found = self._sequences.get(key)
        if found is None:
            found = []
            for step, after, rest in self.steps(own, dice):
                first = (step,)
                following = self._all_sequences(after, rest) if rest else ()
                found += [first + sequence for sequence in following] or [first]  # adding is twice as fast as unpacking
            self._sequences[key] = found
        return found

    def plays(self, own: int, dice: Dice, blots: int) -> Mapping[tuple[int, int], Sequence]:
        """The different ends of the turn: the checkers and which of `blots` were hit, with one way there."""
        ends: dict[tuple[int, int], Sequence] = {}
        level: dict[tuple[int, int, Dice], Sequence] = {(own, 0, dice): ()}
        while level:
            following: dict[tuple[int, int, Dice], Sequence] = {}
            for (checkers, hit, left), sequence in level.items():
                steps = self.steps(checkers, left) if left else ()
                if not steps:
                    ends.setdefault((checkers, hit), sequence)
                for step, after, rest in steps:
                    place = after, hit | blots & flag(step.target) if blots else hit, rest
                    if place not in following:
                        following[place] = (*sequence, step)
            level = following
        return ends

    def hops(self, own: int, dice: Dice) -> set[Hops]:
        """All hops that `resolve` finds steps for: each step is a hop, or carries on one that led there."""
        found: set[Hops] = set()
        level: dict[tuple[Hops, Dice], int] = {((), dice): own}
        while level:
            following: dict[tuple[Hops, Dice], int] = {}
            for (hops, left), checkers in level.items():
                for step, after, rest in self.steps(checkers, left) if left else ():
                    for longer in _extended(hops, step.hop):
                        following[longer, rest] = after
            found.update(hops for hops, _ in following)
            level = following
        return found

    def hops_of_one(self, own: int, dice: Dice) -> list[Hop]:
        """The hops that a single checker can be moved by, one step or several: those of `hops` that are one alone."""
        found: set[Hop] = set()
        level: dict[tuple[Hop, Dice], int] = {(step.hop, rest): after for step, after, rest in self.steps(own, dice)}
        while level:
            following: dict[tuple[Hop, Dice], int] = {}
            for (hop, left), checkers in level.items():
                found.add(hop)
                for step, after, rest in self.steps(checkers, left) if left else ():
                    if step.source == hop[1]:
                        following[(hop[0], step.target), rest] = after
            level = following
        return sorted(found, reverse=True)

    def resolve(self, own: int, dice: Dice, hops: Hops) -> Sequence | None:
        """The steps that take checkers along these hops, in an order that can be played; None if there are none.

        A hop may be several steps of one checker: then dice are tried in the order of discovery,
        once no single die will do.
        """
        if not hops:
            return ()
        offers = self.steps(own, dice) if dice else ()
        for step, after, rest in offers:
            if step.hop in hops:
                index = hops.index(step.hop)
                following = self.resolve(after, rest, hops[:index] + hops[index + 1 :])
                if following is not None:
                    return step, *following
        for step, after, rest in offers:
            for index, (source, target) in enumerate(hops):
                if step.source == source and step.target > target:
                    left = (*hops[:index], (step.target, target), *hops[index + 1 :])
                    following = self.resolve(after, rest, left)
                    if following is not None:
                        return step, *following
        return None

    def steps_before(self, own: int, dice: Dice, hops: Hops) -> Sequence | None:
        """The fewest steps after which these hops can be played in the same turn; None where they cannot."""
        level: dict[tuple[int, Dice], Sequence] = {(own, dice): ()}
        while level:
            following: dict[tuple[int, Dice], Sequence] = {}
            for (checkers, left), before in level.items():
                if self.resolve(checkers, left, hops) is not None:
                    return before
                for step, after, rest in self.steps(checkers, left) if left else ():
                    following.setdefault((after, rest), (*before, step))
            level = following
        return None


def _has_passed(own: int) -> bool:
    """True if the runner of Fevga has passed the other side's start, so that every checker may move."""
    if own & 31 or total(own & ON_POINTS) >= 3:
        return True
    return bool(occupied(own) & ~stacked(own) & _PASSED)


def _runner(own: int) -> int:
    """The flag of the only checker that may move before: a second one at its side, else one alone, else the next."""
    pairs = stacked(own) & ~(own + THIRTEENS) & POINTS
    alone = occupied(own) & ~stacked(own) & POINTS & ~flag(24)
    runners = pairs or alone
    return 1 << runners.bit_length() - 1 if runners else BAR_FLAG


def _extended(hops: Hops, step: Hop) -> Iterator[Hops]:
    """Hops with a step after them: as one of its own, and as the end of each that leads to where it begins."""
    yield tuple(sorted((*hops, step), reverse=True))
    source, target = step
    for index, (start, middle) in enumerate(hops):
        if middle == source:
            yield tuple(sorted((*hops[:index], (start, target), *hops[index + 1 :]), reverse=True))
