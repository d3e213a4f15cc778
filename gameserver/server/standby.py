"""A server of a shared journal before it leads: it follows the journal, and asks again and again for the lead.

    journal opened -> rows followed -> lead? --no--> a pause, then again
                                         |
                                        yes -> the last rows, and the lobby is ours

The lobby is decided as the rows come, so a take-over has only the last of them to decide. All of it happens in a
thread: whoever wants this server to end need not wait for a database that does not answer.
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import trio
from attrs import define, field

from gameserver.game import Game
from gameserver.journal.journal import Journal, JournalError
from gameserver.journal.recovery import Follower, Replayed
from gameserver.values import value

POLL_S = 0.1
"""The pause between two looks at the journal, for which a hall may be without a leader."""
# As often as a leader gives word: `gameserver status` shows the servers that gave word in the last 30 s.
_PRESENCE_EVERY_S = 1.0

T = TypeVar("T")


@value
class Lead:
    """The journal and the replayed lobby of a standby that leads from now on."""

    journal: Journal
    replayed: Replayed
    since_s: float
    """The time at which it began to lead, on the clock of the standby."""
    stood_by: bool
    """True if another server was the leader before."""


@define(eq=False)
class Standby:
    """A standby: a server that follows the journal and does not lead yet.

    `open_journal` may raise `JournalError` while the database is away. `tell` prints a line. `prepare` makes what is
    needed once it leads. `threads` is off where time is virtual.
    """

    _open_journal: Callable[[], Journal]
    _games: Mapping[str, Game[Any]]
    _tell: Callable[[str], None]
    _prepare: Callable[[], None] = lambda: None
    _hall: str = ""
    _now_s: Callable[[], float] = time.monotonic
    _threads: bool = True
    _journal: Journal | None = field(default=None, init=False)
    _follower: Follower | None = field(default=None, init=False)
    _leader: str | None = field(default=None, init=False)
    """The leader that was told of last."""
    _is_waiting: bool = field(default=False, init=False)
    """True if it was told that the database is away."""
    _seen_s: float = field(default=float("-inf"), init=False)
    """The time at which the other servers were told of this one."""
    _is_looking: bool = field(default=False, init=False)

    async def lead(self) -> Lead:
        """Stand by until this server leads. Raises `JournalBroken` where the journal cannot be used or followed."""
        is_prepared = False
        while True:
            lead = await self._off_the_loop(self._look)
            if lead is not None:
                return lead
            if not is_prepared:
                is_prepared = True
                await self._off_the_loop(self._prepare)
            await trio.sleep(POLL_S)

    def close(self) -> None:
        """Stand by no longer. A look that is under way is left alone: the process is about to end."""
        if self._journal is not None and not self._is_looking:
            self._journal.close()

    async def _off_the_loop(self, work: Callable[[], T]) -> T:
        if not self._threads:
            return work()
        # Abandoned: a database that does not answer takes up to 5 s, and a signal should end a standby at once.
        return await trio.to_thread.run_sync(work, abandon_on_cancel=True)

    def _look(self) -> Lead | None:
        """Follow the journal to its end, and ask for the lead; None if another server has it, or nobody can tell."""
        self._is_looking = True
        try:
            lead = self._followed()
        except JournalError as error:
            if not self._is_waiting:
                self._tell(f"waiting: {error}")
            self._is_waiting = True
            lead = None
        self._is_looking = False
        return lead

    def _followed(self) -> Lead | None:
        if self._journal is None:
            self._journal = self._open_journal()
        journal = self._journal
        if self._follower is None:
            self._follower = Follower(journal, self._games)
        self._follower.follow()
        if journal.lead():
            since_s = self._now_s()
            return Lead(journal, self._follower.finish(), since_s, self._leader is not None)
        if self._is_waiting or self._now_s() - self._seen_s >= _PRESENCE_EVERY_S:
            self._present(journal, self._follower.seq)
        self._is_waiting = False
        return None

    def _present(self, journal: Journal, seq: int) -> None:
        """Tell the other servers of this one, and people who leads."""
        journal.show_presence(seq)
        self._seen_s = self._now_s()
        leader = next((server.name for server in journal.servers() if server.leads), "another server")
        if leader != self._leader or self._is_waiting:
            self._leader = leader
            for_hall = f" for the hall {self._hall}" if self._hall else ""
            self._tell(f"standing by{for_hall}: {leader} leads; this server takes over when that one is gone")
