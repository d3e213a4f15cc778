"""The scenarios of `gameserver check` that would have caught why a match was lost, for the loser's own page."""

from collections.abc import Mapping

from attrs import define, field

from gameserver.check.library import of_package
from gameserver.check.scenario import Scenario
from gameserver.values import value

SHOWN_MAX = 4


@value
class Rehearsal:
    """A scenario to try at home, and the options that choose it."""

    title: str
    options: str


@define
class Rehearsals:
    """Finds them. `packages` are those with each protocol's scenarios, by its name. Reading one takes some 20 ms."""

    packages: Mapping[str, str]
    _read: dict[str, tuple[Scenario, ...]] = field(factory=dict, init=False)

    def of(self, reason: str, protocol: str, game: str) -> tuple[Rehearsal, ...]:
        """Those for a match of this game that was lost for this reason. Call it in a thread: it may read files."""
        if protocol not in self._read:
            self._read[protocol] = of_package(self.packages.get(protocol, "")).scenarios
        fitting = (one for one in self._read[protocol] if reason in one.catches and one.suits(game))
        speaks = "" if protocol == "strategic" else f" --protocol {protocol}"
        given = f"--game {game}{speaks}" if game.isascii() and " " not in game else f"--game '{game}'{speaks}"
        return tuple(Rehearsal(one.title, f"{given} --scenario {one.name}") for one in fitting)[:SHOWN_MAX]
