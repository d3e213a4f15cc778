"""The games of the family that the lobby offers: one for each variant, and Tavli, a match of three of them.

Tavla is Backgammon without the cube, and no game of it counts three. Tavli is a match of Portes (played like Tavla),
Plakoto (single checkers are not hit but pinned where they stand) and Fevga (both sides go the same way round, and one
checker holds a point) in turns: one of each for cash, or to five or seven points.
"""

from games.backgammon import variants
from games.backgammon.match import GameOptions, TavliOptions
from games.backgammon.rules import WAY_TO_TOUCH, BackgammonFamily, FamilyGame, MatchSeries, series_of
from games.backgammon.state import GameState

BACKGAMMON = BackgammonFamily(variants.BACKGAMMON)
TAVLA = BackgammonFamily(variants.TAVLA)
PORTES = BackgammonFamily(variants.PORTES)
PLAKOTO = BackgammonFamily(variants.PLAKOTO)
FEVGA = BackgammonFamily(variants.FEVGA)


class Tavli(FamilyGame):
    """The match of Tavli as a game of the lobby: who asks for it plays the games it is made of."""

    name = "Tavli"
    options_type = TavliOptions
    guide = (
        "A match of three games: Portes, Plakoto, Fevga. The player with the most points in total wins.\n"
        "The winner of a game begins the next one; see the help of each game."
    )
    how_to_play = (
        "A match of three games, played one after the other: Portes, Plakoto and Fevga. Whoever has the most "
        "points in total wins; the winner of a game begins the next. The rules of each game are shown when it "
        "begins.\n" + WAY_TO_TOUCH
    )

    def start(self, options: GameOptions) -> GameState:
        """Begins Tavli by the start of its first game, Portes."""
        return PORTES.start(options)

    def series(self, options: TavliOptions) -> MatchSeries:
        """Makes the match of Tavli, whose three games are played in turns."""
        return series_of(self.name, options.length, (PORTES, PLAKOTO, FEVGA), options)


TAVLI = Tavli()
