"""House levels of OpenSpiel's games: legal moves in every phase, the same ones by the same seed, and no blunders."""

import random

import pyspiel
import pytest

from games.open_spiel import minimax
from games.open_spiel.catalogue import CATALOGUE
from games.open_spiel.rules import SpielGame
from gameserver.server.thinkers import Thought, packed, think_packed

GAMES = {row.name: SpielGame(row.name, row.spiel) for row in CATALOGUE.values()}


def after(name, moves):
    state = GAMES[name].start(None)
    for move in moves.split():
        state = state.play(state.turn.seats[0], move)
    return state


def thought_of(name, level, state, seed="1"):
    answer = think_packed(packed(Thought(GAMES[name], state, state.turn.seats[0], level, seed * 64, "key")))
    assert not answer.fault
    return answer.move


@pytest.mark.parametrize("name", GAMES)
def test_each_level_moves_legally_and_alike_by_the_same_seed(name):
    at_random, state, positions = random.Random(5), GAMES[name].start(None), []
    while state.outcome is None:
        positions.append(state)
        seat = state.turn.seats[0]
        state = state.play(seat, at_random.choice(state.legal_moves(seat)))
    searched = [("novice", positions[0]), ("club", positions[len(positions) // 2]), ("master", positions[-1])]
    # These masters take half a second for a move, by the search of their clubs.
    for level, position in searched[: 2 if name in ("Chess", "Lines-of-action") else 3]:
        moves = [thought_of(name, level, position) for _ in range(2)]
        assert moves[0] in position.words
        assert moves[0] == moves[1]


def test_another_seed_may_give_another_move():
    start = GAMES["Hex"].start(None)
    assert len({thought_of("Hex", "novice", start, seed) for seed in "1234"}) > 1


@pytest.mark.parametrize(("name", "moves"), [("Chess", "e2e4 f7f5 d1h5"), ("Checkers", "e3f4 d6e5")])
def test_move_without_a_choice_is_not_searched(name, moves, monkeypatch):
    monkeypatch.setattr(minimax, "best_moves", None)
    monkeypatch.setattr(pyspiel, "MCTSBot", None)
    state = after(name, moves)
    assert [thought_of(name, "master", state)] == list(state.words)


@pytest.mark.parametrize(
    ("name", "moves", "level", "best"),
    [
        pytest.param("Chess", "f2f3 e7e5 g2g4", "club", "d8h4", id="club mates"),
        pytest.param("Chess", "f2f3 e7e5 g2g4", "master", "d8h4", id="master mates"),
        pytest.param("Chess", "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5c6", "club", "b7c6 d7c6", id="club takes back"),
        pytest.param("Connect-four", "3 0 3 0 3 6", "club", "3", id="club makes four"),
        pytest.param("Connect-four", "3 0 3 0 3", "club", "3", id="club stops four"),
        pytest.param("Connect-four", "3 0 3 0 3", "master", "3", id="master stops four"),
        pytest.param("Go-9x9", "pass", "club", "pass", id="club passes, and wins by komi"),
    ],
)
def test_level_sees_what_decides_at_once(name, moves, level, best):
    assert thought_of(name, level, after(name, moves)) in best.split()
