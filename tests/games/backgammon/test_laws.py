"""Laws of every game, however it is played: checkers are kept, pips fall, undoing restores, games end."""

import random

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from games.backgammon.match import GameOptions
from games.backgammon.notation import Word
from games.backgammon.phases import TurnPhase
from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import VARIANTS, Contact
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


def checked(before, after):
    """Look a step over: what became of the checkers of both sides."""
    board, seat = after.position, before.mover
    was = before.position
    assert [board.checkers_of(each) for each in (0, 1)] == [15, 15]
    assert board.pips(seat) <= was.pips(seat)
    if board.variant.contact is Contact.HITS:
        assert board.pips(1 - seat) >= was.pips(1 - seat)
        assert (board.count(1 - seat, 25) > was.count(1 - seat, 25)) == ("*" in after.said)
    else:
        assert board.pips(1 - seat) == was.pips(1 - seat)
    for each in (0, 1):
        for point in range(1, 25):
            assert not (board.count(each, point) and board.count(1 - each, board.variant.opposite[point]))
    return after


@GAMES
@given(seed=SEEDS)
@settings(max_examples=2, deadline=None)
def test_laws_along_random_games(game, seed):
    chance = random.Random(seed)
    state = game.start(GameOptions(by_hand=(True, True)))
    before_turn = state
    while state.outcome is None:
        if state.chance is not None:
            state = before_turn = state.drawn((chance.randint(1, 6), chance.randint(1, 6)))
            continue
        (seat,) = state.turn.seats
        if state.phase is TurnPhase.MOVING:
            plays = [move for move in state.legal_moves(seat) if not isinstance(move, Word)]
            state = checked(state, state.play(seat, chance.choice(plays)))
        elif state.phase is TurnPhase.ENDING:
            assert undone(state) == comparable(before_turn)
            state = state.play(seat, Word.END)
        else:
            state = state.play(seat, chance.choice(state.legal_moves(seat)))
    assert sum(state.outcome.points) >= 0
    assert len(state.outcome.winners) == (1 if any(state.outcome.points) else 0)


def undone(state):
    """The turn taken back step by step."""
    while state.earlier:
        state = state.play(state.mover, Word.UNDO)
    return comparable(state)


def comparable(state):
    return state.position, state.left, state.rolled, state.mover, state.turns


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
