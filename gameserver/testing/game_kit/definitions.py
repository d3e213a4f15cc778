"""The contract for a game before any move: its name, its options, its strategies."""

from collections.abc import Callable, Mapping
from typing import Any

import attrs
from cattrs.preconf.orjson import make_converter

from gameserver.core.identity import FORBIDDEN
from gameserver.game import Game, State
from gameserver.testing.contract import Trail, describe, is_frozen, is_line


def check_definition(trail: Trail, game: Game[Any]) -> None:
    """Check everything that can be checked without playing."""
    trail.require(isinstance(game, Game), "it is not a gameserver.game.Game; derive its class from Game")
    name: Any = getattr(game, "name", None)
    trail.require(
        _is_name(name) and name == name.strip(),
        f'the name {name!r} must be printable text without " {{ }} [ ] or spaces around it',
    )
    trail.require(_is_count(game.version, 1), f"the version {game.version!r} must be an integer from 1")
    trail.require(_is_count(game.seats, 2), f"seats is {game.seats!r}; it must be an integer from 2")
    texts: tuple[tuple[str, Any], ...] = (("the guide", game.guide), ("how_to_play", game.how_to_play))
    for what, text in texts:
        well_written = isinstance(text, str) and all(map(is_line, text.split("\n")))
        trail.require(well_written, f"{what} must be printable lines, parted by line feeds alone")
    trail.require(game.family == "" or _is_name(game.family), f"family is {game.family!r}; give a printable heading")
    roles: Any = game.roles
    well_cast = isinstance(roles, tuple) and all(map(_is_name, roles)) and len(roles) in {0, game.seats}
    trail.require(well_cast, f"the roles {roles!r} must be a tuple of printable names, one for each seat, or empty")
    aliases: Any = game.aliases
    well_named = isinstance(aliases, tuple) and all(map(_is_name, aliases))
    trail.require(well_named, f"the aliases {aliases!r} must be a tuple of printable names")
    trail.require(_is_name(game.draw_noun), f"draw_noun is {game.draw_noun!r}; give a printable word, such as roll")
    _check_options(trail, game)
    _check_strategies(trail, game)
    _check_exports(trail, game)
    _check_start(trail, game)


def default_options(trail: Trail, game: Game[Any]) -> Any:
    """The options of a match that nobody chose any for."""
    kind = game.options_type
    return trail.ask(f"{kind.__name__}() without arguments", kind)


def _check_options(trail: Trail, game: Game[Any]) -> None:
    kind: Any = game.options_type
    trail.require(isinstance(kind, type) and attrs.has(kind), "options_type must be an attrs class, such as NoOptions")
    options = default_options(trail, game)
    trail.require(is_frozen(options), f"{kind.__name__} can be changed; decorate it with attrs.frozen")
    trail.require(options == kind(), f"two {kind.__name__}() are unequal; let attrs compare them")
    converter = make_converter()
    try:
        same = converter.loads(converter.dumps(options), kind) == options
    except Exception as error:
        problem = f"{options!r} cannot be saved: {describe(error)}; give its fields simple types"
        raise trail.error(problem) from error
    trail.require(same, f"{options!r} is saved as something else; give its fields simple types")


def _check_strategies(trail: Trail, game: Game[Any]) -> None:
    strategies: object = game.strategies
    trail.require(isinstance(strategies, Mapping), "strategies must be a mapping of names to functions")
    for name, strategy in game.strategies.items():
        well_named = _is_name(name) and not any(letter.isspace() for letter in name)
        trail.require(well_named, f"the strategy's name {name!r} must be one printable word")
        trail.require(callable(strategy), f"the strategy {name!r} must be a function (state, seat, choose)")


def _check_exports(trail: Trail, game: Game[Any]) -> None:
    exports: object = game.exports
    trail.require(isinstance(exports, Mapping), "exports must be a mapping of file endings to functions")
    ending: Any
    for ending, export in game.exports.items():
        well_named = isinstance(ending, str) and ending.isascii() and ending.isalnum() and ending.islower()
        trail.require(well_named, f"the export's name {ending!r} must be a file's ending, such as sgf")
        trail.require(callable(export), f"the export {ending!r} must be a function (match) -> text")


def _check_start(trail: Trail, game: Game[Any]) -> None:
    start: Callable[[Any], State[Any]] = game.start
    first = trail.ask("start()", start, default_options(trail, game))
    second = trail.ask("start()", start, default_options(trail, game))
    trail.require(
        first == second,
        "start() gave two states that are not equal; draw nothing there, and let attrs compare the states",
    )


def _is_name(text: Any) -> bool:
    return is_line(text) and text != "" and not FORBIDDEN.intersection(text)


def _is_count(value: object, least: int) -> bool:
    return type(value) is int and value >= least
