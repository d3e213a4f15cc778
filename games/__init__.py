"""The rules of each game, as pure values: every module here that exports `GAME` is found at start.

tic_tac_toe          the shortest complete game, meant to be copied
reversi, reversi_picture, reversi_sgf
                     Reversi, its drawing and its file format
connect_four_3d, connect_four_3d_picture
                     3D Connect Four, and its drawing
mastermind           a package: rules, solvers, a game at the terminal
backgammon           a package: the rules of the whole family
tavla, portes, plakoto, fevga
                     its other games
tavli                a match of the last three
"""
