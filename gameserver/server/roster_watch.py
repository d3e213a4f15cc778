"""Looks for changes of a roster that is in the database, every two seconds and in a thread."""

import structlog
import trio

from gameserver.authentication.roster import RosterError, SharedRoster

LOOK_EVERY_S = 2.0

log = structlog.get_logger()


async def watch_roster(roster: SharedRoster | None) -> None:
    """Look for ever. While the database is away, logins are judged by what was seen last."""
    if roster is None:
        return
    try:
        await _watch(roster)
    finally:
        roster.close()


async def _watch(roster: SharedRoster) -> None:
    is_away = False
    while True:
        await trio.sleep(LOOK_EVERY_S)
        try:
            await trio.to_thread.run_sync(roster.look, abandon_on_cancel=True)
        except RosterError as error:
            if not is_away:
                log.warning("changes of the roster cannot be seen; what was seen last stays in force", why=str(error))
            is_away = True
        else:
            is_away = False
