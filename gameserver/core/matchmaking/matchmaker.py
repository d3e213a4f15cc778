"""Pairs players, in whichever way the two look for an opponent: the one module that knows all of them.

    player looking                          opponent, the first that there is
    a seeker                                another seeker; a ticket that is open to the queue
    a ticket whose player is here           its partner; a ticket whose player is here; the house, or a seeker
    a host, alone and ready in a room       a seeker of the rooms' game
    a challenger of a player in a room      that player, who accepts by being ready

A player who finds no opponent waits: a seeker in the queue and in the lowest free room, where a host can find them; a
ticket among the tickets; a host in the room. Players whom a tournament reserves are paired only by the tournament.
"""

from gameserver.core.matches.referee import GameFault
from gameserver.core.matchmaking import room_places, waiting_list
from gameserver.core.matchmaking.match_opening import close_challenge_of, open_match
from gameserver.core.matchmaking.ticket_search import (
    dissolve,
    is_kept,
    may_leave,
    opponent_at_hand,
    options_of_match,
    pair,
    present_opponent,
    search,
    search_anew,
    ticket_shown,
)
from gameserver.core.messages.commands import Against
from gameserver.core.messages.events import Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.state import tournament
from gameserver.core.state.draft import Draft
from gameserver.core.state.follow_ups import RoomChanged, SeekResumed
from gameserver.core.state.lobby import Player
from gameserver.core.state.room import Room, RoomGuest
from gameserver.core.state.ticket import Ticket
from gameserver.game import Game
from gameserver.policies import seek_policies, ticket_policies


def meet_seeker(draft: Draft, name: str) -> None:
    """Give a free player who seeks the longest-waiting opponent, or a place in the queue."""
    player = draft.players.get(name)
    if player is None or player.seek is None or player.match is not None:
        return
    player = waiting_list.leave_queue(draft, player)
    assert player.seek is not None, "leaving the queue is not giving the search up"
    if tournament.is_reserved(draft, name):
        _wait(draft, name)
        return
    waiting = waiting_list.seekers(draft, player.seek)
    ticket = None if waiting else _ticket_for_seekers(draft, player.seek)
    if ticket is not None:
        _open_with(draft, ticket, name, name_first=False)
        return
    if not waiting:
        _wait(draft, name)
        return
    game = draft.game_named(player.seek)
    assert game is not None, "a seek names a game that was known when it was made"
    wishes = (draft.players[waiting[0]].seek_turn_time_ms, player.seek_turn_time_ms)
    open_match(draft, game, (waiting[0], name), seek_policies(draft.server.rules, wishes))


def resume_seek(draft: Draft, resumed: SeekResumed) -> None:
    """Pair a player who is free again, and looked for the next opponent meanwhile.

    If the next game's code fails, they wait in its queue: it must not cost the move that freed them.
    """
    if draft.server.drains:
        return
    try:
        meet_seeker(draft, resumed.player)
    except GameFault as fault:
        draft.faults.append(fault.why)
        _wait(draft, resumed.player)


def show_seeker(draft: Draft, player: Player) -> None:
    """Show a player who queues for the rooms' game in a free room, or have a room with a ready host looked at."""
    if player.room is not None or player.seek is None:
        return
    game = room_places.game_of_rooms(draft)
    if game is None or player.seek != game.name or tournament.is_reserved(draft, player.name):
        return
    ready = room_places.lone_ready(draft)
    number = room_places.lowest_free(draft)
    if ready is not None:
        draft.follow_ups.add(RoomChanged(ready.number))
    elif number is not None:
        room_places.add_place(draft, Room(number), player, RoomGuest.SEEKING)


def room_seekers(draft: Draft) -> list[str]:
    """The players whom a host who is ready can meet: those who wait in the queue of the rooms' game, longest first."""
    game = room_places.game_of_rooms(draft)
    return [] if game is None else waiting_list.seekers(draft, game.name)


def no_place_opposite(draft: Draft, player: Player, target: Player, game: Game[object]) -> Rejected | None:
    """The reason why the place opposite a player who cannot be challenged otherwise cannot be taken; None if it can."""
    if target.room is None or game is not room_places.game_of_rooms(draft):
        return Rejected(Code.NO_CHALLENGES, {"player": target.name})
    if player.room == target.room or room_places.is_lone(draft.rooms[target.room]):
        return None
    return Rejected(Code.ROOM_FULL, {"room": str(target.room)})


