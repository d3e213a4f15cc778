"""Colours for values. Each has a name, a letter and a shape too, so that colour is never the only cue.

The design document names six colours, and six others for colour-blind people. A game with more
values goes on with the rest of the ten known here, up to ten.
"""

from collections.abc import Mapping, Sequence

from attrs import frozen

COLOUR_COUNT_MAX = 10


@frozen
class Colour:
    """The look of a value. The style is rich's; the letter is unlike any other, black's being K as in print."""

    name: str
    letter: str
    shape: str
    style: str


@frozen
class Palette:
    """Colours by value."""

    name: str
    colours: Sequence[Colour]

    def first(self, count: int) -> "Palette":
        """The palette of a game with so many values."""
        return Palette(self.name, self.colours[:count])


RED = Colour("red", "R", "●", "bold #ffffff on #c00000")
BLUE = Colour("blue", "B", "■", "bold #ffffff on #0050d0")
GREEN = Colour("green", "G", "▲", "bold #ffffff on #007a33")
YELLOW = Colour("yellow", "Y", "◆", "bold #000000 on #ffe000")
ORANGE = Colour("orange", "O", "★", "bold #000000 on #ff8c00")
BLACK = Colour("black", "K", "▼", "bold #ffffff on #000000")
WHITE = Colour("white", "W", "◇", "bold #000000 on #ffffff")
MAGENTA = Colour("magenta", "M", "♥", "bold #ffffff on #b000b0")
CYAN = Colour("cyan", "C", "♣", "bold #000000 on #30c8e0")
BROWN = Colour("brown", "N", "♠", "bold #ffffff on #70400f")

CLASSIC = Palette("classic", (RED, BLUE, GREEN, YELLOW, ORANGE, BLACK, WHITE, MAGENTA, CYAN, BROWN))

# Blue, orange, yellow and magenta in the hues of Okabe and Ito, which differ in brightness as well.
COLOUR_BLIND = Palette(
    "colour-blind",
    (
        Colour("blue", "B", "■", "bold #ffffff on #0072b2"),
        Colour("orange", "O", "★", "bold #000000 on #e69f00"),
        Colour("yellow", "Y", "◆", "bold #000000 on #f0e442"),
        BLACK,
        WHITE,
        Colour("magenta", "M", "♥", "bold #000000 on #cc79a7"),
        Colour("cyan", "C", "♣", "bold #000000 on #56b4e9"),
        Colour("green", "G", "▲", "bold #ffffff on #009e73"),
        Colour("red", "R", "●", "bold #ffffff on #d55e00"),
        BROWN,
    ),
)

PALETTES: Mapping[str, Palette] = {palette.name: palette for palette in (CLASSIC, COLOUR_BLIND)}
