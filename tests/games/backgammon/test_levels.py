"""The levels of the family: what they do where there is little doubt, their limits, and that they come to an end."""

import random
from collections import Counter

import pytest
from attrs import evolve

from games.backgammon import GAME, lookahead
from games.backgammon.cube import Cube
from games.backgammon.lanes import packed
from games.backgammon.levels import STRATEGIES, club, master, novice
from games.backgammon.notation import Word
from games.backgammon.options import GameOptions
from games.backgammon.phases import TurnPhase
from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import BACKGAMMON, PLAKOTO, TAVLA, VARIANTS
from tests.games.backgammon.test_state import after, state_on

START = {24: 2, 13: 5, 8: 3, 6: 5}


def nobody(choices):
    raise AssertionError("it leaves nothing to chance")


def to_roll(mine, theirs, cube=None):
    """Seat 0 is to roll or double on this board."""
    state = GAME.start(GameOptions(starter=0))
    return evolve(state, position=state_on(BACKGAMMON, mine, theirs).position, cube=cube or Cube())


def test_master_hits():
    state = state_on(TAVLA, START, {24: 1, 18: 1, 13: 5, 8: 3, 6: 5}, dice=(6, 1))
    assert state.play(0, master(state, 0, nobody)).position.count(1, 25) == 1


def test_master_pins_a_mother():
    """A side that has pinned the last checker at the start can hardly lose."""
    state = state_on(PLAKOTO, {24: 1, 5: 10, 4: 2, 3: 2}, {24: 1, 20: 5, 19: 9}, dice=(4, 2))
    assert state.play(0, master(state, 0, nobody)).position.pinned[1]


def test_master_bears_off_what_it_can():
    state = state_on(TAVLA, {4: 2, 3: 2, 0: 11}, {4: 2, 0: 13}, dice=(3, 4))
    assert state.play(0, master(state, 0, nobody)).position.count(0, 0) == 13


@pytest.mark.parametrize(
    ("mine", "theirs", "word"),
    [
        pytest.param({6: 4, 5: 4, 4: 4, 3: 3}, {9: 3, 6: 4, 5: 4, 4: 4}, Word.DOUBLE, id="ahead in a race"),
        pytest.param({6: 8, 5: 7}, {6: 8, 5: 7, 0: 0}, Word.ROLL, id="even"),
        pytest.param({12: 3, 6: 8, 5: 4}, {6: 5, 5: 5, 4: 5}, Word.ROLL, id="behind"),
        pytest.param(START, START, Word.ROLL, id="the start"),
        pytest.param({1: 1, 0: 14}, {24: 15}, Word.ROLL, id="a sure gammon is worth more than the stake"),
    ],
)
def test_when_master_doubles(mine, theirs, word):
    assert master(to_roll(mine, theirs), 0, nobody) is word


def test_nobody_doubles_twice():
    """The other side owns the cube, or it has reached its highest number."""
    for cube in (Cube(2, 1), Cube(64, 0)):
        state = to_roll({6: 4, 5: 4, 4: 4, 3: 3}, {9: 3, 6: 4, 5: 4, 4: 4}, cube)
        assert {strategy(state, 0, random.Random(1).choice) for strategy in STRATEGIES.values()} == {Word.ROLL}


@pytest.mark.parametrize("level", ["club", "master"])
@pytest.mark.parametrize(
    ("behind_by", "word"),
    [(0, Word.TAKE), (4, Word.TAKE), (20, Word.DROP), (40, Word.DROP)],
    ids=str,
)
def test_what_is_taken_in_a_race(level, behind_by, word):
    """Fifteen checkers on the five point each, of which some of the second side stand further back."""
    far, near = divmod(behind_by, 5)
    theirs = Counter({5: 15 - far - bool(near), 10: far})
    if near:
        theirs[5 + near] += 1
    state = evolve(to_roll({5: 15}, dict(theirs)), phase=TurnPhase.DOUBLED)
    assert STRATEGIES[level](state, 1, nobody) is word


def test_novice_leaves_few_checkers_alone():
    state = after(GAME.start(GameOptions(starter=0)), "roll", (3, 1))
    assert {novice(state, 0, random.Random(seed).choice) for seed in range(9)} == {((8, 5), (6, 5))}


