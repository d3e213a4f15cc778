"""Portes, the first game of a Tavli match: played like Tavla. The rules are in `games.backgammon`."""

from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import PORTES

GAME = BackgammonFamily(PORTES)
