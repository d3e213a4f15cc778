"""The board: where the checkers of both sides stand, and what a step does to them."""

from collections.abc import Mapping
from functools import lru_cache

from attrs import field, frozen

from games.backgammon.lanes import (
    BAR,
    OFF,
    OUTSIDE_HOME_SHIFT,
    POINTS,
    count_at,
    occupied,
    one_at,
    packed,
    pips,
    places,
    stacked,
    total,
)
from games.backgammon.search import Dice, Hops, Search, Sequence
from games.backgammon.variants import Contact, Variant
from gameserver.game import Seat

SEARCHES_KEPT = 32
"""Searches that are remembered, each with its answers. All questions of a turn go to the same one, so that its list of
moves, the move itself and the check of what is left walk the graph of positions once."""


@frozen
class Board:
    """A position without dice and turn. Seat 0 is white, seat 1 black; each counts places in its own way.

    A pinned checker of Plakoto is in `pinned` and not in `checkers` until it is free again.
    """

    variant: Variant = field(repr=lambda variant: variant.name)
    checkers: tuple[int, int]
    pinned: tuple[int, int] = (0, 0)

    def count(self, seat: Seat, place: int) -> int:
        """Number of a side's checkers there that are free to move."""
        return count_at(self.checkers[seat], place)

    def pips(self, seat: Seat) -> int:
        """The pip count of a side."""
        return pips(self.checkers[seat] + self.pinned[seat])

    def checkers_of(self, seat: Seat) -> int:
        """Number of a side's checkers, wherever they are: always fifteen."""
        return total(self.checkers[seat] + self.pinned[seat])

    def is_home(self, seat: Seat) -> bool:
        """True if a side may bear off: all of its checkers are in its home, and none is pinned."""
        return not self.checkers[seat] >> OUTSIDE_HOME_SHIFT and not self.pinned[seat]

    def blocked(self, seat: Seat) -> int:
        """The flags of the points where a side cannot land."""
        other = self.checkers[1 - seat]
        closed = occupied(other) if self.variant.contact is Contact.BLOCKS else stacked(other)
        closed = self._turned(closed)
        if self.pinned[seat]:
            closed |= self._turned(occupied(other)) & occupied(self.pinned[seat])
        return closed

    def blots(self, seat: Seat) -> int:
        """The flags of the points where a side hits or pins."""
        if self.variant.contact is Contact.BLOCKS:
            return 0
        other = self.checkers[1 - seat]
        return self._turned(occupied(other) & ~stacked(other))

    def _turned(self, flags: int) -> int:
        """The flags of points as the other side counts them."""
        opposite = self.variant.opposite
        return sum([one_at(opposite[place]) << 4 for place in places(flags & POINTS)])

    def search(self, seat: Seat) -> Search:
        """The search for what a side can do here."""
        return shared_search(self.variant, seat == 1, self.blocked(seat), not self.pinned[seat])

    def can_move(self, seat: Seat, dice: Dice) -> bool:
        """True if a side can play any of the dice."""
        search = self.search(seat)
        return any(search.reach(self.checkers[seat], die) for die in sorted(set(dice)))

    def sequences(self, seat: Seat, dice: Dice) -> list[Sequence]:
        """Every order of steps with which a side can play the dice, which must be ascending."""
        return self.search(seat).sequences(self.checkers[seat], dice)

    def steps_before(self, seat: Seat, dice: Dice, hops: Hops) -> Sequence | None:
        """The fewest steps of a side after which these hops can be played in the same turn; None where they cannot."""
        return self.search(seat).steps_before(self.checkers[seat], dice, hops)

    def plays(self, seat: Seat, dice: Dice) -> Mapping[tuple[int, int], Sequence]:
        """The different ends of a turn, by the mover's checkers and the flags of those it hit, with a way there.

        Pins are not told apart: where the mover stands at the end decides which checkers are pinned then.
        """
        hit = self.blots(seat) if self.variant.contact is Contact.HITS else 0
        return self.search(seat).plays(self.checkers[seat], dice, hit)

    def moved(self, seat: Seat, source: int, target: int) -> "Board":
        """The board after a step and what it hits, pins or frees. Whether it is allowed is for `Search`."""
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
        return Board(
            self.variant,
            (own, other) if seat == 0 else (other, own),
            (mine, held) if seat == 0 else (held, mine),
        )

    def played(self, seat: Seat, sequence: Sequence) -> "Board":
        """The board after several steps."""
        board = self
        for step in sequence:
            board = board.moved(seat, step.source, step.target)
        return board

    def swapped(self) -> "Board":
        """The same board with the colours exchanged: what black sees who takes itself for white."""
        return Board(self.variant, self.checkers[::-1], self.pinned[::-1])


@lru_cache(maxsize=SEARCHES_KEPT)
def shared_search(variant: Variant, second_seat: bool, blocked: int, bears_off: bool) -> Search:  # noqa: FBT001
    """The search with these closed points. It depends on nothing else, so the positions of a turn share it."""
    return Search(variant, second_seat=second_seat, blocked=blocked, bears_off=bears_off)


def start_of(variant: Variant) -> Board:
    """The board at the start of a game."""
    return Board(variant, (variant.start, variant.start))


def board_of(
    variant: Variant,
    checkers: tuple[dict[int, int], dict[int, int]],
    pinned: tuple[dict[int, int], dict[int, int]] = ({}, {}),
) -> Board:
    """A board from the checkers of both sides by place, each side counting in its own way."""
    return Board(variant, (packed(checkers[0]), packed(checkers[1])), (packed(pinned[0]), packed(pinned[1])))
