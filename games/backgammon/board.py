"""The board: where the checkers of both sides stand, and what a step does to them.

The play generator finds everything that one side can do with its dice. During a turn the other side does not move, and
a single checker never blocks, so hitting or pinning one changes nothing for the steps that follow. What can be played
therefore depends on nothing but the mover's own checkers, the points that were blocked at the start of the turn, and
the dice that are left. Positions are few and the orders that lead to them many, so every answer is remembered by
(checkers, dice): the tree of sequences, thousands of leaves for a double, is searched as a graph of some hundred
positions.

The rule of the dice, "play as many as can be played, and the higher one where only one of two can", is applied where
steps are asked for: a step is offered only if as much can be played after it as after any other. How much can be played
is found by the first line of play that uses all the dice, so the whole graph is walked only where none does.
"""

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

from attrs import field, frozen

from games.backgammon.variants import (
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
    Contact,
    Variant,
    count_at,
    flag,
    occupied,
    one_at,
    pips,
    places,
    stacked,
    total,
)
from gameserver.game import Seat

Dice = tuple[int, ...]
"""The dice that are left, in ascending order; a double is four."""

Hop = tuple[int, int]
"""A checker's way as a player says it, `(from, to)`: one step, or several of the same checker."""


Hops = tuple[Hop, ...]
"""Several, the rearmost first: their order makes no difference to where they lead."""


class CheckerMove(NamedTuple):
    """One checker of backgammon moved by one die, between places as the mover counts."""

    source: int
    target: int
    die: int

    @property
    def hop(self) -> Hop:
        """The way of one checker's move: from where to where."""
        return self.source, self.target


Sequence = tuple[CheckerMove, ...]
Reached = tuple[CheckerMove, int]
"""A step, and the mover's checkers after it."""
Offer = tuple[CheckerMove, int, Dice]
"""A step, the mover's checkers after it, and the dice left then."""

_START_RANGE = sum(flag(point) for point in range(7, 13))
"""The other side's start range in Fevga, where six points in a row are forbidden."""
_PASSED = sum(flag(point) for point in range(1, 13))
"""The points behind the other side's start in Fevga."""

_ASCENDING = (*range(25), 0)
_FROM_THE_MIDDLE = (0, *(13 - point for point in range(1, 13)), *(37 - point for point in range(13, 25)), 0)
"""The second seat's places by the number of their field: facing the first seat, and half a turn ahead of it."""


@cache
def _step(source: int, target: int, die: int) -> CheckerMove:
    return CheckerMove(source, target, die)


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
    """The dice that are left when a step on the backgammon board has used one of them."""
    index = dice.index(die)
    return dice[:index] + dice[index + 1 :]


class PlaySearch:
    """The search for all that one side of a backgammon board can play in one turn.

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
        """Finds every step of a checker with this die, whether or not the other dice could follow."""
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
                # Only the bar: no other checker may move before it is empty.
                movable &= BAR_FLAG
        elif self._variant.runs_first and not _has_passed(own):
            # Fevga: until the runner has passed the other side's start, nothing else moves.
            movable &= _runner(own)
        found: list[Reached] = []
        while movable:
            top = movable.bit_length() - 1
            movable ^= 1 << top
            after = own - (1 << top - 4) + (1 << top - 4 - shift)
            # Fevga forbids six points in a row on the other side's start range, and nowhere else.
            if self._variant.runs_first and after + FIFTEENS & _START_RANGE == _START_RANGE:
                continue
            source = top // LANE_BITS
            found.append((_step(source, source - die, die), after))
        if self._bears_off and not own >> OUTSIDE_HOME_SHIFT:
            self._bear_off(own, die, found)
        # In GammonX's order, which clients see: fields ascending for both sides.
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
        """Counts the dice that can be played in one backgammon turn."""
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
                # All dice can be played: no other way can be longer, so the rest of the graph is not walked.
                if length == len(dice):
                    return length
                best = max(best, length)
        return best

    def steps(self, own: int, dice: Dice) -> list[Offer]:
        """Finds the steps of checkers that the rule of the dice allows."""
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
            # If only one of two dice can be played, it must be the higher one, unless that one cannot.
            return [offer for offer in found if offer[0].die == dice[-1]] or found
        return found

    def sequences(self, own: int, dice: Dice) -> list[Sequence]:
        """Lists every order of steps that ends a backgammon turn, in the order of discovery."""
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
        """Finds the different ends of a backgammon turn: the checkers and which of `blots` were hit, with a way."""
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
        """Finds all hops of checkers that `resolve` finds steps for: each is a step, or carries one on."""
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
        """Finds the hops that one checker alone can be moved by, in one step or several."""
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
        """Finds the steps that take checkers along these hops, in an order that can be played; None if there are none.

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
        """Finds the fewest steps of checkers that make these hops possible in the same turn; None where none do."""
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


_SEARCHES_KEPT = 32
"""Searches that are remembered, each with its answers. All questions of a turn go to the same one, so that its list of
moves, the move itself and the check of what is left walk the graph of positions once."""


