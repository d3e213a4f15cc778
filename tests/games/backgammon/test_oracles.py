"""Backgammon against programs of others: OpenSpiel (package `open-spiel`), and GNU Backgammon where there is one.

Sets of resulting positions are compared, so that notation does not matter.
"""

import random
import re
import shutil
import subprocess
from itertools import count, islice
from pathlib import Path

import pytest

from games.backgammon.board import BackgammonBoard
from games.backgammon.variants import BACKGAMMON, packed
from tests.games.backgammon.positions import played_at_random

POSITIONS = pytest.mark.parametrize(
    "positions", [pytest.param(150, id="150"), pytest.param(12_000, id="12,000", marks=pytest.mark.slow)]
)


class Oracle:
    """OpenSpiel's states as boards of ours. Its x goes up from 0 as white does, and it numbers fields alike."""

    def __init__(self, pyspiel):
        self.game = pyspiel.load_game("backgammon")

    @staticmethod
    def board(state):
        bar_x, score_x, _, bar_o, score_o = [int(each) for each in _counts(state)]
        white = {24 - field: state.board(0, field) for field in range(24)} | {25: bar_x, 0: score_x}
        black = {field + 1: state.board(1, field) for field in range(24)} | {25: bar_o, 0: score_o}
        return BackgammonBoard(BACKGAMMON, (packed(white), packed(black)))

    def turns(self, seed):
        """The turns of one random game: the state, before a double is split in two."""
        chance = random.Random(seed)
        state = self.game.new_initial_state()
        again = False
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(chance.choice([action for action, _ in state.chance_outcomes()]))
                continue
            if not again:
                yield state
            again = not again and is_double(state)
            mover = state.current_player()
            state.apply_action(chance.choice(state.legal_actions()))
            again = again and not state.is_terminal() and state.current_player() == mover

    def ends(self, state, mover, *, double):
        """The boards that a turn can lead to: a double is two turns in a row."""
        found = set()
        for action in state.legal_actions():
            child = state.child(action)
            if double and not child.is_terminal() and child.current_player() == mover:
                found |= self.ends(child, mover, double=False)
            else:
                found.add(self.board(child))
        return found


def _counts(state):
    """Bar and score of x, whether it is x's turn, bar and score of o, from the end of what player x observes."""
    tensor = state.observation_tensor(0)[-8:]
    return tensor[0], tensor[1], tensor[2], tensor[3], tensor[4]


def dice_of(state):
    return tuple(sorted(int(die) for die in state.observation_tensor(0)[-2:]))


def is_double(state):
    low, high = dice_of(state)
    return low == high


@POSITIONS
def test_the_same_boards_as_open_spiel(positions):
    oracle = Oracle(pytest.importorskip("pyspiel", reason="pip install open-spiel"))
    turns = (state for seed in count() for state in oracle.turns(seed))
    for state in islice(turns, positions):
        mover, dice, double = state.current_player(), dice_of(state), is_double(state)
        board = oracle.board(state)
        plays = board.plays(mover, dice * 2 if double else dice)
        ours = {board.played(mover, sequence) for sequence in plays.values()}
        assert ours == oracle.ends(state, mover, double=double), str(state)


GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
@pytest.mark.parametrize("games", [1, pytest.param(20, marks=pytest.mark.slow)])
def test_as_many_boards_as_gnu_backgammon(games, tmp_path):
    turns = [turn for seed in range(games) for turn in played_at_random(BACKGAMMON, seed)]
    # It lists one play for each different board, and none where nothing can be played.
    wanted = [len(board.plays(seat, dice)) if board.can_move(seat, dice) else 0 for board, seat, dice in turns]
    commands = ["set automatic roll off", "new game", *_EVERYTHING_AT_ONCE]
    for board, seat, dice in turns:
        commands += [f"set board simple {_simple(board, seat)}", "set turn root", f"set dice {dice[0]} {dice[-1]}"]
        commands.append("hint 9999")
    _, *answers = _ask(commands, tmp_path).split("The dice have been set to")
    assert [len(re.findall(r"^ +[0-9]+\. ", answer, re.MULTILINE)) for answer in answers] == wanted


_EVERYTHING_AT_ONCE = ("set evaluation chequerplay evaluation plies 0", "set evaluation movefilter 1 0 0 0 0")
"""Neither looks ahead nor drops plays that look bad."""


def _simple(board, seat):
    """The bar, the points from 1 to 24 and the other's bar, from the side on roll."""
    other = [-board.count(1 - seat, 25 - point) for point in range(26)]
    mine = [board.count(seat, point) for point in range(26)]
    points = [mine[point] + other[point] for point in range(1, 25)]
    return " ".join(map(str, [mine[25], *points, other[0]]))


def _ask(commands, folder: Path):
    completed = subprocess.run(
        [GNUBG, "-t", "-q"],
        input="\n".join(commands) + "\n",
        env={"HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    return completed.stdout
