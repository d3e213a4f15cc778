"""What a match is played under whose players have tickets."""

from collections.abc import Mapping
from typing import Any

from gameserver.core import referee
from gameserver.core.ticket import Ticket
from gameserver.game import Game


def options_of_match(game: Game[Any], tickets: tuple[Ticket, ...], names: tuple[str, ...]) -> Any:
    """The options of a match of these players that these tickets have led to; the usual ones without a ticket."""
    by_name = {ticket.player: ticket for ticket in tickets}
    given = tickets[0].options if tickets else {}
    return referee.options_of(game, {**given, **_of_seats(by_name, names)})


def _of_seats(by_name: Mapping[str, Ticket], names: tuple[str, ...]) -> dict[str, Any]:
    """The options that each seat has for itself, together; False for who says nothing."""
    keys = {key: None for ticket in by_name.values() for key in ticket.seat_options}
    return {
        key: tuple(by_name[name].seat_options.get(key, False) if name in by_name else False for name in names)
        for key in keys
    }
