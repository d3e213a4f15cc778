"""The kit lets a sound game pass, and catches each of the broken ones."""

from collections.abc import Mapping

import pytest

from gameserver.game import IllegalMove, NoOptions
from gameserver.testing import ContractError, check_game
from gameserver.testing import game_kit as kit
from tests.games.broken_games import BROKEN
from tests.games.heap_game import Heap, HeapGame, always, coded, fussy, variant


@pytest.fixture(autouse=True)
def _short_games(monkeypatch):
    monkeypatch.setattr(kit, "STEPS_MAX", 100)


@pytest.mark.parametrize(("state", "game", "words"), [pytest.param(*row, id=name) for name, *row in BROKEN])
def test_a_broken_game_is_caught(state, game, words):
    with pytest.raises(ContractError) as caught:
        check_game(variant(state, game))
    assert words in str(caught.value)


def test_the_error_names_the_game_the_moves_and_the_problem():
    with pytest.raises(ContractError) as caught:
        check_game(variant({"play": fussy}))
    error = caught.value
    assert isinstance(error, AssertionError)
    assert error.plugin == "Heap"
    draw, *moves = error.steps
    left = 3 + int(draw.removeprefix("draw:")) - sum(int(move.partition(":")[2]) for move in moves)
    assert left == 3
    assert [move.partition(":")[0] for move in moves] == ["0", "1", "0", "1"][: len(moves)]
    assert str(error) == f"Heap, after {' '.join(error.steps)}: {error.problem}"
    assert isinstance(error.__cause__, IllegalMove)


@pytest.mark.parametrize(("games_played", "starts"), [(0, 4), (3, 10)])
def test_as_many_games_as_asked_and_one_for_each_strategy_and_seat(games_played, starts):
    begun = []

    def start(self, options):
        assert options == NoOptions()
        begun.append(1)
        return Heap()

    check_game(variant(game={"start": start}), games_played=games_played)
    # Each game is played and replayed; two more starts are compared at first.
    assert len(begun) == 2 + starts


def test_a_game_may_have_numbers_for_agents():
    check_game(variant(game=coded()))


def test_views_may_be_any_mapping():
    class Row(dict):
        pass

    assert isinstance(Row(), Mapping)
    check_game(variant({"view": always(Row(left=(1, 2.5, None, True, "x", [])))}))


def test_a_game_may_say_how_the_random_player_plays():
    game = HeapGame()
    game.strategies = {"random": HeapGame.strategies["last"]}
    check_game(game)
    game.strategies = {"random": lambda state, seat, choose: 3}
    with pytest.raises(ContractError, match="the strategy 'random' for seat 0 picked 3"):
        check_game(game)
