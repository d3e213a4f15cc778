"""The differences between the games of the family: everything else is the same for all of them."""

from enum import Enum

from attrs import field, frozen

from games.backgammon.lanes import BAR, packed


class Contact(Enum):
    """The fate of a single checker on whose point one of the other side lands."""

    HITS = "hits"
    """It goes to the bar; two and more block their point."""
    PINS = "pins"
    """It stays under the other and cannot move; two block their point, and so does one that pins."""
    BLOCKS = "blocks"
    """Nobody lands there: one checker blocks its point."""


MIRROR = tuple(25 - place for place in range(26))
"""The sides face each other: one's bar lies behind the other's home, and is of no account there."""
HALF_TURN = (25, *((point + 11) % 24 + 1 for point in range(1, 25)), 0)
"""Both sides go the same way round, half the board apart."""


@frozen(eq=False)
class Variant:
    """One game's data. There is one of each, so they are compared by identity: boards are hashed often."""

    name: str
    contact: Contact
    start: int = field(repr=False)
    """The checkers of either side at the start, packed."""
    opposite: tuple[int, ...] = field(default=MIRROR, repr=False)
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
        return variant_named, (self.name,)

    @property
    def resigning_costs(self) -> int:
        """The points of a game that is given up, the highest there are, whatever the cube shows."""
        return 3 if self.has_triple else 2


_BACKGAMMON_START = packed({24: 2, 13: 5, 8: 3, 6: 5})

BACKGAMMON = Variant("Backgammon", Contact.HITS, _BACKGAMMON_START, has_cube=True, has_triple=True)
TAVLA = Variant("Tavla", Contact.HITS, _BACKGAMMON_START)
PORTES = Variant("Portes", Contact.HITS, _BACKGAMMON_START)
PLAKOTO = Variant("Plakoto", Contact.PINS, packed({24: 15}))
FEVGA = Variant(
    "Fevga", Contact.BLOCKS, packed({BAR: 14, 24: 1}), opposite=HALF_TURN, enters_first=False, runs_first=True
)

VARIANTS = {each.name: each for each in (BACKGAMMON, TAVLA, PORTES, PLAKOTO, FEVGA)}


def variant_named(name: str) -> Variant:
    """The variant of this name; KeyError where there is none."""
    return VARIANTS[name]
