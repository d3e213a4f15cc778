"""The game of the lobby: who moves, what is hidden from whom, what comes out; drawn secrets; the house."""

import random

import pytest
from attrs import frozen
from hypothesis import given, settings
from hypothesis import strategies as st

from games.mastermind import BREAKER, GAME, MAKER, Feedback, Mastermind, MastermindOptions, feedback_of
from games.mastermind.board import CodeSpace, Configuration
from gameserver.core import referee
from gameserver.game import Chance, IllegalMove, Outcome, Turn
from gameserver.testing import check_game

SECRET = (0, 1, 2, 3)


def played(*moves, options=None):
    position = GAME.start(options or MastermindOptions())
    for seat, move in moves:
        position = position.play(seat, move)
    return position


def guesses(*codes, secret=SECRET, options=None):
    return played((MAKER, secret), *((BREAKER, code) for code in codes), options=options)


def test_a_guess_is_answered():
    assert guesses().reaction(BREAKER) == ""
    assert Feedback.read(guesses((0, 2, 1, 5)).reaction(BREAKER)) == Feedback(1, 2)


def test_ends():
    found = guesses((0, 0, 0, 0), SECRET)
    assert found.outcome == Outcome((-1, 1), (BREAKER,), "The code 0123 was found in 2 guesses", "0123")
    assert guesses(SECRET).outcome.reason == "The code 0123 was found in 1 guess"
    kept = guesses(*[(5, 5, 5, 5)] * 12)
    assert kept.outcome == Outcome((1, -1), (MAKER,), "The code 0123 was not found in 12 guesses", "0123")
    assert guesses(*[(5, 5, 5, 5)] * 11).outcome is None
    assert guesses(*[(5, 5, 5, 5)] * 11, SECRET).outcome.winners == (BREAKER,)


def test_giving_up_reveals_the_code():
    assert guesses().resigned(BREAKER) == Outcome((1, -1), (MAKER,), "", "0123")
    assert guesses().resigned(MAKER) == Outcome((-1, 1), (BREAKER,), "", "0123")
    assert played().resigned(MAKER).revealed == ""


def test_prompts_boards_and_views_of_each_side():
    assert played().prompt(MAKER) == "Make the code: 4 values from 0 to 5 such as 0123"
    assert guesses((0, 0, 0, 0)).prompt(BREAKER) == "Guess 2 of 12: 4 values from 0 to 5 such as 0123"
    assert guesses((0, 0, 1, 1)).board(BREAKER) == "code  ????\n   1  0011  1 exact 1 partial"
    assert guesses((0, 0, 1, 1)).board(MAKER).startswith("code  0123\n")
    assert guesses(SECRET).view(None) == {
        "code_length": 4,
        "value_count": 6,
        "max_turns": 12,
        "secret": [0, 1, 2, 3],
        "turns": [{"guess": [0, 1, 2, 3], "exact": 4, "partial": 0}],
    }


@settings(deadline=None)
@given(st.data())
def test_secrets_that_answer_alike_look_alike_to_all_but_the_maker(data):
    codes = CodeSpace(Configuration())
    secret = data.draw(st.sampled_from(codes))
    asked = data.draw(st.lists(st.sampled_from(codes).filter(lambda code: code != secret), max_size=3))
    alike = [other for other in codes if all(feedback_of(code, other) == feedback_of(code, secret) for code in asked)]
    other = data.draw(st.sampled_from(alike))
    drawn = MastermindOptions(secret_is_drawn=data.draw(st.booleans()))
    one, two = (after(each, asked, drawn) for each in (secret, other))
    for viewer in (BREAKER, None):
        assert told(one, viewer) == told(two, viewer)
        assert GAME.seen(one, secret, MAKER, viewer) == GAME.seen(two, other, MAKER, viewer) == "?"
        assert GAME.seen_draw(one, (1, 2, 3, 4), viewer) == "?"
    assert (told(one, MAKER) == told(two, MAKER)) == (secret == other)


def told(position, viewer):
    """Everything that a viewer can learn of a position."""
    return (
        position.view(viewer),
        position.board(viewer),
        position.reaction(viewer),
        [position.prompt(seat) for seat in position.turn.seats],
        position.turn,
        position.outcome,
        repr(position),
        [len(position.legal_moves(seat)) for seat in (MAKER, BREAKER)],
    )


