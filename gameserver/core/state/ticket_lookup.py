"""The way from an id that a player gives to the player's ticket, or to the seat that it led to."""

from collections.abc import Mapping
from typing import Any, Protocol

from gameserver.core.messages.events import Rejected
from gameserver.core.messages.rejections import Code
from gameserver.core.state.match import Match
from gameserver.core.state.ticket import Ticket


class Rows(Protocol):
    """A lobby, or a draft of one."""

    @property
    def tickets(self) -> Any:
        """The tickets by id."""

    @property
    def matches(self) -> Any:
        """The live matches by number."""


def ticket_named(rows: Rows, asked: str, identity: str) -> Ticket | None:
    """The ticket that this player means by an id; None if they have none by that id."""
    tickets: Mapping[str, Ticket] = rows.tickets
    own = tickets.get(asked)
    if own is not None and own.identity == identity:
        return own
    mine = (ticket for ticket in tickets.values() if ticket.identity == identity)
    return next((ticket for ticket in mine if asked in ticket.ids.aliases), None)


def seat_named(rows: Rows, asked: str, identity: str) -> tuple[Match, int] | None:
    """The live match, and the seat in it, that this player means by an id."""
    matches: Mapping[int, Match] = rows.matches
    for match in matches.values():
        for seat, holder in enumerate(match.seats):
            is_asked = holder.ticket == asked or asked in holder.ids.aliases
            if holder.ticket and holder.identity == identity and is_asked:
                return match, seat
    return None


def ticket_of(rows: Rows, identity: str) -> Ticket | None:
    """The ticket of this player, by whatever id."""
    tickets: Mapping[str, Ticket] = rows.tickets
    return next((ticket for ticket in tickets.values() if ticket.identity == identity), None)


def seat_of(rows: Rows, identity: str) -> tuple[Match, int] | None:
    """The live match of this player that a ticket led to, and the seat in it."""
    matches: Mapping[int, Match] = rows.matches
    places = ((match, seat) for match in matches.values() for seat in range(len(match.seats)))
    mine = (
        (match, seat) for match, seat in places if match.seats[seat].ticket and match.seats[seat].identity == identity
    )
    return next(mine, None)


def is_known(rows: Rows, asked: str) -> bool:
    """True if the id belongs to any player."""
    return rows.tickets.get(asked) is not None or any(
        asked in holder.ids.all_with(holder.ticket) for match in rows.matches.values() for holder in match.seats
    )


def unknown(rows: Rows, asked: str) -> Rejected:
    """The refusal of an id by which the player who gave it has nothing."""
    return Rejected(Code.NOT_YOUR_TICKET if is_known(rows, asked) else Code.NO_SUCH_TICKET, {"ticket": asked})
