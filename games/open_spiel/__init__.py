"""Games of OpenSpiel, of which the config says which: the extra `gameserver[openspiel]` installs it.

library    The table `[openspiel]` of the config, and the names of the games that it asks for
rules      Positions, moves and draws of any game of OpenSpiel's, and the reasons why some cannot be played
catalogue  What is known of twelve of them beyond their rules: names, looks, exports
looks      The look of a game: words of moves, board, picture, how it ends; OpenSpiel's own texts if it has no other
grids      Boards of cells, for prompts and as pictures
grid_games  Hex, Go, Gomoku, Connect four, Checkers, Breakthrough, Amazons, Lines of action
chess      Chess, and its PGN
boards     Ultimate tic-tac-toe, dots and boxes, oware
guides     Guides of the twelve, and their rules in words
sgf_exports  Go and Hex in the Smart Game Format
players    House levels of the twelve, by Monte Carlo tree search
minimax    House levels of chess and lines of action, by alpha-beta
coding     OpenSpiel's numbers and tensors, for agents that learn

OpenSpiel itself is not imported unless a config names a game of it.
"""

from games.open_spiel.library import LIBRARY

__all__ = ["LIBRARY"]
