"""`gameserver serve` over a database that several servers share: stand by, then lead.

    ports looked at -> stand by ... lead -> ports opened -> the rest as with a data file

No port is opened before this server leads, so whoever looks for the leader by its ports finds it.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import trio
from attrs import define

from gameserver.cli.listeners import Bound, PortInUse, look_at_ports, open_all, tell
from gameserver.config import ListenerSettings
from gameserver.game import Game
from gameserver.journal.journal import Journal, JournalError
from gameserver.journal.recovery import Replayed
from gameserver.processes import RELOAD_SIGNALS, STOP_SIGNALS
from gameserver.server import standby
from gameserver.server.setup import freeze_gc
from gameserver.values import value

PORTS_S = 10.0
"""The time for which a leader that has died on the same machine may still have the ports."""
_PAUSE_S = 0.1
_CONFIRM_EVERY_S = 1.0


@value
class Lead:
    """What a server has that leads from now on."""

    journal: Journal
    replayed: Replayed
    listening: Sequence[Bound]
    since_s: float
    """The time at which it began to lead, by `time.monotonic`."""
    stood_by: bool
    """True if another server was the leader before."""


@define(eq=False)
class Candidate:
    """A server that wants to lead. `noted` are the signals that came while nobody could act on them."""

    _open_journal: Callable[[], Journal]
    _listeners: Sequence[ListenerSettings]
    _noted: Sequence[int]
    _reload: Callable[[], None]
    """Called at SIGHUP."""
    _hall: str = ""

    def lead(self, games: Mapping[str, Game[Any]]) -> Lead | None:
        """Stand by until this server leads, then open its ports; None if it was asked to stop before."""
        look_at_ports(self._listeners)
        waiting = standby.Standby(self._open_journal, games, tell, self._prepare, self._hall)
        found = trio.run(self._stand_by, waiting)
        if found is None:
            waiting.close()
            return None
        try:
            listening = self._opened(found)
        except BaseException:
            found.journal.close()
            raise
        return Lead(found.journal, found.replayed, listening, found.since_s, found.stood_by)

    async def _stand_by(self, waiting: standby.Standby) -> standby.Lead | None:
        """Stand by until this server leads, or is asked to stop."""
        found, is_stopped = None, bool(self._noted)

        async def obey(scope: trio.CancelScope) -> None:
            nonlocal is_stopped
            async for number in signals:
                if number in RELOAD_SIGNALS:
                    self._reload()
                else:
                    is_stopped = True
                    scope.cancel()

        with trio.open_signal_receiver(*STOP_SIGNALS, *RELOAD_SIGNALS) as signals:
            if not is_stopped:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(obey, nursery.cancel_scope)
                    found = await waiting.lead()
                    nursery.cancel_scope.cancel()
        return None if is_stopped else found

    def _prepare(self) -> None:
        """Import and make what connections need, so that nobody waits for it once this server leads."""
        with freeze_gc():
            for protocol in {listener.protocol.name: listener.protocol for listener in self._listeners}.values():
                protocol.prepare()

    def _opened(self, lead: standby.Lead) -> Sequence[Bound]:
        """Open the ports. A leader that has died on this machine may need a moment to let go of them."""
        began_s = confirmed_s = time.monotonic()
        while True:
            try:
                return open_all(self._listeners)
            except PortInUse:
                waited_s = time.monotonic() - began_s
                if self._noted or waited_s > (PORTS_S if lead.stood_by else 0.0):
                    raise
            time.sleep(_PAUSE_S)
            if time.monotonic() - confirmed_s > _CONFIRM_EVERY_S:
                with suppress(JournalError):  # it may pass; nobody is told anything before the next one succeeds
                    lead.journal.confirm()
                confirmed_s = time.monotonic()


def show_take_over(lead: Lead) -> None:
    """Tell what a take-over took, up to now."""
    if lead.stood_by:
        matches = len(lead.replayed.lobby.matches)
        go_on = f"{matches or 'no'} match{'' if matches == 1 else 'es'}"
        tell(f"took over in {time.monotonic() - lead.since_s:.2f} s, with {go_on} under way")