@frozen
class BackgammonBoard:
    """A backgammon position without dice and turn. Seat 0 is white, 1 black; each counts places in its own way.

    A pinned checker of Plakoto is in `pinned` and not in `checkers` until it is free again.
    """

    variant: Variant = field(repr=lambda variant: variant.name)
    checkers: tuple[int, int]
    pinned: tuple[int, int] = (0, 0)

    def count(self, seat: Seat, place: int) -> int:
        """Counts a side's checkers on a place of the backgammon board that are free to move."""
        return count_at(self.checkers[seat], place)

    def pips(self, seat: Seat) -> int:
        """The pip count of a side of the backgammon board."""
        return pips(self.checkers[seat] + self.pinned[seat])

    def tally(self, seat: Seat) -> tuple[int, int, int]:
        """Counts a side's checkers that are off the board, those on the bar, and its pips."""
        lanes = self.checkers[seat]
        return count_at(lanes, OFF), count_at(lanes, BAR), self.pips(seat)

    def is_home(self, seat: Seat) -> bool:
        """True if a side may bear off: all of its checkers are in its home, and none is pinned."""
        return not self.checkers[seat] >> OUTSIDE_HOME_SHIFT and not self.pinned[seat]

    def blocked(self, seat: Seat) -> int:
        """The flags of the points of the backgammon board where a side cannot land."""
        other = self.checkers[1 - seat]
        closed = occupied(other) if self.variant.contact is Contact.BLOCKS else stacked(other)
        closed = self._turned(closed)
        if self.pinned[seat]:
            # One checker that pins blocks its point, as two do.
            closed |= self._turned(occupied(other)) & occupied(self.pinned[seat])
        return closed

    def blots(self, seat: Seat) -> int:
        """The flags of the points of the backgammon board where a side hits or pins."""
        if self.variant.contact is Contact.BLOCKS:
            return 0
        other = self.checkers[1 - seat]
        return self._turned(occupied(other) & ~stacked(other))

    def _turned(self, flags: int) -> int:
        """The flags of points as the other side counts them."""
        opposite = self.variant.opposite
        return sum([one_at(opposite[place]) << 4 for place in places(flags & POINTS)])

    def search(self, seat: Seat) -> PlaySearch:
        """The search for what a side of a backgammon board can play."""
        return _shared_search(self.variant, seat == 1, self.blocked(seat), not self.pinned[seat])

    def can_move(self, seat: Seat, dice: Dice) -> bool:
        """True if a side of the backgammon board can play any of the dice."""
        search = self.search(seat)
        return any(search.reach(self.checkers[seat], die) for die in sorted(set(dice)))

    def sequences(self, seat: Seat, dice: Dice) -> list[Sequence]:
        """Lists every order of steps with which a side can play backgammon dice, which must be ascending."""
        return self.search(seat).sequences(self.checkers[seat], dice)

    def steps_before(self, seat: Seat, dice: Dice, hops: Hops) -> Sequence | None:
        """Finds a side's fewest steps of checkers that make these hops possible in the same turn; else None."""
        return self.search(seat).steps_before(self.checkers[seat], dice, hops)

    def plays(self, seat: Seat, dice: Dice) -> Mapping[tuple[int, int], Sequence]:
        """Finds the different ends of a backgammon turn, by the mover's checkers and the flags of those it hit.

        Pins are not told apart: where the mover stands at the end decides which checkers are pinned then.
        """
        hit = self.blots(seat) if self.variant.contact is Contact.HITS else 0
        return self.search(seat).plays(self.checkers[seat], dice, hit)

    def moved(self, seat: Seat, source: int, target: int) -> "BackgammonBoard":
        """The backgammon board after a step and what it hits, pins or frees; `PlaySearch` tells what is allowed."""
        own = self.checkers[seat] - one_at(source) + one_at(target)
        other, held = self.checkers[1 - seat], self.pinned[1 - seat]
        contact, opposite = self.variant.contact, self.variant.opposite
        if contact is not Contact.BLOCKS and target != OFF and count_at(other, opposite[target]) == 1:
            single = one_at(opposite[target])
            other -= single
            if contact is Contact.HITS:
                other += one_at(BAR)
            else:
                held += single
        if held and not count_at(own, source) and count_at(held, opposite[source]):
            held -= one_at(opposite[source])
            other += one_at(opposite[source])
        mine = self.pinned[seat]
        return BackgammonBoard(
            self.variant,
            (own, other) if seat == 0 else (other, own),
            (mine, held) if seat == 0 else (held, mine),
        )

    def played(self, seat: Seat, sequence: Sequence) -> "BackgammonBoard":
        """Makes the backgammon board after several steps."""
        board = self
        for step in sequence:
            board = board.moved(seat, step.source, step.target)
        return board

    def swapped(self) -> "BackgammonBoard":
        """Exchanges the colours of a backgammon board: what black sees who takes itself for white."""
        return BackgammonBoard(self.variant, self.checkers[::-1], self.pinned[::-1])


@lru_cache(maxsize=_SEARCHES_KEPT)
def _shared_search(variant: Variant, second_seat: bool, blocked: int, bears_off: bool) -> PlaySearch:  # noqa: FBT001
    """The search with these closed points. It depends on nothing else, so the positions of a turn share it."""
    return PlaySearch(variant, second_seat=second_seat, blocked=blocked, bears_off=bears_off)


def start_of(variant: Variant) -> BackgammonBoard:
    """A board with the checkers of both sides where a game of the backgammon family starts."""
    return BackgammonBoard(variant, (variant.start, variant.start))
