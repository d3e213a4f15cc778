"""The house players by level, as breakers and as makers of hard codes."""

import random
from statistics import mean

import pytest

from games.mastermind import BREAKER, GAME, MAKER, Board, CodeSpace, Configuration, random_code
from games.mastermind.rules import hard_secret, novice
from games.mastermind.solver import HARD_CODES, consistent, entropy, expected_size, knuth, most_parts
from tests.games.mastermind.test_solver import guesses_by_secret

STANDARD = Configuration()


def guesses(breaker, secret, choose):
    board = Board(STANDARD).with_secret(secret)
    while not board.is_over:
        board = board.guessed(breaker(STANDARD, board.turns, choose))
    return len(board.turns)


@pytest.mark.slow
def test_every_hard_code_is_known():
    """By the guesses that each breaker needs for each of all codes."""
    found = [guesses_by_secret(breaker, STANDARD, None) for breaker in (knuth, expected_size, entropy, most_parts)]
    assert set(HARD_CODES) == {code for code in CodeSpace(STANDARD) if all(guesses[code] >= 5 for guesses in found)}


@pytest.mark.parametrize("size", [(4, 6), (3, 4), (5, 7), (8, 12), (1, 1), (100, 1000)])
def test_hard_secrets_are_codes_of_their_game(size):
    configuration = Configuration(*size)
    made = [hard_secret(configuration, random.Random(7).choice) for _ in range(2)]
    assert made[0] == made[1], "the same chance makes the same code"
    assert made[0] in CodeSpace(configuration)


@pytest.mark.parametrize("level", ["novice", "club", "master", "evil"])
def test_levels_play_both_seats(level):
    strategy, choose = GAME.strategies[level], random.Random(5).choice
    state = GAME.start(GAME.options_type())
    while state.outcome is None:
        (seat,) = state.turn.seats
        assert seat in {MAKER, BREAKER}
        state = state.play(seat, strategy(state, seat, choose))
    if level in {"master", "evil"}:
        assert state.outcome.winners == (BREAKER,)


def test_each_level_needs_fewer_guesses():
    chance = random.Random(2)
    secrets = [random_code(STANDARD, chance.choice) for _ in range(30)]
    means = [mean(guesses(breaker, secret, chance.choice) for secret in secrets) for breaker in (novice, consistent)]
    assert means[0] > means[1] + 1
