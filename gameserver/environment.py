"""Games as PettingZoo environments, in which agents learn: `environment("Reversi")`.

Every game that declares a coding (`Game.coding`) can be had: the own ones, those of installed packages, and those that
a config file asks for. PettingZoo and numpy come with the extra `pettingzoo`, and are imported when they are needed.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gameserver.cli.common import WrongSettings
from gameserver.cli.effective_config import effective
from gameserver.plugins import Plugins

if TYPE_CHECKING:
    from pettingzoo import AECEnv

__all__ = ["environment"]


def environment(
    game_name: str,
    *,
    options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
    config: str | Path | None = None,
) -> "AECEnv":
    """Makes a PettingZoo environment of a game, in which an episode is a match.

    `options` are the game's own, by name, such as `{"length": "5 points"}`. `config` is the config file of a server,
    for games that it asks for; it is read once. Raises `ValueError` or `ImportError`, with one line for the user, if
    there is none.
    """
    found = _plugins(None if config is None else Path(config))
    game = found.games.get(game_name.lower())
    if game is None:
        names = ", ".join(each.name for each in found.games.values())
        left_out = "".join(f"; {problem.source}: {problem.why}" for problem in found.problems)
        raise ValueError(f"there is no game {game_name!r}; there is {names}{left_out}")
    try:
        chosen = game.options_type(**(options or {}))
    except (TypeError, ValueError) as error:  # of attrs: an unknown name, and a value that a validator refuses
        raise ValueError(f"{game.name} refuses these options: {error.args[0] if error.args else error!r}") from error
    coding = game.coding(chosen)
    if coding is None:
        raise ValueError(
            f"{game.name} has no coding for these options; let its method `coding` return a gameserver.game.Coding"
        )
    try:
        from pettingzoo.utils.wrappers import OrderEnforcingWrapper  # noqa: PLC0415 - comes with an extra

        from gameserver.game_environment import GameEnvironment  # noqa: PLC0415 - needs the extra
    except ImportError as error:
        raise ImportError(f"an environment needs PettingZoo: pip install 'gameserver[pettingzoo]' ({error})") from error
    made: AECEnv = OrderEnforcingWrapper(GameEnvironment(game, chosen, coding, render_mode))
    return made


@cache
def _plugins(config: Path | None) -> Plugins:
    """The games as a server with this config file has them, kept: to try out OpenSpiel's can take seconds."""
    try:
        return effective(config, None, ())[0]
    except WrongSettings as error:
        raise ValueError(str(error)) from error
