"""Games as PettingZoo environments, in which agents learn: `environment("Reversi")`.

Every game that declares a coding (`Game.coding`) can be had: the own ones, those of installed packages, and those that
a config file asks for. PettingZoo and numpy come with the extra `pettingzoo`, and are imported when they are needed.
"""

import difflib
from collections.abc import Mapping
from functools import lru_cache
from os import PathLike
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from gameserver.game import Coding, Game

if TYPE_CHECKING:
    from pettingzoo import AECEnv

    from gameserver.plugins import Plugins

__all__ = ["environment"]


def environment(
    game_name: str,
    *,
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
    config: "str | PathLike[str] | None" = None,
) -> "AECEnv":
    """Makes a PettingZoo environment of a game, in which an episode is a match.

    `options` are the game's own, by name, such as `{"length": "5 points"}`. `config` is the config file of a server,
    for games that it asks for. Raises `ValueError` or `ImportError`, with one line for the user, if there is none.
    """
    game, chosen, coding = coded_game(game_name, options or {}, config)
    new = needed_module().GameEnvironment
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper  # noqa: PLC0415 - comes with an extra

    made: AECEnv = OrderEnforcingWrapper(new(game, chosen, coding, render_mode))
    return made


def needed_module() -> ModuleType:
    """Imports `gameserver.game_environment`, which needs PettingZoo and numpy. Raises `ImportError` in one line."""
    try:
        from gameserver import game_environment  # noqa: PLC0415 - needs an extra
    except ImportError as error:
        raise ImportError(f"an environment needs PettingZoo: pip install 'gameserver[pettingzoo]' ({error})") from error
    return game_environment


def coded_game(
    game_name: str, options: Mapping[str, Any], config: "str | PathLike[str] | None"
) -> tuple[Game[Any], Any, Coding[Any]]:
    """The game of this name with its options and its numbers for agents. Raises `ValueError` if there is none."""
    game = _game_named(game_name, None if config is None else Path(config))
    try:
        chosen = game.options_type(**options)
    except (TypeError, ValueError) as error:  # of attrs: an unknown name, and a value that a validator refuses
        raise ValueError(f"{game.name} refuses these options: {error.args[0] if error.args else error!r}") from error
    coding = game.coding(chosen)
    if coding is None:
        raise ValueError(
            f"{game.name} has no coding for these options; let its method `coding` return a gameserver.game.Coding"
        )
    return game, chosen, coding


def _game_named(name: str, config: Path | None) -> Game[Any]:
    """The game of this name, in any case. Raises `ValueError`, with the nearest names, and with what was left out."""
    found = _plugins(config, None if config is None or not config.exists() else config.stat().st_mtime_ns)
    game = found.games.get(name.lower())
    if game is not None:
        return game
    named = {word.lower(): game.name for game in found.games.values() for word in (game.name, *game.aliases)}
    close = [named[word] for word in difflib.get_close_matches(name.lower(), named, n=3)]
    shown = list(dict.fromkeys(close or named.values()))
    hint = f"did you mean {' or '.join(shown)}?" if close else f"there is {', '.join(shown)}"
    left_out = "".join(f"; {problem.source}: {problem.why}" for problem in found.problems)
    raise ValueError(f"there is no game {name!r}; {hint}{left_out}")


@lru_cache(maxsize=2)
def _plugins(config: Path | None, _changed_ns: int | None) -> "Plugins":
    """The games as a server with this config file has them, kept: to try out OpenSpiel's can take seconds."""
    # A start of the command line imports the whole server, which takes a second.
    if config is None:
        from gameserver import plugins  # noqa: PLC0415 - imports all games and protocols

        return plugins.load()
    from gameserver.cli.common import WrongSettings  # noqa: PLC0415 - see above
    from gameserver.cli.effective_config import effective  # noqa: PLC0415 - see above

    try:
        return effective(config, None, ())[0]
    except WrongSettings as error:
        raise ValueError(str(error)) from error
