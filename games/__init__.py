"""The rules of each game, as pure values: every module here that exports `GAME` is found at start.

backgammon               Backgammon and its family
connect_four_3d          3D Connect Four
connect_four_3d_lines    The cells and lines of 3D Connect Four as integers with a bit for each cell, bit 4 *
                         column + z
connect_four_3d_players  House players of 3D Connect Four
fevga                    Fevga, the third game of a Tavli match
mastermind               Mastermind
plakoto                  Plakoto, the second game of a Tavli match
portes                   Portes, the first game of a Tavli match
reversi                  Reversi on 8 by 8 cells, with the pass that nobody announces
reversi_discs            The discs of Reversi as integers
reversi_players          House players of Reversi
search                   Alpha-beta search for house players of games of two, without chance and without secrets
tavla                    Tavla
tavli                    Tavli
tic_tac_toe              Tic-tac-toe
tic_tac_toe_players      House players of Tic-tac-toe
"""

PART_OF = "gameserver"
"""Of the distribution. Another package of this name has no such line (`gameserver.cli.main`)."""
