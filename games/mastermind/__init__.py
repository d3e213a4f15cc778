"""Mastermind: the rules as a library, the solvers, and the game of the lobby.

    configuration        the length of a code, the number of values, the number of turns
    code                 a code, its written form, the space of all codes
    feedback             exact and partial matches
    board                the secret, the turns, the winner
    players              people and computers, as code makers and code breakers
    engine, game_io      runs a game between any two players, with an IO passed in
    solver               computer code breakers, and a survey of their worth
    levels               house players by level
    rules                the same game as the server plays it
    picture              the drawing of its board for pages
    terminal             the game at a terminal, without a server; no rule imports it

`from games.mastermind import ...` has all that a program needs.
"""

from games.mastermind.board import Board, Turn, Winner
from games.mastermind.code import Code, CodeError, CodeSpace, check_code, random_code, read_code, write_code
from games.mastermind.configuration import Configuration
from games.mastermind.engine import GameEngine
from games.mastermind.feedback import Feedback, feedback_of
from games.mastermind.game_io import GameIO
from games.mastermind.players import ComputerPlayer, HumanPlayer, Player
from games.mastermind.rules import BREAKER, MAKER, Mastermind, Options, Position
from games.mastermind.solver.breakers import BREAKERS, Breaker, possible_codes
from games.mastermind.solver.sampling import Contradiction

GAME = Mastermind()

__all__ = [
    "BREAKER",
    "BREAKERS",
    "GAME",
    "MAKER",
    "Board",
    "Breaker",
    "Code",
    "CodeError",
    "CodeSpace",
    "ComputerPlayer",
    "Configuration",
    "Contradiction",
    "Feedback",
    "GameEngine",
    "GameIO",
    "HumanPlayer",
    "Mastermind",
    "Options",
    "Player",
    "Position",
    "Turn",
    "Winner",
    "check_code",
    "feedback_of",
    "possible_codes",
    "random_code",
    "read_code",
    "write_code",
]
