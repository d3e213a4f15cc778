"""The table `[openspiel]` of the config: which games of OpenSpiel a server offers, and under which names.

OpenSpiel is imported when the table asks for a game, and not before.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from attrs import Attribute, field, frozen

from gameserver.game import GameLibrary, GameOffer

_DEFAULT = "default"
_EXAMPLE = '{name = "Hex-13", game = "hex(board_size=13)"}'
_SHORT_NAME = re.compile(r"\w+")


def _is_list_of_games(_options: object, key: "Attribute[Any]", value: object) -> None:
    if value != _DEFAULT and not isinstance(value, list | tuple):
        raise ValueError(f'{value!r} should be "{_DEFAULT}", or a list such as ["chess", {_EXAMPLE}]', key)
    for one in value if isinstance(value, list | tuple) else ():
        texts = one if isinstance(one, Mapping) else {"name": one, "game": one}
        if set(texts) != {"name", "game"} or not all(isinstance(text, str) and text for text in texts.values()):
            raise ValueError(f'{one!r} should be the name of a game, such as "chess", or a table {_EXAMPLE}', key)


@frozen
class OpenSpielOptions:
    """The table `[openspiel]`."""

    games: Any = field(default=(), validator=_is_list_of_games)
    """The games of OpenSpiel that are offered: `"default"` for twelve of them, or a list. In it are names, such as
    `"chess"`, `"nim"` and `"default"`, and variants: `{name = "Hex-13", game = "hex(board_size=13)"}`. They need
    `pip install 'gameserver[openspiel]'`."""


class OpenSpielLibrary(GameLibrary):
    """The games of OpenSpiel (https://github.com/google-deepmind/open_spiel), as far as the config asks for them."""

    name = "openspiel"
    options_type = OpenSpielOptions

    def games(self, options: OpenSpielOptions) -> Iterable[GameOffer]:
        """The games of OpenSpiel that the config asks for; a child process tries all but the default ones."""
        if not options.games:
            return
        try:
            from games.open_spiel.rules import SpielGame  # noqa: PLC0415 - OpenSpiel takes 12 MB, and may not be there
        except ImportError as error:
            raise ValueError(
                f"OpenSpiel cannot be imported ({error}); install it with: pip install 'gameserver[openspiel]'"
            ) from error
        yield from _offers([_DEFAULT] if options.games == _DEFAULT else options.games, SpielGame)


def _offers(wanted: Iterable[str | Mapping[str, str]], make: Callable[[str, str], Any]) -> Iterator[GameOffer]:
    from games.open_spiel.catalogue import CATALOGUE  # noqa: PLC0415 - as above

    usual = {row.spiel: row for row in CATALOGUE.values()}
    named = {text.lower(): row for key, row in CATALOGUE.items() for text in (row.name, row.spiel, key)}
    offered: set[str] = set()
    for one in wanted:
        if isinstance(one, Mapping):
            name, spiel = one["name"], one["game"]
            yield GameOffer(f"{name} = {spiel}", partial(make, name, spiel), is_probed=spiel not in usual)
        elif one == _DEFAULT or one.lower() in named:
            rows = usual.values() if one == _DEFAULT else [named[one.lower()]]
            # One of the twelve besides "default" is no clash.
            new = [row for row in rows if row.name not in offered]
            yield from (GameOffer(row.name, partial(make, row.name, row.spiel)) for row in new)
            offered.update(row.name for row in new)
        elif _SHORT_NAME.fullmatch(one):
            yield GameOffer(one, partial(make, one.replace("_", "-").capitalize(), one), is_probed=True)
        else:
            yield GameOffer(one, partial(_need_name, one))


def _need_name(spiel: str) -> Any:
    raise ValueError(f'a game with parameters needs a name: {{name = "...", game = "{spiel}"}}')


LIBRARY = OpenSpielLibrary()
