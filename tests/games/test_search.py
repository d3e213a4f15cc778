"""The search of house players: against trying everything, its limits, and its ties."""

import random
from functools import cache

import pytest

from games.search import SearchedGame, best_moves

LINES = [0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124]


class Nim(SearchedGame):
    """Take one to three from a heap; who takes the last one wins. An estimate is always 7, and wrong."""

    def __init__(self):
        self.asked = 0

    def successors(self, position):
        return [(taken, position - taken) for taken in (1, 2, 3) if taken <= position]

    def value(self, position):
        self.asked += 1
        return 7 if position else -100


class RandomTree(SearchedGame):
    """A tree of random values and widths, with equal values and forced moves; a position is a path."""

    def __init__(self, seed, depth):
        self.seed, self.depth = seed, depth

    def successors(self, position):
        width = random.Random(f"{self.seed} {position}").randrange(0 if position else 2, 5)
        return [(move, (*position, move)) for move in range(width)] if len(position) < self.depth else []

    def value(self, position):
        return random.Random(f"{self.seed} value {position}").randrange(-4, 5)


class SearchedTicTacToe(SearchedGame):
    """The example of the module's docstring."""

    def successors(self, position):
        own, other = position
        if any(other & line == line for line in LINES):
            return ()
        return [(cell, (other, own | 1 << cell)) for cell in range(9) if not (own | other) >> cell & 1]

    def value(self, position):
        return -1 if any(position[1] & line == line for line in LINES) else 0


@cache
def exact(game, position):
    successors = game.successors(position)
    return max(-exact(game, after) for _, after in successors) if successors else game.value(position)


def exact_moves(game, position):
    values = {move: -exact(game, after) for move, after in game.successors(position)}
    return {move for move, value in values.items() if value == max(values.values())}


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_are_solved(seed):
    game = RandomTree(seed, 6)
    found = best_moves(game, (), nodes_max=1_000_000)
    assert found.solved
    assert found.value == exact(game, ())
    assert set(found.moves) == exact_moves(game, ()), "all equal moves are found, and no other"


@pytest.mark.parametrize("heap", range(1, 30))
def test_nim_is_solved_though_its_estimates_are_wrong(heap):
    found = best_moves(Nim(), heap, nodes_max=100_000)
    assert (found.value > 0) == (heap % 4 != 0)
    if heap % 4:
        assert found.moves == (heap % 4,)
    assert found.solved


@pytest.mark.parametrize("nodes_max", [1, 2, 10, 100, 1000])
def test_the_nodes_are_limited_and_counted(nodes_max):
    game = Nim()
    found = best_moves(game, 1000, nodes_max=nodes_max)
    assert not found.solved
    assert found.nodes <= nodes_max + 6
    assert game.asked <= found.nodes, "each value that is asked for is a node"
    assert set(found.moves) <= {1, 2, 3}


def test_the_first_move_of_tic_tac_toe_does_not_matter():
    found = best_moves(SearchedTicTacToe(), (0, 0), nodes_max=100_000)
    assert (found.value, found.solved, set(found.moves)) == (0, True, set(range(9)))


def test_every_position_of_tic_tac_toe_is_solved():
    game, chance = SearchedTicTacToe(), random.Random(0)
    for _ in range(60):
        position = (0, 0)
        for _ in range(chance.randrange(1, 7)):
            successors = game.successors(position)
            if successors:
                position = chance.choice(successors)[1]
        if game.successors(position):
            found = best_moves(game, position, nodes_max=100_000)
            assert found.solved
            assert found.value == exact(game, position)
            assert set(found.moves) == exact_moves(game, position)
