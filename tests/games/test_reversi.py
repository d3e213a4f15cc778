"""Reversi: its rules, its exports, and its players."""

import random
import re
from itertools import pairwise
from pathlib import Path

import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import reversi_players
from games.reversi import GAME, START, ReversiPosition, greedy, position_after
from games.reversi_discs import cells_in
from games.reversi_players import SEARCHED, club, evaluate, master, novice, solve
from games.search import best_moves
from gameserver.game import IllegalMove, NoOptions, Outcome, Turn
from tests.games.level_games import game_of, offered
from tests.games.reversi_endgames import OTHELLO, PASS, counted, discs, known_endgames, marks, random_endgame, solved
from tests.support.examples import examples

PERFT = [
    tuple(map(int, line.split()))
    for line in (Path(__file__).parent / "perft" / "reversi.perft").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
"""Depth, leaves if a pass is a move, leaves if it is none."""

# A whole game as the original server of 2015 played it. After the two moves marked black cannot move.
REAL_GAME = """
    44 29 21 43 42 50 30 22 23 52 37 15 14 34 57 13 33 20 51 49 59 25 11 12 48 10 4 38 39 26 24 32 6 45 40 31 41 3 53 16
    18 7 46 5 19 55 9 47 54 56+ 62 63 58 61 60+ 1 2 8 0 17
"""

# White takes everything while black passes 23 times; black's moves are in capitals. Warren D. Smith on math-fun.
WIPE_OUT = """
    F5d6C4g5D7c7H5d8B8b7B6a7b5A6a5b4B3c6E8f8C8a8e7a4b2A2c2D2d1e2F2c5c3a1a3e6d3f6F7f1g2H2e3F4b1g1c1e1g8g7f3h1h3h4h6
"""

# The shortest game that ends with both colours on the board; by the same author.
SHORT_GAME = "F5f4C3e6F7g6G4e8G8g5H5"


def leaves(position, depth, pass_plies):
    if not position.turn.seats or depth <= 0:
        return 1
    (seat,) = position.turn.seats
    moves = position.legal_moves(seat)
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        after = position.play(seat, move)
        passed = after.turn.seats == (seat,)
        total += leaves(after, depth - 1 - (pass_plies if passed else 0), pass_plies)
    return total


def slow_from(depth):
    return [
        pytest.param(*row, id=f"depth {row[0]}", marks=pytest.mark.slow if row[0] >= depth else ()) for row in PERFT
    ]


@pytest.mark.parametrize(("depth", "with_passes", "without_passes"), slow_from(8))
def test_perft(depth, with_passes, without_passes):
    assert leaves(START, depth, pass_plies=0) == without_passes
    assert leaves(START, depth, pass_plies=1) == with_passes


CHOICES = st.lists(st.integers(0, 1000), min_size=60, max_size=60)


@settings(max_examples=examples(40))
@given(CHOICES)
def test_the_same_game_as_open_spiel(choices):
    theirs, position = OTHELLO.new_initial_state(), START
    for number, choice in enumerate(choices):
        cells, (black, white) = marks(theirs).translate(str.maketrans("xo-", "BW.")), counted(theirs)
        rows = [cells[start : start + 8] for start in range(0, 64, 8)]
        assert position.view(None) == {"rows": rows, "black": black, "white": white}
        assert (position.outcome is not None) == theirs.is_terminal()
        if theirs.is_terminal():
            break
        mover, legal = theirs.current_player(), theirs.legal_actions()
        assert position.turn == Turn(number, (mover,))
        assert list(position.legal_moves(mover)) == legal
        assert list(position.legal_moves(1 - mover)) == []
        move = legal[choice % len(legal)]
        position = position.play(mover, move)
        theirs.apply_action(move)
        if theirs.legal_actions() == [PASS]:
            theirs.apply_action(PASS)
    assert position.outcome is not None, "sixty moves fill the board"
    assert position.outcome.points == counted(theirs)
    black, white = counted(theirs)
    assert position.outcome.winners == (() if black == white else (0,) if black > white else (1,))


def test_a_real_game_with_two_passes():
    position, asked = START, []
    for number, word in enumerate(REAL_GAME.split()):
        (seat,) = position.turn.seats
        assert position.turn.number == number
        asked.append(seat)
        position = position.play(seat, int(word.removesuffix("+")))
        assert word.endswith("+") == (position.turn.seats == (seat,)), (
            "white is asked again at the marks, and only there"
        )
    assert (len(asked), asked.count(0)) == (60, 29)
    assert position.outcome == Outcome((14, 50), (1,))


def replay(text):
    """Play a game in notation where black's moves are in capitals; the end, the moves and the passes."""
    position, seats = START, []
    for letter, digit in re.findall(r"([A-Ha-h])([1-8])", text):
        seat = 0 if letter.isupper() else 1
        assert position.turn.seats == (seat,)
        seats.append(seat)
        position = position.play(seat, "abcdefgh".index(letter.lower()) + 8 * (int(digit) - 1))
    passes = sum(one == next_one for one, next_one in pairwise(seats))
    return position, len(seats), passes


@pytest.mark.parametrize(
    ("moves", "counts", "outcome"),
    [
        pytest.param(WIPE_OUT, (55, 23), Outcome((0, 59), (1,)), id="empty cells count for nobody"),
        pytest.param(SHORT_GAME, (11, 0), Outcome((14, 1), (0,)), id="the shortest that both survive"),
    ],
)
def test_extreme_games(moves, counts, outcome):
    position, *told = replay(moves)
    assert (tuple(told), position.outcome) == (counts, outcome)
    with pytest.raises(IllegalMove, match="the game is over"):
        position.play(1, 0)


def test_a_draw_has_no_winner():
    lower = (1 << 32) - 1
    position = position_after((lower, lower << 32), next_seat=0, number=60)
    assert position.outcome == Outcome((32, 32), ())


def test_resignation_loses_whatever_the_disc_count():
    ahead = START.play(0, 19)
    assert ahead.resigned(0) == Outcome((4, 1), (1,))
    assert ahead.resigned(1) == Outcome((4, 1), (0,))
    assert START.resigned(0) == Outcome((2, 2), (1,))


@pytest.mark.parametrize(
    ("seat", "move", "why"),
    [
        (0, 28, "cell 28 is taken"),
        (0, 0, "turn nothing over, play where it encloses discs of white"),
        (1, 29, "not your turn, black is to move"),
    ],
)
def test_refusals(seat, move, why):
    with pytest.raises(IllegalMove, match=why):
        START.play(seat, move)


@pytest.mark.parametrize("text", ["19", "019", "+19"])
def test_a_number_as_java_reads_it(text):
    assert GAME.read_move(text) == 19


@pytest.mark.parametrize("text", ["64", "-1", "pass", "", "4.0", "٤", "1_9", " 19", "e6", "9" * 5000])
def test_texts_that_are_not_cells_are_refused(text):
    with pytest.raises(IllegalMove, match="must be a cell from 0 to 63"):
        GAME.read_move(text)


def test_the_board():
    lines = START.board(None).splitlines()
    assert lines[0] == "   0 1 2 3 4 5 6 7"
    assert lines[4] == "24 . . . W B . . ."
    assert lines[-1] == "black B 2, white W 2"


@settings(max_examples=examples(40))
@given(CHOICES)
def test_greedy_turns_over_as_many_as_it_can(choices):
    position = START
    for choice in choices:
        if position.outcome:
            break
        (seat,) = position.turn.seats
        moves = position.legal_moves(seat)
        discs = {move: position.play(seat, move).points[seat] for move in moves}
        assert offered(greedy, position) == [move for move in moves if discs[move] == max(discs.values())]
        position = position.play(seat, moves[choice % len(moves)])


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
WIPED_OUT = """
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
    position = drawn(WIPED_OUT, 0)
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
