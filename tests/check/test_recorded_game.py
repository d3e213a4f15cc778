"""A match on record is played again with the dice that fell in it."""

import random
from typing import Any

import pytest
from attrs import evolve

from games.backgammon import BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA, TAVLI
from games.mastermind import GAME as MASTERMIND
from gameserver.check.replaying import as_recorded
from gameserver.game import Game, PlayedGame, PlayedMatch

STEPS_MAX = 400
Steps = list[tuple[int | None, str]]


def played(game: Game[Any], options: Any, seed: int) -> Steps:
    """A game at random: its moves and draws."""
    chance, state, steps = random.Random(seed), game.start(options), Steps()
    while state.outcome is None and len(steps) < STEPS_MAX:
        wanted = state.chance
        if wanted is not None:
            values = tuple(chance.randint(1, wanted.sides) for _ in range(wanted.count))
            state = state.drawn(values)
            steps.append((None, " ".join(map(str, values))))
        else:
            seat = state.turn.seats[0]
            move = chance.choice(state.legal_moves(seat))
            state = state.play(seat, move)
            steps.append((seat, game.write_move(move)))
    return steps


def match_of(game: Game[Any], *games: tuple[Game[Any], Any, Steps]) -> PlayedMatch:
    of_it = tuple(PlayedGame(one, options, tuple(steps), (), (), "played") for one, options, steps in games)
    return PlayedMatch(1, game, game.options_type(), ("ann", "bob"), "", of_it)


@pytest.mark.parametrize("game", [BACKGAMMON, FEVGA, PLAKOTO, PORTES, TAVLA, MASTERMIND], ids=lambda game: game.name)
def test_the_dice_fall_as_they_fell_whatever_the_lobby_draws(game: Game[Any]) -> None:
    options = game.options_type()
    first = game.series(options)
    if first is not None and first.next_game is not None:
        game, options = first.next_game
    steps = played(game, options, 7)
    again = as_recorded(evolve(match_of(game, (game, options, steps)), options=options))
    old, new = game.start(options), again.start(options)
    for seat, text in steps:
        if seat is None:
            values = tuple(map(int, text.split()))
            old, new = old.drawn(values), new.drawn((1,) * len(values))
            assert again.seen_draw(new, (1,) * len(values), 0) == game.seen_draw(old, values, 0)
        else:
            old, new = old.play(seat, game.read_move(text)), new.play(seat, again.read_move(text))
        assert (new.turn, new.outcome, new.view(None)) == (old.turn, old.outcome, old.view(None))


def test_each_game_of_a_match_has_its_own_dice() -> None:
    seen = []
    games: tuple[tuple[Game[Any], Any, Steps], ...]
    games = ((PORTES, None, [(None, "3 1")]), (PLAKOTO, None, [(None, "6 2")]))
    again = as_recorded(match_of(TAVLI, *games)).series(TAVLI.options_type())
    for _ in range(2):
        assert again is not None
        assert again.next_game is not None
        game, options = again.next_game
        state = game.start(options).drawn((5, 4))
        seen.append(game.seen_draw(state, (5, 4), None))
        again = again.after(state.resigned(0))
    assert [" ".join(one.replace(",", " ").split()[:2]) for one in seen] == ["3 1", "6 2"]


def test_when_the_recorded_dice_are_used_up_the_lobbys_own_count() -> None:
    options = PORTES.options_type()
    again = as_recorded(match_of(PORTES, (PORTES, options, [])))
    assert again.start(options).drawn((6, 2)).view(None) == PORTES.start(options).drawn((6, 2)).view(None)


def test_the_options_are_those_of_the_record_whatever_is_asked_for() -> None:
    asked, recorded = MASTERMIND.options_type(), MASTERMIND.options_type(code_length=5)
    again = as_recorded(evolve(match_of(MASTERMIND, (MASTERMIND, recorded, [])), options=recorded))
    assert again.start(asked).view(0) == MASTERMIND.start(recorded).view(0)
