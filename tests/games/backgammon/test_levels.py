"""The house players of the family: what they do where there is little doubt, their limits, and that games end."""

import random
from collections import Counter

import pytest
from attrs import evolve

from games.backgammon import BACKGAMMON as GAME
from games.backgammon import network
from games.backgammon.match import GameOptions
from games.backgammon.notation import Word
from games.backgammon.phases import Cube, TurnPhase
from games.backgammon.players import STRATEGIES, at_random, club, master, novice, steady
from games.backgammon.rules import BackgammonFamily
from games.backgammon.variants import BACKGAMMON, FEVGA, PLAKOTO, TAVLA, VARIANTS, packed
from tests.games.backgammon.test_state import after, state_on

START = {24: 2, 13: 5, 8: 3, 6: 5}


def nobody(choices):
    raise AssertionError("it leaves nothing to chance")


def to_roll(mine, theirs, cube=None):
    """Seat 0 is to roll or double on this board."""
    state = GAME.start(GameOptions(starter=0))
    return evolve(state, position=state_on(BACKGAMMON, mine, theirs).position, cube=cube or Cube())


def ended(variant, seats, chance, **options):
    """The end of a game between two strategies, with the moves that each state was asked for."""
    state, moves = BackgammonFamily(variant).start(GameOptions(**options)), []
    while state.outcome is None:
        if state.chance is not None:
            state = state.drawn((chance.randint(1, 6), chance.randint(1, 6)))
        else:
            (seat,) = state.turn.seats
            moves.append(seats[seat](state, seat, chance.choice))
            state = state.play(seat, moves[-1])
    return state, moves


@pytest.mark.parametrize("strategy", [master, steady])
def test_who_thinks_hits_and_bears_off_what_it_can(strategy):
    state = state_on(TAVLA, START, {24: 1, 18: 1, 13: 5, 8: 3, 6: 5}, dice=(6, 1))
    assert state.play(0, strategy(state, 0, nobody)).position.count(1, 25) == 1
    state = state_on(TAVLA, {4: 2, 3: 2, 0: 11}, {4: 2, 0: 13}, dice=(3, 4))
    assert state.play(0, strategy(state, 0, nobody)).position.count(0, 0) == 13


@pytest.mark.parametrize(
    ("strategy", "mine", "theirs", "dice"),
    [
        # A side that has pinned the last checker at the start can hardly lose.
        (master, {24: 1, 5: 10, 4: 2, 3: 2}, {24: 1, 20: 5, 19: 9}, (4, 2)),
        (steady, {24: 13, 9: 2}, {24: 12, 20: 1, 1: 2}, (4, 1)),
    ],
)
def test_who_thinks_pins(strategy, mine, theirs, dice):
    state = state_on(PLAKOTO, mine, theirs, dice=dice)
    assert state.play(0, strategy(state, 0, nobody)).position.pinned[1]


@pytest.mark.parametrize(
    ("strategy", "mine", "theirs", "word"),
    [
        pytest.param(master, {6: 4, 5: 4, 4: 4, 3: 3}, {9: 3, 6: 4, 5: 4, 4: 4}, Word.DOUBLE, id="ahead in a race"),
        pytest.param(master, {6: 8, 5: 7}, {6: 8, 5: 7}, Word.ROLL, id="even"),
        pytest.param(master, {12: 3, 6: 8, 5: 4}, {6: 5, 5: 5, 4: 5}, Word.ROLL, id="behind"),
        pytest.param(master, START, START, Word.ROLL, id="the start"),
        pytest.param(master, {1: 1, 0: 14}, {24: 15}, Word.ROLL, id="a sure gammon is worth more than the stake"),
        pytest.param(steady, {6: 5, 5: 5, 4: 5}, {6: 8, 5: 7}, Word.DOUBLE, id="steady ahead in a race"),
        pytest.param(steady, {6: 8, 5: 7}, {6: 8, 5: 7}, Word.ROLL, id="steady even"),
        pytest.param(steady, {6: 8, 5: 7}, {6: 5, 5: 5, 4: 5}, Word.ROLL, id="steady behind"),
        pytest.param(steady, START, {24: 2, 13: 5, 8: 4, 6: 4}, Word.ROLL, id="the sides still meet"),
    ],
)
def test_who_doubles_when(strategy, mine, theirs, word):
    assert strategy(to_roll(mine, theirs), 0, nobody) is word


