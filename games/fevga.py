"""Fevga, the third game of a Tavli match: both sides go the same way round, and one checker holds a point.

The rules are in `games.backgammon`.
"""

from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import FEVGA

GAME = BackgammonFamily(FEVGA)
