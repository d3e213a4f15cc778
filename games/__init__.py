"""The rules of each game, as pure values: every module here that exports `GAME` or `GAMES` is found at start.

backgammon               Backgammon and its family: Fevga, Plakoto, Portes, Tavla, Tavli
connect_four_3d          3D Connect Four
connect_four_3d_lines    The cells and lines of 3D Connect Four as integers with a bit for each cell, bit 4 *
                         column + z
connect_four_3d_players  House players of 3D Connect Four
mastermind               Mastermind
open_spiel               Games of OpenSpiel, of which a config says which
reversi                  Reversi on 8 by 8 cells, with the pass that nobody announces
reversi_discs            The discs of Reversi as integers
reversi_players          House players of Reversi
search                   Alpha-beta search for house players of games of two, without chance and without secrets
sgf                      The Smart Game Format: what Reversi, Go and Hex write alike
stones_coding            Games of stones on cells in numbers, for agents that learn
tic_tac_toe              Tic-tac-toe
tic_tac_toe_players      House players of Tic-tac-toe
"""

PART_OF = "gameserver"
"""Of the distribution. Another package of this name has no such line (`gameserver.cli.main`)."""
