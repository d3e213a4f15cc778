"""The contract, and the rules of rock, paper, scissors."""

import pytest
from rock_paper_scissors import GAME, Options, Position

from gameserver.game import IllegalMove, Turn
from gameserver.testing import check_game


def test_contract() -> None:
    """Everything that the server relies on."""
    check_game(GAME)


def test_both_choose_in_one_turn() -> None:
    """In any order, under one number."""
    start = GAME.start(Options())
    assert start.turn == Turn(0, (0, 1))
    assert start.play(1, "rock").turn == Turn(0, (0,))
    assert start.play(1, "rock").play(0, "paper").turn == Turn(1, (0, 1))


def test_a_choice_is_hidden_until_both_have_chosen() -> None:
    """From the opponent and from spectators."""
    chosen = GAME.start(Options()).play(0, "rock")
    assert [GAME.seen(chosen, "rock", 0, viewer) for viewer in (0, 1, None)] == ["rock", "?", "?"]
    assert "rock" in chosen.board(0)
    assert "rock" not in chosen.board(1) + str(chosen.view(None)) + chosen.reaction(1)
    decided = chosen.play(1, "paper")
    assert GAME.seen(decided, "paper", 1, 0) == "paper"
    assert decided.reaction(0) == "rock against paper: 0 - 1"


@pytest.mark.parametrize(("first", "second", "scores"), [("rock", "scissors", (1, 0)), ("paper", "paper", (0, 0))])
def test_a_round(first: str, second: str, scores: tuple[int, int]) -> None:
    """A drawn one counts for nobody."""
    position = Position(1).play(1, second).play(0, first)
    assert position.outcome is not None
    assert (position.outcome.points, position.outcome.winners) == (scores, (0,) if scores[0] else ())


def test_nobody_chooses_twice() -> None:
    """Not even the same."""
    with pytest.raises(IllegalMove, match="you have chosen already"):
        GAME.start(Options()).play(0, "rock").play(0, "rock")


@pytest.mark.parametrize("text", ["", "Rock", "3", "lizard", "-1"])
def test_other_words_are_no_moves(text: str) -> None:
    """The refusal says what is."""
    with pytest.raises(IllegalMove, match="rock, paper or scissors"):
        GAME.read_move(text)
