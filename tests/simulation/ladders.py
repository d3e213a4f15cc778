"""A ladder in the midst of it all: the teacher who opens and closes it, and what must hold of its matches."""

from typing import TYPE_CHECKING, Any

from gameserver.core.commands import PairOnLadder, SetLadder
from gameserver.core.draft import Decision
from gameserver.core.lobby import At
from gameserver.ladder import BETWEEN_MS
from tests.simulation.violation import Violation

if TYPE_CHECKING:
    from tests.simulation.world import World


class LadderTeacher:
    """The teacher who wants a ladder of one game."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._chance = world.plan.stream("ladder's teacher")
        self._game = self._chance.choice(world.plan.menu())
        self._ended: dict[frozenset[str], int] = {}
        """The time of day at which the last match of each pair ended."""

    def act(self) -> None:
        """Open the ladder soon, and close it now and then."""
        process = self._world.process
        if not self._world.plan.ladder or process is None or not process.serves or self._chance.random() > 0.05:
            return
        if self._game not in process.lobby.ladders:
            process.ask(SetLadder(self._game, True))
        elif self._chance.random() < 0.1:
            process.ask(SetLadder(self._game, False))

    def wind_up(self) -> None:
        """In the calm: close it, so that nobody waits for minutes to pass."""
        process = self._world.process
        for game in () if process is None else process.lobby.ladders:
            process.ask(SetLadder(game, False))

    def check(self, command: Any, at: At, decision: Decision) -> None:
        """Check that a pair whose match begins has had its minutes since the last one."""
        for match in decision.finished:
            if match.is_ladder:
                self._ended[frozenset(match.players)] = at.wall_ms
        if not isinstance(command, PairOnLadder) or "wall-clock" in self._world.plan.faults:
            return
        self._world.count("pairs of a ladder")
        ended_ms = self._ended.get(frozenset((command.first, command.second)))
        if ended_ms is not None and at.wall_ms < ended_ms + BETWEEN_MS:
            raise Violation("a pair of a ladder has minutes between its matches", f"{command} after {ended_ms}")
