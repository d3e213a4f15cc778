"""Finds games, protocols and libraries of games: built-in ones, installed ones, and the ones that the config names.

All of them are loaded and validated in the same way. An unusable plug-in is reported by name, with the
reason, and never keeps the server from starting. An import registers nothing: `load` returns the
plug-ins that it found, and tests pass in their own.

A library of games (`GameLibrary`) brings the games that its table in the config asks for. So there are two
steps: `load` finds what there is, and `with_games_of_libraries` adds the games once the config is read.
"""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import attrs
from attrs import evolve, field

from gameserver.core.identity import FORBIDDEN
from gameserver.endpoints import AsgiApp, HttpEndpoint, LazyApp
from gameserver.game import Game, GameLibrary
from gameserver.http.listener import HttpProtocol
from gameserver.journal.codec import CONVERTER
from gameserver.probe import faults_of, reason_of
from gameserver.protocol import WireProtocol
from gameserver.values import value


@value
class Problem:
    """A plug-in that cannot be used, and why."""

    source: str
    why: str


@value
class Plugins:
    """The plug-ins that were found.

    Games are keyed and sorted by name in lower case, since players may write it in any case.
    """

    games: dict[str, Game[Any]] = field(factory=dict)
    protocols: dict[str, WireProtocol] = field(factory=dict)
    sources: dict[str, str] = field(factory=dict)
    """The source of each game, protocol or library, by its name."""
    problems: tuple[Problem, ...] = ()
    libraries: dict[str, GameLibrary] = field(factory=dict)

    @property
    def configured(self) -> dict[str, WireProtocol | GameLibrary]:
        """The plug-ins that have a table of their own in the config, by its name."""
        return {**self.protocols, **self.libraries}


Candidate = tuple[str, Callable[[], object]]
"""A source of plug-ins, and a function that loads its plug-in or a tuple of them. The function may raise anything."""


def load(
    named: Sequence[str] = (),
    *,
    installed: bool = True,
    pages: Callable[[Mapping[str, WireProtocol]], AsgiApp] | None = None,
    own: Sequence[WireProtocol] = (),
) -> Plugins:
    """Find and load all plug-ins.

    `named` are from the config, as `module:NAME`. Without `installed`: built-in ones alone.

    Whoever serves gives the `pages` for `/`, made of the protocols when they are first asked for, and the listeners
    of its `own` beside HTTP, whose names no plug-in may take.
    """
    candidates: list[Candidate] = [
        *_built_in("games", "GAME", "LIBRARY"),
        *_built_in("protocols", "PROTOCOL"),
        *(_installed("gameserver.games", "gameserver.protocols") if installed else ()),
        *((f"config {text!r}", partial(_by_name, text)) for text in named),
    ]
    games: dict[str, Game[Any]] = {}
    protocols: dict[str, WireProtocol] = {}
    libraries: dict[str, GameLibrary] = {}
    sources: dict[str, str] = {one.name: type(one).__module__ for one in own}
    sources[HttpProtocol.name] = HttpProtocol.__module__
    reserved = frozenset(sources)
    problems: list[Problem] = []
    for source, plugin in _loaded(candidates, problems):
        try:
            name = _validated(plugin, games, {*protocols, *libraries, *reserved}, sources)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a plug-in does while it is loaded, it is reported
            problems.append(Problem(source, reason_of(error)))
            continue
        sources[name] = source
        if isinstance(plugin, Game):
            games[name.lower()] = plugin
        elif isinstance(plugin, WireProtocol):
            protocols[name] = plugin
        elif isinstance(plugin, GameLibrary):
            libraries[name] = plugin
    at_root = () if pages is None else (HttpEndpoint("/", LazyApp(partial(pages, protocols))),)
    http = HttpProtocol(protocols.values(), at_root)
    problems += (Problem(sources[http.name], why) for why in http.problems)
    in_order = dict(sorted(games.items()))
    served = protocols | {one.name: one for one in (http, *own)}
    return Plugins(in_order, served, sources, tuple(problems), libraries)


def with_games_of_libraries(found: Plugins, options: Mapping[str, Any]) -> Plugins:
    """Add the games that the config asks of libraries; `options` are those of each library by its name.

    Games that may crash are probed in a child process first, which can take seconds: call it before the event loop.
    """
    games, sources, problems = dict(found.games), dict(found.sources), list(found.problems)
    for library in found.libraries.values():
        try:
            offers = tuple(library.games(options[library.name]))
            faults = faults_of({offer.what: offer.make for offer in offers if offer.is_probed})
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as in `load`
            problems.append(Problem(f"[{library.name}]", reason_of(error)))
            continue
        for offer in offers:
            source = f"[{library.name}] {offer.what if offer.what.isprintable() else repr(offer.what)}"
            if offer.what in faults:
                problems.append(Problem(source, faults[offer.what]))
                continue
            try:
                game = offer.make()
                _check_game(game, games, sources)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - as in `load`
                problems.append(Problem(source, reason_of(error)))
            else:
                games[game.name.lower()], sources[game.name] = game, source
    return evolve(found, games=dict(sorted(games.items())), sources=sources, problems=tuple(problems))


