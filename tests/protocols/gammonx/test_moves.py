"""`Move` against the slow rules: plays what some legal order allows now, and nothing else; refusals say what helps."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.backgammon.fields import numbering
from games.backgammon.match import GameOptions
from games.backgammon.phases import TurnPhase
from games.backgammon.state import GameState
from games.backgammon.variants import BAR, FEVGA, OFF, TAVLA, VARIANTS
from gameserver.game import IllegalMove
from protocols.gammonx.payloads import hop_between
from protocols.gammonx.profiles import no_move
from protocols.gammonx.schema import Move
from tests.games.backgammon.positions import COLOURS, board_of, moves_of, rolled, set_up_at_random, slow
from tests.support.examples import examples

WHITE = 0
HOPS = [(source, target) for source in range(1, BAR + 1) for target in range(OFF, source)]
EVERY_VARIANT = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)
ADVICE = re.compile("from '(-?[0-9]+)' to '(-?[0-9]+)'")


def moving(board, seat, dice):
    """The position after a roll, of players who roll and end their turns by hand."""
    options = GameOptions(by_hand=(True, True))
    return GameState(options, board, None, TurnPhase.MOVING, mover=seat, rolled=dice, left=dice)


def fields_of(state):
    return numbering(state.position.variant, WHITE)


def on_own_board(state, hop):
    """A hop in the fields that the mover sees."""
    source, target = (fields_of(state)[place] for place in hop)
    return Move("", source, target)


def played(state, move):
    """The position after a `Move`; None where it is refused."""
    try:
        return state.play(state.mover, (hop_between(fields_of(state), move.from_, move.to),))
    except IllegalMove:
        return None


def refusal(state, move):
    fields = fields_of(state)
    return no_move(move, state, hop_between(fields, move.from_, move.to), fields)


def chains(sequences, *, now):
    """The ends of every unbroken chain of steps, with the number of steps before it and with it; `now`: none before."""
    for sequence in sequences:
        for first in range(1 if now else len(sequence)):
            for last in range(first, len(sequence)):
                if last > first and sequence[last - 1][1] != sequence[last][0]:
                    break
                yield (sequence[first][0], sequence[last][1]), sequence[: last + 1]


@EVERY_VARIANT
@settings(max_examples=examples(15), deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_chains_that_are_legal_now_are_played_and_nothing_else(variant, seed):
    chance = random.Random(seed)
    board, seat, dice = set_up_at_random(variant, chance), chance.randrange(2), rolled(chance)
    dice = dice[: chance.randint(1, 3)]  # four equal dice have thousands of orders
    if not board.can_move(seat, dice):
        return
    state, twin, colour = moving(board, seat, dice), slow(board), COLOURS[seat]
    sequences = twin.sequences(colour, dice)
    boards = {}
    for ends, steps in chains(sequences, now=True):
        boards.setdefault(ends, set()).add(twin.after(colour, steps).key())
    later = {ends for ends, _ in chains(sequences, now=False)} - boards.keys()
    for hop in HOPS:
        move = on_own_board(state, hop)
        (ends,) = moves_of(board, seat, [_Hop(hop)])
        after = played(state, move)
        if ends in boards:
            assert after is not None, hop
            assert slow(after.position).key() in boards[ends], hop
            continue
        assert after is None, hop
        advice = ADVICE.findall(refusal(state, move))[1:]
        assert bool(advice) is (ends in later), hop
        for source, target in advice:
            state_then = state if after is None else after
            after = played(state_then, Move("", int(source), int(target)))
            assert after is not None, f"{hop} is not possible after {advice}"
        if advice:
            assert played(after, move) is not None, f"{hop} is not possible after {advice}"


class _Hop:
    def __init__(self, hop):
        self.hop = hop


OPPONENTS_HOME = {6: 5, 5: 5, 13: 5}
"""It blocks 19 and 20 as white counts."""


BAR_FIRST = "A checker on the bar has to enter first"
HOME_FIRST = "All of your checkers have to be home first"
OTHER_FIRST = "Another checker has to move first"


@pytest.mark.parametrize(
    ("variant", "own", "dice", "hop", "says"),
    [
        (TAVLA, {25: 1, 13: 14}, (2, 3), (13, 10), f"{BAR_FIRST}, such as from '-1' to '1'."),
        (TAVLA, {25: 2, 13: 13}, (2, 3), (13, 10), f"{BAR_FIRST}."),
        (TAVLA, {25: 2, 13: 13}, (2,) * 4, (13, 9), f"{BAR_FIRST}, such as from '-1' to '1' and from '-1' to '1'."),
        (TAVLA, {7: 1, 3: 14}, (1, 3), (3, 0), f"{HOME_FIRST}, such as from '17' to '18'."),
        (TAVLA, {5: 1, 3: 14}, (4, 5), (3, 0), f"{OTHER_FIRST}, such as from '19' to '23'."),
        (TAVLA, {25: 2, 13: 13}, (2,) * 4, (25, 21), f"{OTHER_FIRST}, such as from '-1' to '1'."),
        (TAVLA, {25: 1, 13: 14}, (3, 6), (25, 19), ""),
        (TAVLA, {13: 15}, (2, 3), (3, 0), ""),
        (FEVGA, {25: 14, 24: 1}, (2, 3), (24, 22), ""),
    ],
)
def test_refusal_says_what_has_to_come_first(variant, own, dice, hop, says):
    state = moving(board_of(variant, (own, OPPONENTS_HOME)), WHITE, dice)
    move = on_own_board(state, hop)
    told = f"No legal move exists for from '{move.from_}' to '{move.to}'."
    assert refusal(state, move) == (f"{told} {says}" if says else told)
