"""Tickets: searches that outlive a player's connection.

A ticket is booked by a request and waits for its opponent; its player arrives by another connection, before or after
one is found. The match is opened when both are there, the earlier arrival in the first seat. Until then each of the two
can lapse: a ticket whose player does not come is gone after a while, and the other goes on searching.

    booked -- an opponent with the same wishes --> found -- both arrive --> seated, the ticket is gone
      |                                              |
      +-- nobody comes in time: lapsed               +-- one does not come: the other waits again

`ticket_search` finds the opponents, and `matchmaker` opens the matches. Who may sit down with a ticket, or come back to
the seat that it led to:

    proof     the token of the join, or a JSON Web Token: gets in from anywhere, and replaces
              any player who sits there
    owner     comes from the address of the join, or with an id that no other player was told
    return    comes from the address of the last occupant, who is gone
    stranger  any other client that knows the id and the player: gets into a place that its owner has never
              used, and gives way to the owner at once

A player whose identity is bound to a secret gets in by proof alone. The player of a ticket may be a student, whom a
roster gives a name to log in by, too. Both are one player, who is here once and has one ticket: whoever comes second is
refused, or takes over with the secret of the name. What was open before ends then.
"""

import attrs

from gameserver.core import newcomers, playing, referee
from gameserver.core.commands import (
    Against,
    Arrive,
    Book,
    RecallTicket,
    ServerStarted,
    ShowTicket,
    TicketTimeUp,
    Unbook,
)
from gameserver.core.draft import Draft, PlayerAvailable
from gameserver.core.events import Accepted, Answer, Code, Displaced, Rejected, TicketClosed
from gameserver.core.identity import Proof, is_reserved_name
from gameserver.core.lobby import Player, Ticket, seat_named, seat_of, ticket_named, ticket_of, unknown
from gameserver.core.match import Claim, Match, SeatHolder
from gameserver.core.match_course import void_match
from gameserver.core.matchmaker import meet_ticket, search_on
from gameserver.core.ticket_search import house_for, present_opponent, search, shown_seat, ticket_shown
from gameserver.game import Game
from gameserver.policies import SeatReturn


def book(draft: Draft, command: Book) -> Answer:
    """Carries out `Book`: opens a ticket, which outlives its player's connection, and looks for an opponent at once."""
    game = draft.game_named(command.game)
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": command.game})
    unfit = _unfit(command)
    if unfit is not None:
        return unfit
    # Two identities can have one short name; it belongs to the one that was here first.
    command = attrs.evolve(command, player=newcomers.name_of(draft.lobby, command))
    # The roster may have changed since: then the same player has another name there.
    before = ticket_for(draft, command.player) or ticket_of(draft, command.identity)
    usurped = before if before is not None and _is_owners(command) and not before.claim.is_bound else None
    if before is not None and usurped is None:
        return _asked_again(draft, command, before)
    refused = _keeping_out(draft, command) or _impossible(draft, command, game)
    if refused is not None:
        return refused
    present = draft.players.get(command.player)
    # Somebody else had booked under the student's name; the secret shows whose it is.
    if usurped is not None:
        give_up(draft, usurped.player)
    if present is not None and _is_owners(command) and (usurped is not None or _is_elsewhere(present, command)):
        newcomers.displace(draft, present)
    # A listed name is the roster's, and bound to its student by that.
    if not command.is_listed:
        newcomers.remember(draft, command.player, command.identity)
    now_ms = draft.at.now_ms
    ticket = Ticket(Claim(attrs.evolve(command, game=game.name)), opened_ms=now_ms)
    ticket = ticket.searching(now_ms, now_ms + draft.server.rules.ticket_wait_time_ms)
    draft.tickets[ticket.id] = ticket
    search(draft, ticket)
    draft.tell(command.session, ticket_shown(draft, draft.tickets[ticket.id]))
    return Accepted()


def _unfit(command: Book) -> Rejected | None:
    unproven = newcomers.proof_refusal(command.proof, command.identity)
    if unproven is None and not command.is_listed and not is_reserved_name(command.player):
        return Rejected(Code.NAME_INVALID, {"name": command.player, "why": "it begins with no reserved prefix"})
    return unproven


def _is_owners(command: Book) -> bool:
    """True if the secret of a student's name has come with the booking."""
    return command.is_listed and command.proof is Proof.PROVEN


def _is_elsewhere(present: Player, command: Book) -> bool:
    """True if a player is here in another way. By the same identity it is a connection left from the last match."""
    return present.identity != command.identity