def terminal_games() -> dict[str, Callable[[], object]]:
    """Find the plug-ins that are games for the terminal: by name, a function that loads the click command.

    Nothing is imported yet.
    """
    found: dict[str, Callable[[], object]] = {}
    paths = importlib.import_module("games").__path__
    for game in pkgutil.iter_modules(paths):
        within = [str(Path(path, game.name)) for path in paths]
        if any(module.name == "terminal" for module in pkgutil.iter_modules(within)):
            found[game.name.replace("_", "-")] = partial(_by_name, f"games.{game.name}.terminal:COMMAND")
    for entry_point in entry_points(group="gameserver.terminals"):
        found.setdefault(entry_point.name, entry_point.load)
    return found


def _loaded(candidates: Iterable[Candidate], problems: list[Problem]) -> Iterator[tuple[str, object]]:
    """Each plug-in with its source; what cannot be loaded is added to the problems."""
    for source, get in candidates:
        try:
            found = get()
        except (Exception, SystemExit) as error:  # noqa: BLE001 - as in `load`
            problems.append(Problem(source, reason_of(error)))
            continue
        for plugin in found if isinstance(found, tuple) else (found,):
            yield source, plugin


class UnusableError(ValueError):
    """The plug-in was found, but does not fit the interface."""


def _validated(
    plugin: object, games: Mapping[str, Game[Any]], tables: AbstractSet[str], sources: Mapping[str, str]
) -> str:
    """The plug-in's name; raises if it cannot be used. `tables` are names of those that have a table in the config."""
    if isinstance(plugin, Game):
        _check_game(plugin, games, sources)
        return plugin.name
    if isinstance(plugin, WireProtocol):
        plugin.endpoints()
    elif not isinstance(plugin, GameLibrary):
        raise UnusableError(
            f"{plugin!r} is neither a Game, a GameLibrary nor a WireProtocol; export an instance, not a class"
        )
    elif not attrs.has(plugin.options_type):
        raise UnusableError(f"the options_type of {plugin.name} must be an attrs class")
    else:
        plugin.options_type()  # else a config without its table would be refused
    if plugin.name in tables:
        raise UnusableError(
            f"the name {plugin.name!r} is taken by the one from {sources[plugin.name]}; rename one of them"
        )
    return plugin.name


def _check_names(game: Game[Any], games: Mapping[str, Game[Any]], sources: Mapping[str, str]) -> None:
    """Refuse a game if players could mean another one by its name or an alias; the one that came first keeps them."""
    others = {alias.lower(): other for other in games.values() for alias in other.aliases} | dict(games)
    for text in (game.name, *game.aliases):
        if (other := others.get(text.lower())) is not None:
            raise UnusableError(
                f"the name {text!r} is taken by {other.name}, from {sources[other.name]}; take another one"
            )


def _check_game(game: Game[Any], games: Mapping[str, Game[Any]], sources: Mapping[str, str]) -> None:
    name: object = game.name
    seats: object = game.seats
    aliases: object = game.aliases
    if not isinstance(name, str) or not name.isprintable() or name != name.strip() or not name:
        raise UnusableError(f"a game's name is printable text without blanks around it, not {name!r}")
    if FORBIDDEN.intersection(name):
        raise UnusableError(f'the name {name!r} must not contain " {{ }} [ or ]')
    if seats != 2:
        raise UnusableError(f"{name} has {seats!r} seats; matches are for two")
    if type(game.version) is not int or game.version < 1:
        raise UnusableError(f"the version of {name} is a whole number from 1, not {game.version!r}")
    if not isinstance(game.strategies, Mapping):
        raise UnusableError(f"the strategies of {name} must be a mapping of names to functions")
    if not isinstance(game.exports, Mapping):
        raise UnusableError(f"the exports of {name} must be a mapping of file endings to functions")
    if not isinstance(aliases, tuple) or not all(isinstance(alias, str) for alias in aliases):
        raise UnusableError(f"the aliases of {name} must be a tuple of texts")
    if not attrs.has(game.options_type):
        raise UnusableError(f"the options_type of {name} must be an attrs class")
    CONVERTER.dumps(game.options_type())
    _check_names(game, games, sources)


def _built_in(package: str, *constants: str) -> Iterator[Candidate]:
    """Every module of a package, with what it exports: a plug-in as a constant, or a tuple as the first's plural."""

    def get(module: str) -> tuple[object, ...]:
        exported = vars(importlib.import_module(module))
        single = (exported[constant] for constant in constants if constant in exported)
        return (*single, *exported.get(f"{constants[0]}S", ()))

    for found in pkgutil.iter_modules(importlib.import_module(package).__path__):
        module = f"{package}.{found.name}"
        yield module, partial(get, module)


def _installed(*groups: str) -> Iterator[Candidate]:
    for group in groups:
        for entry_point in entry_points(group=group):
            yield f"{group} entry point {entry_point.name!r} ({entry_point.value})", entry_point.load


def _by_name(text: str) -> object:
    module, colon, constant = text.partition(":")
    if not colon or not constant:
        raise UnusableError(f"{text!r} should read module:NAME")
    return getattr(importlib.import_module(module), constant)