def after(secret, asked, options):
    position = GAME.start(options)
    if options.secret_is_drawn:
        position = position.drawn(tuple(value + 1 for value in secret))
    else:
        position = position.play(MAKER, secret)
    for code in asked:
        position = position.play(BREAKER, code)
    return position


def test_the_maker_and_guesses_are_not_hidden_from_who_may_see_them():
    assert GAME.seen(guesses(), SECRET, MAKER, MAKER) == "0123"
    assert GAME.seen(guesses((1, 1, 1, 1)), (1, 1, 1, 1), BREAKER, None) == "1111"
    assert GAME.seen_draw(guesses(), (1, 2, 3, 4), MAKER) == "1 2 3 4"


def test_a_drawn_secret_is_a_draw_and_the_breaker_begins():
    start = GAME.start(MastermindOptions(code_length=3, value_count=9, secret_is_drawn=True))
    assert (start.chance, start.turn) == (Chance(3, 9), Turn(0, ()))
    assert start.legal_moves(MAKER) == ()
    with pytest.raises(IllegalMove, match="the code is not drawn"):
        start.play(MAKER, (0, 1, 2))
    drawn = start.drawn((9, 1, 5))
    assert (drawn.chance, drawn.turn) == (None, Turn(1, (BREAKER,)))
    assert drawn.table.secret_code == (8, 0, 4)
    assert drawn.play(BREAKER, (8, 0, 4)).outcome.winners == (BREAKER,)


@frozen
class Drawn(MastermindOptions):
    """As protocols ask for it whose clients break codes of the server's."""

    code_length: int = 3
    value_count: int = 12
    max_turns: int = 5
    secret_is_drawn: bool = True


class DrawnMastermind(Mastermind):
    options_type = Drawn
    strategies = {name: GAME.strategies[name] for name in ("master", "knuth")}  # noqa: RUF012


def test_the_game_with_drawn_secrets_keeps_the_contract_too():
    check_game(DrawnMastermind(), games_played=1, strategy_moves_max=2)


@pytest.mark.parametrize(
    ("given_options", "why"),
    [
        ({"code_length": 101}, "code_length must be a whole number from 1 to 100, not 101"),
        ({"value_count": 0}, "value_count must be a whole number from 1 to 1000, not 0"),
        ({"max_turns": 10_001}, "max_turns must be a whole number from 1 to 10000, not 10001"),
        ({"colours": 6}, "unexpected keyword argument"),
    ],
)
def test_options_that_cannot_be_are_refused_with_the_limit(given_options, why):
    with pytest.raises(referee.PlayersMistake, match=why):
        referee.options_of(GAME, given_options)


@pytest.mark.parametrize("name", GAME.strategies)
def test_the_house_makes_and_breaks_without_looking(name):
    """It is the same guesses whatever the secret, as long as the answers are the same."""
    strategy = GAME.strategies[name]
    assert strategy(GAME.start(MastermindOptions()), MAKER, random.Random(1).choice) in CodeSpace(Configuration())
    first = [strategy(guesses(secret=secret), BREAKER, random.Random(2).choice) for secret in (SECRET, (5, 5, 4, 4))]
    assert first[0] == first[1]
    position = guesses()
    choose = random.Random(3).choice
    while position.outcome is None:
        position = position.play(BREAKER, strategy(position, BREAKER, choose))
    assert position.outcome.winners == (BREAKER,)


@pytest.mark.parametrize(
    ("position", "seat", "move", "why"),
    [
        (played(), MAKER, (0, 1, 2), "a code has 4 values here and not 3"),
        (played(), MAKER, (0, 1, 2, 6), "the values go from 0 to 5 and 6 is not among them"),
        (played(), BREAKER, SECRET, "it is not your turn, the code maker is to move"),
        (guesses(), MAKER, SECRET, "it is not your turn, the code breaker is to move"),
        (guesses(SECRET), BREAKER, SECRET, "the game is over"),
    ],
)
def test_illegal_moves_are_explained(position, seat, move, why):
    with pytest.raises(IllegalMove, match=why):
        position.play(seat, move)
