"""Backgammon and its family: one board, one play generator, five games as data.

board     The board
coding    The games in numbers, for agents that learn
family    The games that the lobby offers
fields    The board as GammonX numbers it
mat       Matches in Jellyfish's text format (`.mat`), which GNU Backgammon, Snowie and eXtreme Gammon read
match     Matches of several games
network   A network that estimates a side's chances on a board, made fast for plain Python
notation  Notation of moves
phases    The phases of a turn, and the question that each puts to the player
picture   The picture of a board
players   A house player of sense
rules     The game as such, one for each variant
state     A game of the family as a `State`
variants  The differences between the games of the family

The folder `networks` has the weights of the networks, one for each kind of contact between the sides.
"""

from games.backgammon.family import BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA, TAVLI

GAMES = (BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA, TAVLI)
