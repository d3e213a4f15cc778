"""Plakoto, the second game of a Tavli match: a single checker is pinned where it stands instead of being hit. The rules are in `games.backgammon`."""

from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import PLAKOTO

GAME = BackgammonFamily(PLAKOTO)
