"""3D Connect Four: its rules, and its players."""

import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import connect_four_3d_players
from games.connect_four_3d import CELLS, COLUMNS, GAME, greedy, winning_line
from games.connect_four_3d_lines import all_lines
from games.connect_four_3d_players import WIN, LineGame, ThreatGame, attack, club, master, novice, position_of
from games.search import best_moves
from gameserver.game import IllegalMove, Turn
from tests.games.connect_four_3d_boards import CHOICES, DRAW, O_WINS, START, SYMMETRIES, X_WINS, line_of, moved, replay
from tests.games.level_games import game_of, offered
from tests.games.slow_connect_four_3d import DIRECTIONS, LINES, THROUGH, SlowConnectFour3D
from tests.support.examples import examples

# Games that the original server played, and what it reported. Its moves are as the mover's opponent was told them.
REAL_GAMES = {
    "upwards": ("a0 b0 a0 b0 a0 b0 a0", X_WINS, "000 001 002 003"),
    "along x": ("a0 d0 a1 d1 a2 d2 a3", X_WINS, "000 100 200 300"),
    "diagonal": ("a0 d0 b1 d1 c2 d2 d3", X_WINS, "000 110 220 330"),
    "along x and along y at once": ("a1 c2 a2 c2 a3 c1 b0 b2 c0 d2 d0 b1 a0", X_WINS, "000 100 200 300"),
    "draw": (
        """
        c1 b2 d3 c1 c3 c0 d0 b3 b2 c1 c3 d1 b3 c3 c0 b1 b0 c3 b0 b1 d3 d3 c2 c0 c0 c1 b3 b0 d0 d0 d2 d2
        b0 d1 d1 a0 a1 a0 a1 b1 b1 d3 a0 a0 a2 c2 c2 b2 b3 b2 a3 a3 a3 a3 d0 c2 d1 a1 a1 a2 a2 d2 a2 d2
        """,
        DRAW,
        "",
    ),
}

# Found by playing at random, without a line, until one cell is left. The original server would call these draws.
LAST_STONE_WINS = {
    "003 102 201 300": """
        c2 b0 d0 a1 a2 a3 c3 a1 b2 a1 a1 b3 b3 a2 b0 a2 c1 b3 a0 d2 c3 a2 b1 d0 d1 c3 a0 c3 d1 c0 a0 b2
        a3 d0 b1 b3 c2 b1 d1 b0 c0 d3 b1 c0 c2 c2 b2 b2 d2 d2 a3 d1 a3 c1 d0 d3 d3 c1 c1 d3 d2 c0 b0 a0
    """,
    "200 201 202 203": """
        b1 a3 d2 c2 b3 b2 d3 d3 b1 d3 c1 d2 c0 b2 c0 a3 c2 b1 b3 b1 a3 a3 d1 b3 d1 c2 b2 d2 d2 d3 c2 b0
        b3 b2 a0 c1 c0 b0 d1 c3 c3 c1 c3 d1 b0 c0 c3 d0 b0 a0 c1 a2 d0 d0 a0 a1 a1 a0 a1 a2 a1 a2 d0 a2
    """,
}


@settings(deadline=None)
@given(CHOICES)
def test_the_same_game_as_the_slow_one(choices):
    slow, position = SlowConnectFour3D(), START
    for number, choice in enumerate(choices):
        mover, legal = slow.mover(), slow.legal()
        assert position.turn == Turn(number, (mover,))
        assert list(position.legal_moves(mover)) == legal
        assert list(position.legal_moves(1 - mover)) == []
        move = legal[choice % len(legal)]
        slow, position = slow.after(move), position.play(mover, move)
        made = slow.lines_through_top(move)
        view = {"layers": slow.layers(), "winning_line": made[0] if made else None}
        assert position.view(None) == view
        if made:
            assert winning_line(position) == tuple(made[0])
            assert position.outcome == (X_WINS, O_WINS)[mover]
            assert position.turn == Turn(number + 1, ())
            assert [position.legal_moves(seat) for seat in (0, 1)] == [(), ()]
            return
        assert winning_line(position) is None
        assert position.outcome == (DRAW if slow.stones() == 64 else None)


