"""The board, the players and the engine, as the design document has them."""

import random

import pytest
from attrs import define, field

from games.mastermind import (
    BREAKERS,
    Board,
    CodeError,
    ComputerPlayer,
    Configuration,
    Feedback,
    GameEngine,
    GameIO,
    HumanPlayer,
    Turn,
    Winner,
)


def board(secret=(0, 1, 2, 3), **sizes):
    return Board(Configuration(**sizes)).with_secret(secret)


def test_the_breaker_wins_by_the_code_even_with_the_last_guess():
    late = board(max_turns=2).guessed((0, 1, 2, 2)).guessed((0, 1, 2, 3))
    assert (late.winner, late.turns_left) == (Winner.BREAKER, 0)
    early = board().guessed((0, 1, 2, 3))
    assert (early.winner, early.is_over) == (Winner.BREAKER, True)


def test_the_maker_wins_when_the_turns_are_used_up():
    played = board(max_turns=2).guessed((0, 0, 0, 0))
    assert (played.winner, played.is_over, played.turns_left) == (None, False, 1)
    assert played.guessed((3, 2, 1, 0)).winner is Winner.MAKER


def test_invalid_guesses_are_refused():
    with pytest.raises(CodeError, match="4 values here and not 1"):
        Board().with_secret((1,))
    with pytest.raises(CodeError, match="and 6 is not among them"):
        board().guessed((0, 0, 0, 6))
    with pytest.raises(ValueError, match="the secret is set already"):
        board().with_secret((0, 0, 0, 0))
    with pytest.raises(ValueError, match="there is no secret yet"):
        Board().guessed((0, 0, 0, 0))
    with pytest.raises(ValueError, match="the game is over"):
        board().guessed((0, 1, 2, 3)).guessed((0, 0, 0, 0))
    with pytest.raises(ValueError, match="is 1 exact 0 partial, not 2 exact 0 partial"):
        board().with_turn(Turn((0, 0, 0, 0), Feedback(2, 0)))


def test_the_secret_is_not_in_the_repr():
    assert repr(board((5, 4, 5, 4))) == repr(Board(Configuration()))


@define
class Script(GameIO):
    """People who say what is written."""

    secrets: list = field(factory=list)
    guesses: list = field(factory=list)
    shown: list = field(factory=list)

    def ask_secret_code(self, configuration, name):
        self.shown.append(f"{name} makes")
        return self.secrets.pop(0)

    def ask_guess(self, configuration, turns, name):
        self.shown.append(f"{name} guesses {len(turns) + 1}")
        return self.guesses.pop(0)

    def show_board(self, board):
        self.shown.append(f"board {len(board.turns)}")

    def show_outcome(self, board):
        self.shown.append(f"{board.winner} wins")


def test_the_engine_runs_a_game_between_people():
    io = Script([(0, 1, 2, 3)], [(0, 0, 0, 0), (0, 1, 2, 3)])
    last = GameEngine(Configuration(), io, HumanPlayer("ann", io), HumanPlayer("bob", io)).run()
    assert len(last.turns) == 2
    assert io.shown == ["ann makes", "board 0", "bob guesses 1", "board 1", "bob guesses 2", "code breaker wins"]


@pytest.mark.parametrize("name", BREAKERS)
def test_the_engine_runs_a_game_between_computers(name):
    choose = random.Random(5).choice
    io = Script()
    computer = ComputerPlayer("computer", choose, BREAKERS[name])
    last = GameEngine(Configuration(), io, computer, computer).run()
    assert last.winner is Winner.BREAKER
    assert last.turns[-1].guess == last.secret_code


def test_the_code_maker_gives_the_feedback_and_cannot_lie():
    class Liar(ComputerPlayer):
        def feedback(self, guess, secret_code):
            return Feedback(0, 0)

    liar = Liar("liar", lambda items: items[0])
    io = Script([], [(0, 0, 0, 0)])
    with pytest.raises(ValueError, match="the feedback on that guess is 4 exact 0 partial, not 0 exact 0 partial"):
        GameEngine(Configuration(), io, liar, HumanPlayer("bob", io)).run()
