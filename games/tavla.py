"""Tavla: the rules of Backgammon without the cube, and no game counts three. The rules are in `games.backgammon`."""

from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import TAVLA

GAME = BackgammonFamily(TAVLA)