def _asked_again(draft: Draft, command: Book, before: Ticket) -> Answer:
    """Answer a player who has a ticket: with that, if the answer to the first request seems to have been lost."""
    if not before.is_asked_again(command, draft.at.now_ms):
        return Rejected(Code.TICKET_OPEN)
    booked = attrs.evolve(before.booked, token=command.token)
    draft.tickets[before.id] = attrs.evolve(before, claim=attrs.evolve(before.claim, booked=booked))
    draft.tell(command.session, ticket_shown(draft, before))
    return Accepted()


def _keeping_out(draft: Draft, command: Book) -> Rejected | None:
    """The refusal of a player who holds a seat, or is here in another way without having proven to be the same."""
    if draft.seated.get(command.player) is not None or seat_of(draft, command.identity) is not None:
        return Rejected(Code.IN_MATCH)
    present = draft.players.get(command.player)
    if command.is_listed and present is not None and _is_elsewhere(present, command) and not _is_owners(command):
        return Rejected(Code.NAME_TAKEN, {"name": command.player})
    return None


def _impossible(draft: Draft, command: Book, game: Game[object]) -> Rejected | None:
    waiting = (ticket for ticket in draft.tickets.values() if ticket.session is None)
    absent = sum(ticket.booked.address == command.address for ticket in waiting)
    if absent >= draft.server.rules.tickets_per_address_max:
        return Rejected(Code.TICKETS_FULL, {"address": command.address, "count": str(absent)})
    try:
        options = {key: (value, value) for key, value in command.seat_options.items()}
        referee.options_of(game, {**command.options, **options})
    except referee.PlayersMistake as error:
        return Rejected(Code.BAD_OPTIONS, {"game": game.name, "why": str(error)})
    if command.against is Against.HOUSE and house_for(draft, game.name) is None:
        return Rejected(Code.GAME_NOT_PLAYED, {"player": "the house", "game": game.name})
    return None


def unbook(draft: Draft, command: Unbook) -> Answer:
    """Carries out `Unbook`: closes a ticket that its player gives back while it has no opponent yet."""
    ticket = ticket_named(draft, command.ticket, command.identity)
    if ticket is None:
        return unknown(draft, command.ticket)
    if ticket.partner is not None:
        # GammonX refuses a cancel once the opponent is found: "Matchlobby was already created".
        return Rejected(Code.TICKET_SEATED, {"ticket": command.ticket})
    _close(draft, ticket)
    return Accepted()


def show(draft: Draft, command: ShowTicket) -> Answer:
    """Answers `ShowTicket` with the state of a ticket's search, and extends the search."""
    ticket = ticket_named(draft, command.ticket, command.identity)
    if ticket is not None:
        _renew(draft, ticket)
        draft.tell(command.session, ticket_shown(draft, ticket))
        return Accepted()
    found = seat_named(draft, command.ticket, command.identity)
    if found is None:
        return unknown(draft, command.ticket)
    draft.tell(command.session, shown_seat(*found))
    return Accepted()


def _renew(draft: Draft, ticket: Ticket) -> None:
    """Extend a ticket whose player asks for it; not at every request, because each time is a journal row."""
    wait_ms = draft.server.rules.ticket_wait_time_ms
    is_awaited = ticket.session is None and ticket.partner is None
    if is_awaited and ticket.due_ms is not None and ticket.due_ms - draft.at.now_ms <= wait_ms // 2:
        draft.tickets[ticket.id] = attrs.evolve(ticket, due_ms=draft.at.now_ms + wait_ms)


def recall(draft: Draft, command: RecallTicket) -> Answer:
    """Answers `RecallTicket`: the id that a client has lost. One without proof is answered as if there were none."""
    ticket = ticket_of(draft, command.identity)
    found = seat_of(draft, command.identity) if ticket is None else None
    if ticket is not None and _may_be_told(command, ticket):
        draft.tell(command.session, ticket_shown(draft, ticket))
        return Accepted()
    if found is not None and _may_be_told(command, found[0].seats[found[1]]):
        draft.tell(command.session, shown_seat(*found))
        return Accepted()
    # Also where there is one: to say so would tell a stranger that this player is searching.
    return Rejected(Code.NO_SUCH_TICKET, {"ticket": ""})


