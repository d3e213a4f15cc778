"""Mastermind: the rules as a library, the solvers, and the game of the lobby.

board     The board
engine    The engine
rules     Mastermind as a game of the lobby
solver    Finding codes that fit the turns so far, where there are too many codes to list
terminal  Mastermind at a terminal

`from games.mastermind import ...` has all that a program needs.

Computer code breakers. Begin with `games.mastermind.solver`.
"""

from games.mastermind.board import (
    Board,
    Code,
    CodeError,
    CodeSpace,
    Configuration,
    Feedback,
    Turn,
    Winner,
    check_code,
    feedback_of,
    random_code,
    read_code,
    write_code,
)
from games.mastermind.engine import ComputerPlayer, GameEngine, GameIO, HumanPlayer, Player
from games.mastermind.rules import BREAKER, MAKER, Mastermind, Options, Position
from games.mastermind.solver import BREAKERS, Breaker, Contradiction, possible_codes

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
