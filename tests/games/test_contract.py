"""Every game keeps the contract: those of the package `games`, and the example of a third party's."""

import importlib
import importlib.util
import pkgutil
from pathlib import Path

import pytest

import games
from gameserver.game import Game
from gameserver.testing import check_game

PIG = Path(__file__).parents[2] / "examples" / "pig" / "pig.py"


def found():
    for entry in pkgutil.iter_modules(games.__path__, "games."):
        module = importlib.import_module(entry.name)
        if hasattr(module, "GAME"):
            yield pytest.param(module.GAME, id=entry.name)


def module_at(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FOUND = list(found())


def test_the_package_is_searched():
    assert {"games.tic_tac_toe", "games.reversi", "games.connect_four_3d"} <= {each.id for each in FOUND}


@pytest.mark.parametrize("game", FOUND)
def test_a_game_keeps_the_contract(game):
    check_game(game)


def test_names_differ():
    names = [each.values[0].name.lower() for each in FOUND]
    assert len(set(names)) == len(names)


def test_the_third_partys_game_keeps_the_contract():
    game = module_at(PIG).GAME
    assert isinstance(game, Game)
    check_game(game, games_played=5)
