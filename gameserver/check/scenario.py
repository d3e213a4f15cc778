"""One scenario: the steps that the check plays, their source, and the advice to a student whose client fails."""

import re
from collections.abc import Mapping
from typing import Any

from attrs import field

from gameserver.check.report import Level
from gameserver.check.steps import CLIENT, ComesIn, Placed
from gameserver.values import value


@value
class Rewrite:
    """A change of each line, or message, on its way."""

    pattern: re.Pattern[str]
    replacement: str

    def applied(self, text: str) -> str:
        """The text as its receiver is to see it."""
        return self.pattern.sub(self.replacement, text)


@value
class Wire:
    """The network's faults in both directions, in the words of `gameserver proxy`; empty for none."""

    to_client: str = ""
    to_server: str = ""

    @property
    def words(self) -> str:
        """Both directions in one line; empty for a wire that does nothing."""
        if self.to_client == self.to_server:
            return self.to_client
        ways = {"to client": self.to_client, "to server": self.to_server}
        return "; ".join(f"{way}: {text}" for way, text in ways.items() if text)


@value
class Scenario:
    """One scenario, as its file has it."""

    name: str
    """The name of its file, without the ending."""
    file: str
    title: str
    level: Level
    source: str
    """The client, server or event that it was seen in."""
    document: str
    """The protocol's document about it, word for word."""
    change: str
    """Advice for the author of a client that fails."""
    steps: tuple[Placed, ...]
    games: tuple[str, ...] = ()
    """The games for which it makes sense; empty for all."""
    catches: tuple[str, ...] = ()
    """The reasons for the loss of a match, in the records' words, that it is a rehearsal for."""
    wire: Wire = field(factory=Wire)
    rewrites: tuple[Rewrite, ...] = ()
    """Those of what the client is sent."""
    rewrites_to_server: tuple[Rewrite, ...] = ()
    line_end: str = ""
    """The end of each line to the client; empty for the server's own."""
    settings: Mapping[str, Any] = field(factory=dict)
    """Settings of the server that differ from the check's own, as a config file has them."""

    @property
    def player_names(self) -> frozenset[str]:
        """The names of the players whom the check plays."""
        coming = (placed.step for placed in self.steps if isinstance(placed.step, ComesIn))
        return frozenset(step.player_name for step in coming if step.who != CLIENT)

    def suits(self, game: str) -> bool:
        """True if the scenario can be played at this game."""
        return not self.games or game.casefold() in {name.casefold() for name in self.games}
