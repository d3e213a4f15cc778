"""Opponents from outside of the house: that they play as they should, and are asked rightly."""

import pytest

from games.backgammon import BACKGAMMON
from games.backgammon.match import GameOptions
from games.backgammon.notation import Word
from games.tic_tac_toe import GAME
from tests.benchmarks.opponents import ANCHORS, PERFECT, GnuBackgammon, gnubg_program
from tests.games.backgammon.test_levels import START, to_roll
from tests.games.backgammon.test_state import after


def test_search_takes_a_win_and_stops_one():
    search = ANCHORS["Tic-tac-toe", PERFECT]
    for moves, best in (((0, 3, 1, 4), 2), ((0, 3, 1), 2)):
        state = GAME.start(GAME.options_type())
        for number, move in enumerate(moves):
            state = state.play(number % 2, move)
        assert search(state, len(moves) % 2, lambda found: found[0]) == best


@pytest.mark.skipif(gnubg_program() is None, reason="GNU Backgammon is not installed")
def test_gnubg_plays_and_doubles():
    player = GnuBackgammon()
    try:
        assert player.move(after(BACKGAMMON.start(GameOptions(starter=0)), "roll", (3, 1)), 0) == ((8, 5), (6, 5))
        assert player.move(to_roll(START, START), 0) is Word.ROLL
        assert player.move(to_roll({6: 4, 5: 4, 4: 4, 3: 3}, {9: 3, 6: 4, 5: 4, 4: 4}), 0) is Word.DOUBLE
        assert player.move(after(to_roll({5: 15}, {10: 8, 5: 7}), "double"), 1) is Word.DROP
    finally:
        player.close()
