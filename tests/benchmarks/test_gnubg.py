"""GNU Backgammon as an opponent: that it is asked rightly. Skipped where it is not installed."""

import pytest

from games.backgammon import GAME
from games.backgammon.notation import Word
from games.backgammon.options import GameOptions
from tests.benchmarks.gnubg import GnuBackgammon, program
from tests.games.backgammon.test_levels import START, to_roll
from tests.games.backgammon.test_state import after


@pytest.mark.skipif(program() is None, reason="GNU Backgammon is not installed")
def test_gnubg_plays_and_doubles():
    player = GnuBackgammon()
    try:
        assert player.move(after(GAME.start(GameOptions(starter=0)), "roll", (3, 1)), 0) == ((8, 5), (6, 5))
        assert player.move(to_roll(START, START), 0) is Word.ROLL
        assert player.move(to_roll({6: 4, 5: 4, 4: 4, 3: 3}, {9: 3, 6: 4, 5: 4, 4: 4}), 0) is Word.DOUBLE
        assert player.move(after(to_roll({5: 15}, {10: 8, 5: 7}), "double"), 1) is Word.DROP
    finally:
        player.close()
