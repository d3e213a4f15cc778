"""The games in `examples`, which no package of ours may import, loaded from their files."""

import importlib.util
from pathlib import Path
from typing import Any

from gameserver.game import Game

_EXAMPLES = Path(__file__).parents[2] / "examples"


def _game_at(path: Path) -> Game[Any]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None, path
    assert spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    game: Game[Any] = module.GAME
    return game


PIG = _game_at(_EXAMPLES / "pig" / "pig.py")
ROCK_PAPER_SCISSORS = _game_at(_EXAMPLES / "rock_paper_scissors" / "rock_paper_scissors.py")
