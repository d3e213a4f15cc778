"""Backgammon and its family: one board, one play generator, five games as data.

lanes                packs the checkers of a side into an integer
variants             what distinguishes the games
search               what can be played with the dice
board                the position, and what a step does to it
options, phases, state
                     what may be chosen, what a game waits for, the game as a `State`
cube, scoring        the doubling cube, and what a game is worth
match, series        matches of several games, and as the lobby plays them
rules                the game of the lobby, one for each variant
notation, refusals, help_text, how_to_play
                     how moves are written, why one is refused, what `help` says, the rules for people
text_board, picture, geometry
                     the board as text, as a drawing, and where the drawing is touched
levels               the house players
strategy             one of sense, which looks at its own turn alone
network, networks, evaluation, lookahead, doubling
                     one that estimates chances
mat                  matches in Jellyfish's format
fields, thinning     the numbers of GammonX, and fewer sequences that tell its clients as much
"""

from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import BACKGAMMON

GAME = BackgammonFamily(BACKGAMMON)
