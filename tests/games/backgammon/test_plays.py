"""The play generator against the slow rules: the same sequences in the same order, boards, pips and results."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.backgammon.phases import ending_of
from games.backgammon.variants import VARIANTS
from protocols.gammonx.payloads import thinned
from tests.games.backgammon.positions import COLOURS, moves_of, played_at_random, rolled, set_up_at_random, slow

EVERY_VARIANT = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
SEEDS = st.integers(0, 2**32 - 1)


def check_same(board, seat, dice):
    twin, colour = slow(board), COLOURS[seat]
    assert [board.pips(0), board.pips(1)] == [twin.pips(each) for each in COLOURS]
    sequences = board.sequences(seat, dice)
    assert [moves_of(board, seat, sequence) for sequence in sequences] == twin.sequences(colour, dice)
    assert board.can_move(seat, dice) == bool(sequences)
    ends = set()
    for sequence in sequences:
        after, twin_after = board.played(seat, sequence), twin.after(colour, moves_of(board, seat, sequence))
        assert slow(after).key() == twin_after.key()
        ends.add(after)
        ending, result = ending_of(after), twin_after.result(colour)
        assert (ending is None) == (result is None)
        if ending is not None:
            assert (ending.victory or 0) == result
    plays = board.plays(seat, dice)
    assert {board.played(seat, sequence) for sequence in plays.values()} == (ends or {board})
    assert len(plays) == max(1, len(ends))


def is_large(dice):
    """Doubles of low numbers have thousands of orders, which the slow rules take seconds for."""
    return len(dice) == 4


@EVERY_VARIANT
def test_along_random_games(variant):
    positions = list(played_at_random(variant, 0))
    doubles = [position for position in positions if is_large(position[2])]
    for board, seat, dice in [*(each for each in positions if not is_large(each[2])), *doubles[::12]]:
        check_same(board, seat, dice)


@EVERY_VARIANT
@given(seed=SEEDS)
def test_on_boards_set_up_at_random(variant, seed):
    chance = random.Random(seed)
    board, dice = set_up_at_random(variant, chance), rolled(chance)
    if is_large(dice):
        dice = dice[: chance.randint(1, 3)]
    check_same(board, chance.randrange(2), dice)


@pytest.mark.slow
@EVERY_VARIANT
def test_on_many_positions(variant):
    played = [position for seed in range(3, 25) for position in played_at_random(variant, seed)]
    chances = [random.Random(seed) for seed in range(2_000)]
    placed = [(set_up_at_random(variant, chance), chance.randrange(2), rolled(chance)) for chance in chances]
    for board, seat, dice in played + placed:
        if not is_large(dice) or len(board.sequences(seat, dice)) < 300:
            check_same(board, seat, dice)


@EVERY_VARIANT
@given(seed=SEEDS)
def test_thinned_sequences_answer_the_same(variant, seed):
    chance = random.Random(seed)
    board, seat, dice = set_up_at_random(variant, chance), chance.randrange(2), rolled(chance)
    while dice:
        search, own = board.search(seat), board.checkers[seat]
        sequences = search.sequences(own, dice)
        few = thinned(search, own, dice)
        assert _legal_to_positions(few) == _legal_to_positions(sequences)
        assert few == _thinned_in_order(sequences)
        if not sequences:
            return
        step, _, dice = chance.choice(search.steps(own, dice))
        board = board.moved(seat, step.source, step.target)


def _thinned_in_order(sequences):
    known, kept = set(), []
    for sequence in sequences:
        answers = {(one, other) for one, others in _legal_to_positions([sequence]).items() for other in others}
        if not answers <= known:
            known |= answers
            kept.append(sequence)
    return kept


def _legal_to_positions(sequences):
    """The example of the protocol document, line by line, for every `from`."""
    results = {}
    for sequence in sequences:
        for i in range(len(sequence)):
            results.setdefault(sequence[i].source, set()).add(sequence[i].target)
            current_to = sequence[i].target
            for j in range(i + 1, len(sequence)):
                if sequence[j].source != current_to:
                    break
                results[sequence[i].source].add(sequence[j].target)
                current_to = sequence[j].target
    return results
