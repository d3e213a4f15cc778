"""The strength of house players, as it was measured before this version was published.

`python -m tests.benchmarks strengths --save` plays the games and writes the table, `house_strengths.json`. It holds
results only; Elo and error bars are worked out from them.
"""

import json
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from attrs import evolve

from gameserver.ratings.head_to_head import EloDifference, elo_difference
from gameserver.values import value

NAME = "house_strengths.json"
VERSION = 1
_GAMES_ENOUGH = 200
"""Games from which on an encounter is not marked as a short one."""


@value(slots=False)
class Encounter:
    """The results of the first level against the second, of one game, and the day on which they were played."""

    game: str
    first: str
    second: str
    wins: int
    draws: int
    losses: int
    on: str
    is_outside: bool = False
    """True if the second one is no level of the house, but a program that others can compare with."""

    @property
    def games(self) -> int:
        """Games in all."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The first level's part of the points, from 0 to 1."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def lead(self) -> EloDifference:
        """The first level's lead."""
        return elo_difference(self.wins, self.draws, self.losses)

    @property
    def is_short(self) -> bool:
        """True if it rests on few games."""
        return self.games < _GAMES_ENOUGH

    def turned(self) -> "Encounter":
        """The same, seen from the second level."""
        return evolve(self, first=self.second, second=self.first, wins=self.losses, losses=self.wins)


def read_encounters() -> tuple[Encounter, ...]:
    """All encounters of the table."""
    table: dict[str, Any] = json.loads(files(__package__).joinpath(NAME).read_text(encoding="utf-8"))
    if table["version"] != VERSION:
        message = f"{NAME} has version {table['version']}, and this program reads version {VERSION}"
        raise ValueError(message)
    return tuple(Encounter(**row) for row in table["encounters"])


@cache
def encounters_of(level: str) -> tuple[Encounter, ...]:
    """The encounters of a level, seen from it, game by game."""
    own = [each for each in read_encounters() if each.first == level]
    others = [each.turned() for each in read_encounters() if each.second == level]
    return tuple(sorted(own + others, key=lambda each: (each.game, each.second)))


def written(encounters: Iterable[Encounter], gameserver: str) -> dict[str, object]:
    """The table as JSON; `gameserver` is the version that played."""
    rows = sorted(encounters, key=lambda each: (each.game, each.first, each.second))
    names = ("game", "first", "second", "wins", "draws", "losses", "on", "is_outside")
    return {
        "version": VERSION,
        "gameserver": gameserver,
        "encounters": [{name: getattr(row, name) for name in names} for row in rows],
    }