@pytest.mark.parametrize(("moves", "outcome", "line"), REAL_GAMES.values(), ids=REAL_GAMES)
def test_real_games(moves, outcome, line):
    position = replay(moves)
    assert position.outcome == outcome
    assert line_of(position) == line
    assert position.turn == Turn(len(moves.split()), ())


@pytest.mark.parametrize(("line", "moves"), LAST_STONE_WINS.items())
def test_the_last_stone_of_all_wins_with_a_line(line, moves):
    """On purpose not as the original, which calls any full board a draw."""
    position = replay(moves)
    assert len(moves.split()) == 64
    assert position.outcome == O_WINS
    assert line_of(position) == line
    assert position.view(0)["winning_line"] == line.split()


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("moves", ["", "b2", *(moves for moves, _, _ in REAL_GAMES.values())])
def test_resignation_loses(seat, moves):
    assert replay(moves).resigned(seat) == (O_WINS, X_WINS)[seat]


@pytest.mark.parametrize(
    ("moves", "seat", "move", "why"),
    [
        ("a0 a0 a0 a0", 0, 0, "column a0 is full"),
        ("d3 d3 d3 d3 a0", 1, 15, "column d3 is full"),
        ("", 1, 0, "not your turn, X is to move"),
        ("a0", 0, 1, "not your turn, O is to move"),
        ("", 0, 16, "no such column"),
        ("", 0, -1, "no such column"),
        (REAL_GAMES["upwards"][0], 1, 5, "the game is over"),
        (REAL_GAMES["draw"][0], 0, 5, "the game is over"),
    ],
)
def test_refusals(moves, seat, move, why):
    position = replay(moves)
    assert move not in position.legal_moves(seat)
    with pytest.raises(IllegalMove, match=why):
        position.play(seat, move)


@pytest.mark.parametrize(("text", "move"), [("b2", 6), ("6", 6), ("06", 6), ("+6", 6), ("0" * 50 + "6", 6), ("-0", 0)])
def test_columns_are_read_as_numbers_as_java_reads_them(text, move):
    assert GAME.read_move(text) == move


def test_each_move_has_one_spelling_and_one_number():
    for y, x in product(range(4), repeat=2):
        move = GAME.read_move("abcd"[y] + "0123"[x])
        assert move == GAME.move_number(move) == GAME.read_move(str(4 * y + x)) == 4 * y + x
        assert GAME.write_move(move) == "abcd"[y] + "0123"[x]


@pytest.mark.parametrize(
    "text",
    ["B2", "a4", "e0", "a", "aa", "a0xyz", "2b", " b2", "b2\n", "b\u0662", "", "16", "-1", "6.0", "1_0", "9" * 5000],
)
def test_texts_that_are_not_columns_are_refused(text):
    with pytest.raises(IllegalMove, match="lower-case letter from a to d and a digit from 0 to 3"):
        GAME.read_move(text)


def test_text_board_shows_every_stone():
    won = replay(REAL_GAMES["along x and along y at once"][0])
    assert won.board(None).splitlines() == [
        "      bottom 0   layer 1    layer 2    top 3",
        "      0 1 2 3    0 1 2 3    0 1 2 3    0 1 2 3",
        "a  0  X X X X    . . . .    . . . .    . . . .",
        "b  4  X O O .    . . . .    . . . .    . . . .",
        "c  8  X O O .    . . O .    . . . .    . . . .",
        "d 12  X . O .    . . . .    . . . .    . . . .",
        "X has won with the line 000 100 200 300 (digit, row, layer, each from 0)",
    ]
    assert START.board(0).splitlines()[-1] == "X is to move (row b, digit 2 is b2, or 6)"
    assert replay("b2").board(0).splitlines()[-1].startswith("O is to move")
    assert replay(REAL_GAMES["draw"][0]).board(0).splitlines()[-1] == "a draw, the board is full"


