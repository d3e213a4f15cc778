"""The house players of 3D Connect Four: what they must see, and attacks that really win."""

import random

import pytest

from games import connect_four_3d_players
from games.connect_four_3d import COLUMNS, greedy
from games.connect_four_3d_players import WIN, LineGame, ThreatGame, attack, club, master, novice, position_of
from games.search import best_moves
from tests.games.connect_four_3d_boards import START, replay
from tests.games.level_games import game_of, offered

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


@pytest.mark.slow
def test_master_beats_club(monkeypatch):
    monkeypatch.undo()
    won = 0
    for seed in range(20):
        seat = seed % 2
        position, _ = game_of(START, (master, club) if seat == 0 else (club, master), seed // 2, opening=4)
        won += seat in position.outcome.winners
    assert won >= 14, f"{won} of 20"
