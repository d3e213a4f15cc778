"""Acts of a teacher upon the whole lobby: ending a connection, draining before a stop, looking at everything.

Only the admin listener lets anybody ask for these. While the server drains, running matches go on to their
end and no new one begins. A command that would begin one is refused at once, so that nobody waits for an
opponent in vain; a player who comes back to a running match is let in. Searches that were open before stay
open and lead to nothing: consequences, room reconciler, tickets and scheduling open no match meanwhile.
"""

import attrs

from gameserver.core.messages.capabilities import Capability
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
    ShowLobby,
    Sit,
)
from gameserver.core.messages.events import Accepted, Answer, Rejected
from gameserver.core.messages.lobby_events import LobbyShown, MatchSeen, PersonSeen, QueueSeen, TableSeen, TicketSeen
from gameserver.core.messages.rejections import Code
from gameserver.core.sessions.login import let_out
from gameserver.core.state.draft import Draft
from gameserver.core.state.match import Match
from gameserver.core.state.ticket_lookup import ticket_named


def kick(draft: Draft, command: Kick) -> Answer:
    """Let a player out, and have the connection ended with the reason."""
    player = draft.players.get(command.player)
    if player is None:
        return Rejected(Code.UNKNOWN_PLAYER, {"player": command.player})
    let_out(draft, player, f"the teacher ended the connection: {command.why}")
    draft.dismissed.append((player.session, f"The teacher has ended this connection: {command.why}"))
    return Accepted()


def show_lobby(draft: Draft, command: ShowLobby) -> Answer:
    """Tell everything that goes on."""
    people = tuple(
        PersonSeen(
            player.name,
            player.protocol,
            player.address,
            player.match,
            player.seek,
            player.table,
            player.is_proven,
            is_callable=Capability.CHALLENGE in player.capabilities or Capability.ROOMS in player.capabilities,
        )
        for player in draft.players.values()
    )
    tables = tuple(
        TableSeen(table.number, table.phase.value, tuple(place.player for place in table.places), table.match)
        for table in draft.tables.values()
    )
    tickets = []
    for ticket in draft.tickets.values():
        partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
        opponent = None if partner is None else partner.player
        tickets.append(TicketSeen(ticket.player, ticket.game, ticket.session is not None, opponent))
    waiting = ((game.name, draft.queues.get(game.name) or ()) for game in draft.games.values())
    shown = LobbyShown(
        players=people,
        matches=tuple(_seen(match) for match in draft.matches.values()),
        tables=tables,
        queues=tuple(QueueSeen(game, names) for game, names in waiting if names),
        tickets=tuple(tickets),
        house=tuple(house.name for house in draft.server.house),
        drains=draft.server.drains,
    )
    draft.tell(command.session, shown)
    return Accepted()


def _seen(match: Match) -> MatchSeen:
    whole = match.contest or match
    before = () if match.contest is None else match.contest.played
    return MatchSeen(
        match=match.id,
        game=whole.game.name,
        players=match.players,
        phase=match.phase.value,
        moves=len(match.moves) + sum(len(game.moves) for game in before),
        awaited=tuple(match.seats[seat].player for seat in match.awaited_seats),
        away=tuple(holder.player for holder in match.seats if not holder.is_present),
        table=match.table,
        opened_wall_ms=match.opened_wall_ms,
    )


BEGINS = frozenset({Seek, Challenge, Accept, Sit, Ready, Book, Arrive})
"""What may lead to a new match."""


def drain(draft: Draft, command: Drain) -> Answer:
    """Begin no new match from now on."""
    draft.server = attrs.evolve(draft.server, stop_by_ms=draft.at.now_ms + command.within_ms)
    return Accepted()


def drain_refusal(draft: Draft, command: Command | Query) -> Rejected | None:
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
