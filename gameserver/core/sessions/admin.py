"""Acts of a teacher upon the whole lobby: ending a connection, and draining before a stop.

Only the admin listener takes these commands. While the server drains, running matches go on to their end and no new one
begins. A command that would begin one is refused at once, so that no player waits for an opponent in vain; a player who
comes back to a running match is let in. Searches that were open before stay open and lead to nothing: matchmaker,
challenges, room reconciler and scheduling open no match meanwhile.
"""

import attrs

from gameserver.core.messages.commands import (
    Accept,
    Arrive,
    Book,
    Challenge,
    Command,
    Drain,
    Kick,
    Query,
    Ready,
    Seek,
    Sit,
)
from gameserver.core.messages.events import Accepted, Answer, Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.sessions.login import let_out
from gameserver.core.state.draft import Draft
from gameserver.core.state.ticket_lookup import ticket_named


def kick(draft: Draft, command: Kick) -> Answer:
    """End a player's session, and have the connection ended with the reason."""
    player = draft.players.get(command.player)
    if player is None:
        return Rejected(Code.UNKNOWN_PLAYER, {"player": command.player})
    let_out(draft, player, f"the teacher ended the connection: {command.why}")
    draft.dismissed.append((player.session, f"The teacher has ended this connection: {command.why}"))
    return Accepted()


BEGINS = frozenset({Seek, Challenge, Accept, Sit, Ready, Book, Arrive})
"""Commands that may lead to a new match."""


def drain(draft: Draft, command: Drain) -> Answer:
    """Begin no new match from now on."""
    draft.server = attrs.evolve(draft.server, stop_by_ms=draft.at.now_ms + command.within_ms)
    return Accepted()


def drain_refusal(draft: Draft, command: Command | Query) -> Rejected | None:
    """The refusal of one of `BEGINS` during a drain; None if there is none, or if another reason refuses it anyway."""
    # Nothing has been written yet, so the lobby is read without an overlay.
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