def arrive(draft: Draft, command: Arrive) -> Answer:
    """Carries out the `Arrive` of a ticket's player: lets them in, or back to the seat that the ticket led to."""
    if draft.player_of(command.session) is not None:
        return Rejected(Code.ALREADY_ENTERED)
    ticket = ticket_named(draft, command.ticket, command.identity)
    if ticket is None:
        found = seat_named(draft, command.ticket, command.identity)
        return unknown(draft, command.ticket) if found is None else _return(draft, *found, command)
    refused = _refusal(draft, command, ticket)
    if refused is not None:
        return refused
    claim = attrs.evolve(ticket.claim, by_stranger=_is_strangers(draft, command, ticket))
    if claim.by_stranger and not claim.pair_id:
        # Without an opponent a stranger is told the ticket's own id, which proves nothing any more after that.
        claim = claim.shared()
    _enter(draft, command, ticket.player)
    now_ms = draft.at.now_ms
    ticket = attrs.evolve(ticket, claim=claim, session=command.session, arrived_ms=now_ms, address=command.address)
    if ticket.partner is None:
        ticket = ticket.searching(now_ms, None)
    draft.tickets[ticket.id] = ticket
    meet_ticket(draft, ticket)
    return Accepted()


def _return(draft: Draft, match: Match, seat: int, command: Arrive) -> Answer:
    holder = match.seats[seat]
    refused = _refusal(draft, command, holder)
    if refused is not None:
        return refused
    had_stranger = _was_played_for(match, seat, command)
    claim = attrs.evolve(_claim_of(holder), by_stranger=_is_strangers(draft, command, holder))
    player = attrs.evolve(_enter(draft, command, holder.player), match=match.id)
    draft.players[player.name] = player
    answer = playing.act(draft, match.with_seat(seat, attrs.evolve(holder, claim=claim)), seat, player)
    if had_stranger:
        # Neither player can be blamed for moves that a stranger made.
        why = f"somebody else had played for {holder.player}, who came with a proof"
        void_match(draft, draft.matches[match.id], why)
    return answer


def _was_played_for(match: Match, seat: int, command: Arrive) -> bool:
    """True if a stranger has played in this seat, and now its owner comes.

    A player who comes from the stranger's address goes on with their own game.
    """
    holder = match.seats[seat]
    if not _claim_of(holder).by_stranger or holder.address == command.address:
        return False
    return match.game_number > 1 or any(move.seat == seat for move in match.moves)


def _enter(draft: Draft, command: Arrive, name: str) -> Player:
    """Let the player in; a connection that they had before is told that it is over."""
    before = draft.players.get(name)
    if before is not None and not before.identity and not is_reserved_name(name):
        newcomers.displace(draft, before)  # a student's, who had logged in by the name
    elif before is not None:
        # Once its own ticket was over, that connection could look for opponents like any other.
        newcomers.end_searches(draft, before)
        draft.tell(before.session, Displaced())
        del draft.sessions[before.session]
    draft.sessions[command.session] = name
    player = Player(
        name, command.session, command.protocol, command.address, command.capabilities, identity=command.identity
    )
    draft.players[name] = player
    draft.follow_ups.add(PlayerAvailable(name))
    return player


def time_up(draft: Draft, command: TicketTimeUp) -> Answer:
    """Carries out `TicketTimeUp`: closes a ticket whose player did not arrive, or lets it search more widely."""
    now_ms = draft.at.now_ms
    ticket = draft.tickets.get(command.ticket)
    if ticket is None or ticket.due_ms is None or ticket.due_ms > now_ms:
        return Rejected(Code.STALE)
    # A player who is here waits for ever; only an absent one's ticket lapses.
    lapses = ticket.session is None and (ticket.lapses_ms is None or ticket.lapses_ms <= now_ms)
    if ticket.partner is None and not lapses:
        ticket = ticket.searching(now_ms, ticket.lapses_ms)
        draft.tickets[ticket.id] = ticket
        if search(draft, ticket) or present_opponent(draft, ticket):
            meet_ticket(draft, draft.tickets[ticket.id])
        return Accepted()
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    both = (ticket,) if partner is None else (ticket, partner)
    for one in both:
        if one.session is None:
            _close(draft, one)
    for one in both:
        if one.session is not None:
            draft.tickets[one.id] = alone = one.searching(now_ms, None)
            search_on(draft, alone)
    return Accepted()


def left(draft: Draft, player: Player) -> None:
    """Lets a ticket wait for a while, because its player's connection is gone."""
    for ticket in draft.tickets.values():
        # A player has one ticket at most.
        if ticket.session == player.session:
            rules = draft.server.rules
            wait_ms = rules.ticket_wait_time_ms if ticket.partner is None else rules.ticket_arrival_time_ms
            draft.tickets[ticket.id] = _awaited(draft, ticket, wait_ms)
            return


def keep_waiting(draft: Draft, command: ServerStarted) -> None:
    """Has every ticket wait for its player after a restart of the server."""
    wait_ms = max(command.rules.ticket_arrival_time_ms, command.rules.restart_grace_ms)
    for ticket in list(draft.tickets.values()):
        draft.tickets[ticket.id] = _awaited(draft, ticket, wait_ms)


