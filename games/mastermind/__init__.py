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

Computer code breakers. Begin with `games.mastermind.solver`.

breakers             given the turns so far, the next guess
criteria             the worth of a guess
search, sampling     codes that fit, and guesses, where there are too many codes to list
lanes                one guess against many codes at once: the inner loop
hard_codes           codes that all of them need many guesses for
survey               how many guesses a breaker needs for every secret
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
