"""Games of OpenSpiel, of which the config says which: the extra `gameserver[openspiel]` installs it.

library    The table `[openspiel]` of the config, and the names of the games that it asks for
rules      Positions, moves and draws of any game of OpenSpiel's, and the reasons why some cannot be played
catalogue  What is known of twelve of them beyond their rules: names, words of moves, boards, guides
players    House levels of the twelve, by Monte Carlo tree search
minimax    House levels of chess and lines of action, by alpha-beta
coding     OpenSpiel's numbers and tensors, for agents that learn
chess      Chess: the words of its moves, its board and picture, how a game ended, PGN
boards     Ultimate tic-tac-toe, dots and boxes, oware: the same
grids      Hex, go, gomoku, connect four, checkers, breakthrough, amazons, lines of action: boards and pictures
grid_texts       The rule that ended a game of these, and what a part of a turn asks for
guides_of_grids  Their guides, and their rules in words
sgf_exports      Go and Hex in the Smart Game Format

OpenSpiel itself is not imported unless a config names a game of it.
"""

from games.open_spiel.library import LIBRARY

__all__ = ["LIBRARY"]