def _awaited(draft: Draft, ticket: Ticket, wait_ms: int) -> Ticket:
    """The ticket of an absent player, to be waited for so long."""
    lapses_ms = draft.at.now_ms + wait_ms
    if ticket.partner is None:
        return attrs.evolve(ticket, session=None).searching(draft.at.now_ms, lapses_ms)
    return attrs.evolve(ticket, session=None, due_ms=lapses_ms, lapses_ms=lapses_ms)


def _close(draft: Draft, ticket: Ticket) -> None:
    draft.tell(ticket.session, TicketClosed(ticket.id))
    del draft.tickets[ticket.id]


def ticket_for(draft: Draft, player: str) -> Ticket | None:
    """Finds the ticket of the player of this name."""
    return next((ticket for ticket in draft.tickets.values() if ticket.player == player), None)


def give_up(draft: Draft, player: str) -> None:
    """Closes a player's booked ticket because they logged in by the name instead; a found opponent searches on."""
    ticket = ticket_for(draft, player)
    if ticket is None:
        return
    partner = None if ticket.partner is None else draft.tickets.get(ticket.partner)
    _close(draft, ticket)
    if partner is not None:
        lapses_ms = None if partner.session is not None else partner.lapses_ms
        draft.tickets[partner.id] = partner = partner.searching(draft.at.now_ms, lapses_ms)
        search_on(draft, partner)


_Place = Ticket | SeatHolder
"""A ticket, or the seat that it led to, as an arriving player finds it."""


def _refusal(draft: Draft, command: Arrive, place: _Place) -> Rejected | None:
    """The reason why a session may not come in; None if it may."""
    if _is_proven(command, place):
        return None
    name = {"name": place.player}
    if _is_bound(place):
        return Rejected(Code.UNPROVEN, {"name": command.identity})
    # A wrong token is no slip: a client without a token sends none.
    if command.token:
        return Rejected(Code.TOKEN_WRONG, name)
    owner = _is_owner(draft, command, place)
    # A player who is connected without the ticket, since an earlier match, keeps nobody out.
    if place.session is not None:
        return None if owner and _claim_of(place).by_stranger else Rejected(Code.NAME_TAKEN, name)
    if owner or command.address == place.address or not _is_used(place):
        return None
    return Rejected(Code.NAME_HELD, name)


def _is_proven(command: Arrive | RecallTicket, place: _Place) -> bool:
    """True if the command brings a proof, which suffices alone."""
    token = _claim_of(place).booked.token
    return command.is_proven or bool(token and command.token == token)


def knows_secret(command: Arrive, place: _Place) -> bool:
    """True if an `Arrive` with a ticket brings a proof, or the ticket's own id, which nobody but its owner was told."""
    claim = _claim_of(place)
    return _is_proven(command, place) or (command.ticket == claim.booked.ticket and not claim.is_shared)


def _is_owner(draft: Draft, command: Arrive, place: _Place) -> bool:
    """True if the command comes from the owner as far as an address or a secret id tells."""
    any_address = draft.server.rules.seat_return is SeatReturn.ANY_ADDRESS
    return knows_secret(command, place) or any_address or command.address == _claim_of(place).booked.address


def _is_strangers(draft: Draft, command: Arrive, place: _Place) -> bool:
    """True if a session that may come in does so as a stranger."""
    if _is_proven(command, place) or _is_owner(draft, command, place):
        return False
    return _claim_of(place).by_stranger or not _is_used(place)


def _may_be_told(command: RecallTicket, place: _Place) -> bool:
    """True if the sender may be told the ids of a place: by a proof, or from the address of the join.

    The address of the last connection does not count here: a stranger may have come from it.
    """
    if _is_proven(command, place):
        return True
    return not _is_bound(place) and not command.token and command.address == _claim_of(place).booked.address


def is_blocked_alone(draft: Draft, command: Arrive, place: _Place) -> bool:
    """True if only a player who uses the ticket, or the seat it led to, keeps an `Arrive` with it out now."""
    found = _refusal(draft, command, place)
    if found is None or found.code is not Code.NAME_TAKEN:
        return False
    return _is_owner(draft, command, place) or command.address == place.address or not _is_used(place)


def _claim_of(place: _Place) -> Claim:
    claim = place.claim
    assert claim is not None, "a ticket led to the seat"
    return claim


def _is_bound(place: _Place) -> bool:
    """True if nothing but a proof lets its player in."""
    return _claim_of(place).is_bound or (isinstance(place, SeatHolder) and bool(place.key))


def _is_used(place: _Place) -> bool:
    """True if a player with a better title than a stranger's has used a place."""
    if isinstance(place, SeatHolder):
        return True  # the match is opened when both players have come
    return place.arrived_ms != 0 and not place.claim.by_stranger