def sit_opposite(draft: Draft, player: Player, target: Player) -> None:
    """Seat a challenger opposite a player who sits alone in a room: their being ready accepts the challenge."""
    assert target.room is not None, "no_place_opposite has seen to it"
    if player.room == target.room:
        return
    player = close_challenge_of(draft, player)
    player = room_places.take_guests_place(draft, player, RoomGuest.SEEKING)
    room_places.add_place(draft, draft.rooms[target.room], player, RoomGuest.CHALLENGING)


def look_again(draft: Draft, player: Player) -> None:
    """Let the ticket of a player whom no tournament reserves any more search as others do."""
    for ticket in draft.tickets.values():
        if ticket.session == player.session and ticket.partner is None:
            search(draft, ticket)
            meet_ticket(draft, draft.tickets[ticket.id])
            return


def meet_ticket(draft: Draft, ticket: Ticket) -> None:
    """Open the match if both players are here; else tell the ticket's player the state of the search.

    A player who looks for the same game in its queue is always here: they are taken when the ticket's player arrives,
    and hear nothing before the match begins.
    """
    if ticket.session is None:
        return
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    if partner is not None and partner.session is not None:
        _open_pair(draft, ticket, partner)
        return
    other = None if draft.server.drains else present_opponent(draft, ticket)
    if other is not None:
        _leave_absent(draft, ticket, other)
        return
    at_hand = opponent_at_hand(draft, ticket) if may_leave(draft, ticket) else None
    if at_hand is None:
        draft.tell(ticket.session, ticket_shown(draft, ticket))
    else:
        _open_with(draft, ticket, at_hand, name_first=ticket.against is not Against.HOUSE)


def _wait(draft: Draft, name: str) -> None:
    """Put a player at the end of the queue of the game they seek."""
    player = draft.players[name]
    game = player.seek
    assert game is not None, "only who seeks can wait"
    draft.queues[game] = (*(draft.queues.get(game) or ()), name)
    show_seeker(draft, player)


def _ticket_for_seekers(draft: Draft, game: str) -> Ticket | None:
    """A ticket whose player is here and would also play a player out of this game's queue."""
    if not draft.tickets:
        return None
    for ticket in draft.tickets.values():
        is_here = ticket.session is not None and may_leave(draft, ticket)
        if ticket.open_to_queue and ticket.game == game and is_here and not is_kept(draft, ticket):
            return ticket
    return None


def _open_with(draft: Draft, ticket: Ticket, name: str, *, name_first: bool) -> None:
    """Open the match of a ticket's player, who is here, and a player without a ticket."""
    if draft.server.drains:
        return
    ticket, left_alone = dissolve(draft, ticket)
    names = (name, ticket.player) if name_first else (ticket.player, name)
    _open(draft, (ticket,), names)
    search_anew(draft, (left_alone,))


def _leave_absent(draft: Draft, ticket: Ticket, other: Ticket) -> None:
    """Let two players who are here meet, instead of waiting for opponents who have not come."""
    ticket, first_left = dissolve(draft, ticket)
    other, second_left = dissolve(draft, draft.tickets[other.id])
    _open_pair(draft, *pair(draft, ticket, other))
    search_anew(draft, (first_left, second_left))


def _open_pair(draft: Draft, ticket: Ticket, partner: Ticket) -> None:
    """Open the match of two players who are here. The earlier arrival sits first; of two at once, the partner."""
    both = sorted((partner, ticket), key=lambda one: one.arrived_ms)
    _open(draft, tuple(both), tuple(one.player for one in both))


def _open(draft: Draft, tickets: tuple[Ticket, ...], names: tuple[str, ...]) -> None:
    """Open a match of these players in this order."""
    if draft.server.drains:
        return
    game = draft.game_named(tickets[0].game)
    assert game is not None, "a ticket names a game that was known when it was booked"
    by_name = {ticket.player: ticket for ticket in tickets}
    options = options_of_match(game, tickets, names)
    unlike = any(name not in by_name and draft.players.get(name) is not None for name in names)
    rated = tickets[0].against is Against.RATED
    policies = ticket_policies(draft.server.rules, first_move_pause=unlike, rated=rated)
    open_match(draft, game, names, policies, options=options, in_order=True, tickets=by_name)
    for ticket in tickets:
        del draft.tickets[ticket.id]
