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

from gameserver.core.identity import HOUSE_PREFIX
from gameserver.ratings.head_to_head import EloDifference, elo_difference
from gameserver.ratings.rating import MEAN, Rating
from gameserver.values import value

NAME = "house_strengths.json"
VERSION = 1
_ORIGIN = "club"
# Judgement: what was measured between levels of the house is a little otherwise against others.
_ANCHOR_DEVIATION = 50.0
# Reversi was measured over as many. Long games of the backgammon family were over fewer, which their pages mark.
_GAMES_ENOUGH = 200
"""Games from which on an encounter is not marked as a short one."""


@value(slots=False)
class Encounter:
    """The games that two house levels played for the table of strengths.

    The results are those of the first against the second.
    """

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
        """The number of games of an encounter of two house levels."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The first house level's part of the points of an encounter, from 0 to 1."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def lead(self) -> EloDifference:
        """The first house level's lead over the second in Elo points."""
        return elo_difference(self.wins, self.draws, self.losses)

    @property
    def is_short(self) -> bool:
        """True if a house level's strength rests on few games."""
        return self.games < _GAMES_ENOUGH

    def turned(self) -> "Encounter":
        """The encounter of two house levels, seen from the second."""
        return evolve(self, first=self.second, second=self.first, wins=self.losses, losses=self.wins)


def read_encounters() -> tuple[Encounter, ...]:
    """Reads all encounters of the table of house strengths that comes with the server."""
    table: dict[str, Any] = json.loads(files(__package__).joinpath(NAME).read_text(encoding="utf-8"))
    if table["version"] != VERSION:
        message = f"{NAME} has version {table['version']}, and this program reads version {VERSION}"
        raise ValueError(message)
    return tuple(Encounter(**row) for row in table["encounters"])


# The table comes with the version and does not change; reading it for every page takes a file access.
@cache
def encounters_of(level: str) -> tuple[Encounter, ...]:
    """The encounters of one house level in the table of strengths, seen from it, game by game."""
    own = [each for each in read_encounters() if each.first == level]
    others = [each.turned() for each in read_encounters() if each.second == level]
    return tuple(sorted(own + others, key=lambda each: (each.game, each.second)))


@cache
def fixed_rating(game: str, player: str) -> Rating | None:
    """The rating of a house player that never changes, by which ladders rate its opponents; None if none was measured.

    `house-club` has the rating with which everybody begins; the others' follow from the games between them.
    """
    elo = {_ORIGIN: MEAN}
    own = [each for each in read_encounters() if each.game == game and not each.is_outside]
    # The closest encounters tell most: a level that wins each game may be stronger by any number.
    for each in sorted(own, key=lambda each: abs(each.lead.elo)) * len(own):
        if each.first in elo:
            elo.setdefault(each.second, elo[each.first] - each.lead.elo)
        elif each.second in elo:
            elo[each.first] = elo[each.second] + each.lead.elo
    mean = elo.get(player.removeprefix(HOUSE_PREFIX)) if own and player.startswith(HOUSE_PREFIX) else None
    return None if mean is None else Rating(mean, _ANCHOR_DEVIATION)


def written(encounters: Iterable[Encounter], gameserver: str) -> dict[str, object]:
    """Writes the table of house strengths as JSON; `gameserver` is the version that played."""
    rows = sorted(encounters, key=lambda each: (each.game, each.first, each.second))
    names = ("game", "first", "second", "wins", "draws", "losses", "on", "is_outside")
    return {
        "version": VERSION,
        "gameserver": gameserver,
        "encounters": [{name: getattr(row, name) for name in names} for row in rows],
    }