def test_nobody_doubles_twice():
    """The other side owns the cube, or it has reached its highest number."""
    for cube in (Cube(2, 1), Cube(64, 0)):
        state = to_roll({6: 4, 5: 4, 4: 4, 3: 3}, {9: 3, 6: 4, 5: 4, 4: 4}, cube)
        assert {strategy(state, 0, random.Random(1).choice) for strategy in STRATEGIES.values()} == {Word.ROLL}


@pytest.mark.parametrize(
    ("level", "behind_by", "word"),
    [
        *((level, far, Word.TAKE) for level in ("club", "master") for far in (0, 4)),
        *((level, far, Word.DROP) for level in ("club", "master") for far in (20, 40)),
        *(("steady", far, word) for far, word in ((0, Word.TAKE), (7, Word.TAKE), (30, Word.DROP))),
    ],
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
    rolled = network.rolled

    def watched(board, roller):
        looked_at.append(rolled(board, roller))
        return looked_at[-1]

    monkeypatch.setattr(network, "rolled", watched)
    state, dice = state_on(TAVLA, START, START), (1, 2)
    network.best_ahead(state.position, 0, dice)
    in_full = sum(nodes for _, nodes in looked_at)
    looked_at.clear()
    network.best_ahead(state.position, 0, dice, nodes_max=400)
    assert 0 < sum(nodes for _, nodes in looked_at) < in_full
    assert sum(nodes for _, nodes in looked_at[:-1]) < 400


@pytest.mark.parametrize("variant", VARIANTS.values(), ids=lambda each: each.name)
@pytest.mark.parametrize("by_hand", [False, True], ids=["at once", "by hand"])
def test_every_level_comes_to_an_end(variant, by_hand, monkeypatch):
    """Without looking ahead, which costs time; nobody undoes, and a turn takes few moves."""
    monkeypatch.setattr(network, "CANDIDATES_MAX", 1)
    for names in (("novice", "master"), ("club", "steady")):
        chance = random.Random(" ".join(names))
        seats = [STRATEGIES[name] for name in names]
        state, moves = ended(variant, seats, chance, by_hand=(by_hand, by_hand))
        assert Word.UNDO not in moves
        assert len(moves) < 8 * state.turns
        assert state.turns < 300


@pytest.mark.parametrize(("stronger", "weaker"), [(novice, at_random), (club, novice)])
def test_each_level_beats_the_one_below(stronger, weaker):
    chance, points = random.Random(3), 0
    for number in range(10):
        seats = (stronger, weaker) if number % 2 else (weaker, stronger)
        outcome = ended(TAVLA, seats, chance)[0].outcome
        points += outcome.points[seats.index(stronger)] - outcome.points[seats.index(weaker)]
    assert points > 0


def anything(state, seat, choose):
    return choose(state.legal_moves(seat))


@pytest.mark.parametrize("variant", [TAVLA, PLAKOTO, FEVGA], ids=lambda each: each.name)
def test_steady_beats_chance(variant):
    chance, won = random.Random(7), 0
    for number in range(6):
        seats = (anything, steady) if number % 2 else (steady, anything)
        won += ended(variant, seats, chance)[0].outcome.winners == (seats.index(steady),)
    assert won >= 5


def test_random_neither_doubles_nor_undoes():
    _, moves = ended(BACKGAMMON, (at_random, at_random), random.Random(5), starter=0, by_hand=(True, True))
    assert {move for move in moves if isinstance(move, Word)} == {Word.ROLL, Word.END}
    assert not all(isinstance(move, Word) for move in moves)


@pytest.mark.parametrize(
    ("dice", "play"),
    [((3, 1), ((8, 5), (6, 5))), ((4, 2), ((8, 4), (6, 4))), ((6, 1), ((13, 7), (8, 7))), ((5, 3), ((8, 3), (6, 3)))],
)
def test_points_that_everybody_makes_are_made(dice, play):
    state = after(GAME.start(GameOptions(starter=0)), "roll", dice)
    assert master(state, 0, nobody) == play
    assert steady(state, 0, nobody) == play or dice == (5, 3)
