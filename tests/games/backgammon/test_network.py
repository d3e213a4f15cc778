"""The networks: the fast sums against the plain ones, and what every judge of a board knows."""

import random
from math import exp

import pytest

from games.backgammon.board import start_of
from games.backgammon.network import ends_of, network_of, odds_of, valued_ends, weights_of
from games.backgammon.phases import ending_of
from games.backgammon.variants import BACKGAMMON, BAR, FEVGA, PLAKOTO, TAVLA, count_at
from tests.games.backgammon.test_state import state_on

VARIANTS = (BACKGAMMON, TAVLA, PLAKOTO, FEVGA)
ORDER = (0, 1, 3, 2, 4)
"""Stored are: win, gammon, backgammon, lost gammon, lost backgammon."""


def plain_odds(board, seat):
    """The same network, weight by weight."""
    has_pins = board.variant is PLAKOTO
    numbers = [number / 1024 for number in weights_of(board.variant.contact)]
    inputs = []
    for side in (seat, 1 - seat):
        for point in range(1, 25):
            count = board.count(side, point)
            inputs += [count == 1, count >= 2, count >= 3, max(0, count - 3) / 2]
            inputs += [count_at(board.pinned[side], point)] if has_pins else []
        inputs += [board.count(side, BAR) / 2, board.count(side, 0) / 15]
    size = 48
    rest = numbers[len(inputs) * size :]
    sums = [
        rest[unit] + sum(value * numbers[row * size + unit] for row, value in enumerate(inputs)) for unit in range(size)
    ]
    hidden = [1 / (1 + exp(-each)) for each in sums]
    found = []
    for output in range(5):
        row = rest[size * (1 + output) : size * (2 + output)]
        total = rest[6 * size + output] + sum(w * h for w, h in zip(row, hidden, strict=True))
        found.append(1 / (1 + exp(-total)))
    return [found[number] for number in ORDER]


def boards(variant, count, seed=1):
    chance, board, seat = random.Random(seed), start_of(variant), 0
    for _ in range(count):
        low, high = sorted((chance.randint(1, 6), chance.randint(1, 6)))
        dice = (low, high) if low != high else (low,) * 4
        board = chance.choice(list(ends_of(board, seat, dice))).board(variant, seat)
        if ending_of(board) is not None:
            return
        yield board, seat
        seat = 1 - seat


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda each: each.name)
def test_fast_sums_are_those_of_the_weights(variant):
    for board, seat in boards(variant, 20):
        assert odds_of(board, seat)[:3] == pytest.approx(plain_odds(board, seat)[:3], abs=0.02)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda each: each.name)
def test_valued_ends_are_valued_as_boards_are(variant):
    for board, seat in boards(variant, 20, seed=3):
        for valued in valued_ends(board, 1 - seat, (2, 5)):
            assert valued.odds == odds_of(valued.end.board(variant, 1 - seat), 1 - seat)


def test_what_is_won_is_certain():
    won = state_on(BACKGAMMON, {0: 15}, {24: 15}).position
    assert odds_of(won, 0) == (1, True, 0, True, 0)
    assert odds_of(won, 0).equity == 3
    assert odds_of(won, 1).equity == -3


def test_contributions_are_dropped_when_there_are_too_many(monkeypatch):
    network = network_of(FEVGA)
    before = odds_of(start_of(FEVGA), 0)
    network._chunks.clear()
    monkeypatch.setattr("games.backgammon.network.CHUNKS_KEPT", 3)
    for board, seat in boards(FEVGA, 20):
        odds_of(board, seat)
    assert len(network._chunks) <= 3
    assert odds_of(start_of(FEVGA), 0) == before
