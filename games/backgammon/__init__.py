"""Backgammon and its family: one board, one play generator, five games as data.

`lanes` packs the checkers of a side into an integer, `variants` says what distinguishes the games,
`search` finds what can be played, `board` is the position and what a step does to it. On top of these
stand the game of the lobby (`state`, `notation`, `display`, `strategy`, `rules`) and what a match of
several games needs (`scoring`, `cube`, `match`). `fields` and `thinning` speak the numbers of GammonX.
"""

from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import BACKGAMMON

GAME = BackgammonFamily(BACKGAMMON)
