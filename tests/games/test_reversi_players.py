"""The house players of Reversi: what they must see, the exact endgame, and a program of others."""

import random

import pyspiel
import pytest

from games import reversi_players
from games.reversi import GAME, START, ReversiPosition, position_after
from games.reversi_discs import cells_in
from games.reversi_players import SEARCHED, club, evaluate, master, novice, solve
from games.search import best_moves
from gameserver.game import NoOptions
from tests.games.level_games import game_of, offered
from tests.games.reversi_endgames import OTHELLO, PASS, discs, known_endgames, random_endgame, solved

KNOWN = known_endgames()
LEVELS = [novice, club, master]


def drawn(text, mover):
    """A position of eight lines of B, W and dots."""
    cells = "".join(text.split())
    assert len(cells) == 64
    discs = tuple(sum(1 << at for at, mark in enumerate(cells) if mark == colour) for colour in "BW")
    return position_after(discs, mover, 64 - cells.count(".") - 4)


def played_on(position, plies, chance):
    for _ in range(plies):
        if position.outcome:
            break
        (seat,) = position.turn.seats
        position = position.play(seat, chance.choice(position.legal_moves(seat)))
    return position


def test_there_are_a_thousand_endgames():
    empty = [64 - (each.black | each.white).bit_count() for each in KNOWN]
    assert len(KNOWN) == len({(each.black, each.white) for each in KNOWN}) == 1000
    assert set(empty) == {8, 9, 10}
    assert {each.mover for each in KNOWN} == {0, 1}


def check_solver(endgames):
    for each in endgames:
        own, other = (each.black, each.white) if each.mover == 0 else (each.white, each.black)
        found = solve(own, other, nodes_max=1_000_000)
        assert (found.score, frozenset(found.moves)) == (each.score, each.best), each


def check_master(endgames):
    for each in endgames:
        position = position_after((each.black, each.white), each.mover, 0)
        assert frozenset(offered(master, position)) == each.best, each


def test_fifty_endgames_are_solved():
    check_solver(KNOWN[::20])


def test_master_plays_the_best_moves_of_endgames():
    check_master(KNOWN[::100])


@pytest.mark.slow
def test_all_known_endgames_are_solved():
    check_solver(KNOWN)


@pytest.mark.slow
def test_master_plays_the_best_moves_of_all_known_endgames():
    check_master(KNOWN)


@pytest.mark.parametrize("seed", range(12))
def test_openspiel_agrees_about_more_endgames(seed):
    """Passes, wipe-outs and cells that stay empty included. The file is of the program beside it, which still works."""
    state = random_endgame(5, random.Random(seed))
    mover = state.current_player()
    own, other = discs(state)[mover], discs(state)[1 - mover]
    score, moves = solved(state)
    found = solve(own, other, nodes_max=100_000)
    assert (found.score, list(found.moves)) == (score, moves)
    searched = best_moves(SEARCHED, (own, other), nodes_max=100_000)
    assert (searched.solved, searched.value) == (True, 1000 * score), "the general search comes to the same end"
    assert set(searched.moves) == set(moves)


def test_the_solver_keeps_to_its_nodes():
    each = max(KNOWN, key=lambda each: 64 - (each.black | each.white).bit_count())
    own, other = (each.black, each.white) if each.mover == 0 else (each.white, each.black)
    nodes = solve(own, other, nodes_max=1_000_000).nodes
    assert solve(own, other, nodes_max=nodes).nodes == nodes
    assert solve(own, other, nodes_max=nodes - 10) is None


# Black can take the corner 0 at the cost of nothing.
CORNER = """
    .WWB....
    .WB.....
    ..BBW...
    ..BWB...
    ..WBW...
    ........
    ........
    ........
"""


@pytest.mark.parametrize("strategy", [novice, club])
def test_a_corner_is_taken(strategy):
    assert offered(strategy, drawn(CORNER, 0)) == [0]


# Black has three moves; 9 gives white the corner.
GIFT = """
    ........
    ..W.....
    ..WBW...
    ...BW...
    ...WB...
    ........
    ........
    ........
"""


@pytest.mark.parametrize("strategy", LEVELS)
def test_nobody_gives_a_corner_away(strategy):
    position = drawn(GIFT, 0)
    assert 9 in position.legal_moves(0)
    assert 9 not in offered(strategy, position)


# White has one disc left; taking it ends the game at once.
WIPE_OUT = """
    ........
    ........
    ...B....
    ..BBB...
    ...WB...
    ..B.B...
    ........
    ........
"""


@pytest.mark.parametrize("strategy", [club, master])
def test_a_wipe_out_is_seen(strategy):
    position = drawn(WIPE_OUT, 0)
    for move in offered(strategy, position):
        assert position.play(0, move).outcome.winners == (0,)


def test_the_evaluation_is_the_same_for_both_sides():
    chance = random.Random(1)
    for _ in range(200):
        position = played_on(START, chance.randrange(4, 40), chance)
        if position.outcome:
            continue
        own, other = position.discs
        mirrored = [sum(1 << (cell ^ 7) for cell in cells_in(discs)) for discs in (own, other)]
        turned = [sum(1 << (63 - cell) for cell in cells_in(discs)) for discs in (own, other)]
        assert evaluate(own, other) == evaluate(*mirrored) == evaluate(*turned)


def test_a_seed_repeats_a_game(monkeypatch):
    monkeypatch.setattr(reversi_players, "MASTER_NODES_MAX", 100)
    monkeypatch.setattr(reversi_players, "SOLVED_NODES_MAX", 1000)
    games = [game_of(GAME.start(NoOptions()), (master, club), seed)[1] for seed in (1, 1, 2)]
    assert games[0] == games[1]
    assert games[0] != games[2]


@pytest.mark.slow
def test_master_beats_the_tree_search_of_openspiel():
    """Monte Carlo tree search with a thousand random games for each move."""
    won = 0
    for seed in range(4):
        chance, house = random.Random(seed), seed % 2
        bot = pyspiel.MCTSBot(OTHELLO, pyspiel.RandomRolloutEvaluator(1, seed), 1.4, 1000, 100, True, seed, False)
        state, position = OTHELLO.new_initial_state(), START
        while not state.is_terminal():
            legal = state.legal_actions()
            if legal == [PASS]:
                state.apply_action(PASS)
                continue
            seat = state.current_player()
            assert list(position.legal_moves(seat)) == legal
            if position.number < 2:
                move = chance.choice(legal)
            else:
                move = master(position, seat, chance.choice) if seat == house else bot.step(state)
            state.apply_action(move)
            position = position.play(seat, move)
        assert isinstance(position, ReversiPosition)
        won += house in position.outcome.winners
    assert won >= 3
