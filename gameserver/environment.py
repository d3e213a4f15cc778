"""Games as PettingZoo environments, in which agents learn: `environment("Reversi")`.

Every game that declares a coding (`Game.coding`) can be had: the own ones, those of installed packages, and those that
a config file asks for. PettingZoo and numpy come with the extra `pettingzoo`, and are imported when they are needed.
"""

import difflib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gameserver.game import Game

if TYPE_CHECKING:
    from pettingzoo import AECEnv

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
    game = _game_named(game_name, config)
    try:
        chosen = game.options_type(**(options or {}))
    except (TypeError, ValueError) as error:  # of attrs: an unknown name, and a value that a validator refuses
        raise ValueError(f"{game.name} refuses these options: {error.args[0] if error.args else error!r}") from error
    coding = game.coding(chosen)
    if coding is None:
        raise ValueError(
            f"{game.name} has no numbers for agents with these options; give its class a method `coding` that returns "
            "a gameserver.game.Coding"
        )
    try:
        from pettingzoo.utils.wrappers import OrderEnforcingWrapper  # noqa: PLC0415 - comes with an extra

        from gameserver.game_environment import GameEnvironment  # noqa: PLC0415 - imports PettingZoo and numpy
    except ImportError as error:
        raise ImportError(f"an environment needs PettingZoo: pip install 'gameserver[pettingzoo]' ({error})") from error
    made: AECEnv = OrderEnforcingWrapper(GameEnvironment(game, chosen, coding, render_mode))
    return made


def _game_named(name: str, config: "str | PathLike[str] | None") -> Game[Any]:
    """The game of this name, in any case. Raises `ValueError`, with the nearest names."""
    games = _games(config)
    found = games.get(name.lower())
    if found is not None:
        return found
    named = {word.lower(): game.name for game in games.values() for word in (game.name, *game.aliases)}
    close = [named[word] for word in difflib.get_close_matches(name.lower(), named, n=3)]
    hint = f"did you mean {' or '.join(dict.fromkeys(close))}?" if close else f"there is {', '.join(named.values())}"
    raise ValueError(f"there is no game {name!r}; {hint}")


def _games(config: "str | PathLike[str] | None") -> Mapping[str, Game[Any]]:
    """The games by name in lower case: as a server with this config file has them."""
    # A start of the command line imports the whole server, which takes a second.
    if config is None:
        from gameserver import plugins  # noqa: PLC0415 - imports all games and protocols

        return plugins.load().games
    from gameserver.cli.common import WrongSettings  # noqa: PLC0415 - see above
    from gameserver.cli.effective_config import effective  # noqa: PLC0415 - see above

    try:
        return effective(Path(config), None, ())[0].games
    except WrongSettings as error:
        raise ValueError(str(error)) from error