def test_there_are_76_lines():
    assert len(LINES) == 76
    assert sorted(all_lines()) == sorted(sum(CELLS[cell] for cell in line) for line in LINES)
    assert sorted(Counter(LINES.values()).values()) == [1] * 4 + [4] * 6 + [16] * 3
    assert [sum(abs(along) for along in step) for step in DIRECTIONS] == [1] * 3 + [2] * 6 + [3] * 4
    through = Counter(sum(cell in line for line in LINES) for cell in product(range(4), repeat=3))
    assert through == {7: 16, 4: 48}


LEVELS = [novice, club, master, greedy]


@pytest.fixture(autouse=True)
def shorter_thoughts(monkeypatch):
    """A tenth of the nodes: what is asked here is seen with them."""
    monkeypatch.setattr(connect_four_3d_players, "MASTER_NODES_MAX", 800)


def searched(position):
    (seat,) = position.turn.seats
    return position_of(position.stones[seat], position.stones[1 - seat])


def random_positions(count, seed, plies=(4, 40)):
    chance = random.Random(seed)
    while count:
        position = START
        for _ in range(chance.randrange(*plies)):
            if not position.outcome:
                (seat,) = position.turn.seats
                position = position.play(seat, chance.choice(position.legal_moves(seat)))
        if not position.outcome:
            count -= 1
            yield position


def wins_at_once(position):
    (seat,) = position.turn.seats
    return [move for move in position.legal_moves(seat) if position.play(seat, move).line]


@pytest.mark.parametrize("strategy", LEVELS)
@pytest.mark.parametrize(
    ("moves", "wanted"),
    [
        pytest.param("a0 b0 a1 b1 a2 b2", "a3", id="a line, though one is to be stopped, too"),
        pytest.param("a0 d3 a0 d3 a0", "a0", id="stops an upright line"),
        pytest.param("a0 c1 b1 d2 c2 a3", "d3", id="a flat diagonal"),
        pytest.param("b2 c3 b1 c3 b3", "b0", id="stops a row"),
    ],
)
def test_everybody_makes_a_line_else_stops_one(strategy, moves, wanted):
    assert {COLUMNS[move] for move in offered(strategy, replay(moves))} == {wanted}


@pytest.mark.parametrize("strategy", [club, master])
def test_nobody_plays_below_the_other_sides_cell(strategy):
    for position in random_positions(60, seed=1):
        if wins_at_once(position):
            continue
        (seat,) = position.turn.seats
        safe = {
            move
            for move in position.legal_moves(seat)
            if not position.play(seat, move).turn.seats or not wins_at_once(position.play(seat, move))
        }
        if safe:
            assert set(offered(strategy, position)) <= safe, position.board(None)


def test_attacks_win_whatever_is_answered():
    found = 0
    for position in random_positions(300, seed=2, plies=(10, 34)):
        if not wins_at_once(position):
            stone = attack(*searched(position)[:4])
            found += bool(stone)
            assert not stone or wins_by_force(position, stone), position.board(None)
    assert found >= 10, "some positions have one"


def wins_by_force(position, stone):
    """True if the attack that begins with a stone wins against every answer that stops its line."""
    (seat,) = position.turn.seats
    position = position.play(seat, stone.bit_length() - 1 >> 2)
    answers = position.legal_moves(1 - seat)
    assert not any(position.play(1 - seat, move).line for move in answers), "the other side is given no line"
    for move in answers:
        after = position.play(1 - seat, move)
        if after.turn.seats and not wins_at_once(after):
            onwards = attack(*searched(after)[:4])
            if not onwards or not wins_by_force(after, onwards):
                return False
    return True


