"""Plakoto, the second game of a Tavli match: single checkers are not hit but pinned where they stand.

The rules are in `games.backgammon`.
"""

from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import PLAKOTO

GAME = BackgammonFamily(PLAKOTO)
