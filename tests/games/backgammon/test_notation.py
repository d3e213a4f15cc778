"""Writing and reading of moves."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.backgammon.notation import Word, read_move, write_move
from gameserver.game import IllegalMove
from tests.support.tables import table

HOPS = st.lists(
    st.tuples(st.integers(0, 25), st.integers(0, 25)).filter(lambda hop: hop[0] > hop[1]), min_size=1, max_size=4
)


@pytest.mark.parametrize(
    ("text", "hops"),
    [
        (text, tuple(tuple(map(int, hop.split("/"))) for hop in hops.split()))
        for text, hops in table(__file__, "moves of checkers, and the places from which and to which each goes")
    ],
)
def test_checkers(text, hops):
    assert read_move(text) == hops


@pytest.mark.parametrize(("text", "word"), [(text, Word(word)) for text, word in table(__file__, "words of a move")])
def test_words(text, word):
    assert read_move(text) is word


@pytest.mark.parametrize(("text", "says"), [*table(__file__, "texts that are no moves"), ("24/18 " * 100, "from/to")])
def test_texts_that_are_not_moves_are_refused(text, says):
    with pytest.raises(IllegalMove, match=says):
        read_move(text)


@given(HOPS)
def test_written_moves_are_read_back(hops):
    move = tuple(sorted(hops, reverse=True))
    assert read_move(write_move(move)) == move
    assert read_move(" ".join(f"{source} {target}" for source, target in hops)) == move
