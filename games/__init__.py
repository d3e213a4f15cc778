"""The rules of each game, as pure values: every module here that exports `GAME` is found at start.

tic_tac_toe, tic_tac_toe_players
                     the shortest complete game, meant to be copied, and its house players
reversi, reversi_discs, reversi_picture, reversi_sgf
                     Reversi, its discs as bitboards, its drawing and its file format
reversi_players, reversi_evaluation, reversi_endgame
                     its house players, their judgement of a position, the exact endgame
connect_four_3d, connect_four_3d_lines, connect_four_3d_picture
                     3D Connect Four, its lines as bitboards, and its drawing
connect_four_3d_players, connect_four_3d_search, connect_four_3d_attack
                     its house players, its position in a search, wins by a chain of threats
search               alpha-beta for house players, for games of authors too
mastermind           a package: rules, solvers, a game at the terminal
backgammon           a package: the rules of the whole family
tavla, portes, plakoto, fevga
                     its other games
tavli                a match of the last three
"""

PART_OF = "gameserver"
"""Of the distribution. Another package of this name has no such line (`gameserver.cli.main`)."""
