"""The world with two halls: servers side by side over one database, each with players and a log of its own.

Each hall is a world that is held to all that one server is held to. They share time, the database with what goes wrong
there, the roster and the ratings. Both come to their calm together.
"""

from typing import ClassVar

import trio

from gameserver.authentication.roster import Roster, SharedRoster
from gameserver.engine.clock import HEARTBEAT_MS
from gameserver.halls import HallSettings
from tests.simulation.plan import HALLS, HallsPlan
from tests.simulation.power import Machine
from tests.simulation.rosters import RosterConnection, Rosters
from tests.simulation.standby import StandbyWorld
from tests.simulation.violation import Violation
from tests.simulation.wire import Wire

NOBODY = -1
HEARD_MS = 5_000
"""More than it takes until every hall has heard of what changed in the others."""


class HallWorld(StandbyWorld):
    """One of the halls. The first makes what all share, and runs them all."""

    plan: HallsPlan
    halls: "list[HallWorld]"
    host_names: ClassVar[tuple[str, ...]] = ("one",)

    def __init__(self, plan: HallsPlan, beside: "HallWorld | None" = None) -> None:
        self.hall = HallSettings(plan.hall)
        super().__init__(plan, beside)
        self.stage = 0
        """The number of points reached at which all halls wait for each other."""
        self._is_lost = plan.is_lost_in_the_calm()
        if beside is None:
            self.halls = halls = [self, *(HallWorld(plan.of_hall(name), self) for name in HALLS[1:])]
            rosters = Rosters(self, [bot for hall in halls for bot in hall.bots])
            for hall in halls:
                hall.halls, hall.rosters = halls, rosters
        else:
            self.clock, self.events, self.marks, self.hash = beside.clock, beside.events, beside.marks, beside.hash

    def opened_roster(self, machine: Machine) -> Roster:
        connection = RosterConnection(self.rosters.file)
        roster = self.rosters.opened(trio.current_time, SharedRoster(connection.opened, lambda: None))
        connection.is_away = lambda: not (self.database.is_up and machine.host.is_linked)
        return roster

    def told(self, machine: Machine, wire: Wire, data: bytes) -> None:
        super().told(machine, wire, data)
        with self.watching():
            for hall in self.halls:
                if hall is not self:
                    hall.secrets.check(wire.last_said, NOBODY)

    # The run.

    async def _main(self) -> None:
        """Run all halls until they end, or one of them finds something."""

        async def run(hall: HallWorld) -> None:
            await StandbyWorld._main(hall)
            if hall.violation is not None:
                self.violation = self.violation or hall.violation
                nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            for hall in self.halls:
                nursery.start_soon(run, hall)

    async def _boot(self) -> None:
        if self is self.halls[0]:
            self._nursery.start_soon(self.agenda.run)
        await self.look_after_machine()

    def _look_after_hosts(self) -> None:
        if not (self.calm and self._is_lost):
            super()._look_after_hosts()

    def _network(self) -> None:
        super()._network()
        with self.watching():
            self._check_ratings()

    async def settle(self) -> None:
        await self._meet_the_others()
        if self._is_lost:
            self._lose_it_all()
        else:
            await super().settle()

    async def _check_standby(self) -> None:
        """Check at the end that every hall has heard of the others' ratings."""
        await self._meet_the_others()
        await self.pass_time(HEARD_MS)
        if not self._is_lost:
            self._check_ratings(self.database.ratings.matches())
        await self._meet_the_others()

    async def _meet_the_others(self) -> None:
        self.stage += 1
        while any(hall.stage < self.stage for hall in self.halls):
            if self.stage == 1:
                await self.look_after_machine()
            await self.pass_time(HEARTBEAT_MS)

    def _mend(self) -> None:
        super()._mend()
        if self.plan.all_come_anew():
            for bot in self.bots:
                bot.hang_up()

    def _lose_it_all(self) -> None:
        """Lose the hall's machine for good; nobody else is to notice."""
        self.calm = True
        self.note("hall %r is gone", self.hall.name)
        self.count("a hall is gone")
        self._mend()
        self._switch_off()
        self.process = None

    def _check_ratings(self, known: dict[tuple[str, str], int] | None = None) -> None:
        """Check that the server knows what changed before it last asked for changes."""
        process = self.process
        if process is None or not process.is_settled or process.host.is_frozen or process.threads.are_at_work:
            return
        book = process._server._sequencer._ratings
        for key, matches in (known or process.journal.known_ratings).items():
            if book.rating(*key).games < matches:
                found = f"{process.token} knows of {book.rating(*key).games} matches of {key}, and there were {matches}"
                raise Violation("ratings of all halls are known in each", found)
