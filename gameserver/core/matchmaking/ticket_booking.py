"""Books tickets: one for each player at a time.

The player of a ticket may be a student, whom a roster gives a name to log in by, too. Both are one player, who is here
once: whoever comes second is refused, or takes over with the secret of the name. What was open before ends then.
"""

import attrs

from gameserver.core.matches import referee
from gameserver.core.matchmaking import identity_names, takeover, tickets
from gameserver.core.matchmaking.ticket_search import house_for, search, ticket_shown
from gameserver.core.messages import identity
from gameserver.core.messages.commands import Against, Book
from gameserver.core.messages.events import Accepted, Answer, Rejected
from gameserver.core.messages.identity import Proof, is_reserved_name
from gameserver.core.messages.rejections import Code
from gameserver.core.state.draft import Draft
from gameserver.core.state.lobby import Player
from gameserver.core.state.ticket import Ticket
from gameserver.core.state.ticket_lookup import seat_of, ticket_of
from gameserver.game import Game


def book(draft: Draft, command: Book) -> Answer:
    """Book a ticket, and look for an opponent at once."""
    game = draft.game_named(command.game)
    if game is None:
        return Rejected(Code.UNKNOWN_GAME, {"game": command.game})
    unfit = _unfit(command)
    if unfit is not None:
        return unfit
    command = attrs.evolve(command, player=identity_names.name_of(draft.lobby, command))
    # The roster may have changed since: then the same player has another name there.
    before = tickets.ticket_for(draft, command.player) or ticket_of(draft, command.identity)
    usurped = before if before is not None and _is_owners(command) and not before.is_bound else None
    if before is not None and usurped is None:
        return _asked_again(draft, command, before)
    refusal = _keeping_out(draft, command) or _impossible(draft, command, game)
    if refusal is not None:
        return refusal
    present = draft.players.get(command.player)
    if usurped is not None:
        tickets.give_up(draft, usurped.player)
    if present is not None and _is_owners(command) and (usurped is not None or _is_elsewhere(present, command)):
        takeover.displace(draft, present)
    if not command.is_listed:
        identity_names.remember(draft, command.player, command.identity)
    ticket = _ticket(draft, command, game)
    draft.tickets[ticket.id] = ticket
    search(draft, ticket)
    draft.tell(command.session, ticket_shown(draft, draft.tickets[ticket.id]))
    return Accepted()


def _unfit(command: Book) -> Rejected | None:
    """The reason why the player may not come in in this way; None if they may."""
    unproven = identity.proof_refusal(command.standing, command.identity)
    if unproven is None and not command.is_listed and not is_reserved_name(command.player):
        return Rejected(Code.NAME_INVALID, {"name": command.player, "why": "it begins with no reserved prefix"})
    return unproven


def _is_owners(command: Book) -> bool:
    """True if the secret of a student's name has come with the booking."""
    return command.is_listed and command.standing is Proof.PROVEN


def _is_elsewhere(present: Player, command: Book) -> bool:
    """True if a player is here in another way. By the same identity it is a connection left from the last match."""
    return present.identity != command.identity


def _asked_again(draft: Draft, command: Book, before: Ticket) -> Answer:
    """Answer a player who has a ticket: with that, if the answer to the first request seems to have been lost."""
    if not before.is_asked_again(command, draft.at.now_ms):
        return Rejected(Code.TICKET_OPEN)
    draft.tickets[before.id] = attrs.evolve(before, token=command.token)
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
    """The reason why there can be no such ticket; None if there can."""
    absent = sum(ticket.session is None and ticket.address == command.address for ticket in draft.tickets.values())
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


def _ticket(draft: Draft, command: Book, game: Game[object]) -> Ticket:
    now_ms = draft.at.now_ms
    return Ticket(
        id=command.ticket,
        player=command.player,
        identity=command.identity,
        address=command.address,
        game=game.name,
        options=command.options,
        seat_options=command.seat_options,
        against=command.against,
        rating=command.rating,
        open_to_queue=command.open_to_queue,
        token=command.token,
        is_bound=command.standing is Proof.PROVEN,
        opened_ms=now_ms,
    ).searching(now_ms, now_ms + draft.server.rules.ticket_wait_ms)
