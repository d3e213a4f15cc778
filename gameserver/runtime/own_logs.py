"""Players' own wire logs: the files, and the roster, which tells whether somebody is the player."""

import trio
from attrs import frozen

from gameserver.public.own_log import NONE_YET, NOT_KEPT, NotShown, check_proven
from gameserver.runtime.guesses import PAUSE_S
from gameserver.runtime.roster import Roster
from gameserver.runtime.wire_log import WireLog


@frozen
class OwnLogs:
    """What the gallery shows of wire logs. All of it raises `NotShown` with what to do instead."""

    _wire_log: WireLog
    _roster: Roster

    @property
    def are_kept(self) -> bool:
        """Whether there are any."""
        return self._wire_log.is_on

    async def check(self, player: str, secret: str, session: int, address: str) -> None:
        """Make sure that somebody is the player; to be asked on the event loop."""
        if not self.are_kept:
            raise NotShown(NOT_KEPT)
        if self._roster.guesses.must_wait(session):
            await trio.sleep(PAUSE_S)
        check_proven(self._roster.standing(player, secret, session, address))

    def read(self, player: str) -> str:
        """The lines; it may take long."""
        found = self._wire_log.read(player)
        if found is None:
            raise NotShown(NONE_YET)
        return found
