"""What a teacher does to the lobby, and sees of it. The admin listener alone lets anybody ask for these."""

from gameserver.core.commands import Kick, ShowLobby
from gameserver.core.events import Accepted, Answer, Rejected
from gameserver.core.lobby import Draft
from gameserver.core.lobby_events import LobbyShown, MatchSeen, PersonSeen, QueueSeen, TableSeen, TicketSeen
from gameserver.core.match import Match
from gameserver.core.presence import let_out
from gameserver.core.rejections import Code


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
            is_callable="challenge" in player.carries or "tables" in player.carries,
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
