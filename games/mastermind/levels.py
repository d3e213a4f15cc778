"""The house players by level: how they break codes, and one that makes codes that are hard to break."""

from collections.abc import Sequence

from games.mastermind.board import Turn
from games.mastermind.code import Code, random_code
from games.mastermind.configuration import Configuration
from games.mastermind.feedback import feedback_of
from games.mastermind.solver.breakers import LISTED_CODES_MAX, consistent
from games.mastermind.solver.hard_codes import HARD_CODES
from gameserver.game import Choose

NOVICE_MEMORY = 2
"""The answers that a novice keeps in mind."""

TRIED_CODES = 6
"""Codes of which the hardest is taken, in a game whose hard codes are not known."""


def novice(configuration: Configuration, turns: Sequence[Turn], choose: Choose[int]) -> Code:
    """Any code that fits the latest two answers. It finds four codes of five in twelve guesses."""
    return consistent(configuration, turns[-NOVICE_MEMORY:], choose)


def hard_secret(configuration: Configuration, choose: Choose[int]) -> Code:
    """A code that breakers need many guesses for.

    At the usual size one of those that all breakers of the house need most for. Elsewhere some codes
    are broken by trial, and the one that took longest is taken. Where codes are too many to list, any.
    """
    if (configuration.code_length, configuration.value_count) == (4, 6):
        return HARD_CODES[choose(range(len(HARD_CODES)))]
    if configuration.code_count > LISTED_CODES_MAX:
        return random_code(configuration, choose)
    codes = [random_code(configuration, choose) for _ in range(TRIED_CODES)]
    took = [_guesses_for(code, configuration, choose) for code in codes]
    return codes[took.index(max(took))]


def _guesses_for(secret: Code, configuration: Configuration, choose: Choose[int]) -> int:
    turns: tuple[Turn, ...] = ()
    while not turns or turns[-1].guess != secret:
        guess = consistent(configuration, turns, choose)
        turns = (*turns, Turn(guess, feedback_of(guess, secret)))
    return len(turns)
