"""Mastermind: the rules as a library, the solvers, and the game of the lobby.

board     codes, feedback and the board
coding    the game in numbers, for agents that learn
engine    the document's engine, its interface to the outside, and its players
rules     the game of the lobby, its picture and its house players
solver    code breakers
terminal  the game at a terminal

`from games.mastermind import ...` has all that a program needs.
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
from games.mastermind.rules import BREAKER, MAKER, Mastermind, MastermindOptions, MastermindPosition
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
    "MastermindOptions",
    "MastermindPosition",
    "Player",
    "Turn",
    "Winner",
    "check_code",
    "feedback_of",
    "possible_codes",
    "random_code",
    "read_code",
    "write_code",
]
