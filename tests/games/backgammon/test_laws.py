"""Laws of every game by hand: the contract, and that the plays that are listed are those that can be made."""

import random

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from games.backgammon.match import GameOptions
from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import VARIANTS
from gameserver.testing import check_game
from tests.games.backgammon.positions import rolled, set_up_at_random

GAMES = pytest.mark.parametrize("game", [BackgammonFamily(each) for each in VARIANTS.values()], ids=VARIANTS)
SEEDS = st.integers(0, 2**32 - 1)


@frozen
class ByHand(GameOptions):
    """As GammonX clients play."""

    by_hand: tuple[bool, bool] = (True, True)


class PlayedByHand(BackgammonFamily):
    options_type = ByHand


@pytest.mark.parametrize(
    "variant",
    [pytest.param(each, marks=() if each.has_cube else pytest.mark.slow) for each in VARIANTS.values()],
    ids=VARIANTS,
)
def test_contract_holds_for_players_by_hand(variant):
    check_game(PlayedByHand(variant), games_played=1, strategy_moves_max=4)


@GAMES
@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_every_listed_play_can_be_played_and_leads_to_one_of_the_ends(game, seed):
    chance = random.Random(seed)
    board, seat, dice = set_up_at_random(game.variant, chance), chance.randrange(2), rolled(chance)
    search, own = board.search(seat), board.checkers[seat]
    ends = {board.played(seat, sequence) for sequence in board.sequences(seat, dice)}
    listed = sorted(search.hops(own, dice))
    for hops in listed if len(listed) < 100 else chance.sample(listed, 100):
        sequence = search.resolve(own, dice, hops)
        assert sequence is not None
        assert sum(step.die for step in sequence) <= sum(dice)
        after = board.played(seat, sequence)
        left = list(dice)
        for step in sequence:
            left.remove(step.die)
        assert after in ends or after.can_move(seat, tuple(left))
