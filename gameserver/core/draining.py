"""Before a stop: running matches go on to their end, and no new one begins.

What would begin one is refused at once, so that nobody waits for an opponent in vain; who comes back
to a running match is let in. Searches that were open before stay open, and nothing comes of them:
`decide`, `settling`, `tickets` and `tournament_play` open no match while the server drains.
"""

import attrs

from gameserver.core.commands import Accept, Arrive, Book, Challenge, Command, Drain, Query, Ready, Seek, Sit
from gameserver.core.events import Accepted, Answer, Rejected
from gameserver.core.lobby import Draft
from gameserver.core.rejections import Code
from gameserver.core.ticket_lookup import ticket_named

BEGINS = frozenset({Seek, Challenge, Accept, Sit, Ready, Book, Arrive})
"""What may lead to a new match."""


def drain(draft: Draft, command: Drain) -> Answer:
    """Begin no new match from now on."""
    draft.server = attrs.evolve(draft.server, stop_by_ms=draft.at.now_ms + command.within_ms)
    return Accepted()


def refusal(draft: Draft, command: Command | Query) -> Rejected | None:
    """Why one of `BEGINS` is not for now; None if it is, or if it would be refused for another reason."""
    # Nothing has been written yet, so the lobby is asked without an overlay.
    if not draft.lobby.server[""].drains:
        return None
    if isinstance(command, Book):
        return Rejected(Code.STOPPING)
    if isinstance(command, Arrive):
        ticket = ticket_named(draft, command.ticket, command.identity)
        return None if ticket is None else Rejected(Code.STOPPING)
    assert isinstance(command, Seek | Challenge | Accept | Sit | Ready), "the rest of BEGINS"
    player = draft.player_of(command.session)
    if player is None:
        return None
    holds_a_seat = draft.seated.get(player.name) is not None
    return None if isinstance(command, Sit | Ready) and holds_a_seat else Rejected(Code.STOPPING)