def test_master_finds_an_attack():
    position = next(
        each for each in random_positions(400, seed=2) if not wins_at_once(each) and attack(*searched(each)[:4])
    )
    (seat,) = position.turn.seats
    found = best_moves(ThreatGame(), searched(position), nodes_max=800)
    assert found.value > WIN - 64
    while not position.outcome:
        (mover,) = position.turn.seats
        strategy = master if mover == seat else novice
        position = position.play(mover, strategy(position, mover, lambda moves: moves[0]))
    assert position.outcome.winners == (seat,), "against who stops every line"


@pytest.mark.parametrize("game", [LineGame(), ThreatGame()], ids=["lines", "threats"])
def test_a_position_that_was_played_to_is_the_same_as_one_counted_anew(game):
    """Scores and threats are carried along: threats count only where the cell is still free."""
    for position in random_positions(100, seed=3):
        own, other, own_threats, other_threats, score = searched(position)
        for _, after in game.successors((own, other, own_threats, other_threats, score)):
            anew, free = position_of(after[0], after[1]), ~(after[0] | after[1])
            assert after[:2] == anew[:2]
            assert (after[2] & free, after[3] & free) == (anew[2] & free, anew[3] & free)
            assert after[4] == anew[4] == -position_of(after[1], after[0])[4]


def test_a_seed_repeats_a_game(monkeypatch):
    monkeypatch.setattr(connect_four_3d_players, "MASTER_NODES_MAX", 200)
    games = [game_of(START, (master, club), seed)[1] for seed in (1, 1, 2)]
    assert games[0] == games[1]
    assert games[0] != games[2]


def anything(position, seat, choose):
    return choose(position.legal_moves(seat))


@pytest.mark.parametrize(("better", "worse"), [(club, novice), (novice, anything)])
def test_each_level_beats_the_one_below(better, worse):
    won = 0
    for seed in range(20):
        seat = seed % 2
        position, _ = game_of(START, (better, worse) if seat == 0 else (worse, better), seed, opening=4)
        won += seat in position.outcome.winners
    assert won >= 15, f"{won} of 20"


@pytest.mark.timeout(900)  # two minutes of thought, which have taken more than five on a busy machine
@pytest.mark.slow
def test_master_beats_club(monkeypatch):
    monkeypatch.undo()
    won = 0
    for seed in range(20):
        seat = seed % 2
        position, _ = game_of(START, (master, club) if seat == 0 else (club, master), seed // 2, opening=4)
        won += seat in position.outcome.winners
    assert won >= 14, f"{won} of 20"


def completing(slow, mark):
    """The columns where a stone of this mark would make a line, whoever is to move."""
    found = []
    for move in slow.legal():
        columns = list(slow.columns)
        columns[move] += mark
        if SlowConnectFour3D(tuple(columns)).lines_through_top(move):
            found.append(move)
    return found


def worth(slow, move, seat):
    """The worth of a column to the greedy player if nobody can make a line now."""
    if completing(slow.after(move), "XO"[1 - seat]):
        return -1
    cell = (move % 4, move // 4, len(slow.columns[move]))
    contents = ["".join(slow.at(*each) for each in line) for line in THROUGH[cell]]
    return sum(10 ** len(marks) for marks in contents if len(set(marks)) <= 1)


@settings(max_examples=examples(6), deadline=None)
@given(CHOICES, st.sampled_from([*SYMMETRIES.values()]))
def test_greedy_wins_else_blocks_else_takes_the_best_cell(choices, symmetry):
    position, other, slow = START, START, SlowConnectFour3D()
    for choice in choices:
        if position.outcome:
            break
        (seat,) = position.turn.seats
        found, legal = offered(greedy, position), position.legal_moves(seat)
        wins, blocks = (completing(slow, mark) for mark in ("XO"[seat], "XO"[1 - seat]))
        worths = {move: worth(slow, move, seat) for move in legal}
        best = [move for move in legal if worths[move] == max(worths.values())]
        assert found == (wins or blocks or best)
        assert sorted(moved(symmetry, move) for move in found) == offered(greedy, other)
        move = legal[choice % len(legal)]
        position, other, slow = position.play(seat, move), other.play(seat, moved(symmetry, move)), slow.after(move)
