"""Writing and reading of moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.backgammon.notation import Word, read_move, write_move
from gameserver.game import IllegalMove

HOPS = st.lists(
    st.tuples(st.integers(0, 25), st.integers(0, 25)).filter(lambda hop: hop[0] > hop[1]), min_size=1, max_size=4
)


@pytest.mark.parametrize(
    ("text", "hops"),
    [
        ("24/18 13/11", ((24, 18), (13, 11))),
        ("13/11 24/18", ((24, 18), (13, 11))),
        ("24 18 13 11", ((24, 18), (13, 11))),
        ("24/18,13/11", ((24, 18), (13, 11))),
        ("bar/20* 6/off", ((25, 20), (6, 0))),
        ("BAR/20 6/Off", ((25, 20), (6, 0))),
        ("25/20 6/0", ((25, 20), (6, 0))),
        ("bar 20 6 off", ((25, 20), (6, 0))),
        ("24/18*/13", ((24, 18), (18, 13))),
        ("13/11(2) 6/4(2)", ((13, 11), (13, 11), (6, 4), (6, 4))),
        ("  06/05  ", ((6, 5),)),
    ],
)
def test_checkers(text, hops):
    assert read_move(text) == hops


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("roll", Word.ROLL),
        ("Double", Word.DOUBLE),
        ("take", Word.TAKE),
        ("accept", Word.TAKE),
        ("drop", Word.DROP),
        ("decline", Word.DROP),
        ("end", Word.END),
        ("pass", Word.END),
        ("undo", Word.UNDO),
    ],
)
def test_words(text, word):
    assert read_move(text) is word


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "write each checker as from/to"),
        ("24", "or one of roll, double, take, drop, undo, end"),
        ("24 18 13", "from/to"),
        ("24/", "from/to"),
        ("24/18/", "from/to"),
        ("24-18", "from/to"),
        ("24/18(5)", "from/to"),
        ("24/18 roll", "from/to"),
        ("٢٤/١٨", "from/to"),
        ("24/18 " * 100, "from/to"),
        ("18/24", "18/24 goes nowhere"),
        ("13/13", "goes nowhere"),
        ("off/bar", "off/bar goes nowhere"),
        ("26/20", "goes nowhere"),
        ("13/11(4) 6/4", "at most 4"),
    ],
)
def test_texts_that_are_not_moves_are_refused(text, says):
    with pytest.raises(IllegalMove, match=says):
        read_move(text)


@given(HOPS)
def test_written_moves_are_read_back(hops):
    move = tuple(sorted(hops, reverse=True))
    assert read_move(write_move(move)) == move
    assert read_move(" ".join(f"{source} {target}" for source, target in hops)) == move
