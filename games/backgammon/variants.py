"""The differences between the games of the family: everything else is the same for all of them.

The checkers of one side are packed into one integer. A side has 26 places, numbered as its own player counts: the bar
(or the stock of Fevga) is 25, the points run from 24 down to 1, and 0 is off the board. So a checker always moves to a
lower number, whatever the game and the colour, and its number is its pips. Each place has a lane of five bits: four
hold up to fifteen checkers, the fifth stays clear. Adding 15 to every lane at once carries into the clear bit wherever
there is a checker, adding 14 wherever there are two or more; so one addition finds all occupied points, and a shift by
a die's lanes compares each with the point that the die leads to. Such sets, a bit at the top of each lane, are called
flags here.
"""

from collections.abc import Mapping
from enum import Enum

from attrs import field, frozen

# Fifteen checkers need four bits; the fifth is for carries of sums over all lanes.
LANE_BITS = 5
BAR, OFF = 25, 0
CHECKERS = 15

_ONES = sum(1 << LANE_BITS * place for place in range(26))
FLAGS = _ONES << 4
BAR_FLAG = 1 << LANE_BITS * BAR + 4
POINTS = FLAGS ^ BAR_FLAG ^ 1 << 4
"""The flags of the points from 1 to 24."""
ON_POINTS = (1 << LANE_BITS * BAR) - (1 << LANE_BITS)
"""The lanes of the points from 1 to 24."""

FIFTEENS, FOURTEENS, THIRTEENS = 15 * _ONES, 14 * _ONES, 13 * _ONES
OUTSIDE_HOME_SHIFT = LANE_BITS * 7
"""Checkers that are left of a side after this shift stand outside its home, the points from 6 to 1."""


def one_at(place: int) -> int:
    """A single checker as lanes, the packed integer that all backgammon variants share."""
    return 1 << LANE_BITS * place


def flag(place: int) -> int:
    """The flag of a place: the top bit of its lane in the integer that all backgammon variants share."""
    return 1 << LANE_BITS * place + 4


def packed(counts: Mapping[int, int]) -> int:
    """Packs checkers by place into the lanes that all variants share; ValueError where a lane cannot hold them."""
    for place, count in counts.items():
        if not (OFF <= place <= BAR and 0 <= count <= CHECKERS):
            raise ValueError(f"{count} checkers cannot stand on place {place}")
    return sum(count << LANE_BITS * place for place, count in counts.items())


def count_at(lanes: int, place: int) -> int:
    """Reads off the lanes, which all backgammon variants share, how many checkers stand on a place."""
    return lanes >> LANE_BITS * place & 31


def occupied(lanes: int) -> int:
    """Flags the places with a checker, given the lanes that all backgammon variants share."""
    return lanes + FIFTEENS & FLAGS


def stacked(lanes: int) -> int:
    """Flags the places with two checkers or more, given the lanes that all backgammon variants share."""
    return lanes + FOURTEENS & FLAGS


def total(lanes: int) -> int:
    """Counts the checkers in lanes, which all variants share: the sum of digits to the base 32, modulo 31."""
    return lanes % 31


def places(flags: int) -> list[int]:
    """Lists the places, the highest first, of flags in the lanes that all backgammon variants share."""
    found = []
    while flags:
        top = flags.bit_length() - 1
        found.append(top // LANE_BITS)
        flags ^= 1 << top
    return found


def stacks(lanes: int) -> list[tuple[int, int]]:
    """Unpacks the lanes that all variants share into places with checkers, the highest first, and their counts."""
    found = []
    while lanes:
        place = (lanes.bit_length() - 1) // LANE_BITS
        shift = LANE_BITS * place
        found.append((place, lanes >> shift))
        lanes &= (1 << shift) - 1
    return found


def pips(lanes: int) -> int:
    """The pip count of a side's lanes, which does not differ between the variants of backgammon.

    The bar counts 24 and not 25: GammonX counts so, and its clients show it.
    """
    return sum([min(place, 24) * count for place, count in stacks(lanes)])


class Contact(Enum):
    """The fate of a single backgammon checker on whose point one of the other side lands."""

    HITS = "hits"
    """It goes to the bar; two and more block their point."""
    PINS = "pins"
    """It stays under the other and cannot move; two block their point, and so does one that pins."""
    BLOCKS = "blocks"
    """Nobody lands there: one checker blocks its point."""


_MIRROR = tuple(25 - place for place in range(26))
"""The sides face each other: one's bar lies behind the other's home, and is of no account there."""
# Fevga: both sides go the same way round, half a board apart.
_HALF_TURN = (25, *((point + 11) % 24 + 1 for point in range(1, 25)), 0)
"""Both sides go the same way round, half the board apart."""


@frozen(eq=False)
class Variant:
    """One game of the backgammon family as data, made once: it is compared by identity, as boards are hashed often."""

    name: str
    contact: Contact
    start: int = field(repr=False)
    """The checkers of either side at the start, packed."""
    opposite: tuple[int, ...] = field(default=_MIRROR, repr=False)
    """Each place's number as the other side counts."""
    enters_first: bool = True
    """True if a checker on the bar has to enter before another moves."""
    runs_first: bool = False
    """True if the first checker has to pass the other side's start before a third one enters."""
    has_cube: bool = False
    has_triple: bool = False
    """True if a loser far behind loses three times the stake."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        """Goes to another process by its name, and is the one of its name there."""
        return _variant_named, (self.name,)

    @property
    def resigning_costs(self) -> int:
        """The points of a backgammon game that is given up, the highest there are, whatever the cube shows."""
        return 3 if self.has_triple else 2


_BACKGAMMON_START = packed({24: 2, 13: 5, 8: 3, 6: 5})

BACKGAMMON = Variant("Backgammon", Contact.HITS, _BACKGAMMON_START, has_cube=True, has_triple=True)
TAVLA = Variant("Tavla", Contact.HITS, _BACKGAMMON_START)
PORTES = Variant("Portes", Contact.HITS, _BACKGAMMON_START)
PLAKOTO = Variant("Plakoto", Contact.PINS, packed({24: 15}))
FEVGA = Variant(
    "Fevga", Contact.BLOCKS, packed({BAR: 14, 24: 1}), opposite=_HALF_TURN, enters_first=False, runs_first=True
)

VARIANTS = {each.name: each for each in (BACKGAMMON, TAVLA, PORTES, PLAKOTO, FEVGA)}


def _variant_named(name: str) -> Variant:
    """The variant of this name; KeyError where there is none."""
    return VARIANTS[name]
