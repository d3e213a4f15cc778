"""Mastermind: the rules as a library, the solvers, and the game of the lobby.

    configuration.py  how long a code is, what it is made of, how many turns there are
    code.py           a code, its written form, the space of all codes
    feedback.py       exact and partial matches
    board.py          turns, and how the game ended
    players.py        code makers and code breakers, computers among them
    engine.py         runs a game between any two players, with an IO passed in
    solver/           how computers break codes, and what each way is worth
    lobby.py          the same game as the server plays it

`from games.mastermind import ...` has all that a program needs.
"""

from games.mastermind.board import Board, Turn, Winner
from games.mastermind.code import Code, CodeError, CodeSpace, check_code, random_code, read_code, write_code
from games.mastermind.configuration import Configuration
from games.mastermind.engine import GameEngine, GameIO
from games.mastermind.feedback import Feedback, feedback_of
from games.mastermind.lobby import BREAKER, MAKER, Mastermind, Options, Position
from games.mastermind.players import CodeBreaker, CodeMaker, ComputerPlayer, HumanPlayer
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
    "CodeBreaker",
    "CodeError",
    "CodeMaker",
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