def test_novice_pins_though_it_leaves_checkers_alone_for_it():
    state = state_on(PLAKOTO, {12: 2, 7: 3, 6: 10}, {24: 2, 17: 1, 5: 12}, dice=(4, 1))
    ends = [state.play(0, novice(state, 0, random.Random(seed).choice)) for seed in range(9)]
    assert all(end.position.pinned[1] == packed({17: 1}) for end in ends)


def test_novice_would_rather_pin_a_mother_than_another_checker():
    state = state_on(PLAKOTO, {10: 4, 5: 11}, {24: 1, 19: 1, 3: 13}, dice=(4, 1))
    ends = [state.play(0, novice(state, 0, random.Random(seed).choice)) for seed in range(9)]
    assert all(end.position.pinned[1] == packed({24: 1}) for end in ends)


def test_a_turn_without_moves_is_ended():
    state = state_on(TAVLA, {25: 1, 6: 14}, {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 13: 3}, dice=(6, 5))
    assert {strategy(state, 0, random.Random(1).choice) for strategy in STRATEGIES.values()} == {Word.END}


def test_master_stops_at_its_limit(monkeypatch):
    looked_at = []
    rolled = lookahead.rolled

    def watched(board, roller):
        looked_at.append(rolled(board, roller))
        return looked_at[-1]

    monkeypatch.setattr(lookahead, "rolled", watched)
    state, dice = state_on(TAVLA, START, START), (1, 2)
    lookahead.best_ahead(state.position, 0, dice)
    in_full = sum(nodes for _, nodes in looked_at)
    looked_at.clear()
    lookahead.best_ahead(state.position, 0, dice, nodes_max=400)
    assert 0 < sum(nodes for _, nodes in looked_at) < in_full
    assert sum(nodes for _, nodes in looked_at[:-1]) < 400


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda each: each.name)
@pytest.mark.parametrize("by_hand", [False, True], ids=["at once", "by hand"])
def test_every_level_comes_to_an_end(variant, by_hand, monkeypatch):
    """Without looking ahead, which costs time; nobody undoes, and a turn takes few moves."""
    monkeypatch.setattr(lookahead, "CANDIDATES_MAX", 1)
    for first, second in (("novice", "master"), ("club", "steady")):
        chance = random.Random(f"{first} {second}")
        state = BackgammonFamily(variant).start(GameOptions(by_hand=(by_hand, by_hand)))
        moves = 0
        while state.outcome is None:
            if state.chance is not None:
                state = state.drawn((chance.randint(1, 6), chance.randint(1, 6)))
                continue
            seat = state.turn.seats[0]
            move = STRATEGIES[(first, second)[seat]](state, seat, chance.choice)
            assert move is not Word.UNDO
            state, moves = state.play(seat, move), moves + 1
        assert moves < 8 * state.turns
        assert state.turns < 300


@pytest.mark.parametrize(("stronger", "weaker"), [(novice, STRATEGIES["random"]), (club, novice)])
def test_each_level_beats_the_one_below(stronger, weaker):
    chance, points = random.Random(3), 0
    for number in range(10):
        seats = (stronger, weaker) if number % 2 else (weaker, stronger)
        state = BackgammonFamily(TAVLA).start(GameOptions())
        while state.outcome is None:
            if state.chance is not None:
                state = state.drawn((chance.randint(1, 6), chance.randint(1, 6)))
            else:
                seat = state.turn.seats[0]
                state = state.play(seat, seats[seat](state, seat, chance.choice))
        points += state.outcome.points[seats.index(stronger)] - state.outcome.points[seats.index(weaker)]
    assert points > 0


@pytest.mark.parametrize(
    ("dice", "play"),
    [((3, 1), ((8, 5), (6, 5))), ((4, 2), ((8, 4), (6, 4))), ((6, 1), ((13, 7), (8, 7))), ((5, 3), ((8, 3), (6, 3)))],
)
def test_master_makes_the_points_that_everybody_makes(dice, play):
    assert master(after(GAME.start(GameOptions(starter=0)), "roll", dice), 0, nobody) == play
